/* The model, transition by transition: what each writes, what state it follows from, and what it leaves alone. */
#include "tests/unit/three-threads.h"

enum { START_STACK = 77 };

/* Brings the thread to a status by the shortest legal way, then gives it a fresh chunk. */
static void bring_to(struct fixture *f, struct sched_thread *t, uint32_t status)
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
    const struct sched_wakeup wakeup = sched_wakeup_of(&f->main);
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

/* --- what does not follow ------------------------------------------------------------------------------------- */

static bool first_thread(struct fixture *f, struct sched_thread *t) { return sched_first_thread(f->s, t, 1, 9); }
static bool create(struct fixture *f, struct sched_thread *t) { return sched_create(f->s, t, &f->other, 1, 0, 9); }
static bool introduce(struct fixture *f, struct sched_thread *t) { return sched_introduce(f->s, t, 9); }
static bool start(struct fixture *f, struct sched_thread *t) { return sched_start(f->s, t, 9); }
static bool block(struct fixture *f, struct sched_thread *t) { return sched_block(f->s, t, REASON_SLEEP, 0, 9); }
static bool resume(struct fixture *f, struct sched_thread *t) { return sched_resume(f->s, t, 9); }
static bool resume_woken(struct fixture *f, struct sched_thread *t) { return sched_resume_woken(f->s, t, true, 9); }
static bool unblock(struct fixture *f, struct sched_thread *t)
{
    return sched_unblock(f->s, t, &(struct sched_wakeup){.g = 9, .g_seq = 1}, 0, 9);
}
static bool yield(struct fixture *f, struct sched_thread *t) { return sched_yield_proc(f->s, t, REASON_YIELD, 0, 9); }
static bool syscall_begin(struct fixture *f, struct sched_thread *t) { return sched_syscall_begin(f->s, t, 1, 9); }
static bool syscall_end(struct fixture *f, struct sched_thread *t) { return sched_syscall_end(f->s, t, 9); }
static bool procs_change(struct fixture *f, struct sched_thread *t) { return sched_procs_change(f->s, t, 9, 9); }
static bool destroy(struct fixture *f, struct sched_thread *t) { return sched_destroy(f->s, t, 9); }

enum { FROM_ANY = 99, NSTATUS = 6 };

static const struct transition {
    const char *name;
    bool (*run)(struct fixture *, struct sched_thread *);
    uint32_t from;
    bool takes_proc;
} transitions[] = {
    {"first_thread", first_thread, GO_NOT_EXIST, true}, {"create", create, GO_RUNNING, false},
    {"introduce", introduce, GO_NOT_EXIST, true},       {"start", start, GO_RUNNABLE, true},
    {"block", block, GO_RUNNING, false},             {"resume", resume, GO_WAITING, true},
    {"resume_woken", resume_woken, GO_WAITING, true}, {"unblock", unblock, FROM_ANY, false},
    {"yield", yield, GO_RUNNING, false},             {"destroy", destroy, GO_RUNNING, false},
    {"syscall_begin", syscall_begin, GO_RUNNING, false}, {"syscall_end", syscall_end, GO_SYSCALL, false},
    {"procs_change", procs_change, GO_RUNNING, false},
};

/* Everything that a refused transition must leave as it was. */
struct snapshot {
    struct sched_state current;
    uint32_t used;
    uint64_t busy0;
    uint32_t gomaxprocs, nprocs_known;
    uint32_t proc_seq;
};

static struct snapshot snapshot(const struct fixture *f, const struct sched_thread *t)
{
    return (struct snapshot){*sched_current(t), t->chunk ? t->chunk->used : 0, f->s->busy[0], f->s->gomaxprocs,
                             f->s->nprocs_known, f->s->procs[0].seq};
}

static void assert_same(const struct snapshot *a, const struct snapshot *b, const char *what)
{
    if (a->current.pos != b->current.pos || a->current.time != b->current.time || a->current.proc != b->current.proc ||
        a->current.status != b->current.status || a->current.g_seq != b->current.g_seq || a->used != b->used ||
        a->busy0 != b->busy0 || a->gomaxprocs != b->gomaxprocs ||
        a->nprocs_known != b->nprocs_known || a->proc_seq != b->proc_seq)
        fail_msg("a refused %s changed something", what);
}

static void what_does_not_follow_changes_nothing(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(transitions); i++) {
        for (uint32_t status = 0; status < NSTATUS; status++) {
            void *fresh;
            set_up(&fresh);
            struct fixture *f = fresh;
            bring_to(f, &f->child, status);
            struct snapshot before = snapshot(f, &f->child);
            bool legal = transitions[i].from == FROM_ANY || transitions[i].from == status;
            bool done = transitions[i].run(f, &f->child);
            struct snapshot after = snapshot(f, &f->child);
            if (done != legal)
                fail_msg("%s from status %u says %d", transitions[i].name, status, done);
            if (!done)
                assert_same(&before, &after, transitions[i].name);
            tear_down(&fresh);
        }
    }
}

static void without_room_nothing_changes(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(transitions); i++) {
        for (int full = 0; full < 2; full++) {
            void *fresh;
            set_up(&fresh);
            struct fixture *f = fresh;
            bring_to(f, &f->child, transitions[i].from == FROM_ANY ? GO_RUNNING : transitions[i].from);
            if (full) /* one byte too little for any transition */
                f->child.chunk->meta_used = CHUNK_CAPACITY - SCHED_TRANSITION_MAX + 1;
            else
                model_drop(&f->child);
            struct snapshot before = snapshot(f, &f->child);
            assert_false(transitions[i].run(f, &f->child));
            struct snapshot after = snapshot(f, &f->child);
            assert_same(&before, &after, transitions[i].name);
            if (full) {
                f->child.chunk->meta_used--;
                assert_true(transitions[i].run(f, &f->child));
            }
            tear_down(&fresh);
        }
    }
}

static void without_a_proc_nothing_changes(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(transitions); i++) {
        void *fresh;
        set_up(&fresh);
        struct fixture *f = fresh;
        bring_to(f, &f->child, transitions[i].from == FROM_ANY ? GO_RUNNING : transitions[i].from);
        memset(f->s->busy, 0xff, sizeof f->s->busy);
        struct snapshot before = snapshot(f, &f->child);
        bool done = transitions[i].run(f, &f->child);
        assert_int_equal(done, !transitions[i].takes_proc);
        struct snapshot after = snapshot(f, &f->child);
        if (!done)
            assert_same(&before, &after, transitions[i].name);
        assert_int_equal(f->child.proc_taken, PROC_NONE);
        tear_down(&fresh);
    }
}

static void a_child_is_made_once(void **state)
{
    struct fixture *f = *state;
    bring_to(f, &f->main, GO_RUNNING);
    assert_true(sched_create(f->s, &f->main, &f->child, 1, 0, 5));
    assert_false(sched_create(f->s, &f->main, &f->child, 1, 0, 6));
    assert_string_equal(model_written(&f->main), "GoCreate(2,1,0)");
}

static void a_child_whose_create_fails_does_not_exist(void **state)
{
    struct fixture *f = *state;
    bring_to(f, &f->main, GO_WAITING);
    assert_false(sched_create(f->s, &f->main, &f->child, 1, 0, 5));
    assert_int_equal(sched_current(&f->child)->status, GO_NOT_EXIST);
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
    const struct sched_wakeup wakeup = sched_wakeup_of(&f->main);
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
        cmocka_unit_test(what_does_not_follow_changes_nothing),
        cmocka_unit_test(without_room_nothing_changes),
        cmocka_unit_test(without_a_proc_nothing_changes),
        TEST(a_child_is_made_once),
        TEST(a_child_whose_create_fails_does_not_exist),
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
