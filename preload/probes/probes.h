/*
 * USDT probes: the places that a program marks with <sys/sdt.h>, each a nop that debuggers and tracers put a trap on.
 * Here a jump takes its place before the program begins, where that is safe, and what is asked for happens.
 */
#ifndef THRACE_PRELOAD_PROBES_PROBES_H
#define THRACE_PRELOAD_PROBES_PROBES_H

#include <stdbool.h>

/*
 * Once, in the constructor, in a thread that is off. mappings are as lib/options/probes.h has them, and need not last;
 * exe is the program's path. alone: a mapping without a probe is worth a line, because no other process will have it.
 */
void probes_init(const char *mappings, const char *exe, bool alone, bool verbose);

#endif
