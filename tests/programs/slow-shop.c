/*
 * slow-shop: a server that is slow, as one that somebody is called to. Four workers answer the requests of four
 * clients, which are a process of their own, by a socket; each order is written into the ledger, under a lock that one
 * worker holds while it waits for the disk, as it were. Until SIGTERM; then it says whether all answers were right.
 */
#include "program.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { WORKERS = 4, DISK_US = 4000 };

static struct {
    pthread_mutex_t lock;
    unsigned long orders, total;
} ledger = {PTHREAD_MUTEX_INITIALIZER, 0, 0};

static int desks[WORKERS][2]; /* ends of the server, of the client */

static NOINLINE void wait_for_disk(void)
{
    usleep(DISK_US);
    NO_TAIL_CALL();
}

static NOINLINE void enter_order(unsigned amount)
{
    CHECK(pthread_mutex_lock(&ledger.lock) == 0);
    ledger.orders++;
    ledger.total += amount;
    wait_for_disk();
    CHECK(pthread_mutex_unlock(&ledger.lock) == 0);
}

static void *worker(void *fd)
{
    unsigned amount;
    while (recv(*(int *)fd, &amount, sizeof amount, 0) == sizeof amount) {
        enter_order(amount);
        amount *= 2;
        if (send(*(int *)fd, &amount, sizeof amount, MSG_NOSIGNAL) != sizeof amount)
            break; /* the shop closes */
    }
    return NULL;
}

/* Ends when the server does, or closes the desk. */
static void *client(void *fd)
{
    for (unsigned amount = 1, got;; amount = amount % 1000 + 1) {
        if (send(*(int *)fd, &amount, sizeof amount, MSG_NOSIGNAL) != sizeof amount ||
            recv(*(int *)fd, &got, sizeof got, 0) != sizeof got)
            return NULL;
        CHECK(got == amount * 2);
    }
}

static void run_clients(void)
{
    pthread_t threads[WORKERS];
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NAME, "clients");
    for (int i = 0; i < WORKERS; i++)
        CHECK(close(desks[i][0]) == 0 && pthread_create(&threads[i], NULL, client, &desks[i][1]) == 0);
    for (int i = 0; i < WORKERS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    exit(0);
}

int main(void)
{
    pthread_t threads[WORKERS];
    sigset_t set;
    int sig, status;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    for (int i = 0; i < WORKERS; i++)
        CHECK(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, desks[i]) == 0);
    pid_t clients = fork();
    CHECK(clients >= 0);
    if (!clients)
        run_clients();
    for (int i = 0; i < WORKERS; i++) {
        CHECK(close(desks[i][1]) == 0 && pthread_create(&threads[i], NULL, worker, &desks[i][0]) == 0);
        CHECK(pthread_setname_np(threads[i], "worker") == 0);
    }
    puts("ready");
    fflush(stdout);
    CHECK(sigwait(&set, &sig) == 0);
    for (int i = 0; i < WORKERS; i++)
        shutdown(desks[i][0], SHUT_RDWR);
    for (int i = 0; i < WORKERS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(waitpid(clients, &status, 0) == clients);
    printf("done, %s\n", !status && ledger.orders > WORKERS ? "all answers right" : "wrong answers");
    return 0;
}
