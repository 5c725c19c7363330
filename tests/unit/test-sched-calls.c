/* System calls and their procs: kept, too young to be taken, claimed by one who has not taken it yet. */
#include "tests/unit/proc-story.h"

#include "lib/sched_proc.h"

/* --- keeping the proc --------------------------------------------------------------------------------------------- */

static void a_short_call_keeps_its_proc(void **state)
{
    struct fixture *f = *state;
    turn_page(f, &f->main);
    begin(f, &f->main);
    assert_int_equal(sched_current(&f->main)->status, GO_SYSCALL);
    assert_int_equal(proc(&f->main), 0);
    assert_true(sched_has_proc(f->s, &f->main));
    end(f, &f->main);
    begin(f, &f->main);
    end(f, &f->main);
    assert_string_equal(model_written(&f->main), "GoSyscallBegin(1,1) GoSyscallEnd GoSyscallBegin(2,1) GoSyscallEnd");
    assert_int_equal(sched_current(&f->main)->status, GO_RUNNING);
    assert_true(model_busy(f->s, 0));
    assert_int_equal(f->s->procs[0].seq, 2);
}

static void a_young_call_is_not_robbed(void **state)
{
    struct fixture *f = *state;
    f->s->steal_after = 100;
    begin(f, &f->main);
    f->time = sched_current(&f->main)->call_since + 98;
    introduce(f, &f->child); /* 99 after */
    assert_int_equal(proc(&f->child), 1);
    assert_int_equal(f->s->gomaxprocs, 2);
    introduce(f, &f->other); /* 100 after */
    assert_int_equal(proc(&f->other), 0);
    assert_int_equal(f->s->gomaxprocs, 2);
}

static void a_call_that_begins_in_the_future_is_young(void **state)
{
    struct fixture *f = *state;
    assert_true(sched_syscall_begin(f->s, &f->main, 0, 1000));
    introduce(f, &f->child);
    assert_int_equal(proc(&f->child), 1);
}

static void age_is_told_over_the_end_of_32_bits(void **state)
{
    struct fixture *f = *state;
    f->s->steal_after = 100;
    f->time = UINT32_MAX - 50;
    begin(f, &f->main);
    introduce(f, &f->child);
    assert_int_equal(proc(&f->child), 1);
    f->time += 200;
    introduce(f, &f->other);
    assert_int_equal(proc(&f->other), 0);
}

static void a_free_proc_comes_before_a_theft(void **state)
{
    struct fixture *f = *state;
    f->s->gomaxprocs = 2;
    begin(f, &f->main);
    introduce(f, &f->child);
    assert_int_equal(proc(&f->child), 1);
    assert_true(sched_has_proc(f->s, &f->main));
}

static void a_running_thread_is_not_robbed(void **state)
{
    struct fixture *f = *state;
    begin(f, &f->main);
    end(f, &f->main);
    introduce(f, &f->child);
    assert_int_equal(proc(&f->child), 1);
}

/* Its proc is none of those that GOMAXPROCS allows. */
static void beyond_gomaxprocs_nobody_is_robbed(void **state)
{
    struct fixture *f = *state;
    introduce(f, &f->child);
    assert_true(sched_procs_change(f->s, &f->main, 1, tick(f)));
    begin(f, &f->child);
    turn_page(f, &f->other);
    introduce(f, &f->other);
    assert_string_equal(model_written(&f->other), "GoCreateSyscall(3) ProcStatus(2,2) ProcStart(2,1) "
                                                  "GoSyscallEndBlocked GoStart(3,1) ProcsChange(3,0)");
}

/* --- a theft under way -------------------------------------------------------------------------------------------- */

static void who_is_being_robbed_stays_where_he_is(void **state)
{
    struct fixture *f = *state;
    begin(f, &f->main);
    turn_page(f, &f->main);
    assert_int_equal(proc_claim(f->s, &f->child, tick(f)), 0);
    assert_false(sched_syscall_end(f->s, &f->main, tick(f)));
    assert_int_equal(sched_current(&f->main)->status, GO_SYSCALL);
    assert_string_equal(model_written(&f->main), "");
    proc_unclaim(f->s, &f->child);
    end(f, &f->main);
    assert_string_equal(model_written(&f->main), "GoSyscallEnd");
}

static void a_claimed_proc_is_claimed_once(void **state)
{
    struct fixture *f = *state;
    begin(f, &f->main);
    assert_int_equal(proc_claim(f->s, &f->child, tick(f)), 0);
    assert_int_equal(proc_claim(f->s, &f->other, tick(f)), PROC_NONE);
    assert_int_equal(f->other.claim_word, 0);
    sched_recover(f->s, &f->other);
    assert_int_equal(proc_state(f->s, &f->main), PROC_CLAIMED);
    sched_recover(f->s, &f->child);
    assert_int_equal(proc_state(f->s, &f->main), PROC_KEPT);
    introduce(f, &f->other);
    assert_int_equal(proc(&f->other), 0);
}

static void procs_change_and_grow_again(void **state)
{
    struct fixture *f = *state;
    turn_page(f, &f->main);
    assert_false(sched_procs_change(f->s, &f->main, 0, tick(f)));
    assert_true(sched_procs_change(f->s, &f->main, 3, tick(f)));
    introduce(f, &f->child);
    introduce(f, &f->other);
    assert_true(sched_procs_change(f->s, &f->main, 1, tick(f)));
    assert_string_equal(model_written(&f->main), "ProcsChange(3,0) ProcsChange(1,0)");
    assert_int_equal(f->s->gomaxprocs, 1);
    block(f, &f->child);
    turn_page(f, &f->child);
    resume(f, &f->child);
    assert_string_equal(model_written(&f->child), "GoUnblock(2,2,0) ProcStart(1,2) GoStart(2,3) ProcsChange(2,0)");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_short_call_keeps_its_proc),
        TEST(a_young_call_is_not_robbed),
        TEST(a_call_that_begins_in_the_future_is_young),
        TEST(age_is_told_over_the_end_of_32_bits),
        TEST(a_free_proc_comes_before_a_theft),
        TEST(a_running_thread_is_not_robbed),
        TEST(beyond_gomaxprocs_nobody_is_robbed),
        TEST(who_is_being_robbed_stays_where_he_is),
        TEST(a_claimed_proc_is_claimed_once),
        TEST(procs_change_and_grow_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
