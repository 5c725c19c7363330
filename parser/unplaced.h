/* What a trace that ends in the middle has too much of. */
#ifndef THRACE_PARSER_UNPLACED_H
#define THRACE_PARSER_UNPLACED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gotrace_reader;

/*
 * After gotrace_reader_next returned NULL because of an error in the order of events: calls each(arg, thread, n) for
 * each thread whose last n events of the generation could not be placed. Returns the number of the generation, 0 when
 * that is not what went wrong. The reader is of no use afterwards.
 */
uint64_t reader_unplaced(struct gotrace_reader *r, void (*each)(void *arg, uint64_t thread, size_t n), void *arg);

#endif
