/* The contents of a spool's meta records. */
#ifndef THRACE_CMD_FINISH_RECORDING_H
#define THRACE_CMD_FINISH_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/finish/first_stacks.h"
#include "cmd/finish/locks.h"
#include "cmd/finish/objects.h"
#include "cmd/finish/recording_modules.h"
#include "cmd/finish/samples.h"
#include "cmd/finish/stack_table.h"
#include "cmd/finish/trace_time.h"
#include "parser/idmap.h"
#include "parser/rewrite/switches_delays.h"
#include "parser/rewrite/thread_switch.h"
#include "parser/vec.h"

struct rec_thread {
    uint64_t generation, g, stack_id;
    size_t order; /* of writing */
    uint64_t start_pc; /* 0: main's */
    size_t pc;         /* stacks.pcs[pc] is start_pc */
    const char *name; /* set by pthread_setname_np, or NULL */
    uint64_t named_at;
};

/* How a thread waited when the recording's first generation began. */
struct rec_status {
    uint64_t g, m, reason;
    uint64_t stack_id; /* 0: none */
};

/* A string of the program's: a name or a message of an annotation. */
struct rec_string {
    uint64_t generation, id;
    const char *text; /* in the spool */
    size_t len;
};

struct rec_hook {
    uint64_t pc;
    char *name;
};

/* Calls of a function that were too short to be in the trace. */
struct rec_calls {
    uint64_t pc, calls, ticks;
};

/* A sampled block of the heap. */
struct rec_block {
    uint64_t id, bytes;
    uint64_t generation, stack_id;
    bool freed;
};

struct recording {
    struct stack_table stacks;
    struct rec_objects objects;
    struct rec_locks locks;
    struct rec_modules modules;
    struct samples samples;
    struct rec_thread *threads; /* by g */
    size_t nthreads, cap_threads;
    size_t *by_generation; /* places of threads, by their generation and g; as many */
    uint64_t first_generation, first_time; /* first_time: of its first batch, ticks */
    struct rec_status *statuses; /* by g */
    size_t nstatuses, cap_statuses;
    struct rec_string *strings; /* by generation and id */
    size_t nstrings, cap_strings;
    struct rec_hook *hooks; /* by pc */
    size_t nhooks, cap_hooks;
    struct rec_block *blocks; /* by id */
    size_t nblocks, cap_blocks;
    uint64_t *frees; /* their ids */
    size_t nfrees, cap_frees;
    void *profile; /* the heap profile, as a file for pprof */
    size_t profile_size;
    VEC(struct thread_switch) switches; /* times in ticks, until recording_sort_switches */
    struct idmap locks_noted; /* addresses: numbers from 1 */
    uint32_t nlocks_noted;
    VEC(struct thread_delay) delays;    /* likewise */
    VEC(uint32_t) asleep; /* threads that waited when the recording began in mid-run … */
    int64_t asleep_ticks; /* … which was looked up until then; 0: it was not */
    VEC(struct waker_name) wakers; /* by thread, once recording_sort_switches has been there */
    uint64_t lost_switches, lost_wakings;
    struct rec_calls *calls;
    size_t ncalls, cap_calls;
    struct symbolizer *symbolizer;
    struct events_seen seen;
    struct trace_time time; /* set once the length of a tick is known */
    const char *exe; /* path of the program, in the spool's header */
    unsigned pid;
    struct process_root root;
};

/*
 * Sorts for the look-ups below: threads by g and then as they were written, statuses by g, strings by generation and
 * id, hooks by PC.
 */
void recording_sort(struct recording *r);

/* The thread's record, which says where it started; NULL: that is not known. */
struct rec_thread *recording_thread(const struct recording *r, uint64_t g);

/*
 * Threads by the generation that they are first in, once recording_index_threads has sorted them (false: out of memory):
 * the number of the first one, and the one of a number, or NULL when that is of another generation.
 */
bool recording_index_threads(struct recording *r);
size_t recording_threads_from(const struct recording *r, uint64_t generation);
const struct rec_thread *recording_thread_of(const struct recording *r, size_t number, uint64_t generation);

/* Whether its start is known; its start stack is then in the tables. */
bool recording_has_start(const struct recording *r, uint64_t g);

/* How it waited when the first generation began; NULL: it did not. */
const struct rec_status *recording_status(const struct recording *r, uint64_t g);

/* The wrapped function that the PC stands for, or NULL. */
const char *recording_hook(const struct recording *r, uint64_t pc);

void recording_free(struct recording *r);

#endif
