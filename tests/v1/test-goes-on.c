/* A proc that has one event of a v1 trace after the other: what happens elsewhere in the meantime, and what ends it. */
#include "tests/v1/made.h"

/* Goroutine 1 runs on proc 0 from 100 on, goroutine 2 may run. */
static struct made one_runs(void)
{
    struct made m = made(21);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 1, 0, 0);
    RECORD(&m, GoCreate, 0, 2, 0, 0);
    RECORD(&m, GoStart, 0, 1, 1);
    return m;
}
#define ONE_RUNS "0 GoCreate p0 g0 1 0\n0 GoCreate p0 g0 2 0\n0 GoStart p0 g1 1 1\n"

/* What comes next on proc 0 has nothing to do with what happened there last, and has to wait for its time. */
static void an_earlier_event_elsewhere_comes_first(void **state)
{
    struct made m = one_runs();
    RECORD(&m, GoBlockSync, 10, 0);
    RECORD(&m, GoStart, 30, 2, 1);
    RECORD(&m, GoEnd, 10);
    PROC(&m, 1, 120);
    RECORD(&m, HeapAlloc, 0, 1);
    RECORD(&m, HeapAlloc, 10, 2);
    RECORD(&m, HeapAlloc, 15, 3);
    gives(&m, ONE_RUNS "10 GoBlockSync p0 g1\n20 HeapAlloc p1 g0 1\n30 HeapAlloc p1 g0 2\n40 GoStart p0 g2 2 1\n"
                       "45 HeapAlloc p1 g0 3\n50 GoEnd p0 g2\n");
}

/* Goroutine 3 starts on proc 0 before it is created on proc 1, by a clock that is behind. */
static void what_may_not_happen_yet_waits(void **state)
{
    struct made m = one_runs();
    RECORD(&m, GoBlockSync, 10, 0);
    RECORD(&m, HeapAlloc, 1, 1);
    RECORD(&m, GoStart, 1, 3, 1);
    PROC(&m, 1, 120);
    RECORD(&m, GoCreate, 0, 3, 0, 0);
    fails(&m, "GoStart: time stamps out of order");
}

/* Proc 1 waits for what happens on proc 0, and is earlier than what proc 0 does then. */
static void who_waited_comes_before_who_went_on(void **state)
{
    struct made m = one_runs();
    RECORD(&m, GoCreate, 10, 3, 0, 0);
    RECORD(&m, HeapAlloc, 20, 1);
    RECORD(&m, HeapAlloc, 20, 2);
    PROC(&m, 1, 115);
    RECORD(&m, GoStart, 0, 3, 1);
    RECORD(&m, GoEnd, 20);
    gives(&m, ONE_RUNS "10 GoCreate p0 g1 3 0\n15 GoStart p1 g3 3 1\n30 HeapAlloc p0 g1 1\n35 GoEnd p1 g3\n"
                       "50 HeapAlloc p0 g1 2\n");
}

/* The kind of an event behind others, with more behind it, is looked at as that of the first one is. */
static void events_like_most_are_no_others(void **state)
{
    struct made m = made(10);
    PROC(&m, 0, 1);
    for (unsigned i = 0; i < 8; i++)
        RECORD(&m, HeapAlloc, 1, i);
    RECORD(&m, STWStart, 1, 2);
    for (unsigned i = 0; i < 8; i++)
        RECORD(&m, HeapAlloc, 1, i);
    gives_in(&m, V1_AS_GO_1_21, "STWStart: unknown kind 2 of a stop of the world");
}

/* Whatever size what stands at the end has: outcome() leaves nothing behind it. */
static void nothing_is_read_behind_the_end(void **state)
{
    for (unsigned n = 1; n < 12; n++) {
        struct made m = made(21);
        PROC(&m, 0, 1);
        for (unsigned i = 0; i < n; i++)
            RECORD(&m, GCDone, 1);
        RECORD(&m, HeapAlloc, 300, UINT32_MAX);
        fails(&m, "GCDone: the end of a GC that did not begin (time 0)");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_earlier_event_elsewhere_comes_first),
        cmocka_unit_test(what_may_not_happen_yet_waits),
        cmocka_unit_test(who_waited_comes_before_who_went_on),
        cmocka_unit_test(events_like_most_are_no_others),
        cmocka_unit_test(nothing_is_read_behind_the_end),
    };
    return cmocka_run_group_tests_name("v1 goes on", tests, NULL, NULL);
}
