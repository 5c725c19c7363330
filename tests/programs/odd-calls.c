/*
 * Calls that look like others: a datagram of nothing, streams whose buffers just suffice, flags that are taken
 * back, a lock that nobody sleeps for.
 */
#include "program.h"

#include <fcntl.h>
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

/* Who spins does not sleep: that it does shows in its CPU time. */
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

int main(void)
{
    empty_datagram();
    buffers();
    flags();
    spin_waits();
    printf("trace: goroutines %d\n", 1 + threads_spawned);
    return 0;
}
