#include "preload/wrapper.h"

#include "preload/introduce.h"

static bool on_own_stack(const struct thread *t, uintptr_t sp) { return sp > t->stack_lo && sp <= t->stack_hi; }

bool left_by_longjmp(const struct thread *t, uintptr_t sp)
{
    return on_own_stack(t, sp) && on_own_stack(t, t->hook_sp) && sp >= t->hook_sp;
}

bool hook_enter(struct hook *h)
{
    struct thread *t = self;
    uintptr_t sp = h->stack.regs.r[UNWIND_SP];
    if (!hooked() || t == THREAD_OFF)
        return false;
    if (unlikely(!t) && !(t = thread_introduce()))
        return false;
    if (unlikely(t->shared) && (uint64_t)sys_gettid() != t->sched.m)
        return false;
    if (unlikely(t->hook_sp)) {
        if (!left_by_longjmp(t, sp)) {
            count_lost(LOST_OTHER, LOSS_HANDLER);
            return false;
        }
        hook_recover(t);
    }
    if (unlikely(sched_current(&t->sched)->status != GO_RUNNING))
        thread_revive(t);
    enter_hook(t, sp);
    h->t = t;
    h->captured = false;
    h->object = (struct object){.kind = NO_OBJECT};
    return true;
}
