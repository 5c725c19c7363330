/*
 * Procs that are taken out of system calls: each of the ways that Go's own tests of its reader know, as a story of
 * three threads.
 */
#include "tests/unit/proc-story.h"

/* --- Go's own cases: by a bare thread … --------------------------------------------------------------------------- */

/* other has a wait behind it, so that its return takes a proc on a thread with no G. */
static void other_waits(struct fixture *f)
{
    f->s->gomaxprocs = 2;
    introduce(f, &f->other);
    block(f, &f->other);
    assert_true(sched_procs_change(f->s, &f->main, 1, tick(f)));
    turn_page(f, &f->main);
    turn_page(f, &f->other);
}

static void stolen_by_a_bare_thread(void **state)
{
    struct fixture *f = *state;
    other_waits(f);
    begin(f, &f->main);
    resume(f, &f->other);
    assert_string_equal(model_written(&f->other), "GoUnblock(3,2,0) ProcSteal(0,2,100) ProcStart(0,3) GoStart(3,3)");
    assert_false(sched_has_proc(f->s, &f->main));
    block(f, &f->other);
    end(f, &f->main); /* takes the same one again */
    assert_string_equal(model_written(&f->main),
                        "GoSyscallBegin(1,1) ProcStart(0,4) GoSyscallEndBlocked GoStart(1,2)");
    assert_int_equal(f->s->gomaxprocs, 1);
}

static void the_victim_of_a_bare_thread_has_a_new_proc(void **state)
{
    struct fixture *f = *state;
    other_waits(f);
    begin(f, &f->main);
    resume(f, &f->other);
    end(f, &f->main);
    assert_string_equal(model_written(&f->main),
                        "GoSyscallBegin(1,1) ProcStart(1,2) GoSyscallEndBlocked GoStart(1,2) ProcsChange(2,0)");
    assert_int_equal(proc(&f->main), 1);
}

static void stolen_at_a_boundary_by_a_bare_thread(void **state)
{
    struct fixture *f = *state;
    other_waits(f);
    begin(f, &f->main);
    next_generation(f);
    resume(f, &f->other);
    assert_string_equal(model_written(&f->other), "GoUnblock(3,1,0) ProcSteal(0,1,100) ProcStart(0,2) GoStart(3,2)");
    block(f, &f->other);
    end(f, &f->main);
    assert_string_equal(model_written(&f->main),
                        "ProcStatus(0,3) GoStatus(1,100,3) ProcStart(0,3) GoSyscallEndBlocked GoStart(1,1)");
}

static void stolen_at_a_boundary_by_a_bare_thread_with_a_new_proc(void **state)
{
    struct fixture *f = *state;
    other_waits(f);
    begin(f, &f->main);
    next_generation(f);
    resume(f, &f->other);
    end(f, &f->main);
    assert_string_equal(model_written(&f->main), "ProcStatus(0,3) GoStatus(1,100,3) ProcStart(1,1) GoSyscallEndBlocked "
                                                 "GoStart(1,1) ProcsChange(2,0)");
}

/* --- … and by one with a goroutine, which itself comes back from a call without a proc ---------------------------- */

static void other_is_robbed(struct fixture *f)
{
    f->s->gomaxprocs = 2;
    introduce(f, &f->other); /* proc 1 */
    assert_true(sched_procs_change(f->s, &f->main, 2, tick(f)));
    begin(f, &f->other);
    introduce(f, &f->child);
    assert_int_equal(proc(&f->child), 1);
    turn_page(f, &f->main);
    turn_page(f, &f->other);
}

static void stolen(void **state)
{
    struct fixture *f = *state;
    other_is_robbed(f);
    begin(f, &f->main);
    end(f, &f->other);
    assert_string_equal(model_written(&f->other), "ProcSteal(0,2,100) ProcStart(0,3) GoSyscallEndBlocked GoStart(3,2)");
    block(f, &f->other);
    end(f, &f->main);
    assert_string_equal(model_written(&f->main),
                        "GoSyscallBegin(1,1) ProcStart(0,4) GoSyscallEndBlocked GoStart(1,2)");
}

static void the_victim_has_a_new_proc(void **state)
{
    struct fixture *f = *state;
    other_is_robbed(f);
    begin(f, &f->main);
    end(f, &f->other);
    block(f, &f->child);
    end(f, &f->main);
    assert_string_equal(model_written(&f->main),
                        "GoSyscallBegin(1,1) ProcStart(1,5) GoSyscallEndBlocked GoStart(1,2)");
}

static void stolen_at_a_boundary(void **state)
{
    struct fixture *f = *state;
    other_is_robbed(f);
    begin(f, &f->main);
    next_generation(f);
    end(f, &f->other);
    assert_string_equal(model_written(&f->other), "ProcSteal(0,1,100) ProcStart(0,2) GoSyscallEndBlocked GoStart(3,1)");
    block(f, &f->other);
    end(f, &f->main);
    assert_string_equal(model_written(&f->main),
                        "ProcStatus(0,3) GoStatus(1,100,3) ProcStart(0,3) GoSyscallEndBlocked GoStart(1,1)");
}

static void stolen_at_a_boundary_with_a_new_proc(void **state)
{
    struct fixture *f = *state;
    other_is_robbed(f);
    begin(f, &f->main);
    next_generation(f);
    end(f, &f->other);
    block(f, &f->child);
    end(f, &f->main);
    assert_string_equal(model_written(&f->main),
                        "ProcStatus(0,3) GoStatus(1,100,3) ProcStart(1,1) GoSyscallEndBlocked GoStart(1,1)");
}

/* The proc goes, and the thread sits in its call for the rest of the recording. */
static void stolen_from_a_thread_that_never_returns(void **state)
{
    struct fixture *f = *state;
    begin(f, &f->main);
    next_generation(f);
    next_generation(f);
    introduce(f, &f->child);
    assert_string_equal(model_written(&f->child),
                        "GoCreateSyscall(2) ProcSteal(0,1,100) ProcStart(0,2) GoSyscallEndBlocked GoStart(2,1)");
    next_generation(f);
    assert_string_equal(model_written(&f->main), "");
    next_generation(f);
    block(f, &f->child);
}

/* --- more of them ------------------------------------------------------------------------------------------------- */

static void stolen_from_the_second_of_two_calls(void **state)
{
    struct fixture *f = *state;
    begin(f, &f->main);
    end(f, &f->main);
    begin(f, &f->main);
    introduce(f, &f->child);
    assert_string_equal(model_written(&f->child),
                        "GoCreateSyscall(2) ProcSteal(0,3,100) ProcStart(0,4) GoSyscallEndBlocked GoStart(2,1)");
    end(f, &f->main);
}

/* What is gone is gone, also when the thief is in a call itself, or is robbed in turn. */
static void stolen_from_the_thief(void **state)
{
    struct fixture *f = *state;
    begin(f, &f->main);
    introduce(f, &f->child);
    begin(f, &f->child);
    assert_false(sched_has_proc(f->s, &f->main));
    introduce(f, &f->other);
    assert_int_equal(proc(&f->other), 0);
    begin(f, &f->other);
    turn_page(f, &f->main);
    end(f, &f->main);
    assert_string_equal(model_written(&f->main), "ProcSteal(0,8,103) ProcStart(0,9) GoSyscallEndBlocked GoStart(1,2)");
    end(f, &f->child);
    end(f, &f->other);
    assert_int_equal(proc(&f->child), 1);
    assert_int_equal(proc(&f->other), 2);
}

static void the_thread_ends_and_its_id_is_used_again(void **state)
{
    struct fixture *f = *state;
    introduce(f, &f->child);
    assert_true(sched_procs_change(f->s, &f->main, 1, tick(f)));
    begin(f, &f->main);
    introduce(f, &f->other);
    assert_int_equal(proc(&f->other), 0);
    end(f, &f->main);
    assert_true(sched_destroy(f->s, &f->main, tick(f)));
    trace_hand_in(&f->trace, sched_detach_chunk(&f->main), f->time);
    model_thread(f->s, &f->main, 4, 100);
    introduce(f, &f->main);
    begin(f, &f->main);
    end(f, &f->main);
    assert_int_equal(sched_current(&f->main)->status, GO_RUNNING);
}

static void a_robbed_thread_has_a_status_of_its_own_kind(void **state)
{
    struct fixture *f = *state;
    begin(f, &f->main);
    introduce(f, &f->child);
    for (int i = 0; i < 3; i++)
        next_generation(f);
    assert_string_equal(model_written(&f->main), "");
    assert_string_equal(model_written(&f->child), "ProcStatus(0,1) GoStatus(2,102,2)");
    assert_true(sched_syscall_end(f->s, &f->main, f->time - 1)); /* by a slower clock */
    assert_string_equal(model_written(&f->main), "ProcStatus(1,2) ProcStart(1,1) GoSyscallEndBlocked GoStart(1,1) "
                                                 "ProcsChange(2,0)");
    assert_true(f->main.chunk->time > f->time); /* after the status, which no sequence number says */
    f->time = f->main.chunk->time;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(stolen_by_a_bare_thread),
        TEST(the_victim_of_a_bare_thread_has_a_new_proc),
        TEST(stolen_at_a_boundary_by_a_bare_thread),
        TEST(stolen_at_a_boundary_by_a_bare_thread_with_a_new_proc),
        TEST(stolen),
        TEST(the_victim_has_a_new_proc),
        TEST(stolen_at_a_boundary),
        TEST(stolen_at_a_boundary_with_a_new_proc),
        TEST(stolen_from_a_thread_that_never_returns),
        TEST(stolen_from_the_second_of_two_calls),
        TEST(stolen_from_the_thief),
        TEST(the_thread_ends_and_its_id_is_used_again),
        TEST(a_robbed_thread_has_a_status_of_its_own_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
