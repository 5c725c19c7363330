/* Sleeping and giving way. A sleep of no length is still the sleep the program asked for, and shown as one. */
#include "preload/wrapper.h"

#define SLEEP(ret, entry, params, args)                                                                                \
    EXPORT ret entry params                                                                                            \
    {                                                                                                                  \
        WAIT_SCOPE w = {.t = NULL};                                                                                    \
        struct hook h;                                                                                                 \
        if (wrapped(CLASS_SLEEP) && HOOK_ENTER(&h, entry))                                                             \
            wait_block(&h, &w, REASON_SLEEP);                                                                          \
        return real.entry args;                                                                                        \
    }

SLEEP(unsigned, sleep, (unsigned seconds), (seconds))
SLEEP(int, usleep, (useconds_t us), (us))
SLEEP(int, nanosleep, (const struct timespec *ts, struct timespec *left), (ts, left))
SLEEP(int, clock_nanosleep, (clockid_t clock, int flags, const struct timespec *ts, struct timespec *left),
      (clock, flags, ts, left))
SLEEP(int, thrd_sleep, (const struct timespec *ts, struct timespec *left), (ts, left))

/* The thread gives its place to others and is runnable all the while. */
static void yielded(struct hook *h)
{
    hook_capture_for(h, STACK_OF_YIELD);
    if (section_enter(h->t, STACK_RECORD_MAX, LOST_OTHER)) {
        if (!sched_yield_proc(&recorder.sched, &h->t->sched, REASON_YIELD, hook_stack(h), now()))
            count_lost(LOST_OTHER, LOSS_STATE);
        section_leave(h->t);
    }
    hook_leave(h);
}

EXPORT int sched_yield(void)
{
    struct hook h;
    if (wrapped(CLASS_SLEEP) && HOOK_ENTER(&h, sched_yield))
        yielded(&h);
    return real.sched_yield();
}

EXPORT void thrd_yield(void)
{
    struct hook h;
    if (wrapped(CLASS_SLEEP) && HOOK_ENTER(&h, thrd_yield))
        yielded(&h);
    real.thrd_yield();
}
