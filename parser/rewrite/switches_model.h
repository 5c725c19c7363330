/* What the parts of switches.h share: goroutines, threads and procs, in the trace that is written. */
#ifndef THRACE_PARSER_REWRITE_SWITCHES_MODEL_H
#define THRACE_PARSER_REWRITE_SWITCHES_MODEL_H

#include "parser/rewrite/rewriter.h"
#include "parser/rewrite/switches.h"

/*
 * A goroutine's status in the trace that is read, and in the one that is written. They differ while it runs by the
 * first and has no processor, and from when the kernel lets it run again after a wait until its thread says so.
 */
struct switched_go {
    uint64_t id, thread; /* thread: that it was last on */
    uint64_t seq;
    uint64_t reason, stack; /* of the wait that is put off; the stack: or of the system call, in this generation */
    uint64_t root;    /* the stack that it begins with, in this generation of what is read */
    uint8_t was, is; /* enum go_status; is 0: the entry is free */
    bool late;       /* it has said that it waits, and executes until the kernel puts it to sleep */
    bool early;      /* back from its wait, and has not said so */
    bool stated;     /* in this generation */
};

struct switched_thread {
    uint64_t id;
    uint32_t go, proc; /* index + 1: that is or was last on it; that it holds */
    uint32_t cpu, said; /* CPU + 1: that it was last on; that the trace says it is on. 0: it is not known */
    uint64_t seen;     /* the stack that it was last seen with, in this generation of what is read */
    uint32_t kept;     /* likewise, in any, when it waited in what no wrapper saw: number among those */
    uint64_t after;    /* and below the mark, in this generation of what is written */
    bool off;          /* it has no processor */
    uint8_t last;      /* type of its last event */
};

/* Where no code is: readers know a function by its PC, so each that is none has one of its own. */
#define SWITCHED_NO_CODE (UINT64_C(1) << 62)

/* Its ID is its index. */
struct switched_proc {
    uint64_t seq;
    uint32_t thread; /* index + 1 of who holds it; 0: it is idle */
    int64_t since;   /* of the system call that its thread is in */
    bool stated;
};

enum { SWITCHED_ALLOC, SWITCHED_GOAL, SWITCHED_METRICS };

struct switched {
    struct rewriter w;
    struct failure *f;
    const struct switches_known *known;
    const struct generation *tables; /* of the generation that is read; NULL between two, when they are gone */
    struct idmap go_of, thread_of; /* index + 1 */
    VEC(struct switched_go) gos;
    VEC(uint32_t) free_gos;
    VEC(struct switched_thread) threads;
    VEC(struct switched_proc) procs;
    struct kept_stacks kept;
    uint64_t max_procs; /* GOMAXPROCS */
    bool max_said;
    struct {
        uint64_t value;
        bool due; /* nobody had a proc to say it with */
    } metrics[SWITCHED_METRICS];
    uint64_t events;
    size_t blocks, unblocks; /* GoBlocks and GoUnblocks that were read */
};

/* The goroutine, or NULL. Pointers are valid until another one is added. */
struct switched_go *switched_go(const struct switched *s, uint64_t id);
struct switched_go *switched_go_on(const struct switched *s, const struct switched_thread *t);

/* A new one, and a thread, a new one or not; NULL: no memory, which f says. */
struct switched_go *switched_add_go(struct switched *s, uint64_t id, uint8_t status);
struct switched_thread *switched_thread(struct switched *s, uint64_t id);

void switched_bind(struct switched *s, struct switched_thread *t, struct switched_go *go);
bool switched_drop_go(struct switched *s, struct switched_go *go);

/* Each returns false when it fails; f says why. */
bool switched_put(struct switched *s, uint64_t thread, int64_t time, uint8_t id, const uint64_t *args);
bool switched_copy(struct switched *s, const struct gotrace_event *ev, const uint64_t *args);

/* The thread has a proc from then on, or none. */
bool switched_take_proc(struct switched *s, struct switched_thread *t, int64_t time);
bool switched_give_proc(struct switched *s, struct switched_thread *t, int64_t time);

/* The goroutine runs on its thread, whatever it did; and stops running as the kernel says. */
bool switched_start(struct switched *s, struct switched_thread *t, struct switched_go *go, int64_t time);
bool switched_stop(struct switched *s, struct switched_thread *t, struct switched_go *go, int64_t time,
                   enum switch_kind why);

/* The kernel says who made its goroutine runnable: if it waits, that ends the wait, or one that no wrapper saw. */
bool switched_wake(struct switched *s, const struct switched_thread *t, const struct thread_switch *waking);

/* The wait that was put off begins; all do that are. */
bool switched_block(struct switched *s, struct switched_thread *t, struct switched_go *go, int64_t time);
bool switched_block_all(struct switched *s, int64_t time);

/* If that is wanted, and its goroutine runs: on which CPU it is now, unless the trace says so already. */
bool switched_say_cpu(struct switched *s, struct switched_thread *t, int64_t time);

/* A metric of the process, by whoever can say it. */
bool switched_metric(struct switched *s, const struct gotrace_event *ev);

/* At the begin of a generation: what all are. */
bool switched_state_all(struct switched *s);

void switched_free(struct switched *s);

#endif
