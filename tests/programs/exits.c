/* exits WAY: ends a process whose other threads compute, wait and sleep, in that way. */
#include "program.h"

#include <semaphore.h>
#include <signal.h>
#include <sys/resource.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t never;
static const char *way;
static struct thread ender;
static volatile int *volatile unmapped;
static atomic_bool over; /* never set: the process ends under these threads */

static NOINLINE void *computes(void *self)
{
    introduce(self);
    for (volatile unsigned long i = 0; !atomic_load(&over); i++)
        if (i % 1024 == 0) {
            pthread_mutex_lock(&lock);
            pthread_mutex_unlock(&lock);
        }
    return NULL;
}

static NOINLINE void *waits(void *self)
{
    introduce(self);
    sem_wait(&never);
    return NULL;
}

static NOINLINE void *sleeps(void *self)
{
    introduce(self);
    while (!atomic_load(&over))
        milliseconds(1);
    return NULL;
}

static NOINLINE void *finishes_late(void *self)
{
    introduce(self);
    milliseconds(30);
    puts("the last thread ends");
    return NULL;
}

static void at_exit(void)
{
    puts("atexit handler");
}

static void at_quick_exit_handler(void)
{
    (void)!write(1, "at_quick_exit handler\n", 22);
}

static __attribute__((destructor)) void at_unload(void)
{
    puts("destructor");
}

/* For a control group that has less than this. */
static void eat_memory(void)
{
    for (int i = 0; i < 512; i++) {
        void *p = malloc(1 << 20);
        CHECK(p);
        memset(p, i + 1, 1 << 20);
        __asm__ volatile("" : : "r"(p) : "memory");
    }
    _exit(98);
}

static NOINLINE void end(void)
{
    if (!strcmp(way, "exit") || !strcmp(way, "exit-from-thread"))
        exit(3);
    if (!strcmp(way, "_exit"))
        _exit(4);
    if (!strcmp(way, "quick_exit"))
        quick_exit(5);
    if (!strcmp(way, "abort"))
        abort();
    if (!strcmp(way, "segv"))
        *unmapped = 1;
    if (!strcmp(way, "term"))
        raise(SIGTERM);
    if (!strcmp(way, "kill"))
        kill(getpid(), SIGKILL);
    if (!strcmp(way, "oom"))
        eat_memory();
    if (!strcmp(way, "exec")) {
        execl("/bin/sh", "sh", "-c", "echo from the new program; exit 6", (char *)NULL);
        CHECK(!"exec failed");
    }
}

static NOINLINE void *ends(void *self)
{
    introduce(self);
    end();
    return NULL;
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    way = argv[1];
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    CHECK(atexit(at_exit) == 0 && at_quick_exit(at_quick_exit_handler) == 0);
    CHECK(sem_init(&never, 0, 0) == 0);

    if (!strcmp(way, "pthread_exit")) {
        struct thread late;
        puts("trace: goroutines 2");
        puts("trace: goroutine finishes_late 1");
        spawn(&late, finishes_late);
        pthread_detach(late.id);
        pthread_exit(NULL);
    }
    struct thread c, w, s;
    spawn(&c, computes);
    spawn(&w, waits);
    spawn(&s, sleeps);
    await_asleep(&w);
    bool from_thread = !strcmp(way, "exit-from-thread");
    printf("trace: goroutines %d\n", from_thread ? 5 : 4);
    puts("trace: goroutine computes 1");
    puts("trace: goroutine waits 1");
    puts("trace: block waits sync nobody sem_wait<waits");
    puts("trace: goroutine sleeps 1");
    fflush(stdout);
    while (!atomic_load(&c.tid) || !atomic_load(&s.tid))
        sched_yield();
    if (from_thread) {
        spawn(&ender, ends);
        pause();
    }
    end();
    return strcmp(way, "return") ? 2 : 0;
}
