/*
 * Calls that look like others: a datagram of nothing, streams whose buffers just suffice, flags that are taken
 * back, a lock that nobody sleeps for, writes of a page and of more, one to a socket whose reader sleeps before what it
 * has left there, reads in the midst of signals.
 */
#include "program.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>

static int ends[2], pipes[2], sockets[2], copy;

static NOINLINE void *gets_nothing(void *self)
{
    char c;
    introduce(self);
    CHECK(read(ends[0], &c, 1) == 0);
    return NULL;
}

static void empty_datagram(void)
{
    struct thread t;
    CHECK(!socketpair(AF_UNIX, SOCK_DGRAM, 0, ends));
    spawn(&t, gets_nothing);
    await_asleep(&t);
    CHECK(send(ends[1], "", 0, 0) == 0);
    join(&t);
    spawn(&t, gets_nothing);
    await_asleep(&t);
    CHECK(write(ends[1], "", 0) == 0);
    join(&t);
    puts("trace: block gets_nothing network main read<gets_nothing 2");
}

/* Of sixty bytes: by tens, then just what is left. Then a stream that has nothing to write, and one that has. */
static NOINLINE void *streams(void *self)
{
    char line[64];
    introduce(self);
    FILE *in = fdopen(pipes[0], "r"), *out = fdopen(copy, "w");
    CHECK(in && out);
    for (int i = 0; i < 3; i++)
        CHECK(fgets(line, 11, in) && strlen(line) == 10);
    CHECK(fread(line, 1, 30, in) == 30);
    CHECK(!fflush(out) && fputc('x', out) == 'x' && !fflush(out) && !fflush(out));
    return NULL;
}

static void buffers(void)
{
    struct thread t;
    CHECK(!pipe(pipes) && write(pipes[1], "123456789012345678901234567890123456789012345678901234567890", 60) == 60);
    CHECK((copy = dup(pipes[1])) >= 0);
    spawn(&t, streams);
    join(&t);
    puts("trace: quiet streams");
    puts("trace: syscall streams fgets<streams 1");
    puts("trace: syscall streams fputc<streams 1"); /* its buffer is made */
    puts("trace: syscall streams fflush<streams 1");
}

static NOINLINE void *waits_again(void *self)
{
    char c;
    CHECK(!fcntl(sockets[0], F_SETFL, O_NONBLOCK));
    CHECK(read(sockets[0], &c, 1) == -1 && errno == EAGAIN);
    CHECK(!fcntl(sockets[0], F_SETFL, 0));
    introduce(self);
    CHECK(read(sockets[0], &c, 1) == 1);
    return NULL;
}

static void flags(void)
{
    struct thread t;
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
    spawn(&t, waits_again);
    await_asleep(&t);
    CHECK(write(sockets[1], "x", 1) == 1);
    join(&t);
    puts("trace: block waits_again network main read<waits_again");
    puts("trace: syscall waits_again fcntl|fcntl64<waits_again 2");
    puts("trace: syscall waits_again read<waits_again 1");
}

static pthread_spinlock_t spin_lock;
static atomic_bool spin_held, spin_release;

static NOINLINE void *spin_holder(void *self)
{
    introduce(self);
    pthread_spin_lock(&spin_lock);
    atomic_store(&spin_held, true);
    wait_for(&spin_release);
    pthread_spin_unlock(&spin_lock);
    NO_TAIL_CALL();
    return NULL;
}

static NOINLINE void *spins(void *self)
{
    introduce(self);
    pthread_spin_lock(&spin_lock);
    pthread_spin_unlock(&spin_lock);
    NO_TAIL_CALL();
    return NULL;
}

/* A spinning thread does not sleep; its CPU time shows that it spins. */
static void spin_waits(void)
{
    struct thread h, s;
    struct timespec used = {0, 0};
    clockid_t clock;
    CHECK(!pthread_spin_init(&spin_lock, PTHREAD_PROCESS_PRIVATE));
    spawn(&h, spin_holder);
    wait_for(&spin_held);
    spawn(&s, spins);
    CHECK(!pthread_getcpuclockid(s.id, &clock));
    while (!used.tv_sec && used.tv_nsec < 20000000) {
        sched_yield();
        CHECK(!clock_gettime(clock, &used));
    }
    atomic_store(&spin_release, true);
    join(&h);
    join(&s);
    puts("trace: quiet spin_holder");
    puts("trace: block spins sync spin_holder pthread_spin_lock<spins");
}

/* A full pipe has room for a page once one is read, and who reads it ends the wait. A longer write ends by itself. */
enum { MORE_PAGES = 3 };

static int narrow[2];

static NOINLINE void *writes_page(void *self)
{
    static const char page[PIPE_BUF];
    introduce(self);
    CHECK(write(narrow[1], page, sizeof page) == sizeof page);
    return NULL;
}

static NOINLINE void *writes_pages(void *self)
{
    static const char pages[MORE_PAGES * PIPE_BUF];
    introduce(self);
    CHECK(write(narrow[1], pages, sizeof pages) == sizeof pages);
    return NULL;
}

static void read_page(void)
{
    char page[PIPE_BUF];
    CHECK(read(narrow[0], page, sizeof page) == sizeof page);
}

static void full_pipe(void)
{
    struct thread t;
    CHECK(!pipe(narrow) && fcntl(narrow[1], F_SETPIPE_SZ, PIPE_BUF) == PIPE_BUF);
    writes_page(&t);
    spawn(&t, writes_page);
    await_asleep(&t);
    read_page();
    join(&t);
    spawn(&t, writes_pages);
    await_asleep(&t);
    for (int i = 0; i < 1 + MORE_PAGES; i++)
        read_page();
    join(&t);
    puts("trace: block writes_page chan_send main write<writes_page");
    puts("trace: block writes_pages chan_send self write<writes_pages");
}

/* It watches for changes, and takes nothing out: that it sleeps does not say that there is room. */
static int stuffed[2];
static atomic_bool seen_enough;

static NOINLINE void *sleeps_before_data(void *self)
{
    struct epoll_event e = {.events = EPOLLIN | EPOLLET};
    int epoll = epoll_create1(0);
    CHECK(epoll >= 0 && !epoll_ctl(epoll, EPOLL_CTL_ADD, stuffed[0], &e));
    introduce(self);
    while (!atomic_load(&seen_enough))
        CHECK(epoll_wait(epoll, &e, 1, -1) == 1 || errno == EINTR);
    return NULL;
}

static NOINLINE void *writes_more(void *self)
{
    introduce(self);
    CHECK(write(stuffed[1], "x", 1) == 1);
    return NULL;
}

static void full_socket(void)
{
    struct thread reader, writer;
    char all[4096];
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, stuffed));
    spawn(&reader, sleeps_before_data);
    while (send(stuffed[1], "x", 1, MSG_DONTWAIT) == 1)
        ;
    await_asleep(&reader);
    spawn(&writer, writes_more);
    await_asleep(&writer);
    atomic_store(&seen_enough, true);
    while (recv(stuffed[0], all, sizeof all, MSG_DONTWAIT) > 0)
        ;
    join(&writer);
    CHECK(send(stuffed[1], "x", 1, 0) == 1); /* what was written may have been taken out before the reader saw it */
    join(&reader);
    puts("trace: block writes_more network self write<writes_more");
}

/* Whatever a signal interrupts on the way to it, each is a wait. */
enum { READS = 5000 };

static int silent[2];
static atomic_bool read_enough;

static void ignore(int sig) { (void)sig; }

static NOINLINE void *reads_in_vain(void *self)
{
    char c;
    introduce(self);
    for (int i = 0; i < READS; i++)
        CHECK(read(silent[0], &c, 1) == -1 && errno == EINTR);
    atomic_store(&read_enough, true);
    return NULL;
}

static void interrupted_reads(void)
{
    const struct sigaction act = {.sa_handler = ignore};
    struct thread t;
    CHECK(!pipe(silent) && !sigaction(SIGUSR1, &act, NULL));
    spawn(&t, reads_in_vain);
    while (!atomic_load(&read_enough))
        CHECK(!pthread_kill(t.id, SIGUSR1));
    join(&t);
    printf("trace: block reads_in_vain chan_receive self read<reads_in_vain %d\n", READS);
}

int main(void)
{
    empty_datagram();
    buffers();
    flags();
    spin_waits();
    full_pipe();
    full_socket();
    interrupted_reads();
    printf("trace: goroutines %d\n", 1 + threads_spawned);
    return 0;
}
