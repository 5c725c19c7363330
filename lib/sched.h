/*
 * The model: which events stand for what a thread does. A thread of the program is an M with one G of its own; a P is a
 * slot of concurrency that a G holds while it executes (docs/model.md). Pure code: no clock, no system call, no
 * allocation; time, stacks and chunks come from the caller, so every transition is tested without a thread.
 *
 * A transition is written as a whole or not at all. It encodes its events behind the committed end of the open chunk
 * and prepares the successor of the thread's state beside the current one; one store of `commits` commits both. A
 * thread that is torn out in between (asynchronous cancellation, siglongjmp from a handler) leaves nothing behind. For
 * the same reason a transition that finds no room, or a state it does not follow from, changes nothing and says so: the
 * trace then shows the thread as it was, which every reader accepts. That is also what becomes of the transition of a
 * handler that interrupted one: the open one will go on, and both would write to the same place.
 */
#ifndef THRACE_LIB_SCHED_H
#define THRACE_LIB_SCHED_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/spool.h"
#include "lib/wire/events.h"

enum {
    SCHED_MAX_PROCS = 16384,
    PROC_NONE = -1,
    /* Bytes that any one transition may write: six events of up to four arguments. */
    SCHED_TRANSITION_MAX = 6 * (1 + 5 * 10),
};

/* Not in enum go_status, which numbers what is on the wire. */
enum { GO_NOT_EXIST = 0, GO_DEAD = 5 };

/* What a commit replaces. */
struct sched_state {
    uint8_t *pos;  /* end of the events in the open chunk; NULL without a chunk */
    uint64_t time; /* of the last event */
    int32_t proc;  /* the P it holds, or PROC_NONE; in a system call, the one it had when that began */
    uint32_t status; /* enum go_status, GO_NOT_EXIST or GO_DEAD */
    uint32_t proc_seq;  /* sequence number of the P's start, or of the last system call on it, in this generation */
    uint32_t g_seq;     /* and of the G's last start or unblock of its own … */
    uint32_t g_seq_of;  /* … in the generation with these low bits: in a later one it is 0 */
    uint32_t call_since; /* when the system call began, the low bits */
};

struct sched_thread {
    uint32_t commits; /* counts them; the lowest bit says which of the two states holds */
    uint32_t open;    /* a transition is under way: a handler that interrupts it can make none */
    struct sched_state state[2];
    struct chunk *chunk;
    int32_t proc_taken; /* a P taken for, or to be given back after, a transition that has not committed yet */
    int32_t claim_proc; /* a P that is being taken from a thread in a system call */
    uint64_t claim_word; /* what the word of claim_proc was; 0: no P is being taken */
    uint64_t g;     /* dense, from 1 */
    uint64_t m;     /* tid; 0 before the thread runs */
};

/* Its holder alone changes it, but for the word. A line of the cache each: every system call writes to it. */
struct sched_proc {
    uint64_t word;    /* who holds it, and whether it may be taken away (lib/sched_proc.h) */
    uint64_t m;       /* of the holder */
    uint32_t seq;     /* of the last event that carried one, in this generation */
    uint32_t known;   /* its status was written in this recording */
    uint64_t given;   /* when it was last given or taken away: what rests on that is later */
    uint8_t pad[32];
};

struct sched {
    uint64_t busy[SCHED_MAX_PROCS / 64]; /* bit p: the P is held */
    struct sched_proc procs[SCHED_MAX_PROCS];
    uint32_t nprocs_known; /* procs 0 … nprocs_known-1 have been used */
    uint32_t gomaxprocs;   /* what the last ProcsChange said */
    uint32_t steal_after;  /* ticks in a system call, after which the P may be taken away */
    uint64_t generation;
};

/* The reasons that Go's tools know; lib/reasons.def numbers them. */
enum sched_reason {
#define THRACE_REASON(name, text) REASON_##name,
#include "lib/reasons.def"
#undef THRACE_REASON
    REASON_COUNT
};

extern const char *const sched_reason_text[REASON_COUNT];

/* String ids of the trace: reasons come first, the names of functions and files follow them. */
static inline uint64_t reason_string_id(enum sched_reason r) { return (uint64_t)r + 1; }

static inline const struct sched_state *sched_current(const struct sched_thread *t)
{
    return &t->state[__atomic_load_n(&t->commits, __ATOMIC_ACQUIRE) & 1];
}

/* The same, for a caller that may change it without a commit because nobody else uses it meanwhile. */
static inline struct sched_state *sched_own(struct sched_thread *t) { return &t->state[t->commits & 1]; }

/* A GoUnblock to be written: of which G, with which sequence number, and when that blocked. */
struct sched_wakeup {
    uint64_t g;
    uint64_t blocked;
    uint32_t g_seq;
};

static inline uint32_t sched_g_seq(const struct sched_state *s, uint64_t generation)
{
    return s->g_seq_of == (uint32_t)generation ? s->g_seq : 0;
}

/* For a thread that is Waiting, in the generation that is open. */
static inline struct sched_wakeup sched_wakeup_of(const struct sched_thread *t, uint64_t generation)
{
    const struct sched_state *s = sched_current(t);
    return (struct sched_wakeup){t->g, s->time, sched_g_seq(s, generation) + 1};
}

/*
 * True when the open chunk has room for one transition and extra bytes of meta records between its events and the
 * records that it holds. The caller opens another one when not. For the thread itself, as its transitions are.
 */
static inline bool sched_has_room(const struct sched_thread *t, size_t extra)
{
    const struct sched_state *s = &t->state[t->commits & 1];
    return s->pos && s->pos + SCHED_TRANSITION_MAX + extra <= t->chunk->data + CHUNK_CAPACITY - t->chunk->meta_used;
}

/* Gives the thread an empty chunk to write to, which begins at time now. The one before is detached first. */
void sched_attach_chunk(struct sched *s, struct sched_thread *t, struct chunk *c, uint64_t now);

/* Takes the open chunk away, for sealing; NULL when there is none. */
struct chunk *sched_detach_chunk(struct sched_thread *t);

/* The open chunk, if there is one, is gone with all that it was part of. */
static inline void sched_forget_chunk(struct sched_thread *t)
{
    t->chunk = NULL;
    t->state[0].pos = t->state[1].pos = NULL;
}

/*
 * Transitions of the calling thread. All return false, with nothing changed, when the thread's state does not allow
 * them, when another one is under way, when the chunk has no room or when every P is taken. Stacks are stack ids, 0 for
 * none.
 */

/* The process's first thread comes to life under trace: NotExist → Running, in this many events. */
enum { SCHED_FIRST_THREAD_EVENTS = 4 };
bool sched_first_thread(struct sched *s, struct sched_thread *t, uint64_t start_stack, uint64_t now);

/* t makes another thread's G: child NotExist → Runnable. */
bool sched_create(struct sched *s, struct sched_thread *t, struct sched_thread *child, uint64_t start_stack,
                  uint64_t stack, uint64_t now);

/* A thread that nobody announced: NotExist → Running, by way of a system call on its own M. */
bool sched_introduce(struct sched *s, struct sched_thread *t, uint64_t now);

/* Runnable → Running. */
bool sched_start(struct sched *s, struct sched_thread *t, uint64_t now);

/* Running → Waiting. */
bool sched_block(struct sched *s, struct sched_thread *t, enum sched_reason reason, uint64_t stack, uint64_t now);

/* Waiting → Running, for a thread that nobody was seen to wake: it writes its own GoUnblock. */
bool sched_resume(struct sched *s, struct sched_thread *t, uint64_t now);

/* Waiting → Running after sched_unblock by another thread; same_generation: in the generation that is open. */
bool sched_resume_woken(struct sched *s, struct sched_thread *t, bool same_generation, uint64_t now);

/*
 * t writes that it made another thread's G runnable. The other's state stays as it is: only its own thread changes
 * that.
 */
bool sched_unblock(struct sched *s, struct sched_thread *t, const struct sched_wakeup *wakeup, uint64_t stack,
                   uint64_t now);

/* Running → Runnable → Running, at once: sched_yield. */
bool sched_yield_proc(struct sched *s, struct sched_thread *t, enum sched_reason reason, uint64_t stack, uint64_t now);

/* Running → Syscall. It keeps its P, but another thread that needs one may take it. */
bool sched_syscall_begin(struct sched *s, struct sched_thread *t, uint64_t stack, uint64_t now);

/*
 * Syscall → Running, on the same P, or on another one when that was taken away. False also while another thread is
 * about to take it, which the caller cannot wait for: the thread is in the system call for the trace until it tries
 * again.
 */
bool sched_syscall_end(struct sched *s, struct sched_thread *t, uint64_t now);

/* From now on n CPUs may be used. More threads that execute at once raise the number again. */
bool sched_procs_change(struct sched *s, struct sched_thread *t, uint32_t n, uint64_t now);

/* The heap has `live` bytes in use, and the process holds `held` bytes (0: not said). For a running thread. */
bool sched_heap(struct sched *s, struct sched_thread *t, uint64_t live, uint64_t held, uint64_t now);

/* In any state: a block of the heap was allocated, or is about to be freed. Its size serves as its type. */
bool sched_heap_object(struct sched *s, struct sched_thread *t, uint64_t address, uint64_t size, uint64_t now);
bool sched_heap_object_free(struct sched *s, struct sched_thread *t, uint64_t address, uint64_t now);

/*
 * What the program says of itself: an event of a running thread that changes nothing but the trace. At most four
 * arguments.
 */
bool sched_annotate(struct sched *s, struct sched_thread *t, enum event_id id, const uint64_t *args, unsigned nargs,
                    uint64_t now);

/* Running → Dead. */
bool sched_destroy(struct sched *s, struct sched_thread *t, uint64_t now);

/*
 * A thread found itself inside a transition that it never ended. Gives back what that transition had taken and returns
 * the state that holds.
 */
const struct sched_state *sched_recover(struct sched *s, struct sched_thread *t);

/*
 * Change of generation, by the advancer while no thread writes and no thread has a chunk. sched_advance resets the
 * sequence numbers; then each live thread's status goes into a batch: that of a thread with a P into one of its own,
 * that of any other, and of the idle procs, into a shared one without a thread. woken: a GoUnblock was written for it.
 */
void sched_advance(struct sched *s, uint64_t generation);

/*
 * A recording begins in mid-run, under the same conditions. Until then sched_track alone kept each thread's status.
 * After sched_restart each running thread is given a P, then all write their statuses. thrace finish puts a generation
 * in front that says where these goroutines come from.
 */
static inline void sched_track(struct sched_thread *t, uint32_t status)
{
    struct sched_state *own = sched_own(t);
    own->status = status;
    own->time = 0; /* of no event: what was recorded before says nothing of since when this is so */
}
void sched_restart(struct sched *s, uint64_t generation, uint32_t gomaxprocs);
void sched_forget_procs(struct sched_thread *t);
bool sched_adopt(struct sched *s, struct sched_thread *t);
void sched_first_status(struct sched *s, struct sched_thread *t, uint64_t now);

/* Running, or in a system call with a P that nobody has taken or is about to. */
bool sched_has_proc(const struct sched *s, const struct sched_thread *t);
void sched_status_with_proc(struct sched *s, struct sched_thread *t, uint64_t now);

/* p is the end of the shared batch, time the time of its last event; returns its new end. Room: SCHED_STATUS_MAX. */
enum { SCHED_STATUS_MAX = 1 + 5 * 10 };
uint8_t *sched_status_other(struct sched_thread *t, bool woken, uint8_t *p, uint64_t *time, uint64_t now);

/*
 * The same once more, at the time that its batch begins, for a G that was Waiting or Runnable then, and of which nothing
 * was written since. All have one size, so that one can take the place of another.
 */
enum { SCHED_STATUS_AGAIN = 19 };
void sched_status_again(uint64_t g, uint32_t status, uint8_t p[SCHED_STATUS_AGAIN]);
uint8_t *sched_status_idle_proc(struct sched *s, uint32_t proc, uint8_t *p, uint64_t *time, uint64_t now);

static inline bool sched_proc_is_busy(const struct sched *s, uint32_t p)
{
    return __atomic_load_n(&s->busy[p / 64], __ATOMIC_RELAXED) >> (p % 64) & 1;
}

#endif
