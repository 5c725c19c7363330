/* A recording that begins in mid-run, after an earlier one: nothing of that is left, and every thread is what it was. */
#include "tests/unit/three-threads.h"

#include "lib/sched_proc.h"

static void end_session(struct fixture *f)
{
    model_drop(&f->main);
    model_drop(&f->child);
    model_drop(&f->other);
}

/* As preload/generation.c begins one. */
static void begin_session(struct fixture *f, uint64_t generation)
{
    struct sched_thread *threads[] = {&f->main, &f->child, &f->other};
    sched_restart(f->s, generation, 4);
    for (size_t i = 0; i < ARRAY_SIZE(threads); i++) {
        sched_forget_procs(threads[i]);
        sched_attach_chunk(f->s, threads[i], model_chunk(), 1000);
    }
}

static void what_runs_gets_a_proc_and_says_so(void **state)
{
    struct fixture *f = *state;
    assert_true(sched_introduce(f->s, &f->other, 5)); /* P 0 */
    assert_true(sched_introduce(f->s, &f->main, 6));  /* P 1 */
    assert_true(sched_yield_proc(f->s, &f->main, REASON_YIELD, 0, 7));
    assert_true(sched_syscall_begin(f->s, &f->main, 0, 8));
    end_session(f);
    sched_track(&f->main, GO_RUNNING);
    sched_track(&f->other, GO_WAITING);
    begin_session(f, 9);
    assert_int_equal(f->s->generation, 9);
    assert_int_equal(f->s->nprocs_known, 0);
    for (uint32_t p = 0; p < 4; p++) {
        assert_false(model_busy(f->s, p));
        assert_int_equal(f->s->procs[p].word, 0);
        assert_int_equal(f->s->procs[p].seq, 0);
    }
    assert_int_equal(sched_current(&f->other)->proc, PROC_NONE);
    assert_true(sched_adopt(f->s, &f->main));
    assert_int_equal(sched_current(&f->main)->proc, 0);
    assert_true(sched_has_proc(f->s, &f->main));
    sched_first_status(f->s, &f->main, 1000);
    sched_first_status(f->s, &f->other, 1000); /* it does not run */
    assert_string_equal(model_written(&f->main), "ProcStatus(0,1) GoStatus(1,100,2)");
    assert_string_equal(model_written(&f->other), "");
    assert_true(sched_yield_proc(f->s, &f->main, REASON_YIELD, 0, 1001));
    assert_true(sched_syscall_begin(f->s, &f->main, 0, 1002));
    assert_string_equal(model_written(&f->main), "ProcStatus(0,1) GoStatus(1,100,2) GoStop(10,0) GoStart(1,1) "
                                                 "GoSyscallBegin(1,0)");
}

/* Its P of then is gone: it comes back as a thread does whose P was taken. */
static void a_call_that_began_unrecorded_ends_on_another_proc(void **state)
{
    struct fixture *f = *state;
    end_session(f);
    sched_track(&f->main, GO_SYSCALL);
    begin_session(f, 2);
    assert_false(sched_has_proc(f->s, &f->main));
    uint8_t buf[SCHED_STATUS_MAX];
    uint64_t time = 1000;
    const uint8_t *end = sched_status_other(&f->main, false, buf, &time, 1000);
    assert_string_equal(model_text(buf, end), "GoStatus(1,100,3)");
    assert_true(sched_current(&f->main)->time > 1000); /* its next event comes behind that */
    assert_true(sched_syscall_end(f->s, &f->main, 900));
    assert_string_equal(model_written(&f->main),
                        "ProcStatus(0,2) ProcStart(0,1) GoSyscallEndBlocked GoStart(1,1)");
    assert_true(sched_current(&f->main)->time > 1000);
}

/* The last one stands for the P that somebody has taken: nobody gets it. */
static void the_last_proc_is_not_given_out(void **state)
{
    struct fixture *f = *state;
    end_session(f);
    sched_track(&f->main, GO_RUNNING);
    begin_session(f, 2);
    memset(f->s->busy, 0xff, sizeof f->s->busy);
    f->s->busy[SCHED_MAX_PROCS / 64 - 1] = UINT64_MAX >> 1;
    assert_false(sched_adopt(f->s, &f->main));
    f->s->busy[SCHED_MAX_PROCS / 64 - 1] = UINT64_MAX >> 2;
    assert_true(sched_adopt(f->s, &f->main));
    assert_int_equal(sched_current(&f->main)->proc, SCHED_MAX_PROCS - 2);
}

static void a_thread_that_was_torn_before_is_whole_again(void **state)
{
    struct fixture *f = *state;
    f->main.open = 1;
    f->main.claim_proc = 3;
    f->main.claim_word = 5;
    end_session(f);
    sched_track(&f->main, GO_RUNNING);
    begin_session(f, 2);
    assert_true(sched_adopt(f->s, &f->main));
    assert_true(sched_yield_proc(f->s, &f->main, REASON_YIELD, 0, 1001));
    assert_int_equal(f->main.claim_word, 0);
}

/* A header, or a user, may ask for any number of procs. */
static void there_are_no_more_procs_than_there_are(void **state)
{
    struct fixture *f = *state;
    memset(f->s->busy, 0xff, sizeof f->s->busy);
    for (uint32_t n = SCHED_MAX_PROCS; n <= SCHED_MAX_PROCS + 64; n += 32) {
        f->s->gomaxprocs = n;
        assert_false(sched_introduce(f->s, &f->main, 5));
        assert_string_equal(model_written(&f->main), "");
        assert_int_equal(f->main.open, 0);
    }
    proc_release(f->s, SCHED_MAX_PROCS - 1);
    assert_true(sched_introduce(f->s, &f->main, 5));
    assert_int_equal(sched_current(&f->main)->proc, SCHED_MAX_PROCS - 1);
}

static void the_lowest_free_proc_of_a_range_is_taken(void **state)
{
    struct fixture *f = *state;
    struct sched *s = f->s;
    static const struct {
        uint32_t from, to;
        int32_t want;
    } cases[] = {{0, 0, PROC_NONE}, {0, 1, 0},   {0, 1, PROC_NONE}, {3, 5, 3},  {3, 5, 4},    {3, 5, PROC_NONE},
                 {0, 5, 1},         {62, 66, 62}, {62, 66, 63},      {62, 66, 64}, {62, 66, 65}, {62, 66, PROC_NONE},
                 {64, 128, 66},     {127, 129, 127}, {127, 129, 128}, {127, 129, PROC_NONE}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_int_equal(proc_take_free(s, cases[i].from, cases[i].to), cases[i].want);
    proc_release(s, 63);
    assert_int_equal(proc_take_free(s, 0, SCHED_MAX_PROCS), 2);
    assert_int_equal(proc_take_free(s, 60, SCHED_MAX_PROCS), 60);
    assert_int_equal(proc_take_free(s, 62, SCHED_MAX_PROCS), 63);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(what_runs_gets_a_proc_and_says_so),
        TEST(a_call_that_began_unrecorded_ends_on_another_proc),
        TEST(the_last_proc_is_not_given_out),
        TEST(a_thread_that_was_torn_before_is_whole_again),
        TEST(there_are_no_more_procs_than_there_are),
        TEST(the_lowest_free_proc_of_a_range_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
