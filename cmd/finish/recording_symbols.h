/* Names for the addresses of a recording. */
#ifndef THRACE_CMD_FINISH_RECORDING_SYMBOLS_H
#define THRACE_CMD_FINISH_RECORDING_SYMBOLS_H

#include <stdio.h>

#include "cmd/finish/recording.h"

/* Finds function, file and line of every PC, with a bar on the terminal while it takes long. NULL, or one line. */
const char *recording_symbolize(struct recording *r, FILE *terminal);

#endif
