/* thrace print --v1: the events of a trace of Go 1.5 to 1.21 as Go 1.21 shows them. */
#ifndef THRACE_CMD_PRINT_V1_H
#define THRACE_CMD_PRINT_V1_H

/* Prints the trace at path, stdin for "-"; what the verb exits with. */
int print_v1(const char *path);

#endif
