/*
 * Program counters into functions, files, lines and inlined frames, and objects into variables: once, in bulk, out of
 * the traced process.
 *
 * Modules, PCs and objects are added first; symbolize_run() then resolves everything in one pass over the sorted
 * addresses of each file, several files at a time; afterwards the frames of every one can be asked for. docs/symbols.md
 * says where each answer comes from and what is reported when it is missing.
 *
 * A symbolizer belongs to one thread at a time. Strings and frames that are returned live as long as it does.
 */
#ifndef THRACE_LIB_SYMBOLIZE_H
#define THRACE_LIB_SYMBOLIZE_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/symbolize/types.h"

struct symbolizer;

/* For symbolize_add_pc: look the module up by address. The module added last wins. */
enum { SYMBOLIZE_BY_ADDRESS = -1 };

/* NULL when out of memory. */
struct symbolizer *symbolize_new(void);
void symbolize_free(struct symbolizer *);

/* Copies all it is given. Returns the module's number, from 0, or -1 when out of memory. */
int symbolize_add_module(struct symbolizer *, const struct symbolize_module *);

/*
 * Adds what a JIT compiler of the process with that pid, as it sees itself, lists of its code in root/tmp/perf-PID.map:
 * code that is in no module may be there. Anybody can make a file of that name, so only one of that user counts; that
 * there is none is no error. False: memory is short.
 */
bool symbolize_add_perf_map(struct symbolizer *, const char *root, unsigned pid, uid_t user);

/*
 * Adds one run-time address that is a *return address*: the instruction before it is looked up, at pc - 1. An address
 * that is the instruction itself (the leaf of a sample) is added as pc + 1. The module may have been unmapped since,
 * its number then says which of those that used the address is meant. Returns the PC's number, from 0 and in order of
 * addition, or -1 when out of memory. Duplicates are welcome.
 */
int64_t symbolize_add_pc(struct symbolizer *, int module, uint64_t pc);

/*
 * Adds the run-time address of an object: a mutex, say. Its frame's function is the variable with the path to the
 * member (cache.shards[3].lock), file and line are where the variable is defined (the module's path and 1 where no
 * debug info says so). An object that no variable holds has no frames: symbolize_frames() then says n = 0. Returns as
 * symbolize_add_pc().
 */
int64_t symbolize_add_object(struct symbolizer *, int module, uint64_t address);

/*
 * Adds an object on a stack: so many bytes below the CFA of a frame that was in a call which returns to pc, or above the
 * stack pointer that it had then. Functions give their variables' places from either. Otherwise as
 * symbolize_add_object(); INT64_MAX when no variable can be that far away.
 */
enum symbolize_from { SYMBOLIZE_BELOW_CFA, SYMBOLIZE_ABOVE_SP };
int64_t symbolize_add_local(struct symbolizer *, int module, uint64_t pc, enum symbolize_from, uint64_t distance);

/* Called from time to time during the run with the number of PCs that are resolved so far. */
void symbolize_on_progress(struct symbolizer *, void (*report)(void *arg, size_t done, size_t total), void *arg);

/* Where separate debug files are installed, instead of /usr/lib/debug. Returns 0, or -1 when out of memory. */
int symbolize_set_debug_root(struct symbolizer *, const char *dir);

/*
 * Keeps answers between runs in this folder, which must be the caller's alone; none: they are not kept. Returns 0, or
 * -1 when out of memory. docs/symbols.md
 */
int symbolize_set_cache(struct symbolizer *, const char *dir);

/* Resolves all; at most once per symbolizer. Returns 0, or -1 when out of memory. */
int symbolize_run(struct symbolizer *);

/*
 * The frames of a PC, innermost (inlined) first, at least one; *n is their number. All but the last are inlined into
 * their successor. An object has one frame or none.
 */
const struct symbolize_frame *symbolize_frames(const struct symbolizer *, int64_t pc, size_t *n);

/* The i-th message, or NULL after the last one. */
const struct symbolize_message *symbolize_message(const struct symbolizer *, size_t i);

/* The address in the file of the function of that name, from its own symbol tables; 0 when they do not have it. */
uint64_t symbolize_function_address(const char *path, const char *name);

#endif
