/* The option --probe of thrace record: a mapping, or @FILE with one a line. */
#ifndef THRACE_CMD_RECORD_PROBES_H
#define THRACE_CMD_RECORD_PROBES_H

#include <stdbool.h>

#include "lib/options/options.h"

/* Adds it to what is in the environment, or takes the place of that. False: it makes no sense, and that is said. */
bool record_probes_give(const struct option_kind *kind, const char *value, bool add);

#endif
