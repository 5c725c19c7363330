/*
 * More threads than there are CPUs sit in a system call, so that a thread that wants to run has to take the P of one.
 * Some return, some are interrupted by a handler, some are cancelled in the call, one never comes back.
 */
#include "program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

enum { READERS = 8, CANCELLED = 2 };

static char folder[] = "/tmp/robbed-XXXXXX", gate[64], nowhere[64];
static atomic_int handled;

/* Cancelled, it leaves by way of the call's clean-up. */
static NOINLINE void *reader(void *self)
{
    introduce(self);
    int fd = open(gate, O_RDONLY);
    CHECK(fd >= 0);
    CHECK(close(fd) == 0);
    return NULL;
}

static NOINLINE void *sitter(void *self)
{
    introduce(self);
    open(nowhere, O_RDONLY);
    return NULL;
}

static void on_signal(int sig)
{
    int saved = errno;
    close(dup(0));
    errno = saved;
    atomic_fetch_add(&handled, 1);
}

int main(void)
{
    struct thread readers[READERS], sits;
    struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    cpu_set_t one;
    CPU_ZERO(&one);
    CHECK(sched_getaffinity(0, sizeof one, &one) == 0);
    int first = 0;
    while (!CPU_ISSET(first, &one))
        first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);

    CHECK(mkdtemp(folder) != NULL);
    snprintf(gate, sizeof gate, "%s/gate", folder);
    snprintf(nowhere, sizeof nowhere, "%s/nowhere", folder);
    CHECK(mkfifo(gate, 0600) == 0 && mkfifo(nowhere, 0600) == 0);
    CHECK(sigaction(SIGUSR1, &sa, NULL) == 0);

    spawn(&sits, sitter);
    for (int i = 0; i < READERS; i++) {
        spawn(&readers[i], reader);
        await_asleep(&readers[i]);
    }
    for (int i = CANCELLED; i < READERS; i += 2) {
        CHECK(pthread_kill(readers[i].id, SIGUSR1) == 0);
        while (atomic_load(&handled) < (i - CANCELLED) / 2 + 1)
            milliseconds(1);
        await_asleep(&readers[i]);
    }
    for (int i = 0; i < CANCELLED; i++) {
        CHECK(pthread_cancel(readers[i].id) == 0);
        join(&readers[i]);
    }
    int fd = open(gate, O_WRONLY);
    CHECK(fd >= 0);
    for (int i = CANCELLED; i < READERS; i++)
        join(&readers[i]);
    await_asleep(&sits);
    CHECK(close(fd) == 0);
    CHECK(unlink(gate) == 0 && unlink(nowhere) == 0 && rmdir(folder) == 0);
    printf("trace: goroutine reader %d\n", READERS);
    printf("trace: quiet reader\n");
    printf("trace: alive sitter 1\n");
    return 0;
}
