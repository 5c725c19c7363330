/*
 * later [CALLS]: two sessions of one process, and changes before and between them: a thread was named by another one, a
 * thread appeared unannounced, a descriptor's number was given to something else. A third session has only main, though
 * a thread could not be made before. With CALLS: that many short calls in each session by main and by a thread that
 * ends in the second.
 */
#include "libc.h"
#include "program.h"
#include "recording.h"

#include <fcntl.h>
#include <semaphore.h>
#include <sys/socket.h>

static sem_t may_end;
static int number;

static NOINLINE void *gets_a_name(void *self)
{
    introduce(self);
    sem_wait(&may_end);
    NO_TAIL_CALL();
    return NULL;
}

static struct thread named;

static NOINLINE void *gives_a_name(void *self)
{
    CHECK(!pthread_setname_np(named.id, "by-another"));
    introduce(self);
    sem_wait(&may_end);
    NO_TAIL_CALL();
    return NULL;
}

/* Nobody saw where it began. */
static NOINLINE void *comes_unseen(void *self)
{
    introduce(self);
    sem_wait(&may_end);
    NO_TAIL_CALL();
    return NULL;
}

static void spawn_unseen(struct thread *t)
{
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&create = find_in_libc("pthread_create");
    CHECK(create && !create(&t->id, NULL, comes_unseen, t));
}

static NOINLINE void *reads(void *self)
{
    char c;
    introduce(self);
    CHECK(read(number, &c, 1) == 1);
    return NULL;
}

static void read_by(int to)
{
    struct thread t;
    spawn(&t, reads);
    await_asleep(&t);
    CHECK(write(to, "x", 1) == 1);
    join(&t);
}

static NOINLINE void call_shortly(int zero, long n)
{
    char c;
    for (long i = 0; i < n; i++)
        CHECK(pread(zero, &c, 1, 0) == 1);
}

/* It is announced, and then there is no memory for its stack. */
static void spawn_in_vain(void)
{
    pthread_attr_t huge;
    pthread_t t;
    CHECK(!pthread_attr_init(&huge) && !pthread_attr_setstacksize(&huge, (size_t)1 << 46));
    CHECK(pthread_create(&t, &huge, reads, NULL) == EAGAIN);
    pthread_attr_destroy(&huge);
}

static long calls;
static int zero;
static atomic_int turn, done;

static void *calls_shortly(void *self)
{
    introduce(self);
    for (int session = 1; session <= 2; session++) {
        while (atomic_load(&turn) < session)
            sched_yield();
        call_shortly(zero, calls);
        atomic_store(&done, session);
    }
    return NULL;
}

static void short_calls(void)
{
    struct thread t;
    CHECK((zero = open("/dev/zero", O_RDONLY)) >= 0);
    spawn(&t, calls_shortly);
    for (int session = 1; session <= 2; session++) {
        start_recording();
        atomic_store(&turn, session);
        while (atomic_load(&done) < session)
            sched_yield();
        call_shortly(zero, calls);
        if (session == 2)
            join(&t);
        thrace_stop();
    }
}

int main(int argc, char **argv)
{
    struct thread namer, unseen = {0};
    int pipes[2], sockets[2];
    if (argc > 1) {
        calls = atol(argv[1]);
        short_calls();
        return 0;
    }
    CHECK(!sem_init(&may_end, 0, 0) && !pipe(pipes));
    number = pipes[0];
    spawn(&named, gets_a_name);
    await_asleep(&named);
    spawn(&namer, gives_a_name);
    await_asleep(&namer);
    spawn_unseen(&unseen);
    await_asleep(&unseen);
    start_recording();
    read_by(pipes[1]);
    thrace_stop();
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) && syscall(SYS_dup3, sockets[0], number, 0) == number);
    start_recording();
    read_by(sockets[1]);
    sem_post(&may_end);
    sem_post(&may_end);
    sem_post(&may_end);
    join(&named);
    join(&namer);
    join(&unseen);
    spawn_in_vain();
    thrace_stop();
    start_recording();
    thrace_stop();
    puts("trace: goroutine main 1");
    puts("trace: goroutine by-another 1");
    puts("trace: block by-another sync main sem_wait<gets_a_name");
    puts("trace: block gives_a_name sync main sem_wait<gives_a_name");
    puts("trace: block reads network * read<reads");
    return 0;
}
