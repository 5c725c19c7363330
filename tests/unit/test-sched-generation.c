/* The model over generations: sequence numbers begin anew, and every thread and proc says again what it is. */
#include "tests/unit/three-threads.h"

static void begin_generation(struct fixture *f, uint64_t generation)
{
    model_drop(&f->main);
    model_drop(&f->child);
    model_drop(&f->other);
    sched_advance(f->s, generation);
}

static void attach(struct fixture *f, struct sched_thread *t, uint64_t now)
{
    sched_attach_chunk(f->s, t, model_chunk(), now);
}

static void a_running_thread_says_so_on_its_own(void **state)
{
    struct fixture *f = *state;
    assert_true(sched_introduce(f->s, &f->main, 5));
    assert_true(sched_yield_proc(f->s, &f->main, REASON_YIELD, 0, 6));
    begin_generation(f, 2);
    attach(f, &f->main, 10);
    sched_status_with_proc(f->s, &f->main, 10);
    assert_int_equal(f->main.chunk->generation, 2);
    assert_int_equal(f->main.chunk->m, 100);
    assert_int_equal(f->main.chunk->time, 10);
    assert_string_equal(model_timed_text(f->main.chunk), "10:ProcStatus(0,1) 10:GoStatus(1,100,2)");
    assert_int_equal(sched_current(&f->main)->proc, 0);
    assert_true(model_busy(f->s, 0));
}

static void only_a_running_thread_says_so(void **state)
{
    struct fixture *f = *state;
    assert_true(sched_introduce(f->s, &f->main, 5));
    assert_true(sched_block(f->s, &f->main, REASON_SYNC, 0, 6));
    begin_generation(f, 2);
    attach(f, &f->main, 10);
    sched_status_with_proc(f->s, &f->main, 10);
    assert_string_equal(model_written(&f->main), "");
}

static void sequence_numbers_begin_anew(void **state)
{
    struct fixture *f = *state;
    assert_true(sched_introduce(f->s, &f->main, 5));
    for (uint64_t gen = 2; gen < 5; gen++) {
        begin_generation(f, gen);
        attach(f, &f->main, 10 * gen);
        sched_status_with_proc(f->s, &f->main, 10 * gen);
        assert_true(sched_yield_proc(f->s, &f->main, REASON_YIELD, 0, 10 * gen + 1));
        assert_true(sched_block(f->s, &f->main, REASON_SYNC, 0, 10 * gen + 2));
        assert_true(sched_resume(f->s, &f->main, 10 * gen + 3));
        assert_string_equal(model_written(&f->main),
                            "ProcStatus(0,1) GoStatus(1,100,2) GoStop(10,0) GoStart(1,1) GoBlock(1,0) ProcStop "
                            "GoUnblock(1,2,0) ProcStart(0,1) GoStart(1,3)");
    }
}

/* The status of a thread without a chunk, as text; *time is that of the shared batch's last event. */
static const char *status_of(struct sched_thread *t, bool woken, uint64_t *time, uint64_t now)
{
    static uint8_t buf[SCHED_STATUS_MAX];
    return model_text(buf, sched_status_other(t, woken, buf, time, now));
}

static void a_thread_that_does_not_run_is_spoken_for(void **state)
{
    struct fixture *f = *state;
    uint64_t time = 10;
    assert_true(sched_introduce(f->s, &f->main, 5));
    assert_true(sched_create(f->s, &f->main, &f->child, 1, 0, 6));
    assert_true(sched_introduce(f->s, &f->other, 5));
    assert_true(sched_block(f->s, &f->other, REASON_SYNC, 0, 6));
    begin_generation(f, 2);
    assert_string_equal(status_of(&f->child, false, &time, 12), "GoStatus(2,none,1)");
    assert_int_equal(time, 12);
    assert_string_equal(status_of(&f->other, false, &time, 12), "GoStatus(3,none,4)");
    assert_int_equal(sched_g_seq(sched_current(&f->other), f->s->generation), 0);
}

static void who_was_woken_earlier_is_runnable(void **state)
{
    struct fixture *f = *state;
    uint64_t time = 10;
    assert_true(sched_introduce(f->s, &f->main, 5));
    assert_true(sched_block(f->s, &f->main, REASON_SYNC, 0, 6));
    assert_true(sched_introduce(f->s, &f->child, 6));
    const struct sched_wakeup wakeup = sched_wakeup_of(&f->main, f->s->generation);
    assert_true(sched_unblock(f->s, &f->child, &wakeup, 0, 7));
    begin_generation(f, 2);
    assert_string_equal(status_of(&f->main, true, &time, 12), "GoStatus(1,none,1)");
    assert_int_equal(sched_current(&f->main)->status, GO_WAITING);
    attach(f, &f->main, 13);
    assert_true(sched_resume_woken(f->s, &f->main, false, 14));
    assert_string_equal(model_written(&f->main), "ProcStatus(1,2) ProcStart(1,1) GoStart(1,1)");
}

/* Of a thread that rests nothing is asked in later generations: its numbers are those that its last status began. */
static void what_did_not_change_is_said_again(void **state)
{
    struct fixture *f = *state;
    uint8_t buf[SCHED_STATUS_MAX];
    uint64_t time = 10;
    assert_true(sched_introduce(f->s, &f->main, 5));
    assert_true(sched_introduce(f->s, &f->other, 5));
    assert_true(sched_block(f->s, &f->other, REASON_SYNC, 0, 6));
    begin_generation(f, 2);
    assert_string_equal(status_of(&f->other, false, &time, 12), "GoStatus(3,none,4)");
    begin_generation(f, 3);
    attach(f, &f->main, 20);
    sched_status_with_proc(f->s, &f->main, 20);
    sched_status_again(3, GO_WAITING, buf);
    assert_string_equal(model_text(buf, buf + SCHED_STATUS_AGAIN), "GoStatus(3,none,4)");
    const struct sched_wakeup wakeup = sched_wakeup_of(&f->other, f->s->generation);
    assert_true(sched_unblock(f->s, &f->main, &wakeup, 0, 21));
    assert_string_equal(model_written(&f->main), "ProcStatus(0,1) GoStatus(1,100,2) GoUnblock(3,1,0)");
}

/* The P's number counts on with each system call, from what the status of the generation says. */
static void calls_are_counted_anew(void **state)
{
    struct fixture *f = *state;
    assert_true(sched_introduce(f->s, &f->main, 5));
    for (uint64_t gen = 2; gen < 4; gen++) {
        begin_generation(f, gen);
        attach(f, &f->main, 10 * gen);
        sched_status_with_proc(f->s, &f->main, 10 * gen);
        for (int i = 0; i < 2; i++) {
            assert_true(sched_syscall_begin(f->s, &f->main, 0, 10 * gen + 1));
            assert_true(sched_syscall_end(f->s, &f->main, 10 * gen + 2));
        }
        assert_string_equal(model_written(&f->main), "ProcStatus(0,1) GoStatus(1,100,2) GoSyscallBegin(1,0) "
                                                     "GoSyscallEnd GoSyscallBegin(2,0) GoSyscallEnd");
        assert_int_equal(f->s->procs[0].seq, 2);
    }
}

static void an_idle_proc_is_spoken_for(void **state)
{
    struct fixture *f = *state;
    uint8_t buf[SCHED_STATUS_MAX];
    uint64_t time = 3;
    assert_true(sched_introduce(f->s, &f->main, 5));
    assert_true(sched_destroy(f->s, &f->main, 6));
    begin_generation(f, 2);
    uint8_t *end = sched_status_idle_proc(f->s, 0, buf, &time, 20);
    assert_string_equal(model_text(buf, end), "ProcStatus(0,2)");
    assert_int_equal(time, 20);
    attach(f, &f->child, 21);
    assert_true(sched_introduce(f->s, &f->child, 22));
    assert_string_equal(model_written(&f->child),
                        "GoCreateSyscall(2) ProcStart(0,1) GoSyscallEndBlocked GoStart(2,1)");
}

/* A proc that was taken, but never started by anyone: the generation's status is its first. */
static void a_proc_has_one_status_a_generation(void **state)
{
    struct fixture *f = *state;
    uint8_t buf[SCHED_STATUS_MAX];
    uint64_t time = 3;
    f->s->busy[0] = 1;
    assert_true(sched_introduce(f->s, &f->main, 5)); /* proc 1 */
    f->s->busy[0] = 2;
    begin_generation(f, 2);
    sched_status_idle_proc(f->s, 0, buf, &time, 20);
    attach(f, &f->child, 21);
    assert_true(sched_introduce(f->s, &f->child, 22));
    assert_string_equal(model_written(&f->child),
                        "GoCreateSyscall(2) ProcStart(0,1) GoSyscallEndBlocked GoStart(2,1)");
}

static void a_status_has_room(void **state)
{
    struct fixture *f = *state;
    uint8_t buf[SCHED_STATUS_MAX];
    uint64_t time = 0;
    f->main.g = f->main.m = UINT64_MAX;
    assert_true(sched_status_other(&f->main, false, buf, &time, UINT64_MAX) - buf <= SCHED_STATUS_MAX);
    time = 0;
    assert_true(sched_status_idle_proc(f->s, SCHED_MAX_PROCS - 1, buf, &time, UINT64_MAX) - buf <= SCHED_STATUS_MAX);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_running_thread_says_so_on_its_own),
        TEST(only_a_running_thread_says_so),
        TEST(sequence_numbers_begin_anew),
        TEST(a_thread_that_does_not_run_is_spoken_for),
        TEST(who_was_woken_earlier_is_runnable),
        TEST(what_did_not_change_is_said_again),
        TEST(calls_are_counted_anew),
        TEST(an_idle_proc_is_spoken_for),
        TEST(a_proc_has_one_status_a_generation),
        TEST(a_status_has_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
