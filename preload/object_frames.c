#include "preload/object_frames.h"

#include "preload/attributes.h"
#include "preload/config.h"
#include "preload/modules.h"
#include "preload/thread.h"

struct stack {
    uintptr_t lo, hi;
};

static bool holds(struct stack s, uint64_t address) { return address >= s.lo && address < s.hi; }

/* From where the thread waits, or is about to. Above its sp a stack is mapped. */
static bool frame_of(struct thread *by, const struct thread *t, struct stack stack, uint64_t address,
                     struct unwind_frame *frame)
{
    struct unwind_request request = {.stack_lo = stack.lo, .stack_hi = stack.hi, .mode = config.unwind_mode};
    const struct unwind_modules *modules = modules_now();
    request.regs.r[UNWIND_PC] = t->wait_site.pc;
    request.regs.r[UNWIND_SP] = t->wait_site.sp;
    request.regs.r[UNWIND_BP] = t->wait_site.bp;
    request.regs.known = UNWIND_KNOWN_MIN;
    return modules && holds(stack, request.regs.r[UNWIND_SP]) &&
           unwind_frame_around(&by->cache, modules, &request, address, frame);
}

/* It has left no frame if it has waited all the while. */
static bool frame_of_first(struct thread *by, struct stack stack, uint64_t address, struct unwind_frame *frame)
{
    const struct thread *t = registry.first;
    uint32_t commits = __atomic_load_n(&t->sched.commits, __ATOMIC_ACQUIRE);
    if (sched_current(&t->sched)->status != GO_WAITING || !frame_of(by, t, stack, address, frame))
        return false;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(&t->sched.commits, __ATOMIC_RELAXED) == commits;
}

static struct stack first_stack(void) { return (struct stack){registry.first_lo, registry.first_hi}; }

bool object_frame(struct thread *t, uint64_t address, struct unwind_frame *frame)
{
    const struct stack own = {t->stack_lo, t->stack_hi}, first = first_stack();
    if (holds(own, address))
        return frame_of(t, t, own, address, frame);
    return holds(first, address) && frame_of_first(t, first, address, frame);
}

uint64_t object_frame_phase(uint64_t address)
{
    const struct thread *t = registry.first;
    if (likely(!holds(first_stack(), address)) || sched_current(&t->sched)->status != GO_WAITING)
        return 0;
    return __atomic_load_n(&t->wait_site.stack, __ATOMIC_RELAXED) + 1;
}
