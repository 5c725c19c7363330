/* A model with three threads that do not exist yet, with which the tests of the transitions begin. */
#ifndef THRACE_TESTS_UNIT_THREE_THREADS_H
#define THRACE_TESTS_UNIT_THREE_THREADS_H

#include <stdlib.h>

#include "tests/unit/model.h"

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

#endif
