/* What the kernel says of a thread and a processor. */
#ifndef THRACE_LIB_SWITCH_KIND_H
#define THRACE_LIB_SWITCH_KIND_H

enum switch_kind {
    SWITCH_IN,        /* it got one */
    SWITCH_BLOCKS,    /* it gave it up, as it has to wait */
    SWITCH_PREEMPTED, /* it lost it, or gave way, and could go on */
    SWITCHES_LOST,    /* of some threads something was not noted until then */
    SWITCH_KIND_BITS = 2,
    SWITCH_WAKING = 4, /* not of a switch's record: somebody made the thread runnable */
    SWITCH_LOCK_NOTE = 5, /* nor by the kernel: an enum lock_note */
};

/* What a thread notes before it does that. */
enum lock_note {
    MUTEX_IS_AWAITED,  /* it waits for it, or for a condition and then for it, which is the next note */
    COND_IS_AWAITED,
    MUTEX_IS_UNLOCKED, /* and the kernel is asked to wake a thread that waits for it */
    COND_IS_SIGNALLED, /* likewise; not when all are woken */
    LOCK_NOTES
};

/* Who did: the waking thread, or what had interrupted it on its CPU. */
enum waking_context {
    WAKING_BY_THREAD,
    WAKING_IN_SOFTIRQ, /* the waker is its number + 1 then, or 0 */
    WAKING_IN_INTERRUPT,
    WAKINGS_LOST, /* the thread is how many, of any CPU and program, were not noted */
    WAKING_CONTEXT_BITS = 2
};

#endif
