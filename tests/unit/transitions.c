#include "tests/unit/transitions.h"

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

const struct transition transitions[] = {
    {"first_thread", first, GO_NOT_EXIST, GO_RUNNING, "ProcStatus(0,1) GoCreate(1,1,0) GoStart(1,1) ProcsChange(1,0)",
     " GoStop(10,0) GoStart(1,2)", ""},
    {"introduce", introduce, GO_NOT_EXIST, GO_RUNNING,
     "GoCreateSyscall(1) ProcStatus(0,2) ProcStart(0,1) GoSyscallEndBlocked GoStart(1,1)", " GoStop(10,0) GoStart(1,2)",
     ""},
    {"start", start, GO_RUNNABLE, GO_RUNNING, "ProcStatus(1,2) ProcStart(1,1) GoStart(1,1)",
     " GoStop(10,0) GoStart(1,2)", ""},
    {"block", block, GO_RUNNING, GO_WAITING, "GoBlock(1,0) ProcStop", " GoUnblock(1,2,0) ProcStart(0,2) GoStart(1,3)",
     "GoStop(10,0) GoStart(1,2)"},
    {"resume", resume, GO_WAITING, GO_RUNNING, "GoUnblock(1,2,0) ProcStart(0,2) GoStart(1,3)",
     " GoStop(10,0) GoStart(1,4)", "GoUnblock(1,2,0) ProcStart(0,2) GoStart(1,3)"},
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
    {"introduce by theft", introduce, GO_NOT_EXIST | SCENE_THEFT, GO_RUNNING,
     "GoCreateSyscall(1) ProcSteal(0,3,102) ProcStart(0,4) GoSyscallEndBlocked GoStart(1,1)",
     " GoStop(10,0) GoStart(1,2)", ""},
    {"resume by theft", resume, GO_WAITING | SCENE_THEFT, GO_RUNNING,
     "GoUnblock(1,2,0) ProcSteal(0,4,102) ProcStart(0,5) GoStart(1,3)", " GoStop(10,0) GoStart(1,4)",
     "GoUnblock(1,2,0) ProcSteal(0,4,102) ProcStart(0,5) GoStart(1,3)"},
    {"destroy", destroy, GO_RUNNING, GO_DEAD, "GoDestroy ProcStop", "", "GoStop(10,0) GoStart(1,2)"},
};

const size_t ntransitions = ARRAY_SIZE(transitions);

void scene_make(struct fixture *f, uint32_t scene)
{
    uint32_t status = scene & SCENE_STATUS;
    f->s = model_new(1);
    model_thread(f->s, &f->t, 1, 100);
    model_thread(f->s, &f->other, 2, 102);
    if (status == GO_RUNNABLE) {
        assert_true(sched_introduce(f->s, &f->other, 2));
        assert_true(sched_create(f->s, &f->other, &f->t, 1, 0, 3));
        f->s->gomaxprocs = 2;
    } else if (status != GO_NOT_EXIST) {
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

void scene_discard(struct fixture *f)
{
    model_drop(&f->t);
    model_drop(&f->other);
    free(f->s);
}

bool scene_go_on(struct fixture *f)
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

int scene_check_procs(const struct fixture *f, const char *name, long n)
{
    int32_t own = sched_has_proc(f->s, &f->t) ? sched_current(&f->t)->proc : PROC_NONE;
    int32_t others = sched_has_proc(f->s, &f->other) ? sched_current(&f->other)->proc : PROC_NONE;
    int lost = 0;
    if (own != PROC_NONE && own == others)
        fail_msg("%s, torn after %ld steps: both threads hold proc %d", name, n, own);
    for (int32_t p = 0; p < SCENE_PROCS; p++) {
        bool held = p == own || p == others;
        if (held && !model_busy(f->s, (uint32_t)p))
            fail_msg("%s, torn after %ld steps: proc %d is free for others", name, n, p);
        lost += !held && model_busy(f->s, (uint32_t)p);
    }
    return lost;
}

const char *scene_file(const struct sched_thread *t)
{
    return model_text(t->chunk->data, t->chunk->data + t->chunk->used);
}
