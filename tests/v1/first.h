/* A trace as the tracer of 2014 wrote it, of a program that never was: what its scheduler does, seed says. */
#ifndef THRACE_TESTS_V1_FIRST_H
#define THRACE_TESTS_V1_FIRST_H

#include "parser/raw_buffer.h"

/*
 * Appends the trace to *trace and, a line for each event in the order in which they happened, "NAME G" to *told: G is
 * the goroutine that it happened to or on. At least so many events happen after what was there at the beginning.
 */
void first_trace(struct raw_buffer *trace, struct raw_buffer *told, uint32_t seed, unsigned steps);

#endif
