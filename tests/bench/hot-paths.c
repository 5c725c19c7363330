/*
 * hot-paths SHIM: counts the instructions of frequent operations by single-stepping: all those of one operation, and
 * those in the library. Unlike times they are the same in every run. Prints "PATH WAY LIBRARY ALL" for the ways idle
 * and traced; each is the median over many operations, as a few take a slow path.
 *
 * It executes itself with the library preloaded. That process first does many operations, so that one-time work is
 * done, then has itself traced, and passes `boundary' after each operation.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thrace/annotate.h>

enum { WARM_UP = 3000, OPERATIONS = 21, TOO_MANY_STEPS = 3000000, UNSUPPORTED = 77 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;
static int zero;

static void lock(void)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
}

static void read_lock(void)
{
    pthread_rwlock_rdlock(&rwlock);
    pthread_rwlock_unlock(&rwlock);
}

static void post(void)
{
    sem_post(&sem);
    while (sem_wait(&sem) != 0)
        ;
}

static void signal_unheard(void) { pthread_cond_signal(&cond); }

/* It gives up at once, but not before it has waited. */
static void wait_in_vain(void)
{
    static const struct timespec past;
    pthread_mutex_lock(&mutex);
    pthread_cond_timedwait(&cond, &mutex, &past);
    pthread_mutex_unlock(&mutex);
}

static void initialise(void)
{
    pthread_mutex_t m;
    pthread_mutex_init(&m, NULL);
    pthread_mutex_destroy(&m);
}

static void allocate(void)
{
    char *p = malloc(64);
    if (p)
        *(volatile char *)p = 1;
    free(p);
}

static void read_byte(void)
{
    char byte;
    if (read(zero, &byte, 1) != 1)
        _exit(1);
}

static void annotate(void)
{
    THRACE_REGION("annotate");
    __asm__ volatile("");
}

static const struct path {
    const char *name;
    void (*operation)(void);
    int ways;
} paths[] = {
    {"mutex", lock, 2},            {"rwlock", read_lock, 2}, {"sem", post, 2},
    {"signal", signal_unheard, 2}, {"malloc", allocate, 2},  {"read", read_byte, 6},
    {"region", annotate, 3},       {"wait", wait_in_vain, 4},        {"init", initialise, 2},
};
enum { PATHS = sizeof paths / sizeof paths[0] };

static const struct way {
    const char *name;
    const char *variable, *value; /* besides THRACE_OUT; NULL, NULL: idle */
    const char *role;             /* by a second thread, or by the only one, which has the helper's work to do, too */
} ways[] = {
    {"idle", NULL, NULL, "-r"},
    {"traced", "THRACE_STACKS", "all", "-r"},
    {"no-stacks", "THRACE_STACKS", "none", "-r"},
    {"no-objects", "THRACE_OBJECTS", "0", "-r"},
    {"class-off", "THRACE_WRAP", "none", "-r"},
    {"only-thread", "THRACE_STACKS", "all", "-1"},
};

__attribute__((noinline)) static void boundary(void) { __asm__ volatile("" : : : "memory"); }

/* --- the process that is stepped through -------------------------------------------------------------------------- */

static void be_traced(void)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(UNSUPPORTED);
    printf("%p %d\n", (void *)(uintptr_t)boundary, (int)syscall(SYS_gettid)); /* from now on it may be waited for */
    fflush(stdout);
    raise(SIGSTOP);
}

static void *perform(void *operation_of)
{
    const struct path *path = operation_of;
    for (volatile int i = 0; i <= WARM_UP + OPERATIONS; i++) { /* one call: another one would be another stack */
        if (i == WARM_UP)
            be_traced();
        path->operation();
        boundary();
    }
    return NULL;
}

static int be_stepped_through(const char *name, bool second_thread)
{
    pthread_t thread;
    struct path path = {name, NULL, 0};
    for (int i = 0; i < PATHS; i++)
        if (!strcmp(name, paths[i].name))
            path = paths[i];
    zero = open("/dev/zero", O_RDONLY);
    if (!path.operation || zero < 0 || sem_init(&sem, 0, 0) != 0)
        return 2;
    if (!second_thread)
        perform(&path);
    else if (pthread_create(&thread, NULL, perform, &path) == 0)
        pthread_join(thread, NULL);
    return 0;
}

/* --- the one that steps ------------------------------------------------------------------------------------------- */

struct range {
    uint64_t start, end;
};

static bool pc_of(pid_t pid, uint64_t *pc)
{
    struct user_regs_struct regs;
    struct iovec all = {&regs, sizeof regs};
    if (ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &all) != 0)
        return false;
#if defined(__x86_64__)
    *pc = regs.rip;
#else
    *pc = regs.pc;
#endif
    return true;
}

static struct range code_of(pid_t pid, const char *shim)
{
    char path[32], line[512], file[400], flags[8];
    const char *name = strrchr(shim, '/');
    unsigned long start, end;
    struct range code = {0, 0};
    snprintf(path, sizeof path, "/proc/%d/maps", (int)pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %399s", &start, &end, flags, file) == 4 && flags[2] == 'x' &&
            strstr(file, name ? name : shim))
            code = (struct range){start, end};
    if (f)
        fclose(f);
    return code;
}

static int by_value(const void *a, const void *b)
{
    long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

static long median(long *values)
{
    qsort(values, OPERATIONS, sizeof *values, by_value);
    return values[OPERATIONS / 2];
}

/* From its SIGSTOP on. Returns whether all operations were seen. */
static bool step_through(pid_t pid, uint64_t at, struct range code, long *in_library, long *in_all)
{
    long library = 0, all = 0;
    int passed = -1, status; /* the first boundary ends an operation of which the beginning was not seen */
    for (long steps = 0; steps < TOO_MANY_STEPS && passed < OPERATIONS; steps++) {
        uint64_t pc;
        if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) != 0 || waitpid(pid, &status, __WALL) != pid ||
            !WIFSTOPPED(status) || !pc_of(pid, &pc))
            return false;
        all++;
        library += pc >= code.start && pc < code.end;
        if (pc == at) {
            if (passed >= 0) {
                in_library[passed] = library;
                in_all[passed] = all;
            }
            passed++;
            library = all = 0;
        }
    }
    return passed == OPERATIONS;
}

static int count(const char *self, const char *shim, const char *out, const struct path *path, const struct way *way)
{
    int to_us[2], status;
    if (pipe(to_us) != 0)
        return 1;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(to_us[1], STDOUT_FILENO);
        close(to_us[0]);
        close(to_us[1]);
        setenv("LD_PRELOAD", shim, 1);
        setenv("THRACE_PERIOD", "3600s", 1);
        setenv("THRACE_CPU_HZ", "0", 1);
        if (way->variable) {
            setenv("THRACE_OUT", out, 1);
            setenv(way->variable, way->value, 1);
        }
        execl(self, self, way->role, path->name, (char *)NULL);
        _exit(127);
    }
    close(to_us[1]);
    FILE *f = fdopen(to_us[0], "r");
    unsigned long at = 0;
    int tid = 0;
    bool told = pid > 0 && f && fscanf(f, "%lx %d", &at, &tid) == 2;
    if (f)
        fclose(f);
    long library[OPERATIONS], all[OPERATIONS];
    struct range code = {0, 0};
    bool stopped = told && waitpid(tid, &status, __WALL) == tid && WIFSTOPPED(status);
    if (stopped)
        code = code_of(tid, shim);
    bool counted = code.end && step_through(tid, at, code, library, all);
    if (stopped) {
        kill(pid, SIGKILL);
        if (tid != pid)
            waitpid(tid, &status, __WALL);
    }
    waitpid(pid, &status, __WALL);
    if (!stopped && WIFEXITED(status) && WEXITSTATUS(status) == UNSUPPORTED)
        return UNSUPPORTED;
    if (!counted) {
        fprintf(stderr, "hot-paths: %s cannot be stepped through\n", path->name);
        return 1;
    }
    printf("%s %s %ld %ld\n", path->name, way->name, median(library), median(all));
    fflush(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && (!strcmp(argv[1], "-r") || !strcmp(argv[1], "-1")))
        return be_stepped_through(argv[2], argv[1][1] == 'r');
    if (argc == 2 && !strcmp(argv[1], "-v")) {
#if defined(__clang__)
        printf("clang %d", __clang_major__);
#else
        printf("gcc %d", __GNUC__);
#endif
#ifndef __OPTIMIZE__
        printf(" unoptimized");
#endif
        putchar('\n');
        return 0;
    }
    if (argc != 3) {
        fputs("usage: hot-paths SHIM SPOOL-FOLDER | -v\n", stderr);
        return 2;
    }
    cpu_set_t one; /* where a step costs two switches and no wakeup of another processor */
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    sched_setaffinity(0, sizeof one, &one);
    int n = 0;
    for (int i = 0; i < PATHS; i++)
        for (int w = 0; w < paths[i].ways; w++) {
            char out[4096];
            snprintf(out, sizeof out, "%s/hot-paths.%d.%d", argv[2], (int)getpid(), n++);
            int status = count("/proc/self/exe", argv[1], out, &paths[i], &ways[w]);
            if (status != 0)
                return status;
        }
    return 0;
}
