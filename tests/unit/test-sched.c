/* The model, transition by transition: what each writes, and what state it follows from. */
#include "tests/unit/three-threads.h"

static void the_first_thread_comes_to_life(void **state)
{
    struct fixture *f = *state;
    assert_true(sched_first_thread(f->s, &f->main, START_STACK, 5));
    assert_string_equal(model_written(&f->main), "ProcStatus(0,1) GoCreate(1,77,0) GoStart(1,1) ProcsChange(4,0)");
    assert_int_equal(sched_current(&f->main)->status, GO_RUNNING);
    assert_int_equal(sched_current(&f->main)->proc, 0);
    assert_true(model_busy(f->s, 0));
    assert_int_equal(f->s->nprocs_known, 1);
}

static void a_thread_is_made_and_starts(void **state)
{
    struct fixture *f = *state;
    assert_true(sched_first_thread(f->s, &f->main, START_STACK, 5));
    free(model_next_chunk(f->s, &f->main, 6));
    assert_true(sched_create(f->s, &f->main, &f->child, START_STACK, 9, 7));
    assert_string_equal(model_written(&f->main), "GoCreate(2,77,9)");
    assert_int_equal(sched_current(&f->child)->status, GO_RUNNABLE);
    assert_string_equal(model_written(&f->child), "");
    assert_true(sched_start(f->s, &f->child, 8));
    assert_string_equal(model_written(&f->child), "ProcStatus(1,2) ProcStart(1,1) GoStart(2,1)");
    assert_int_equal(sched_current(&f->child)->proc, 1);
}

static void a_thread_introduces_itself(void **state)
{
    struct fixture *f = *state;
    assert_true(sched_introduce(f->s, &f->other, 5));
    assert_string_equal(model_written(&f->other),
                        "GoCreateSyscall(3) ProcStatus(0,2) ProcStart(0,1) GoSyscallEndBlocked GoStart(3,1)");
    assert_int_equal(sched_current(&f->other)->status, GO_RUNNING);
}

static void a_block_gives_the_proc_back(void **state)
{
    struct fixture *f = *state;
    bring_to(f, &f->main, GO_RUNNING);
    assert_true(sched_block(f->s, &f->main, REASON_COND, 12, 6));
    assert_string_equal(model_written(&f->main), "GoBlock(2,12) ProcStop");
    assert_int_equal(sched_current(&f->main)->status, GO_WAITING);
    assert_int_equal(sched_current(&f->main)->proc, PROC_NONE);
    assert_false(model_busy(f->s, 0));
}

static void who_nobody_woke_wakes_itself(void **state)
{
    struct fixture *f = *state;
    bring_to(f, &f->main, GO_WAITING);
    assert_true(sched_resume(f->s, &f->main, 6));
    assert_string_equal(model_written(&f->main), "GoUnblock(1,2,0) ProcStart(0,2) GoStart(1,3)");
    assert_int_equal(sched_current(&f->main)->status, GO_RUNNING);
}

static void who_was_woken_only_starts(void **state)
{
    struct fixture *f = *state;
    bring_to(f, &f->main, GO_WAITING);
    bring_to(f, &f->child, GO_RUNNING);
    const struct sched_wakeup wakeup = sched_wakeup_of(&f->main, f->s->generation);
    assert_true(sched_unblock(f->s, &f->child, &wakeup, 5, 6));
    assert_string_equal(model_written(&f->child), "GoUnblock(1,2,5)");
    assert_int_equal(sched_current(&f->child)->status, GO_RUNNING);
    assert_int_equal(sched_current(&f->main)->status, GO_WAITING);
    assert_true(sched_resume_woken(f->s, &f->main, true, 7));
    assert_string_equal(model_written(&f->main), "ProcStatus(1,2) ProcStart(1,1) GoStart(1,3)");
}

static void an_unblock_needs_no_proc(void **state)
{
    struct fixture *f = *state;
    bring_to(f, &f->main, GO_WAITING);
    bring_to(f, &f->child, GO_WAITING);
    assert_true(sched_unblock(f->s, &f->child, &(struct sched_wakeup){.g = 1, .g_seq = 2}, 0, 6));
    assert_string_equal(model_written(&f->child), "GoUnblock(1,2,0)");
    assert_int_equal(sched_current(&f->child)->status, GO_WAITING);
    assert_int_equal(sched_current(&f->child)->proc, PROC_NONE);
}

static void a_yield_stops_and_starts(void **state)
{
    struct fixture *f = *state;
    bring_to(f, &f->main, GO_RUNNING);
    assert_true(sched_yield_proc(f->s, &f->main, REASON_YIELD, 3, 6));
    assert_true(sched_yield_proc(f->s, &f->main, REASON_YIELD, 3, 7));
    assert_string_equal(model_written(&f->main), "GoStop(10,3) GoStart(1,2) GoStop(10,3) GoStart(1,3)");
    assert_int_equal(sched_current(&f->main)->proc, 0);
    assert_int_equal(f->s->procs[0].seq, 1);
}

static void a_thread_ends(void **state)
{
    struct fixture *f = *state;
    bring_to(f, &f->main, GO_RUNNING);
    assert_true(sched_destroy(f->s, &f->main, 6));
    assert_string_equal(model_written(&f->main), "GoDestroy ProcStop");
    assert_int_equal(sched_current(&f->main)->status, GO_DEAD);
    assert_false(model_busy(f->s, 0));
}

/* --- procs ------------------------------------------------------------------------------------------------------ */

static void the_lowest_free_proc_is_taken(void **state)
{
    struct fixture *f = *state;
    bring_to(f, &f->main, GO_RUNNING);
    bring_to(f, &f->child, GO_RUNNING);
    bring_to(f, &f->other, GO_RUNNING);
    assert_int_equal(sched_current(&f->other)->proc, 2);
    assert_true(sched_block(f->s, &f->main, REASON_SYNC, 0, 9));
    assert_true(sched_block(f->s, &f->child, REASON_SYNC, 0, 9));
    free(model_next_chunk(f->s, &f->child, 9));
    assert_true(sched_resume(f->s, &f->child, 10));
    assert_string_equal(model_written(&f->child), "GoUnblock(2,2,0) ProcStart(0,2) GoStart(2,3)");
}

static void a_proc_beyond_gomaxprocs_raises_it_once(void **state)
{
    struct fixture *f = *state;
    f->s->gomaxprocs = 1;
    bring_to(f, &f->main, GO_RUNNING);
    assert_true(sched_introduce(f->s, &f->child, 5));
    assert_string_equal(model_written(&f->child), "GoCreateSyscall(2) ProcStatus(1,2) ProcStart(1,1) "
                                                  "GoSyscallEndBlocked GoStart(2,1) ProcsChange(2,0)");
    assert_int_equal(f->s->gomaxprocs, 2);
    assert_true(sched_block(f->s, &f->child, REASON_SYNC, 0, 6));
    free(model_next_chunk(f->s, &f->child, 7));
    assert_true(sched_resume(f->s, &f->child, 8));
    assert_string_equal(model_written(&f->child), "GoUnblock(2,2,0) ProcStart(1,2) GoStart(2,3)");
}

static void procs_of_a_later_word_are_found(void **state)
{
    struct fixture *f = *state;
    f->s->busy[0] = UINT64_MAX;
    f->s->busy[1] = 0xff;
    assert_true(sched_introduce(f->s, &f->main, 5));
    assert_int_equal(sched_current(&f->main)->proc, 72);
    assert_int_equal(f->s->nprocs_known, 73);
    assert_int_equal(f->s->gomaxprocs, 73);
    assert_true(sched_destroy(f->s, &f->main, 6));
    assert_int_equal(f->s->busy[1], 0xff);
}

static void the_last_proc_is_usable(void **state)
{
    struct fixture *f = *state;
    memset(f->s->busy, 0xff, sizeof f->s->busy);
    f->s->busy[ARRAY_SIZE(f->s->busy) - 1] = UINT64_MAX >> 1;
    assert_true(sched_introduce(f->s, &f->main, 5));
    assert_int_equal(sched_current(&f->main)->proc, SCHED_MAX_PROCS - 1);
    assert_false(sched_introduce(f->s, &f->child, 5));
}

/* --- time, and what a reader finds after a kill ------------------------------------------------------------------ */

static void time_never_goes_back(void **state)
{
    struct fixture *f = *state;
    assert_true(sched_introduce(f->s, &f->main, 50));
    assert_true(sched_block(f->s, &f->main, REASON_SYNC, 0, 40));
    assert_true(sched_resume(f->s, &f->main, 60));
    assert_string_equal(model_timed_text(f->main.chunk),
                        "50:GoCreateSyscall(1) 50:ProcStatus(0,2) 51:ProcStart(0,1) 51:GoSyscallEndBlocked "
                        "51:GoStart(1,1) 51:GoBlock(1,0) 52:ProcStop 60:GoUnblock(1,2,0) 61:ProcStart(0,2) "
                        "61:GoStart(1,3)");
    struct chunk *old = model_next_chunk(f->s, &f->main, 55);
    assert_int_equal(f->main.chunk->time, 61);
    assert_true(sched_yield_proc(f->s, &f->main, REASON_YIELD, 0, 1));
    assert_string_equal(model_timed_text(f->main.chunk), "61:GoStop(10,0) 61:GoStart(1,4)");
    free(old);
}

/* Go's reader needs this: events that wait for one another never have the same time. */
static void who_waits_for_another_is_at_another_time(void **state)
{
    struct fixture *f = *state;
    assert_true(sched_introduce(f->s, &f->main, 50));
    assert_true(sched_block(f->s, &f->main, REASON_SYNC, 0, 60));
    const struct sched_wakeup wakeup = sched_wakeup_of(&f->main, f->s->generation);
    assert_true(sched_introduce(f->s, &f->child, 60));
    assert_true(sched_unblock(f->s, &f->child, &wakeup, 0, 60));
    assert_true(sched_resume_woken(f->s, &f->main, true, 62));
    assert_string_equal(model_timed_text(f->main.chunk),
                        "50:GoCreateSyscall(1) 50:ProcStatus(0,2) 51:ProcStart(0,1) 51:GoSyscallEndBlocked "
                        "51:GoStart(1,1) 60:GoBlock(1,0) 60:ProcStop 62:ProcStatus(1,2) 63:ProcStart(1,1) "
                        "63:GoStart(1,3)");
    assert_string_equal(model_timed_text(f->child.chunk),
                        "60:GoCreateSyscall(2) 61:ProcStart(0,2) 61:GoSyscallEndBlocked 61:GoStart(2,1) "
                        "62:GoUnblock(1,2,0)");
}

static void used_follows_every_commit(void **state)
{
    struct fixture *f = *state;
    struct chunk *c = f->main.chunk;
    assert_int_equal(c->state, CHUNK_OPEN);
    assert_int_equal(c->m, 100);
    assert_int_equal(c->generation, 1);
    assert_true(sched_introduce(f->s, &f->main, 5));
    assert_ptr_equal(c->data + c->used, sched_current(&f->main)->pos);
    uint32_t used = c->used;
    assert_true(sched_block(f->s, &f->main, REASON_SYNC, 0, 6));
    assert_true(c->used > used);
    assert_ptr_equal(c->data + c->used, sched_current(&f->main)->pos);
    assert_ptr_equal(sched_detach_chunk(&f->main), c);
    assert_null(sched_current(&f->main)->pos);
    assert_int_equal(sched_current(&f->main)->status, GO_WAITING);
    assert_null(sched_detach_chunk(&f->main));
    free(c);
}

static void the_largest_numbers_fit(void **state)
{
    struct fixture *f = *state;
    const uint64_t big = UINT64_MAX;
    f->main.g = f->main.m = big;
    f->s->gomaxprocs = 0;
    assert_true(sched_introduce(f->s, &f->main, big));
    assert_true(sched_block(f->s, &f->main, REASON_SYNC, big, big));
    assert_true(sched_unblock(f->s, &f->main, &(struct sched_wakeup){.g = big, .g_seq = UINT32_MAX}, big, big));
    assert_true(f->main.chunk->used <= 3 * SCHED_TRANSITION_MAX);
}

static void every_reason_has_its_text(void **state)
{
    assert_string_equal(sched_reason_text[REASON_SYNC], "sync");
    assert_string_equal(sched_reason_text[REASON_COND], "sync.(*Cond).Wait");
    for (int r = 0; r < REASON_COUNT; r++) {
        assert_non_null(sched_reason_text[r]);
        assert_int_equal(reason_string_id((enum sched_reason)r), r + 1);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_thread_comes_to_life),
        TEST(a_thread_is_made_and_starts),
        TEST(a_thread_introduces_itself),
        TEST(a_block_gives_the_proc_back),
        TEST(who_nobody_woke_wakes_itself),
        TEST(who_was_woken_only_starts),
        TEST(an_unblock_needs_no_proc),
        TEST(a_yield_stops_and_starts),
        TEST(a_thread_ends),
        TEST(the_lowest_free_proc_is_taken),
        TEST(a_proc_beyond_gomaxprocs_raises_it_once),
        TEST(procs_of_a_later_word_are_found),
        TEST(the_last_proc_is_usable),
        TEST(time_never_goes_back),
        TEST(who_waits_for_another_is_at_another_time),
        TEST(used_follows_every_commit),
        TEST(the_largest_numbers_fit),
        cmocka_unit_test(every_reason_has_its_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
