/*
 * Waits on stacks that are not the thread's: coroutines, alternate signal stacks, 10,000 frames deep. Traps 10, 11, 48,
 * 49.
 */
#include "program.h"

#include <signal.h>
#include <ucontext.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char coroutine_stack[3][64 * 1024] __attribute__((aligned(16)));
static char signal_stack[16 * 1024] __attribute__((aligned(16)));
static ucontext_t back, coroutine[3];
static int switches;

static NOINLINE void coroutine_body(int me)
{
    static const struct timespec moment = {0, 100000};
    for (int i = 0; i < 20; i++) {
        nanosleep(&moment, NULL);
        switches++;
        swapcontext(&coroutine[me], &coroutine[(me + 1) % 3]);
    }
}

static NOINLINE void *runs_coroutines(void *self)
{
    introduce(self);
    for (int i = 0; i < 3; i++) {
        getcontext(&coroutine[i]);
        coroutine[i].uc_stack.ss_sp = coroutine_stack[i];
        coroutine[i].uc_stack.ss_size = sizeof coroutine_stack[i];
        coroutine[i].uc_link = &back;
        makecontext(&coroutine[i], (void (*)(void))coroutine_body, 1, i);
    }
    swapcontext(&back, &coroutine[0]);
    return NULL;
}

static void sleeps_in_handler(int signal)
{
    static const struct timespec moment = {0, 100000};
    int saved = errno;
    nanosleep(&moment, NULL);
    sched_yield();
    errno = saved;
}

static NOINLINE void *has_signal_stack(void *self)
{
    introduce(self);
    stack_t stack = {.ss_sp = signal_stack, .ss_size = sizeof signal_stack};
    CHECK(sigaltstack(&stack, NULL) == 0);
    for (int i = 0; i < 20; i++)
        CHECK(pthread_kill(pthread_self(), SIGUSR1) == 0);
    stack.ss_flags = SS_DISABLE;
    CHECK(sigaltstack(&stack, NULL) == 0);
    return NULL;
}

static NOINLINE int recurse(int depth)
{
    int n = 0;
    if (depth == 0) {
        milliseconds(1);
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    } else {
        n = recurse(depth - 1) + 1;
    }
    NO_TAIL_CALL();
    return n;
}

static NOINLINE void *deep_recursion(void *self)
{
    introduce(self);
    CHECK(recurse(10000) == 10000);
    return NULL;
}

int main(void)
{
    struct sigaction action = {.sa_handler = sleeps_in_handler, .sa_flags = SA_ONSTACK};
    struct thread t[3];
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    spawn(&t[0], runs_coroutines);
    spawn(&t[1], has_signal_stack);
    spawn(&t[2], deep_recursion);
    for (int i = 0; i < 3; i++)
        join(&t[i]);
    printf("%d switches\n", switches);
    puts("trace: goroutines 4");
    puts("trace: goroutine runs_coroutines 1");
    puts("trace: goroutine has_signal_stack 1");
    puts("trace: block runs_coroutines sleep self nanosleep<coroutine_body 60");
    puts("trace: block has_signal_stack sleep self nanosleep<sleeps_in_handler 20");
    puts("trace: block deep_recursion sleep self nanosleep<recurse");
    return 0;
}
