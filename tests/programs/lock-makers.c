/*
 * Locks are made and unmade wherever a program may: by many threads in memory that is used again, in a handler that
 * interrupts just that, in the child of a vfork, in that of a fork. Nothing of it is to be noticed.
 */
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "program.h"

#include <thrace/session.h>

enum { MAKERS = 4, ROUNDS = 5000, PLACES = 64 };

static pthread_mutex_t *places[PLACES];
static atomic_int handled;

static void make_and_unmake(void *memory)
{
    pthread_mutex_t *m = memory;
    CHECK(pthread_mutex_init(m, NULL) == 0);
    CHECK(pthread_mutex_lock(m) == 0);
    CHECK(pthread_mutex_unlock(m) == 0);
    CHECK(pthread_mutex_destroy(m) == 0);
}

static void handle(int signal)
{
    pthread_mutex_t mine;
    (void)signal;
    make_and_unmake(&mine);
    thrace_object_name(&mine, "of a handler");
    thrace_object_name(&mine, NULL);
    atomic_fetch_add(&handled, 1);
}

/* Each mutex is made by one thread and taken by all, at the same addresses again and again. */
static pthread_barrier_t round_begins;

static void *maker(void *self)
{
    introduce(self);
    for (int i = 0; i < ROUNDS; i++) {
        void *memory = malloc(sizeof(pthread_mutex_t) + (size_t)i % 7 * 16);
        CHECK(memory);
        make_and_unmake(memory);
        free(memory);
    }
    pthread_barrier_wait(&round_begins);
    for (int i = 0; i < ROUNDS; i++) {
        CHECK(pthread_mutex_lock(places[i % PLACES]) == 0);
        CHECK(pthread_mutex_unlock(places[i % PLACES]) == 0);
    }
    return NULL;
}

int main(void)
{
    struct thread makers[MAKERS];
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};
    CHECK(pthread_barrier_init(&round_begins, NULL, MAKERS) == 0);
    for (int i = 0; i < PLACES; i++) {
        places[i] = malloc(sizeof *places[i]);
        CHECK(places[i] && pthread_mutex_init(places[i], NULL) == 0);
        thrace_object_name(places[i], i % 2 ? "odd" : "even");
    }
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
    for (int i = 0; i < MAKERS; i++)
        spawn(&makers[i], maker);
    while (atomic_load(&handled) < 20)
        make_and_unmake(&(pthread_mutex_t){0});
    for (int i = 0; i < MAKERS; i++)
        join(&makers[i]);
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);

    pthread_mutex_t shared_with_child;
    int status;
    pid_t pid = vfork();
    if (!pid) {
        make_and_unmake(&shared_with_child);
        _exit(7);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7);
    make_and_unmake(&shared_with_child);
    pid = fork();
    if (!pid) {
        make_and_unmake(&shared_with_child);
        _exit(8);
    }
    CHECK(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 8);
    printf("trace: goroutine maker %d\n", MAKERS);
    return 0;
}
