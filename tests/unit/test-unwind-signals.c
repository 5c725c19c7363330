/* From a real handler to what it interrupted: at an instruction of a function that calls nobody, and at a call. */
#include "config.h"

#include "tests/unit/unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unwind/own-thread.h"

enum { MODULES = 64, DEPTH = 64, OWN_STACK = 1 << 16 };

static struct unwind_modules *modules;
static struct unwind_cache *cache;
static struct unwind_request request;
static struct unwind_stack stack;
static uintptr_t pcs[DEPTH], interrupted_at;
static volatile sig_atomic_t handled, spinning;

static void handler(int sig, siginfo_t *info, void *context)
{
    struct unwind_regs regs;
    unwind_regs_ucontext(&regs, context);
    interrupted_at = regs.r[UNWIND_PC];
    unwind_regs_here(&request.regs);
    unwind_capture(cache, modules, &request, pcs, &stack);
    handled = 1;
}

/* Has no frame, and its return address in a register on aarch64. */
static __attribute__((noinline)) void spins(const volatile sig_atomic_t *until)
{
    spinning = 1;
    while (!*until)
        ;
    spinning = 0;
}

static __attribute__((noinline)) void raises(void)
{
    raise(SIGUSR1);
    __asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) bool goes_on_to(uintptr_t caller, size_t within)
{
    int i = 0;
    while (i < stack.n && pcs[i] != interrupted_at + 1)
        i++;
    while (i < stack.n && pcs[i] - caller >= within)
        i++;
    return i < stack.n && !(stack.flags & UNWIND_TRUNCATED);
}

static void *interrupts(void *thread)
{
    while (!spinning)
        usleep(1000);
    pthread_kill(*(pthread_t *)thread, SIGUSR1);
    return NULL;
}

static __attribute__((noinline)) void check(int flags)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
    pthread_t self = pthread_self(), other;
    sigaction(SIGUSR1, &action, NULL);
    handled = 0;
    raises();
    assert_true(handled);
    assert_true(goes_on_to((uintptr_t)raises, 64));
    assert_true(goes_on_to((uintptr_t)check, 1024));
    handled = 0;
    assert_int_equal(pthread_create(&other, NULL, interrupts, &self), 0);
    spins(&handled);
    assert_in_range(interrupted_at, (uintptr_t)spins, (uintptr_t)spins + 256);
    assert_true(goes_on_to((uintptr_t)check, 1024));
    pthread_join(other, NULL);
}

static void what_was_interrupted_is_found(void **state) { check(0); }

/* That of the handler is just below. */
static void it_is_found_on_another_stack(void **state)
{
    char *own = mmap(NULL, OWN_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const stack_t there = {.ss_sp = own, .ss_size = OWN_STACK}, none = {.ss_flags = SS_DISABLE};
    assert_true(own != MAP_FAILED && !sigaltstack(&there, NULL));
    request.alt_lo = (uintptr_t)own;
    request.alt_hi = request.alt_lo + OWN_STACK;
    check(SA_ONSTACK);
    request.alt_lo = request.alt_hi = 0;
    sigaltstack(&none, NULL);
    munmap(own, OWN_STACK);
}

static void *in_thread(void *arg)
{
    own_stack(&request.stack_lo, &request.stack_hi);
    request.max = DEPTH;
    modules = own_modules(MODULES, 1);
    cache = calloc(1, sizeof *cache);
    cache->recipes = calloc(1, sizeof *cache->recipes);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_interrupted_is_found),
        cmocka_unit_test(it_is_found_on_another_stack),
    };
    *(int *)arg = cmocka_run_group_tests(tests, NULL, NULL);
    free(cache->recipes);
    free(cache);
    free(modules);
    return NULL;
}

/* In a thread, whose stack is a mapping. */
int main(void)
{
    pthread_t thread;
    int failed = 1;
    if (!pthread_create(&thread, NULL, in_thread, &failed))
        pthread_join(thread, NULL);
    return failed;
}
