/* A model with three threads that do not exist yet, with which the tests of the transitions begin. */
#ifndef THRACE_TESTS_UNIT_THREE_THREADS_H
#define THRACE_TESTS_UNIT_THREE_THREADS_H

#include <stdlib.h>

#include "tests/unit/model.h"

enum { START_STACK = 77 };

struct fixture {
    struct sched *s;
    struct sched_thread main, child, other;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->s = model_new(4);
    model_thread(f->s, &f->main, 1, 100);
    model_thread(f->s, &f->child, 2, 102);
    model_thread(f->s, &f->other, 3, 103);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    model_drop(&f->main);
    model_drop(&f->child);
    model_drop(&f->other);
    free(f->s);
    free(f);
    return 0;
}

/* Brings the thread to a status by the shortest legal way, then gives it a fresh chunk. */
static inline void bring_to(struct fixture *f, struct sched_thread *t, uint32_t status)
{
    if (status == GO_RUNNABLE) {
        if (sched_current(&f->main)->status == GO_NOT_EXIST)
            bring_to(f, &f->main, GO_RUNNING);
        assert_true(sched_create(f->s, &f->main, t, START_STACK, 0, 2));
    } else if (status != GO_NOT_EXIST) {
        assert_true(sched_introduce(f->s, t, 2));
        if (status == GO_WAITING)
            assert_true(sched_block(f->s, t, REASON_SYNC, 0, 3));
        if (status == GO_SYSCALL)
            assert_true(sched_syscall_begin(f->s, t, 0, 3));
        if (status == GO_DEAD)
            assert_true(sched_destroy(f->s, t, 3));
    }
    assert_int_equal(sched_current(t)->status, status);
    free(model_next_chunk(f->s, t, 4));
}

#endif
