/*
 * Threads that nobody announced: made by libc's own pthread_create, looked up behind the preloaded one, and named by
 * libc's own pthread_setname_np before they call anything that is wrapped. Trap 42.
 */
#include "libc.h"
#include "program.h"

#include <semaphore.h>
#include <signal.h>

static sem_t sem;
static int (*set_name)(pthread_t, const char *);

/* Nobody has blocked a signal, and nobody sees one that is. */
static void see_no_blocked_signal(void)
{
    sigset_t blocked;
    CHECK(pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0);
    for (int sig = 1; sig < NSIG; sig++)
        CHECK(sigismember(&blocked, sig) != 1);
}

static NOINLINE void *stranger(void *self)
{
    CHECK(set_name(pthread_self(), "outsider") == 0);
    introduce(self);
    sem_wait(&sem);
    milliseconds(1);
    see_no_blocked_signal();
    return NULL;
}

static NOINLINE void *friend_of(void *self)
{
    introduce(self);
    sem_post(&sem);
    NO_TAIL_CALL();
    return NULL;
}

int main(void)
{
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        (int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))find_in_libc("pthread_create");
    set_name = (int (*)(pthread_t, const char *))find_in_libc("pthread_setname_np");
    CHECK(create && set_name && sem_init(&sem, 0, 0) == 0);
    for (int i = 0; i < 10; i++) {
        struct thread a = {0}, b;
        CHECK(create(&a.id, NULL, stranger, &a) == 0);
        await_asleep(&a);
        spawn(&b, friend_of);
        join(&b);
        join(&a);
    }
    puts("done");
    puts("trace: goroutines 21");
    puts("trace: goroutine friend_of 10");
    puts("trace: goroutine outsider 10");
    puts("trace: alive friend_of 0");
    return 0;
}
