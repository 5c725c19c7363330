/*
 * Every transition, torn out at every instruction: it is single-stepped, what memory holds is kept after every step, and
 * then each of these is taken up as if the thread had been torn out there. After sched_recover the thread is as it was or
 * as it would be, holds exactly the procs its state says, and what it does next fits what it wrote before.
 */
#include "tests/unit/model.h"

#include <signal.h>
#include <stdio.h>

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define CAN_STEP 1
#else
#define CAN_STEP 0
#endif

struct fixture {
    struct sched *s;
    struct sched_thread t, other;
};

enum { MAX_STEPS = 20000, BYTES = 256, PROCS = 4 };

/* All that a transition of t may change. */
struct moment {
    struct sched_thread t;
    uint8_t chunk[sizeof(struct chunk) + BYTES];
    uint64_t busy;
    struct sched_proc procs[PROCS];
    uint32_t nprocs_known, gomaxprocs;
};

static struct fixture *stepped;
static struct moment *moments;
static size_t nmoments;

static void keep_moment(void)
{
    struct moment *m = &moments[nmoments++];
    m->t = stepped->t;
    memcpy(m->chunk, stepped->t.chunk, sizeof m->chunk);
    m->busy = stepped->s->busy[0];
    memcpy(m->procs, stepped->s->procs, sizeof m->procs);
    m->nprocs_known = stepped->s->nprocs_known;
    m->gomaxprocs = stepped->s->gomaxprocs;
}

static void go_back_to(struct fixture *f, const struct moment *m)
{
    f->t = m->t;
    memcpy(f->t.chunk, m->chunk, sizeof m->chunk);
    f->s->busy[0] = m->busy;
    memcpy(f->s->procs, m->procs, sizeof m->procs);
    f->s->nprocs_known = m->nprocs_known;
    f->s->gomaxprocs = m->gomaxprocs;
}

static void on_step(int sig)
{
    if (nmoments < MAX_STEPS)
        keep_moment();
}

/* The processor's trap flag: SIGTRAP after every instruction. */
static void step_on(void)
{
#if CAN_STEP
    __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
#endif
}

static void step_off(void)
{
#if CAN_STEP
    __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
#endif
}

static bool introduce(struct fixture *f) { return sched_introduce(f->s, &f->t, 9); }
static bool first(struct fixture *f) { return sched_first_thread(f->s, &f->t, 1, 9); }
static bool start(struct fixture *f) { return sched_start(f->s, &f->t, 9); }
static bool block(struct fixture *f) { return sched_block(f->s, &f->t, REASON_SYNC, 0, 9); }
static bool resume(struct fixture *f) { return sched_resume(f->s, &f->t, 9); }
static bool resume_woken(struct fixture *f) { return sched_resume_woken(f->s, &f->t, true, 9); }
static bool unblock(struct fixture *f) { return sched_unblock(f->s, &f->t, 5, 2, 0, 9); }
static bool yield(struct fixture *f) { return sched_yield_proc(f->s, &f->t, REASON_YIELD, 0, 9); }
static bool destroy(struct fixture *f) { return sched_destroy(f->s, &f->t, 9); }

/* What each writes, and what the thread writes next: it blocks if it runs, else it starts or wakes itself. */
static const struct {
    const char *name;
    bool (*run)(struct fixture *);
    uint32_t from, to;
    const char *writes, *next_if_done, *next_if_not;
} transitions[] = {
    {"first_thread", first, GO_UNBORN, GO_RUNNING, "ProcStatus(0,1) GoCreate(1,1,0) GoStart(1,1) ProcsChange(1,0)",
     " GoStop(10,0) GoStart(1,2)", ""},
    {"introduce", introduce, GO_UNBORN, GO_RUNNING,
     "GoCreateSyscall(1) ProcStatus(0,2) ProcStart(0,1) GoSyscallEndBlocked GoStart(1,1)", " GoStop(10,0) GoStart(1,2)",
     ""},
    {"start", start, GO_RUNNABLE, GO_RUNNING, "ProcStatus(1,2) ProcStart(1,1) GoStart(1,1)", " GoStop(10,0) GoStart(1,2)",
     ""},
    {"block", block, GO_RUNNING, GO_WAITING, "GoBlock(1,0) ProcStop", " GoUnblock(1,2,0) ProcStart(0,2) GoStart(1,3)",
     "GoStop(10,0) GoStart(1,2)"},
    {"resume", resume, GO_WAITING, GO_RUNNING, "GoUnblock(1,2,0) ProcStart(0,2) GoStart(1,3)", " GoStop(10,0) GoStart(1,4)",
     "GoUnblock(1,2,0) ProcStart(0,2) GoStart(1,3)"},
    {"resume_woken", resume_woken, GO_WAITING, GO_RUNNING, "ProcStart(0,2) GoStart(1,3)", " GoStop(10,0) GoStart(1,4)",
     "GoUnblock(1,2,0) ProcStart(0,2) GoStart(1,3)"},
    {"unblock", unblock, GO_RUNNING, GO_RUNNING, "GoUnblock(5,2,0)", " GoStop(10,0) GoStart(1,2)",
     "GoStop(10,0) GoStart(1,2)"},
    {"yield", yield, GO_RUNNING, GO_RUNNING, "GoStop(10,0) GoStart(1,2)", " GoStop(10,0) GoStart(1,3)",
     "GoStop(10,0) GoStart(1,2)"},
    {"destroy", destroy, GO_RUNNING, GO_DEAD, "GoDestroy ProcStop", "", "GoStop(10,0) GoStart(1,2)"},
};

static void make(struct fixture *f, uint32_t status)
{
    f->s = model_new(1);
    model_thread(f->s, &f->t, 1, 100);
    model_thread(f->s, &f->other, 2, 102);
    if (status == GO_RUNNABLE) {
        assert_true(sched_introduce(f->s, &f->other, 2));
        assert_true(sched_create(f->s, &f->other, &f->t, 1, 0, 3));
        f->s->gomaxprocs = 2;
    } else if (status != GO_UNBORN) {
        assert_true(sched_introduce(f->s, &f->t, 2));
        if (status == GO_WAITING)
            assert_true(sched_block(f->s, &f->t, REASON_SYNC, 0, 3));
    }
    free(model_next_chunk(f->s, &f->t, 4));
}

static void discard(struct fixture *f)
{
    model_drop(&f->t);
    model_drop(&f->other);
    free(f->s);
}

static bool go_on(struct fixture *f)
{
    switch (sched_current(&f->t)->status) {
    case GO_RUNNING:
        return sched_yield_proc(f->s, &f->t, REASON_YIELD, 0, 20);
    case GO_WAITING:
        return sched_resume(f->s, &f->t, 20);
    default:
        return true;
    }
}

/* A proc whose bit is set without an owner is lost to the recording, but to nobody's harm: a few instructions wide. */
static int check_procs(const struct fixture *f, const char *name, long n)
{
    int32_t own = sched_current(&f->t)->proc, others = sched_current(&f->other)->proc;
    int lost = 0;
    for (int32_t p = 0; p < PROCS; p++) {
        bool held = p == own || p == others;
        if (held && !model_busy(f->s, (uint32_t)p))
            fail_msg("%s, torn after %ld steps: proc %d is free for others", name, n, p);
        lost += !held && model_busy(f->s, (uint32_t)p);
    }
    return lost;
}

static int torn_at(struct fixture *f, size_t i, size_t n)
{
    char want[512];
    go_back_to(f, &moments[n]);
    const struct sched_state *s = sched_recover(f->s, &f->t);
    bool done = s->pos != f->t.chunk->data;
    assert_string_equal(model_written(&f->t), done ? transitions[i].writes : "");
    assert_int_equal(s->status, done ? transitions[i].to : transitions[i].from);
    if (s->proc != PROC_NONE) {
        assert_int_equal(f->s->procs[s->proc].seq, s->proc_seq);
        assert_true(f->s->procs[s->proc].known);
    }
    int lost = check_procs(f, transitions[i].name, (long)n);
    assert_true(go_on(f));
    assert_int_equal(check_procs(f, transitions[i].name, (long)n), lost);
    snprintf(want, sizeof want, "%s%s", done ? transitions[i].writes : "",
             done ? transitions[i].next_if_done : transitions[i].next_if_not);
    if (!lost) /* else the next proc is another one */
        assert_string_equal(model_written(&f->t), want);
    assert_ptr_equal(f->t.chunk->data + f->t.chunk->used, sched_current(&f->t)->pos);
    return lost;
}

static void torn_everywhere(size_t i)
{
    struct fixture f;
    int lost = 0;
    make(&f, transitions[i].from);
    stepped = &f;
    nmoments = 0;
    step_on();
    transitions[i].run(&f);
    step_off();
    assert_in_range(nmoments, 50, MAX_STEPS - 1);
    assert_string_equal(model_written(&f.t), transitions[i].writes);
    for (size_t n = 0; n < nmoments; n++)
        lost += torn_at(&f, i, n);
    if ((size_t)lost > nmoments / 5)
        fail_msg("%s: a proc is lost after %d of %zu steps", transitions[i].name, lost, nmoments);
    discard(&f);
}

static void no_tear_is_seen(void **state)
{
    if (!CAN_STEP)
        SKIP("cannot step through instructions here");
    struct sigaction sa = {.sa_handler = on_step};
    moments = malloc(MAX_STEPS * sizeof *moments);
    assert_non_null(moments);
    sigaction(SIGTRAP, &sa, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(transitions); i++)
        torn_everywhere(i);
    signal(SIGTRAP, SIG_DFL);
    free(moments);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_tear_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
