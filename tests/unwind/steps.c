#include "config.h"

#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

#include "tests/unwind/steps.h"

#if defined(__x86_64__)

enum { TRAP_FLAG = 1 << 8 };

static bool stepping;
static void (*call)(const ucontext_t *);
static unsigned step_every;
static unsigned long instructions, taken, step_limit;

/* Entered by int3 too, which asks for the flag to be what `stepping` says. */
static void stepped(int sig, siginfo_t *info, void *context)
{
    ucontext_t *uc = context;
    greg_t *flags = &uc->uc_mcontext.gregs[REG_EFL];
    bool on = *flags & TRAP_FLAG;
    if (on && instructions++ % step_every == 0) {
        call(uc);
        taken++;
    }
    *flags = stepping && taken < step_limit ? *flags | TRAP_FLAG : *flags & ~(greg_t)TRAP_FLAG;
}

bool steps_available(void) { return true; }

void steps_begin(void (*callback)(const ucontext_t *), unsigned every, unsigned long limit)
{
    struct sigaction sa = {.sa_sigaction = stepped, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &sa, NULL);
    call = callback;
    step_every = every;
    step_limit = limit;
    instructions = taken = 0;
    stepping = true;
    __asm__ volatile("int3" ::: "memory");
}

void steps_end(void)
{
    stepping = false;
    __asm__ volatile("int3" ::: "memory");
}

#else

bool steps_available(void) { return false; }
void steps_begin(void (*callback)(const ucontext_t *), unsigned every, unsigned long limit) {}
void steps_end(void) {}

#endif
