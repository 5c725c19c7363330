#include "preload/config.h"

struct config config_to_set;
extern const struct config config __attribute__((alias("config_to_set")));
