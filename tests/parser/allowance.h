/* Memory that runs out: link with --wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=reallocarray. */
#ifndef THRACE_TESTS_PARSER_ALLOWANCE_H
#define THRACE_TESTS_PARSER_ALLOWANCE_H

#include <limits.h>
#include <stdbool.h>

/* Allocations that still succeed; ULONG_MAX, as it is at first: all of them do. */
extern unsigned long allowance;

/* Only one fails then, and all behind it succeed. */
extern bool allowance_refuses_once;

#endif
