/*
 * System calls, and procs that are taken out of them: each of the ways that Go's own tests of its reader know, as a
 * story of three threads. Every story ends with a look of our validator at the whole trace.
 */
#include "tests/unit/model-trace.h"

#include "lib/sched_proc.h"

struct fixture {
    struct sched *s;
    struct sched_thread main, child, other;
    struct model_trace trace;
    uint64_t time;
};

static uint64_t tick(struct fixture *f) { return ++f->time; }

/* GOMAXPROCS is 1, and main has it. */
static int set_up(void **state)
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

static struct sched_thread *const *threads(struct fixture *f)
{
    static struct sched_thread *all[3];
    all[0] = &f->main;
    all[1] = &f->child;
    all[2] = &f->other;
    return all;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < 3; i++)
        trace_hand_in(&f->trace, sched_detach_chunk(threads(f)[i]), f->time);
    trace_judge(&f->trace, f->time, "the story");
    free(f->s);
    free(f);
    return 0;
}

static void next_generation(struct fixture *f)
{
    trace_generation(&f->trace, threads(f), 3, NULL, tick(f));
    for (int i = 0; i < 3; i++)
        if (!threads(f)[i]->chunk)
            sched_attach_chunk(f->s, threads(f)[i], model_chunk(), f->time);
}

static int32_t proc(const struct sched_thread *t) { return sched_current(t)->proc; }
static void end(struct fixture *f, struct sched_thread *t) { assert_true(sched_syscall_end(f->s, t, tick(f))); }
static void introduce(struct fixture *f, struct sched_thread *t) { assert_true(sched_introduce(f->s, t, tick(f))); }
static void resume(struct fixture *f, struct sched_thread *t) { assert_true(sched_resume(f->s, t, tick(f))); }

static void begin(struct fixture *f, struct sched_thread *t)
{
    assert_true(sched_syscall_begin(f->s, t, MODEL_STACK, tick(f)));
}

static void block(struct fixture *f, struct sched_thread *t)
{
    assert_true(sched_block(f->s, t, REASON_SYNC, 0, tick(f)));
}

/* What t writes from here on is looked at alone. */
static void turn_page(struct fixture *f, struct sched_thread *t)
{
    trace_hand_in(&f->trace, model_next_chunk(f->s, t, f->time), f->time);
}

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
        TEST(who_is_being_robbed_stays_where_he_is),
        TEST(a_claimed_proc_is_claimed_once),
        TEST(procs_change_and_grow_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
