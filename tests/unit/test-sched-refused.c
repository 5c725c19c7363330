/* Transitions that do not follow, or have no room or no proc: they change nothing. */
#include "tests/unit/three-threads.h"

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

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_follow_changes_nothing),
        cmocka_unit_test(without_room_nothing_changes),
        cmocka_unit_test(without_a_proc_nothing_changes),
        TEST(a_child_is_made_once),
        TEST(a_child_whose_create_fails_does_not_exist),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
