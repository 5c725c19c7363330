/* What the parts of stretch.c share: what goroutines and procs are in the trace that is written. */
#ifndef THRACE_PARSER_REWRITE_STEPS_H
#define THRACE_PARSER_REWRITE_STEPS_H

#include "parser/rewrite/rewriter.h"
#include "parser/rewrite/trim.h"

struct trim_go {
    uint64_t id, thread; /* thread: that it runs on, or is in a system call on */
    uint64_t seq;        /* of its last event in the generation that is written */
    uint32_t stack, root; /* kept: that it waits with, or is in a system call; its outermost frame */
    uint8_t status;      /* enum go_status; 0: the entry is free */
    bool kept, stated;   /* stated: the new trace knows it */
    bool assists, stops; /* collects garbage, has stopped the world: as far as the new trace knows, once it is stated */
};

/* The status may differ from that of the trace that is read, where the goroutine in a system call is left out. */
struct trim_proc {
    uint64_t id, thread;
    uint64_t seq;
    uint8_t status; /* enum proc_status */
    bool stated, sweeps;
};

enum trim_gc { TRIM_GC_UNKNOWN, TRIM_GC_OFF, TRIM_GC_ON };

struct trimming {
    struct rewriter *w;
    struct kept_stacks kept;
    const struct trim *trim;
    struct failure *f;
    bool writes;     /* the stretch has begun */
    bool over;       /* it has ended */
    bool has_stacks; /* the version's statuses have stacks */
    bool again;      /* there may be statuses of all at any time */
    struct idmap go_of, proc_of; /* index + 1 */
    VEC(struct trim_go) gos;
    VEC(uint32_t) free_gos;
    VEC(struct trim_proc) procs;
    uint64_t appeared; /* goroutines */
    uint8_t gc;        /* enum trim_gc, of the new trace once it is written */
    uint64_t gc_seq;
    uint64_t batches; /* of experiments, that are left out */
    unsigned skip; /* events that belong to the one before */
    size_t next_go, next_proc; /* those before are stated, or need no status */
    bool gc_stated;
};

/* The goroutine or proc, or NULL; valid until one is added. */
struct trim_go *trim_go(const struct trimming *t, uint64_t id);
struct trim_proc *trim_proc(const struct trimming *t, uint64_t id);

/* The proc, with that status if it is a new one; NULL: no memory. */
struct trim_proc *trim_add_proc(struct trimming *t, uint64_t id, uint8_t status);

/* Writes an event if the stretch has begun, with IDs of the builder, or of ev's generation. */
bool trim_put(struct trimming *t, const struct gotrace_event *ev, uint64_t thread, uint8_t id, const uint64_t *args);
bool trim_copy(struct trimming *t, const struct gotrace_event *ev, uint64_t thread, const uint64_t *args);

/* Says what they are, if the new trace does not know yet. thread: who may say it, if it need not be a certain one. */
bool trim_state_go(struct trimming *t, struct trim_go *go, uint64_t thread);
bool trim_state_proc(struct trimming *t, struct trim_proc *p, uint64_t thread);

/* Says as much of what is not said as fits before that time; INT64_MAX: all. */
bool trim_state_before(struct trimming *t, int64_t time, uint64_t thread);

/* An event without meaning at that time, which is when the trace ends. */
bool trim_mark_end(struct trimming *t, int64_t time);

/* Whatever happens. */
bool trim_take(struct trimming *t, const struct gotrace_event *ev);

/* What goroutines do, and procs, with system calls. */
bool trim_go_event(struct trimming *t, const struct gotrace_event *ev);
/* After the end of the stretch: the first status of a goroutine, which says what it was all the time. */
bool trim_late_status(struct trimming *t, const struct gotrace_event *ev);
bool trim_proc_event(struct trimming *t, const struct gotrace_event *ev);
bool trim_range_event(struct trimming *t, const struct gotrace_event *ev);

/* All but the rewriter. */
void trim_free(struct trimming *t);

/* For want of memory; false. */
bool trim_no_memory(struct trimming *t);

#endif
