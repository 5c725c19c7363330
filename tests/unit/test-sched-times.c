/* The times of events: one that waits for another thread's event never has the same time. And events of the heap. */
#include "tests/unit/three-threads.h"

#include <stdio.h>

static void starts(struct fixture *f, struct sched_thread *t, uint64_t now)
{
    assert_true(sched_introduce(f->s, t, now));
    free(model_next_chunk(f->s, t, now));
}

static const char *timed(struct fixture *f, struct sched_thread *t) { return model_timed_text(t->chunk); }

/* Events that give a P or a G away have even times, events that take one odd ones. */
static void giving_is_even_and_taking_is_odd(void **state)
{
    for (uint64_t now = 100; now < 102; now++) {
        struct fixture *f = *state;
        struct sched_thread *t = &f->main;
        char want[256];
        starts(f, t, 10);
        uint64_t even = now + now % 2;
        assert_true(sched_create(f->s, t, &f->child, 1, 0, now));
        sprintf(want, "%llu:GoCreate(2,1,0)", (unsigned long long)even);
        assert_string_equal(timed(f, t), want);
        free(model_next_chunk(f->s, t, now));
        assert_true(sched_block(f->s, t, REASON_SYNC, 0, now + 100));
        sprintf(want, "%llu:GoBlock(%llu,0) %llu:ProcStop", (unsigned long long)now + 100,
                (unsigned long long)reason_string_id(REASON_SYNC), (unsigned long long)even + 100);
        assert_string_equal(timed(f, t), want);
        free(model_next_chunk(f->s, t, now + 100));
        assert_true(sched_resume(f->s, t, now + 200));
        sprintf(want, "%llu:GoUnblock(1,2,0) %llu:ProcStart(0,2) %llu:GoStart(1,3)", (unsigned long long)even + 200,
                (unsigned long long)even + 201, (unsigned long long)even + 201);
        assert_string_equal(timed(f, t), want);
        assert_int_equal(tear_down(state), 0);
        assert_int_equal(set_up(state), 0);
    }
}

static void a_theft_is_even_and_what_waits_for_it_odd(void **state)
{
    struct fixture *f = *state;
    f->s->gomaxprocs = 1;
    starts(f, &f->main, 10);
    assert_true(sched_syscall_begin(f->s, &f->main, 0, 20));
    assert_true(sched_introduce(f->s, &f->other, 301));
    const char *steal = strstr(timed(f, &f->other), "302:ProcSteal(0,3,100) 303:ProcStart(0,4) 303:GoSyscallEndBlocked");
    assert_non_null(steal);
}

/* A thread may lose its processor between its look at the clock and its P, for as long as others run. */
static void a_proc_is_taken_later_than_it_was_given(void **state)
{
    struct fixture *f = *state;
    f->s->gomaxprocs = 1;
    starts(f, &f->main, 10);
    starts(f, &f->other, 20);
    assert_true(sched_block(f->s, &f->other, REASON_SYNC, 0, 30));
    assert_true(sched_block(f->s, &f->main, REASON_SYNC, 0, 1000));
    free(model_next_chunk(f->s, &f->other, 40));
    assert_true(sched_resume(f->s, &f->other, 500));
    assert_string_equal(timed(f, &f->other), "500:GoUnblock(3,2,0) 1001:ProcStart(0,2) 1001:GoStart(3,3)");
}

static void a_call_ends_later_than_its_proc_was_stolen(void **state)
{
    struct fixture *f = *state;
    f->s->gomaxprocs = 1;
    starts(f, &f->main, 10);
    assert_true(sched_syscall_begin(f->s, &f->main, 0, 20));
    starts(f, &f->other, 5000);
    free(model_next_chunk(f->s, &f->main, 30));
    assert_true(sched_syscall_end(f->s, &f->main, 400));
    assert_non_null(strstr(timed(f, &f->main), "5001:GoSyscallEndBlocked"));
}

/* Even if the clock of the waker's processor is behind that of the one that blocked. */
static void a_wakeup_is_later_than_the_wait(void **state)
{
    struct fixture *f = *state;
    starts(f, &f->main, 10);
    for (uint64_t blocked = 1000; blocked < 1002; blocked++) {
        for (uint64_t now = 998; now < 1003; now++) {
            struct sched_wakeup wakeup = {.g = 7, .g_seq = 2, .blocked = blocked};
            free(model_next_chunk(f->s, &f->main, 10));
            sched_own(&f->main)->time = 10;
            assert_true(sched_unblock(f->s, &f->main, &wakeup, 0, now));
            uint64_t at = sched_current(&f->main)->time;
            assert_in_range(at, now > blocked ? now : blocked + 1, (now > blocked ? now : blocked + 1) + 1);
            assert_int_equal(at % 2, 0);
        }
    }
}

static void a_thread_never_goes_back(void **state)
{
    struct fixture *f = *state;
    starts(f, &f->main, 1000);
    assert_true(sched_yield_proc(f->s, &f->main, REASON_YIELD, 0, 500));
    assert_true(strstr(timed(f, &f->main), "1001:GoStop") || strstr(timed(f, &f->main), "1000:GoStop"));
    uint64_t last = sched_current(&f->main)->time;
    free(model_next_chunk(f->s, &f->main, 400));
    assert_int_equal(f->main.chunk->time, last);
}

/* --- the heap ----------------------------------------------------------------------------------------------------- */

static void the_heap_is_told_by_who_runs(void **state)
{
    struct fixture *f = *state;
    assert_false(sched_heap(f->s, &f->main, 1, 2, 5));
    starts(f, &f->main, 10);
    assert_true(sched_heap(f->s, &f->main, 4096, 0, 20));
    assert_true(sched_heap(f->s, &f->main, 5000, 70000, 30));
    assert_string_equal(model_written(&f->main), "HeapAlloc(4096) HeapAlloc(5000) HeapGoal(70000)");
    assert_true(sched_block(f->s, &f->main, REASON_SYNC, 0, 40));
    assert_false(sched_heap(f->s, &f->main, 1, 2, 50));
}

static void who_runs_annotates(void **state)
{
    static const uint64_t args[] = {7, 8, 9, 10};
    struct fixture *f = *state;
    assert_false(sched_annotate(f->s, &f->main, EV_UserLog, args, 4, 5));
    starts(f, &f->main, 10);
    assert_true(sched_annotate(f->s, &f->main, EV_UserLog, args, 4, 20));
    assert_true(sched_annotate(f->s, &f->main, EV_UserTaskEnd, args, 2, 15));
    assert_true(sched_annotate(f->s, &f->main, EV_GoLabel, args, 1, 30));
    assert_string_equal(model_written(&f->main), "UserLog(7,8,9,10) UserTaskEnd(7,8) GoLabel(7)");
    assert_true(sched_syscall_begin(f->s, &f->main, 0, 40));
    assert_false(sched_annotate(f->s, &f->main, EV_GoLabel, args, 1, 50));
}

/* In units of 8 bytes, which is what thrace finish says in the trace. */
static void blocks_of_the_heap_are_told_in_any_state(void **state)
{
    struct fixture *f = *state;
    assert_true(sched_heap_object(f->s, &f->main, 0x10010, 24, 5));
    assert_true(sched_heap_object_free(f->s, &f->main, 0x10010, 6));
    assert_string_equal(model_written(&f->main), "HeapObjectAlloc(8194,24) HeapObjectFree(8194)");
    assert_int_equal(sched_current(&f->main)->status, GO_NOT_EXIST);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(giving_is_even_and_taking_is_odd),
        TEST(a_theft_is_even_and_what_waits_for_it_odd),
        TEST(a_proc_is_taken_later_than_it_was_given),
        TEST(a_call_ends_later_than_its_proc_was_stolen),
        TEST(a_wakeup_is_later_than_the_wait),
        TEST(a_thread_never_goes_back),
        TEST(who_runs_annotates),
        TEST(the_heap_is_told_by_who_runs),
        TEST(blocks_of_the_heap_are_told_in_any_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
