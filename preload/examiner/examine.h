/*
 * May the code around a probe be moved, so that a jump takes its place? A library of its own, which the preloaded one
 * loads when probes are asked for and unloads before the program begins: it needs a decoder of instructions.
 *
 * A jump has five bytes and the nop of a probe has one. So instructions beside the nop move to a trampoline. What must
 * hold is that nothing ever goes to an address between the first and the last of the five bytes. What cannot be shown
 * to hold is refused.
 */
#ifndef THRACE_PRELOAD_EXAMINER_EXAMINE_H
#define THRACE_PRELOAD_EXAMINER_EXAMINE_H

#include <link.h>

#include "preload/examiner/site.h"

/* Examines the wanted sites of a module. While no other thread runs. */
typedef void examine_function(const struct dl_phdr_info *module, struct site *sites, unsigned n);
extern examine_function thrace_examine;

#endif
