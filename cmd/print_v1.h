/* thrace print --v1: the events of a trace of Go 1.5 to 1.21 as Go 1.21 shows them. */
#ifndef THRACE_CMD_PRINT_V1_H
#define THRACE_CMD_PRINT_V1_H

struct binary;

/* Prints the trace at path, stdin for "-", which has to be of the binary, NULL: any; what the verb exits with. */
int print_v1(const char *path, struct binary *binary);

#endif
