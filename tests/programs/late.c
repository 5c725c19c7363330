/*
 * late [COMPUTE_MS]: threads wait, and are in system calls, when a recording of their process begins, or the part of it
 * that a flight recorder keeps: with COMPUTE_MS it began long before. The trace must have their names, and what they
 * wait for and where.
 */
#include "program.h"
#include "recording.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static int pipes[2][2], lock_file;

static NOINLINE void *locks(void *self)
{
    introduce(self);
    pthread_setname_np(pthread_self(), "locker");
    pthread_mutex_lock(&held);
    pthread_mutex_unlock(&held);
    return NULL;
}

static NOINLINE void *reads(void *self)
{
    char c;
    introduce(self);
    CHECK(read(pipes[0][0], &c, 1) == 1);
    return NULL;
}

static NOINLINE void *polls(void *self)
{
    struct pollfd p = {.fd = pipes[1][0], .events = POLLIN};
    introduce(self);
    CHECK(poll(&p, 1, -1) == 1);
    return NULL;
}

static NOINLINE void *locks_file(void *self)
{
    introduce(self);
    pthread_setname_np(pthread_self(), "filelocker");
    CHECK(flock(lock_file, LOCK_EX) == 0);
    return NULL;
}

int main(int argc, char **argv)
{
    static void *(*const start[])(void *) = {locks, reads, polls, locks_file};
    struct thread threads[4];
    char name[] = "/tmp/thrace-late-XXXXXX", path[64];
    int file = mkstemp(name);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    CHECK(file >= 0 && (lock_file = open(path, O_RDWR)) >= 0 && unlink(name) == 0 && flock(file, LOCK_EX) == 0);
    CHECK(pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0);
    pthread_mutex_lock(&held);
    for (int i = 0; i < 4; i++)
        spawn(&threads[i], start[i]);
    for (int i = 0; i < 4; i++)
        await_asleep(&threads[i]);
    if (argc > 1)
        compute_for(atol(argv[1]));
    else
        start_recording();
    pthread_mutex_unlock(&held);
    CHECK(write(pipes[0][1], "", 1) == 1 && write(pipes[1][1], "", 1) == 1 && flock(file, LOCK_UN) == 0);
    for (int i = 0; i < 4; i++)
        join(&threads[i]);
    puts("trace: goroutines 5\ntrace: goroutine main 1\ntrace: goroutine filelocker 1");
    puts("trace: block locker sync main mutex:*<pthread_mutex_lock<locks");
    /* While nothing is recorded, nobody asks what a descriptor is, and flock is not looked at. */
    puts(argc > 1 ? "trace: syscall filelocker flock<locks_file\ntrace: block reads chan_receive * pipe:#<read<reads\n"
                    "trace: block polls select * pipe:#<poll<polls"
                  : "trace: syscall reads read<reads\ntrace: block polls select * poll<polls");
    return 0;
}
