/*
 * What a hook knows of its caller, between its entry (wrapper.h) and its end: the thread, and the stack from which the
 * wrapped function was called.
 */
#ifndef THRACE_PRELOAD_HOOK_H
#define THRACE_PRELOAD_HOOK_H

#include "lib/options/options.h"
#include "lib/wire/varint.h"
#include "preload/config.h"
#include "preload/handles.h"
#include "preload/maintenance.h"
#include "preload/recorder.h"
#include "preload/thread.h"

struct hook {
    struct thread *t;
    bool captured;
    struct unwind_request stack; /* the caller's registers, and the function that was called as the leaf */
    bool no_stack;               /* of events like this one */
    struct object object;        /* that the thread will wait for, or that the call is on */
};

/*
 * What the thread will wait for; the wait's stack has it in front. The object is an address, that of a lock or, of a
 * thread that is joined, its handle; NULL: any of the kind.
 */
static inline void hook_waits_for(struct hook *h, enum object_kind kind, const void *object)
{
    uint64_t number = kind == OBJECT_THREAD ? handle_goroutine((pthread_t)object) : (uintptr_t)object;
    h->object = (struct object){kind, -1, number};
}

static inline void hook_done(struct thread *t)
{
    t->hook_sp = 0;
    if (maintenance_requested())
        maintain();
}

static inline void hook_leave(struct hook *h) { hook_done(h->t); }

/*
 * The thread is inside a hook already. Either this is a handler that interrupted it, deeper on the stack or on another
 * one, or the hook's frame is gone: a handler left it by siglongjmp, and we are called from where it returned to or
 * above. The same sp is that of the same caller: what interrupts is always deeper. In doubt it is a handler.
 */
bool left_by_longjmp(const struct thread *t, uintptr_t sp);

/* Puts the thread's state in order after a hook that never ended. */
void hook_recover(struct thread *t);

/*
 * Captures the stack, once in a hook and outside of a section: microseconds when it is new, else tens of nanoseconds.
 */
void hook_capture_for(struct hook *h, enum stack_kind kind);
static inline void hook_capture(struct hook *h) { hook_capture_for(h, STACK_OF_CALL); }

/* A tag of a memo is the id under which its stack is interned, and the generation in which that holds. */
enum { TAG_ID_BITS = 21 };
_Static_assert(STACKTAB_MAX(STACK_SLOTS) < 1 << TAG_ID_BITS, "ids of stacks fit a tag");
static inline bool tag_holds(uint64_t tag) { return tag && tag >> TAG_ID_BITS == recorder.sched.generation; }
static inline uint64_t tag_id(uint64_t tag) { return tag & ((1 << TAG_ID_BITS) - 1); }

/* What a request needs besides registers and leaf. Field by field: most of the registers are and stay unknown. */
static inline void hook_request(const struct thread *t, struct unwind_request *r)
{
    r->stack_lo = t->stack_lo;
    r->stack_hi = t->stack_hi;
    r->alt_lo = r->alt_hi = 0;
    r->max = config.stack_depth;
    r->mode = config.unwind_mode;
    r->options = 0;
}

/* The caller has made the object at the address. */
void hook_made(struct hook *h, const void *address);

/* Bytes of meta records: of a lock_notes.h; that hook_stack may need; and hook_wait_stack, with the notes of its wait. */
enum {
    LOCK_NOTE_MAX = 1 + 4 * VARINT_MAX,
    STACK_RECORD_MAX = 1 + (2 + STACK_MAX_FRAMES) * 10,
    WAIT_STACK_RECORDS_MAX = STACK_RECORD_MAX + OBJECT_RECORD_MAX + 3 * LOCK_NOTE_MAX,
};

/* Inside a section with STACK_RECORD_MAX extra: the id of the captured stack in this generation, 0 for none. */
uint64_t hook_stack(struct hook *h);

/* Inside a section with WAIT_STACK_RECORDS_MAX extra: the same, with the object in front. */
uint64_t hook_wait_stack(struct hook *h);

/* The id of the captured stack, if this generation has one for it already; else 0. */
uint64_t hook_known_stack(const struct hook *h);

#endif
