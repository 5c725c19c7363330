/*
 * Compiled without vector registers, which are the program's still. What is done at a probe takes some 6 KiB of stack,
 * most of them for a message and for the vector registers: too much for a signal stack of the usual size.
 */
#include <signal.h>

#include "lib/rawsys.h"
#include "preload/probes/fire.h"
#include "preload/recorder.h"
#include "preload/thread.h"

enum { ROOM = 12 << 10 };

bool probe_admit(uintptr_t sp, const struct probe *probe)
{
    const struct thread *t = self;
    stack_t stack;
    if (t == THREAD_OFF || !(recording() || (probe->tracks && hooked())))
        return false;
    if (t && sp > t->stack_lo && sp <= t->stack_hi)
        return sp - t->stack_lo > ROOM;
    bool alternate = !sys_failed(raw_syscall(SYS_sigaltstack, 0, (long)&stack, 0, 0, 0, 0)) &&
                     stack.ss_flags & SS_ONSTACK;
    if (!alternate || sp - (uintptr_t)stack.ss_sp > ROOM)
        return true;
    count_lost(LOST_SAID, LOSS_HANDLER);
    return false;
}
