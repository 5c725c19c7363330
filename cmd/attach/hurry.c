#include "config.h"

#include "cmd/attach/hurry.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * With the privilege for it they are real-time threads of the lowest priority. Without, they ask for short slices: from
 * Linux 6.12 on who does so may take the processor, when it is woken, from those with longer ones. A better niceness
 * would not help: it has a thread that has just computed wait longer for its turn.
 */
enum { FIRST_OF_ALL = 1, RESET_ON_FORK = 1, SHORTEST_NS = 100000 };

/* A child looks after the thread where the command is killed: it has the processor to itself then. */
static struct guard {
    pid_t tid; /* 0: none */
    struct attach_schedule before;
} *guard;

static struct {
    pid_t guard;
    int alive; /* the guard sees it closed when the command has ended */
    struct attach_schedule before;
    uint64_t usual_ns; /* how long slices are; the kernel does not say whether they were asked for */
} command;

static bool get(pid_t tid, struct attach_schedule *s) { return !syscall(SYS_sched_getattr, tid, s, sizeof *s, 0); }

static bool set(pid_t tid, const struct attach_schedule *s) { return !syscall(SYS_sched_setattr, tid, s, 0); }

/* To be first, and to be so no more, both. */
static bool may_be_first(void)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3] = {{0}};
    return !syscall(SYS_capget, &header, sets) && sets[0].effective >> CAP_SYS_NICE & 1;
}

/* In a session of its own: what kills the command's group spares it. */
static void look_after(int alive)
{
    char none;
    setsid();
    while (read(alive, &none, 1) > 0)
        ;
    if (guard->tid)
        set(guard->tid, &guard->before);
    _exit(0);
}

static void make_guard(void)
{
    int ends[2];
    void *shared = mmap(NULL, sizeof *guard, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || pipe2(ends, O_CLOEXEC))
        return;
    guard = shared;
    command.guard = fork();
    if (!command.guard) {
        close(ends[1]);
        look_after(ends[0]);
    }
    close(ends[0]);
    command.alive = ends[1];
    if (command.guard < 0)
        close(ends[1]);
}

/* What is to be put back; size 0: it is of another policy, and stays so. */
static void read_schedule(pid_t tid, struct attach_schedule *s)
{
    if (!get(tid, s) || s->policy != SCHED_OTHER) {
        s->size = 0;
        return;
    }
    command.usual_ns = command.usual_ns ? command.usual_ns : s->runtime;
    s->runtime = s->runtime == command.usual_ns ? 0 : s->runtime;
}

static void prefer(pid_t tid, struct attach_schedule *before)
{
    struct attach_schedule first = *before, sooner = *before;
    if (!before->size)
        return;
    first.policy = SCHED_FIFO;
    first.priority = FIRST_OF_ALL;
    first.flags = RESET_ON_FORK;
    first.nice = 0;
    first.runtime = 0;
    sooner.runtime = SHORTEST_NS;
    if ((command.guard <= 0 || !set(tid, &first)) && !set(tid, &sooner))
        before->size = 0;
}

static void put_back(pid_t tid, const struct attach_schedule *before)
{
    if (before->size)
        set(tid, before);
}

void hurry_begin(void)
{
    if (may_be_first())
        make_guard();
}

void hurry_command(void)
{
    read_schedule(0, &command.before);
    prefer(0, &command.before);
}

void hurry(pid_t tid, struct attach_schedule *before)
{
    read_schedule(tid, before);
    if (command.guard > 0 && before->size) {
        guard->before = *before;
        __atomic_store_n(&guard->tid, tid, __ATOMIC_RELEASE);
    }
    prefer(tid, before);
}

void hurry_no_more(pid_t tid, const struct attach_schedule *before)
{
    put_back(tid, before);
    if (command.guard > 0)
        __atomic_store_n(&guard->tid, 0, __ATOMIC_RELEASE);
}

void hurry_rest(void)
{
    put_back(0, &command.before);
    command.before.size = 0;
}

struct task {
    void (*work)(void *);
    void *arg;
};

static void *work_apart(void *arg)
{
    struct task *t = arg;
    t->work(t->arg);
    return NULL;
}

void hurry_spare(void (*work)(void *), void *arg)
{
    pthread_t other;
    struct task t = {work, arg};
    if (pthread_create(&other, NULL, work_apart, &t))
        work(arg);
    else
        pthread_join(other, NULL);
}

void hurry_end(void)
{
    if (command.guard <= 0)
        return;
    close(command.alive);
    waitpid(command.guard, NULL, 0);
    munmap(guard, sizeof *guard);
    command.guard = 0;
}
