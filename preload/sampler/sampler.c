#include "preload/sampler/sampler.h"

struct sampler sampler;
