/* What the meta records of a spool say, and the frames that the recording's stacks become. */
#ifndef THRACE_CMD_FINISH_RECORDING_H
#define THRACE_CMD_FINISH_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cmd/finish/first_stacks.h"
#include "cmd/finish/samples.h"
#include "cmd/finish/spool_read.h"
#include "cmd/finish/trace_time.h"
#include "gotrace/builder.h"

struct rec_stack {
    uint64_t generation, id;
    size_t first, n; /* its PCs: recording.pcs[first …] */
    size_t epoch; /* of a sample: so many of recording.refreshes came before it, and one; of other stacks 0 */
    const char *thread; /* the name of a thread that nobody saw being made, whose first stack it is; or NULL */
    uint64_t thread_g, named_at;
    bool ambiguous; /* two such threads, of two names */
};

struct rec_thread {
    uint64_t generation, g, stack_id;
    size_t order; /* of writing */
    uint64_t start_pc; /* 0: main's */
    size_t pc;         /* recording.pcs[pc] is start_pc */
    const char *name; /* set by pthread_setname_np, or NULL */
    uint64_t named_at;
};

/* How a thread waited when the recording's first generation began. */
struct rec_status {
    uint64_t g, m, reason;
    uint64_t stack_id; /* 0: none */
};

struct rec_module {
    uint64_t generation, time, start, end, bias;
    char *path;
    const uint8_t *build_id;
    size_t build_id_len;
    size_t mapping;    /* of recording.mappings: the same file at the same place may be recorded many times */
    bool ours; /* the shim: its frames are not the program's */
    bool libc;
    bool runtime; /* of C++: a thread that starts in it is somebody else's */
};

enum { OVERLAYS = 32 };

/* One file at one place, and when it was recorded there: records[first …], in order. */
struct rec_mapping {
    uint64_t start, end;
    size_t first, n;
    int symbol_module;
    unsigned overlay; /* so many others were at the place before: 0 to OVERLAYS - 1, then again from 0 */
};

struct rec_hook {
    uint64_t pc;
    char *name;
};

/* Calls of a function that were too short to be in the trace. */
struct rec_calls {
    uint64_t pc, calls, ticks;
};

struct rec_pc {
    uint64_t pc;
    uint64_t generation;
    size_t epoch; /* its stack's */
    int64_t symbol;   /* number in the symbolizer */
    const char *hook; /* the wrapped function that the PC stands for, or NULL */
    int module;
};

/* A sampled block of the heap. */
struct rec_block {
    uint64_t id, bytes;
    uint64_t generation, stack_id;
    bool freed;
};

struct recording {
    struct rec_stack *stacks;
    size_t nstacks, cap_stacks;
    struct rec_thread *threads;
    size_t nthreads, cap_threads;
    uint64_t first_generation;
    struct rec_status *statuses; /* by g */
    size_t nstatuses, cap_statuses;
    struct rec_pc *pcs;
    size_t npcs, cap_pcs;
    struct rec_module *modules;
    size_t nmodules, cap_modules;
    struct rec_mapping *mappings; /* by start */
    size_t nmappings;
    size_t *records; /* numbers of modules, by mapping */
    uint64_t longest_mapping;
    uint64_t *refreshes; /* the distinct times of modules, in order: each time, all that were mapped are there */
    size_t nrefreshes, cap_refreshes;
    struct rec_hook *hooks;
    size_t nhooks, cap_hooks;
    struct samples samples;
    struct rec_block *blocks; /* by id */
    size_t nblocks, cap_blocks;
    uint64_t *frees; /* their ids */
    size_t nfrees, cap_frees;
    void *profile; /* what they come to, as a file for pprof */
    size_t profile_size;
    struct rec_calls *calls;
    size_t ncalls, cap_calls;
    struct symbolizer *symbolizer;
    struct events_seen seen;
    struct trace_time time; /* set by who knows how long a tick was */
    const char *exe; /* path of the program, in the spool's header */
    unsigned pid;
};

/* The stack of that ID in a generation, or NULL, once all are read. */
struct rec_stack *recording_find_stack(const struct recording *r, uint64_t generation, uint64_t id);

/* One more stack; NULL when memory ran out. */
struct rec_stack *recording_add_stack(struct recording *r, uint64_t generation, uint64_t id, const uintptr_t *pcs,
                                      size_t n);

/* The epoch of a stack of that time. */
size_t recording_epoch(const struct recording *r, uint64_t time);

/* Order of hooks, which begin with their PC. */
int recording_by_hook(const void *a, const void *b);

/* Reads the meta records. NULL, or one line that says what is wrong. */
const char *recording_read(struct recording *r, const struct spool_file *f);

struct symbolize_message;

/* Tells the symbolizer what was mapped. False: out of memory. */
bool recording_add_modules(struct recording *r);

/*
 * The module that had the address in that epoch: one that was mapped when it began, or else one that came in it. Of
 * epoch 0, or when there is none, that of the generation: the last one recorded until then, else the first one after.
 */
const struct rec_module *recording_module_of(const struct recording *r, uint64_t pc, uint64_t generation, size_t epoch);

/* Whether the user should hear of it. */
bool recording_worth_telling(const struct recording *r, const struct symbolize_message *said);

/* Finds function, file and line of every PC, with a bar on the terminal while it takes long. NULL, or one line. */
const char *recording_symbolize(struct recording *r, FILE *terminal);

/* Writes the reasons, stacks, thread names and CPU samples of a generation. 0, or -1: the builder says why. */
int recording_write_tables(const struct recording *r, gotrace_builder *b, uint64_t generation);

/* The same for the generation in front of the first one (cmd/finish/opening.h). */
int recording_write_opening_tables(const struct recording *r, gotrace_builder *b);

/* How it waited when the first generation began; NULL: it did not. */
const struct rec_status *recording_status(const struct recording *r, uint64_t g);

/* Whether it is known where the thread started: then its start stack is in the tables. */
bool recording_has_start(const struct recording *r, uint64_t g);

/* The frames of a stack, leaf first, as the trace has them: v has room for STACK_MAX_FRAMES. Their number. */
size_t recording_frames(const struct recording *r, uint64_t generation, uint64_t stack_id,
                        struct gotrace_builder_frame *v);

void recording_free(struct recording *r);

#endif
