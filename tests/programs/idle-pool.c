/*
 * idle-pool conditions | semaphores | input | nobody | leaderless | clockless | clockless-first [WORKERS]: twelve
 * workers wait for a condition or a semaphore, and get one thing to do at a time; with all others nothing at all. They
 * wait for a pipe to read from, a full one, a socket and a queue; or the process has given up being root, or its first
 * thread has ended, or all threads are forbidden to read clocks, or only the first one is. Ends by SIGTERM with "done".
 */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/socket.h>

enum { WORKERS = 12, STACK = 128 << 10 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t there_is = PTHREAD_COND_INITIALIZER;
static sem_t things;
static atomic_int n; /* that nobody has taken yet */

static void *takes_from_condition(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!n)
            pthread_cond_wait(&there_is, &lock);
        n--;
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

static void *takes_from_semaphore(void *arg)
{
    for (;;) {
        CHECK(sem_wait(&things) == 0);
        n--;
    }
    return arg;
}

static int empty[2], full[2], quiet[2], queue = -1;

static NOINLINE void *reads(void *arg)
{
    char byte;
    CHECK(read(empty[0], &byte, 1) == 1);
    return arg;
}

static NOINLINE void *writes(void *arg)
{
    CHECK(write(full[1], "x", 1) == 1);
    return arg;
}

static NOINLINE void *receives(void *arg)
{
    char byte;
    CHECK(read(quiet[0], &byte, 1) == 1);
    return arg;
}

static NOINLINE void *takes_message(void *arg)
{
    struct {
        long type;
        char text[1];
    } message;
    CHECK(msgrcv(queue, &message, sizeof message.text, 0, 0) == 1 || errno == EIDRM); /* the queue goes at the end */
    return arg;
}

static void *(*waits_for_input(int worker))(void *)
{
    static void *(*const all[])(void *) = {reads, writes, receives, takes_message};
    if (!worker) {
        CHECK(!pipe(empty) && !pipe2(full, O_NONBLOCK) && !socketpair(AF_UNIX, SOCK_STREAM, 0, quiet));
        while (write(full[1], "x", 1) == 1)
            ;
        CHECK(!fcntl(full[1], F_SETFL, 0) && (queue = msgget(IPC_PRIVATE, 0600)) >= 0);
    }
    return all[worker % 4];
}

static void give_one(bool by_semaphore)
{
    if (by_semaphore) {
        n++;
        CHECK(sem_post(&things) == 0);
        return;
    }
    pthread_mutex_lock(&lock);
    n++;
    pthread_cond_signal(&there_is);
    pthread_mutex_unlock(&lock);
}

static void done(int sig)
{
    static const char text[] = "done\n";
    if (queue >= 0)
        msgctl(queue, IPC_RMID, NULL);
    CHECK(sig == SIGTERM && write(STDOUT_FILENO, text, sizeof text - 1) > 0);
    _exit(0);
}

int main(int argc, char **argv)
{
    const struct timespec between = {0, 1000000};
    pthread_t worker;
    pthread_attr_t small;
    const int workers = argc == 3 ? atoi(argv[2]) : WORKERS;
    CHECK(pthread_attr_init(&small) == 0 && pthread_attr_setstacksize(&small, STACK) == 0);
    CHECK(workers > 0 && (argc == 2 || argc == 3) && signal(SIGTERM, done) != SIG_ERR && sem_init(&things, 0, 0) == 0);
    const bool by_input = !strcmp(argv[1], "input");
    const bool by_semaphore = !strcmp(argv[1], "semaphores"), gives = by_semaphore || !strcmp(argv[1], "conditions");
    void *(*const takes)(void *) = by_semaphore ? takes_from_semaphore : takes_from_condition;
    if (!strcmp(argv[1], "nobody"))
        CHECK(setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0);
    if (!strcmp(argv[1], "clockless"))
        CHECK(prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0);
    for (int i = 0; i < workers; i++)
        CHECK(pthread_create(&worker, &small, by_input ? waits_for_input(i) : takes, NULL) == 0);
    if (!strcmp(argv[1], "clockless-first"))
        CHECK(prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0);
    puts("ready");
    fflush(stdout);
    if (!strcmp(argv[1], "leaderless"))
        pthread_exit(NULL);
    for (;;) {
        nanosleep(&between, NULL);
        if (gives && !n) /* else who is woken might find that another was faster */
            give_one(by_semaphore);
    }
}
