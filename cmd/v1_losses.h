/* What a trace of v1 lacks of the one that it was made of. */
#ifndef THRACE_CMD_V1_LOSSES_H
#define THRACE_CMD_V1_LOSSES_H

#include "parser/as_v1/as_v1.h"

/* A line each on stderr, as of that verb. */
void report_v1_losses(const char *verb, const struct as_v1_losses *l);

#endif
