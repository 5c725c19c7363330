/*
 * Every transition, torn out at every instruction: it is single-stepped, what memory holds is kept after every step,
 * and then each of these is taken up as if the thread had been torn out there. After sched_recover the thread is as it
 * was or as it would be, holds exactly the procs its state says, and what it does next fits what it wrote before. A
 * thread whose P it was taking away goes on at every such moment, too, before and after it recovers. And a handler
 * that comes in between makes no transition while one is open, and a whole one before and behind it.
 */
#include "tests/unit/model.h"

#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

#include "lib/sched_proc.h"

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
static bool unblock(struct fixture *f)
{
    return sched_unblock(f->s, &f->t, &(struct sched_wakeup){.g = 5, .g_seq = 2}, 0, 9);
}
static bool yield(struct fixture *f) { return sched_yield_proc(f->s, &f->t, REASON_YIELD, 0, 9); }
static bool syscall_begin(struct fixture *f) { return sched_syscall_begin(f->s, &f->t, 0, 9); }
static bool syscall_end(struct fixture *f) { return sched_syscall_end(f->s, &f->t, 9); }
static bool destroy(struct fixture *f) { return sched_destroy(f->s, &f->t, 9); }

/*
 * Where the other thread is in a system call, on the only P, so that t has to take that; where it has taken that of t;
 * and where it no longer needs it.
 */
enum { SCENE_THEFT = 16, SCENE_ROBBED = 32, SCENE_FREE = 64, SCENE_STATUS = SCENE_THEFT - 1 };

/*
 * What each writes, and what the thread writes next: it yields if it runs, else starts, wakes itself or ends its call.
 */
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
    {"syscall_begin", syscall_begin, GO_RUNNING, GO_SYSCALL, "GoSyscallBegin(2,0)", " GoSyscallEnd",
     "GoStop(10,0) GoStart(1,2)"},
    {"syscall_end", syscall_end, GO_SYSCALL, GO_RUNNING, "GoSyscallEnd", " GoStop(10,0) GoStart(1,2)", "GoSyscallEnd"},
    {"syscall_end without the proc", syscall_end, GO_SYSCALL | SCENE_ROBBED, GO_RUNNING,
     "ProcStatus(1,2) ProcStart(1,1) GoSyscallEndBlocked GoStart(1,2)", " GoStop(10,0) GoStart(1,3)",
     "ProcStatus(1,2) ProcStart(1,1) GoSyscallEndBlocked GoStart(1,2)"},
    {"syscall_end with the proc that is free again", syscall_end, GO_SYSCALL | SCENE_ROBBED | SCENE_FREE, GO_RUNNING,
     "ProcStart(0,5) GoSyscallEndBlocked GoStart(1,2)", " GoStop(10,0) GoStart(1,3)",
     "ProcStart(0,5) GoSyscallEndBlocked GoStart(1,2)"},
    {"syscall_end by theft", syscall_end, GO_SYSCALL | SCENE_ROBBED | SCENE_THEFT, GO_RUNNING,
     "ProcSteal(0,6,102) ProcStart(0,7) GoSyscallEndBlocked GoStart(1,2)", " GoStop(10,0) GoStart(1,3)",
     "ProcSteal(0,6,102) ProcStart(0,7) GoSyscallEndBlocked GoStart(1,2)"},
    {"introduce by theft", introduce, GO_UNBORN | SCENE_THEFT, GO_RUNNING,
     "GoCreateSyscall(1) ProcSteal(0,3,102) ProcStart(0,4) GoSyscallEndBlocked GoStart(1,1)",
     " GoStop(10,0) GoStart(1,2)", ""},
    {"resume by theft", resume, GO_WAITING | SCENE_THEFT, GO_RUNNING,
     "GoUnblock(1,2,0) ProcSteal(0,4,102) ProcStart(0,5) GoStart(1,3)", " GoStop(10,0) GoStart(1,4)",
     "GoUnblock(1,2,0) ProcSteal(0,4,102) ProcStart(0,5) GoStart(1,3)"},
    {"destroy", destroy, GO_RUNNING, GO_DEAD, "GoDestroy ProcStop", "", "GoStop(10,0) GoStart(1,2)"},
};

static void make(struct fixture *f, uint32_t scene)
{
    uint32_t status = scene & SCENE_STATUS;
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
        if (status == GO_SYSCALL)
            assert_true(sched_syscall_begin(f->s, &f->t, 0, 3));
    }
    if (scene & (SCENE_THEFT | SCENE_ROBBED))
        assert_true(sched_introduce(f->s, &f->other, 3));
    if (scene & SCENE_THEFT)
        assert_true(sched_syscall_begin(f->s, &f->other, 0, 4));
    else if (scene & SCENE_FREE)
        assert_true(sched_block(f->s, &f->other, REASON_SYNC, 0, 4));
    else if (scene & SCENE_ROBBED)
        f->s->gomaxprocs = 2;
    free(model_next_chunk(f->s, &f->t, 4));
    free(model_next_chunk(f->s, &f->other, 4));
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
    case GO_SYSCALL:
        return sched_syscall_end(f->s, &f->t, 20);
    default:
        return true;
    }
}

/* A proc whose bit is set without an owner is lost to the recording, but to nobody's harm: a few instructions wide. */
static int check_procs(const struct fixture *f, const char *name, long n)
{
    int32_t own = sched_has_proc(f->s, &f->t) ? sched_current(&f->t)->proc : PROC_NONE;
    int32_t others = sched_has_proc(f->s, &f->other) ? sched_current(&f->other)->proc : PROC_NONE;
    int lost = 0;
    if (own != PROC_NONE && own == others)
        fail_msg("%s, torn after %ld steps: both threads hold proc %d", name, n, own);
    for (int32_t p = 0; p < PROCS; p++) {
        bool held = p == own || p == others;
        if (held && !model_busy(f->s, (uint32_t)p))
            fail_msg("%s, torn after %ld steps: proc %d is free for others", name, n, p);
        lost += !held && model_busy(f->s, (uint32_t)p);
    }
    return lost;
}

static const char *file_of(const struct sched_thread *t)
{
    return model_text(t->chunk->data, t->chunk->data + t->chunk->used);
}

/*
 * The other thread comes back from its call while t is torn. It must not write that its P is gone unless whoever finds
 * the file now also finds who took it; and when it writes that it has it, nobody may have taken it, nor may t later.
 */
static void victim_returns(struct fixture *f, size_t i, size_t n, bool recover_first)
{
    struct sched_thread kept = f->other;
    uint8_t chunk[sizeof(struct chunk) + BYTES];
    memcpy(chunk, kept.chunk, sizeof chunk);
    go_back_to(f, &moments[n]);
    if (recover_first)
        sched_recover(f->s, &f->t);
    bool stolen = strstr(file_of(&f->t), "ProcSteal");
    bool back = sched_syscall_end(f->s, &f->other, 15);
    bool blocked = back && strstr(file_of(&f->other), "GoSyscallEndBlocked");
    if ((blocked && !stolen) || (recover_first && !back) || (back && stolen && !blocked))
        fail_msg("%s, torn after %zu steps: stolen %d, back %d, blocked %d", transitions[i].name, n, stolen, back,
                 blocked);
    sched_recover(f->s, &f->t);
    if (!back)
        assert_true(sched_syscall_end(f->s, &f->other, 15));
    int lost = check_procs(f, transitions[i].name, (long)n);
    assert_true(go_on(f));
    assert_int_equal(check_procs(f, transitions[i].name, (long)n), lost);
    f->other = kept;
    memcpy(kept.chunk, chunk, sizeof chunk);
}

static int torn_at(struct fixture *f, size_t i, size_t n)
{
    char want[512];
    go_back_to(f, &moments[n]);
    const struct sched_state *s = sched_recover(f->s, &f->t);
    bool done = s->pos != f->t.chunk->data;
    assert_string_equal(model_written(&f->t), done ? transitions[i].writes : "");
    assert_int_equal(s->status, done ? transitions[i].to : transitions[i].from & SCENE_STATUS);
    if (sched_has_proc(f->s, &f->t)) {
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
    size_t late = 0;
    for (size_t n = 0; n < nmoments; n++) {
        lost += torn_at(&f, i, n);
        if (!(transitions[i].from & SCENE_THEFT))
            continue;
        go_back_to(&f, &moments[n]);
        late += proc_whereabouts(f.s, &f.other) == PROC_CLAIMED;
        victim_returns(&f, i, n, false);
        victim_returns(&f, i, n, true);
    }
    assert_int_equal(late > 0, (transitions[i].from & SCENE_THEFT) != 0);
    if ((size_t)lost > nmoments / 5)
        fail_msg("%s: a proc is lost after %d of %zu steps", transitions[i].name, lost, nmoments);
    discard(&f);
}

/* --- a handler that comes in between, and returns ----------------------------------------------------------------- */

static struct handler {
    size_t at; /* so many instructions to go at which nothing is open */
    size_t refused, made;
    size_t events; /* bytes of text that were there when it returned */
} handler;

/* What the thread can do next, whatever its state. */
static bool do_something(struct fixture *f)
{
    switch (sched_current(&f->t)->status) {
    case GO_UNBORN:
        return sched_introduce(f->s, &f->t, 9);
    case GO_RUNNABLE:
        return sched_start(f->s, &f->t, 9);
    default:
        return go_on(f);
    }
}

static void handler_does_something(void)
{
    bool done = sched_current(&stepped->t)->status != GO_DEAD && do_something(stepped);
    handler.refused += !done;
    handler.made += done;
}

static void on_step_to_handle(int sig, siginfo_t *info, void *context)
{
    if (stepped->t.open) {
        handler_does_something();
    } else if (handler.at && !--handler.at) {
#if CAN_STEP
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100;
#endif
        handler_does_something();
        handler.events = strlen(file_of(&stepped->t));
    }
}

/*
 * A handler at every instruction while the transition is open, and, from at 1 on, one more at one where it is not.
 * False when there are not so many of these.
 */
static bool handled_at(size_t i, size_t at)
{
    struct fixture f;
    make(&f, transitions[i].from);
    stepped = &f;
    handler = (struct handler){.at = at};
    step_on();
    bool done = transitions[i].run(&f);
    step_off();
    const char *name = transitions[i].name, *written = file_of(&f.t);
    if (at ? handler.made > 1 || (!done && strlen(written) != handler.events)
           : !done || handler.made || handler.refused < 30 || strcmp(written, transitions[i].writes))
        fail_msg("%s, interrupted at %zu: done %d, the handler's %zu times, wrote \"%s\"", name, at, done, handler.made,
                 written);
    assert_int_equal(f.t.open, 0);
    assert_ptr_equal(f.t.chunk->data + f.t.chunk->used, sched_current(&f.t)->pos);
    assert_int_equal(check_procs(&f, name, (long)at), 0);
    assert_true(go_on(&f));
    assert_int_equal(check_procs(&f, name, (long)at), 0);
    discard(&f);
    return !handler.at;
}

static void a_handler_waits_its_turn(void **state)
{
    if (!CAN_STEP)
        SKIP("optional: cannot step through instructions here");
    struct sigaction sa = {.sa_sigaction = on_step_to_handle, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &sa, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(transitions); i++)
        for (size_t at = 0; handled_at(i, at); at++)
            ;
    signal(SIGTRAP, SIG_DFL);
}

static void no_tear_is_seen(void **state)
{
    if (!CAN_STEP)
        SKIP("optional: cannot step through instructions here");
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
        cmocka_unit_test(a_handler_waits_its_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
