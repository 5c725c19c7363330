/* Every kind of wait once: the parts of known-waits that are not in known-waits.c. */
#ifndef THRACE_TESTS_KNOWN_WAITS_H
#define THRACE_TESTS_KNOWN_WAITS_H

#include "program.h"

void timeouts(void);
void sleeps(void);

/* How many threads these made: program.h counts in each file. */
int timed_threads(void);

#endif
