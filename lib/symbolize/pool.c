/*
 * Why processes and not threads: a file that is cut short while it is mapped kills its reader (SIGBUS), and a corrupt
 * one may ask for more time or memory than it can be worth. A worker that dies of that is replaced by one that does
 * without debug info; the command itself is not harmed. The worker's answer is checked as if a stranger had sent it.
 */
#include "config.h"

#include "lib/symbolize/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/symbolize/cache.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
#define SANITIZED 1
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

enum { MAX_WORKERS = 64, FIRST_READ = 1 << 16, MAX_ANSWER = 1 << 30, TICK_MS = 250 };

struct worker {
    pid_t pid;
    int fd;
    struct task *task;
    uint8_t *data;
    size_t len, cap;
};

size_t pool_size(void)
{
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return n < 1 ? 1 : n > MAX_WORKERS ? MAX_WORKERS : (size_t)n;
}

/* Generous multiples of what was seen on libc, sqlite and clang. */
static void limit_worker(uint64_t bytes)
{
    struct rlimit cpu = {.rlim_cur = 10 + bytes / (4 << 20), .rlim_max = RLIM_INFINITY};
    struct rlimit old;
    if (!getrlimit(RLIMIT_CPU, &old) && old.rlim_cur > cpu.rlim_cur) {
        cpu.rlim_max = old.rlim_max;
        setrlimit(RLIMIT_CPU, &cpu);
    }
#ifndef SANITIZED
    struct rlimit data = {.rlim_cur = (UINT64_C(1) << 30) + 16 * bytes, .rlim_max = RLIM_INFINITY};
    if (!getrlimit(RLIMIT_DATA, &old) && old.rlim_cur > data.rlim_cur) {
        data.rlim_max = old.rlim_max;
        setrlimit(RLIMIT_DATA, &data);
    }
#endif
}

/* A crash in here is expected and handled: it leaves no core file and no handler of ours or the host's sees it. */
static void be_expendable(void)
{
    static const int deadly[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGXCPU, SIGPIPE};
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
#ifndef SANITIZED
    for (size_t i = 0; i < sizeof deadly / sizeof deadly[0]; i++)
        signal(deadly[i], SIG_DFL);
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (fd >= 0)
        dup2(fd, STDERR_FILENO);
#else
    signal(deadly[5], SIG_DFL);
#endif
}

__attribute__((noreturn)) static void work(const struct task *task, int fd)
{
    static struct image_log log;
    static struct cache cache;
    struct answer answer;
    struct job job = task->job;
    be_expendable();
    job.before_dwarf = limit_worker;
    if (!answer_init(&answer, job.npcs))
        _exit(1);
    if (cache_answer(&cache, &job, &answer))
        _exit(answer_write(&answer, fd) ? 0 : 1);
    image_log_to(&log);
    job_resolve(&job, &answer);
    bool sent = answer_write(&answer, fd);
    /* An answer that a worker died of must not be kept. */
    if (sent && !job.without_dwarf)
        cache_keep(&cache, &job, &answer, &log);
    _exit(sent ? 0 : 1);
}

static bool start(struct worker *w, struct task *task)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC))
        return false;
    *w = (struct worker){.pid = fork(), .fd = fds[0], .task = task};
    if (!w->pid) {
        close(fds[0]);
        work(task, fds[1]);
    }
    close(fds[1]);
    if (w->pid > 0)
        return true;
    close(fds[0]);
    return false;
}

/* What is left when no worker came back with an answer. */
static void resolve_here(struct task *task, bool try_symbols)
{
    if (!answer_init(&task->answer, task->job.npcs))
        return;
    if (try_symbols) {
        task->job.without_dwarf = true;
        job_resolve(&task->job, &task->answer);
        return;
    }
    answer_say(&task->answer, SYMBOLIZE_BAD_DEBUG_INFO, "%s: reading it failed twice; its functions stay nameless",
               task->job.path);
    job_fill_offsets(&task->job, &task->answer);
}

/* Reads what there is; false at the end of the answer or when it grows beyond all reason. */
static bool receive(struct worker *w)
{
    if (w->len == w->cap) {
        size_t cap = w->cap ? w->cap * 2 : FIRST_READ;
        uint8_t *data = cap <= MAX_ANSWER ? realloc(w->data, cap) : NULL;
        if (!data)
            return false;
        w->data = data;
        w->cap = cap;
    }
    ssize_t n = read(w->fd, w->data + w->len, w->cap - w->len);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    w->len += (size_t)n;
    return n > 0;
}

/* Returns whether the task is done; else it has a worker again. */
static bool finish(struct worker *w)
{
    int status = 0;
    struct task *task = w->task;
    close(w->fd);
    while (waitpid(w->pid, &status, 0) < 0 && errno == EINTR)
        ;
    bool good = answer_parse(&task->answer, task->job.npcs, w->data, w->len);
    free(w->data);
    if (good)
        return true;
    if (task->job.without_dwarf) {
        resolve_here(task, false);
        return true;
    }
    task->job.without_dwarf = true;
    if (start(w, task))
        return false;
    resolve_here(task, true);
    return true;
}

void pool_run(struct task *tasks, size_t n, void (*done)(void *arg, const struct task *), void *arg)
{
    struct worker workers[MAX_WORKERS];
    struct pollfd polls[MAX_WORKERS];
    size_t limit = pool_size(), running = 0, next = 0;
    while (next < n || running) {
        while (running < limit && next < n) {
            struct task *task = &tasks[next++];
            if (start(&workers[running], task)) {
                running++;
            } else {
                resolve_here(task, true);
                done(arg, task);
            }
        }
        for (size_t i = 0; i < running; i++)
            polls[i] = (struct pollfd){.fd = workers[i].fd, .events = POLLIN};
        if (!running)
            continue;
        if (poll(polls, running, TICK_MS) < 0) {
            if (errno == EINTR)
                continue;
            for (size_t i = 0; i < running; i++) /* for the first, a read waits as well */
                polls[i].revents = i ? 0 : POLLIN;
        }
        done(arg, NULL);
        for (size_t i = running; i-- > 0;) {
            struct task *task = workers[i].task;
            if (!polls[i].revents || receive(&workers[i]) || !finish(&workers[i]))
                continue;
            workers[i] = workers[--running];
            done(arg, task);
        }
    }
}
