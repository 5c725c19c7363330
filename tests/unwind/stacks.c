/* Other stacks than main's: of coroutines, of signal handlers, of threads. */
#include "config.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/unwind/oracle.h"
#include "tests/unwind/subjects.h"

enum { COROUTINES = 4, SIZE = 64 << 10 };

static ucontext_t main_context, context[COROUTINES];
static int current;
static bool switching;
static volatile int sink;

static void switch_to_next(void)
{
    int from = current;
    current = (current + 1) % COROUTINES;
    swapcontext(&context[from], &context[current]);
    current = from;
}

static __attribute__((noinline)) int work(int n)
{
    volatile char pad[600];
    pad[n] = (char)n;
    visit();
    if (n % 3 == 0 && switching)
        switch_to_next();
    int r = n ? work(n - 1) : 0;
    visit();
    return r + pad[n];
}

static void coroutine(int i)
{
    sink += work(6 + i);
    visit();
    if (i > 0)
        switch_to_next();
}

/* All stacks lie in one mapping, so that its bounds hold in the middle of a switch as well. */
static void run_coroutines(bool bounds_known)
{
    char *pool = mmap(NULL, COROUTINES * SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; i < COROUTINES; i++) {
        getcontext(&context[i]);
        context[i].uc_stack.ss_sp = pool + i * SIZE;
        context[i].uc_stack.ss_size = SIZE;
        context[i].uc_link = &main_context;
        makecontext(&context[i], (void (*)(void))coroutine, 1, i);
    }
    current = 0;
    switching = true;
    if (bounds_known) {
        oracle_alt_lo = (uintptr_t)pool;
        oracle_alt_hi = oracle_alt_lo + COROUTINES * SIZE;
    }
    swapcontext(&main_context, &context[0]);
    switching = false;
    oracle_alt_lo = oracle_alt_hi = 0;
    munmap(pool, COROUTINES * SIZE);
}

void subject_coroutines(void) { run_coroutines(true); }
void subject_coroutines_of_unknown_bounds(void) { run_coroutines(false); }

/* --- handlers ----------------------------------------------------------------------------------------------- */

static volatile sig_atomic_t nested; /* kill() is a leaf to the compiler */

static void handler(int sig, siginfo_t *info, void *uc)
{
    visit();
    oracle_context(uc);
    if (nested++ < 2)
        kill(getpid(), SIGUSR2);
    nested--;
}

static __attribute__((noinline)) int interrupted(int n)
{
    if (n == 0) {
        kill(getpid(), SIGUSR1);
        return 1;
    }
    return interrupted(n - 1) + n;
}

static void run_handlers(int flags)
{
    struct sigaction sa = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_NODEFER | flags}, old1, old2;
    sigaction(SIGUSR1, &sa, &old1);
    sigaction(SIGUSR2, &sa, &old2);
    for (int i = 0; i < 8; i++)
        sink += interrupted(i);
    sigaction(SIGUSR1, &old1, NULL);
    sigaction(SIGUSR2, &old2, NULL);
}

void subject_handlers(void) { run_handlers(0); }

void subject_handlers_on_their_own_stack(void)
{
    stack_t own = {.ss_sp = malloc(SIZE), .ss_size = SIZE}, old;
    sigaltstack(&own, &old);
    oracle_alt_lo = (uintptr_t)own.ss_sp;
    oracle_alt_hi = oracle_alt_lo + SIZE;
    run_handlers(SA_ONSTACK);
    oracle_alt_lo = oracle_alt_hi = 0;
    sigaltstack(&old, NULL);
    free(own.ss_sp);
}

/* --- threads ------------------------------------------------------------------------------------------------ */

static void *thread(void *depth)
{
    oracle_thread();
    sink += work(1 + (int)(intptr_t)depth % 2);
    subject_libc_callbacks();
    oracle_thread_end();
    return NULL;
}

void subject_threads(void)
{
    for (intptr_t i = 0; i < 4; i++) {
        pthread_t t;
        pthread_create(&t, NULL, thread, (void *)i);
        pthread_join(t, NULL);
    }
}
