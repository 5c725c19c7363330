/* A story of three threads and their procs, at the end of which our validator looks at the whole trace. */
#ifndef THRACE_TESTS_UNIT_PROC_STORY_H
#define THRACE_TESTS_UNIT_PROC_STORY_H

#include "tests/unit/model-trace.h"

struct fixture {
    struct sched *s;
    struct sched_thread main, child, other;
    struct model_trace trace;
    uint64_t time;
};

static inline uint64_t tick(struct fixture *f) { return ++f->time; }

/* GOMAXPROCS is 1, and main has it. */
static inline int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->s = model_new(1);
    f->time = 10;
    trace_begin(&f->trace, f->s, f->time);
    model_thread(f->s, &f->main, 1, 100);
    model_thread(f->s, &f->child, 2, 102);
    model_thread(f->s, &f->other, 3, 103);
    assert_true(sched_first_thread(f->s, &f->main, MODEL_STACK, tick(f)));
    *state = f;
    return 0;
}

static inline struct sched_thread *const *threads(struct fixture *f)
{
    static struct sched_thread *all[3];
    all[0] = &f->main;
    all[1] = &f->child;
    all[2] = &f->other;
    return all;
}

static inline int tear_down(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 3; i++)
        trace_hand_in(&f->trace, sched_detach_chunk(threads(f)[i]), f->time);
    trace_judge(&f->trace, f->time, "the story");
    free(f->s);
    free(f);
    return 0;
}

static inline void next_generation(struct fixture *f)
{
    trace_generation(&f->trace, threads(f), 3, NULL, tick(f));
    for (int i = 0; i < 3; i++)
        if (!threads(f)[i]->chunk)
            sched_attach_chunk(f->s, threads(f)[i], model_chunk(), f->time);
}

static inline int32_t proc(const struct sched_thread *t) { return sched_current(t)->proc; }
static inline void end(struct fixture *f, struct sched_thread *t) { assert_true(sched_syscall_end(f->s, t, tick(f))); }
static inline void resume(struct fixture *f, struct sched_thread *t) { assert_true(sched_resume(f->s, t, tick(f))); }

static inline void introduce(struct fixture *f, struct sched_thread *t)
{
    assert_true(sched_introduce(f->s, t, tick(f)));
}

static inline void begin(struct fixture *f, struct sched_thread *t)
{
    assert_true(sched_syscall_begin(f->s, t, MODEL_STACK, tick(f)));
}

static inline void block(struct fixture *f, struct sched_thread *t)
{
    assert_true(sched_block(f->s, t, REASON_SYNC, 0, tick(f)));
}

/* What t writes from here on is looked at alone. */
static inline void turn_page(struct fixture *f, struct sched_thread *t)
{
    trace_hand_in(&f->trace, model_next_chunk(f->s, t, f->time), f->time);
}

#endif
