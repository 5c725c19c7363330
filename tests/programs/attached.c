/*
 * attached KIND…: a thread for each kind of call, which does it again and again and looks at every result, until
 * SIGTERM. Nothing that somebody does to the process from outside may show in one. With FIRST_ENDS in the environment
 * its first thread ends as soon as the others run.
 */
#include "program.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <thrace/annotate.h>
#include <time.h>

static atomic_bool over;
static pthread_mutex_t counted = PTHREAD_MUTEX_INITIALIZER;
static long rounds;

static struct timespec in_ms(clockid_t clock, long ms)
{
    struct timespec t;
    clock_gettime(clock, &t);
    t.tv_nsec += ms * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void sleeps(void)
{
    struct timespec t = {0, 7000000};
    CHECK(nanosleep(&t, NULL) == 0);
}

static void dozes(void)
{
    struct timespec t = {8, 0};
    CHECK(nanosleep(&t, NULL) == 0);
}

static void polls(void) { CHECK(poll(NULL, 0, 7) == 0); }

static void selects(void)
{
    struct timeval t = {0, 7000};
    CHECK(select(0, NULL, NULL, NULL, &t) == 0);
}

static void epolls(void)
{
    static int fd = -1;
    struct epoll_event e;
    if (fd < 0)
        fd = epoll_create1(EPOLL_CLOEXEC);
    int before = errno, n = epoll_wait(fd, &e, 1, 7);
    /* fork of glibc 2.41 holds signals itself: a SIGCHLD that nobody handles comes to another thread then. */
    if (n < 0 && errno == EINTR && __GLIBC_PREREQ(2, 41)) {
        errno = before;
        n = 0;
    }
    CHECK(n == 0);
}

static void semaphores(void)
{
    static sem_t sem;
    struct timespec t = in_ms(CLOCK_REALTIME, 7);
    CHECK(sem_timedwait(&sem, &t) == -1 && errno == ETIMEDOUT);
}

static void conditions(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
    struct timespec t = in_ms(CLOCK_REALTIME, 7);
    pthread_mutex_lock(&lock);
    CHECK(pthread_cond_timedwait(&cond, &lock, &t) == ETIMEDOUT);
    CHECK(pthread_mutex_unlock(&lock) == 0);
}

/* libc has every thread do the same, by a signal, and has a lock of its own meanwhile. */
static void setuids(void)
{
    CHECK(setresuid((uid_t)-1, getuid(), (uid_t)-1) == 0);
    usleep(200);
}

/* Two of them, one at a time. */
static pthread_mutex_t contended = PTHREAD_MUTEX_INITIALIZER;

static void locks(void)
{
    static int inside;
    CHECK(pthread_mutex_lock(&contended) == 0);
    CHECK(inside++ == 0);
    usleep(1000);
    CHECK(inside-- == 1);
    CHECK(pthread_mutex_unlock(&contended) == 0);
    usleep(100);
}

static int ends[2];

static void writes(void)
{
    static unsigned char next;
    usleep(3000);
    CHECK(write(ends[1], &next, 1) == 1);
    next++;
}

static void reads(void)
{
    static unsigned char next;
    unsigned char got;
    CHECK(read(ends[0], &got, 1) == 1 && got == next++);
}

/* No call at all. */
static void computes(void)
{
    static double sum[1000];
    double all = 0;
    for (int k = 0; k < 100; k++)
        for (int i = 0; i < 1000; i++)
            all += sum[i] += i * 0.5 + k;
    CHECK(all > 0);
    memset(sum, 0, sizeof sum);
}

/* Nor this, and vector registers are what they were. */
static void vectors(void)
{
#if defined(__x86_64__)
    static const uint64_t set[4] = {1, UINT64_MAX, 0x0123456789abcdef, 4711};
    uint64_t got[4] = {0};
    if (__builtin_cpu_supports("avx"))
        __asm__ volatile("vmovdqu %1, %%ymm6\n mov $2000000, %%ecx\n 1: dec %%ecx\n jnz 1b\n vmovdqu %%ymm6, %0"
                         : "=m"(got)
                         : "m"(set)
                         : "ecx", "xmm6", "cc");
    else
        memcpy(got, set, sizeof got);
    CHECK(!memcmp(got, set, sizeof got));
#endif
}

static void allocates(void)
{
    void *p[100];
    for (int i = 0; i < 100; i++)
        CHECK((p[i] = malloc((size_t)i * 37 + 1)));
    for (int i = 0; i < 100; i++)
        free(p[i]);
}

/* What was there before is freed, what is kept stays, and libc frees and makes blocks, too. */
enum { KEPT = 1000, LENT = 3000, HIDDEN = 9000, EARLY = 500, EARLIES = 2000 };
struct kept {
    struct kept *next;
    unsigned char rest[KEPT - sizeof(void *)];
};

static NOINLINE struct kept *keeps(struct kept *next)
{
    struct kept *k = malloc(sizeof *k);
    CHECK(k);
    k->next = next;
    memset(k->rest, (int)(uintptr_t)k >> 4 & 0xff, sizeof k->rest);
    return k;
}

static NOINLINE void lends(void)
{
    char *p = malloc(LENT), *copy = NULL;
    CHECK(p && (p = realloc(p, 2 * (size_t)LENT)));
    strcpy(p, "text");
    CHECK((copy = strdup(p)) && !strcmp(copy, "text"));
    free(copy);
    free(p);
}

/* By an address that nobody leads elsewhere. The next one is often at the same place. */
static NOINLINE void hides(void)
{
    static void (*release)(void *);
    void *p = malloc(HIDDEN);
    if (!release)
        CHECK((*(void **)&release = dlsym(RTLD_DEFAULT, "free")));
    CHECK(p);
    release(p);
}

static NOINLINE void reads_lines(void)
{
    size_t size = 8;
    char *line = malloc(size), text[300];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\n';
    FILE *f = fmemopen(text, sizeof text, "r");
    CHECK(f && getline(&line, &size, f) == sizeof text);
    fclose(f);
    free(line);
}

static void leaks(void)
{
    static _Thread_local struct kept *first; /* there may be two of these threads */
    static _Thread_local void *early[EARLIES];
    static _Thread_local int n;
    int before = errno;
    while (!first && n < EARLIES)
        CHECK((early[n++] = malloc(EARLY)));
    if (n > 0)
        free(early[--n]);
    first = keeps(first);
    for (const struct kept *k = first; k && k != first->next; k = k->next)
        CHECK(k->rest[KEPT / 2] == ((uintptr_t)k >> 4 & 0xff));
    lends();
    hides();
    reads_lines();
    errno = before;
    usleep(1000);
}

static void *nothing(void *arg) { return arg; }

static void creates(void)
{
    pthread_t t;
    void *got;
    CHECK(pthread_create(&t, NULL, nothing, &got) == 0 && pthread_join(t, &got) == 0 && got == &got);
    usleep(500);
}

/* A thread that comes to nothing that anybody could see: not even to its end. */
static void *spins(void *arg)
{
    compute_for(20);
    return arg;
}

static void lingers(void)
{
    pthread_t t;
    CHECK(pthread_create(&t, NULL, spins, NULL) == 0 && pthread_join(t, NULL) == 0);
}

static NOINLINE void *locks_again(void *mutex)
{
    pthread_mutex_lock(mutex);
    NO_TAIL_CALL();
    return NULL;
}

/* Of the library that the environment names, once that has been loaded. */
static void loads(void)
{
    static int (*nap)(void);
    const char *library = getenv("LIBRARY");
    struct timespec t = from_now(CLOCK_MONOTONIC, 300);
    if (!nap) {
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0)
            ;
        void *handle = library ? dlopen(library, RTLD_NOW) : NULL;
        CHECK(handle && (*(void **)&nap = dlsym(handle, "toil_nap")));
    }
    CHECK(nap());
}

/* The same, and unloaded again each time. */
static void reloads(void)
{
    int before = errno, (*nap)(void);
    const char *library = getenv("LIBRARY");
    void *handle = library ? dlopen(library, RTLD_NOW) : NULL;
    CHECK(handle && (*(void **)&nap = dlsym(handle, "toil_nap")));
    CHECK(nap());
    CHECK(dlclose(handle) == 0);
    errno = before;
    usleep(10000);
}

/* What is no library: the loader reads it, for as long as that takes, and refuses it. */
static void misloads(void)
{
    int before = errno;
    CHECK(!dlopen(getenv("LIBRARY"), RTLD_NOW));
    errno = before;
}

/* The loader's list of libraries is locked meanwhile. */
static int lingers_in_list(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)info, (void)size, (void)unused;
    while (!over)
        CHECK(poll(NULL, 0, 20) == 0);
    return 1;
}

static void lists(void) { CHECK(dl_iterate_phdr(lingers_in_list, NULL) == 1); }

static void forks(void)
{
    int status;
    pid_t child = fork();
    if (child == 0) {
        THRACE_REGION("in a child");
        thrace_task_end(thrace_task_begin("of a child"));
        thrace_log("child", "not heard");
        _exit(7);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    usleep(10000);
}

/* Until its exec the child has this process' memory, and is not this process. */
static NOINLINE pid_t vforked(void)
{
    pid_t child = vfork();
    if (child == 0) {
        int fd = open("/dev/null", O_WRONLY);
        usleep(5000); /* somebody may attach just now */
        _exit(fd >= 0 && write(fd, "x", 1) == 1 && fsync(fd) < 0 ? 7 : 8);
    }
    return child;
}

static void vforks(void)
{
    int before = errno, status;
    pid_t child = vforked();
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    errno = before; /* what its child did to it */
    usleep(3000);
}

/* For who was not there when it began. The outer region is long enough to be in it then. */
static void annotates(void)
{
    uint64_t task = thrace_task_begin("request"), before = thrace_task_adopt(task);
    thrace_region_begin("outer");
    for (int i = 0; i < 20; i++) {
        THRACE_REGION("inner");
        thrace_logf("cache", "%d found", i);
        thrace_count("rounds", i);
        usleep(1000);
    }
    thrace_region_end();
    thrace_label("labelled");
    thrace_task_adopt(before);
    thrace_task_end(task);
}

/* Nothing ends that but a kill. */
static void deadlocks(void)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
    pthread_t t;
    CHECK(pthread_mutex_lock(&one) == 0 && pthread_mutex_lock(&other) == 0);
    CHECK(pthread_create(&t, NULL, locks_again, &other) == 0);
    locks_again(&one);
}

static const struct kind {
    const char *name;
    void (*once)(void);
} kinds[] = {
    {"sleeps", sleeps},
    {"dozes", dozes},
    {"polls", polls},
    {"selects", selects},
    {"epolls", epolls},
    {"semaphores", semaphores},
    {"conditions", conditions},
    {"setuids", setuids},
    {"locks", locks},
    {"writes", writes},
    {"reads", reads},
    {"computes", computes},
    {"vectors", vectors},
    {"allocates", allocates},
    {"leaks", leaks},
    {"creates", creates},
    {"lingers", lingers},
    {"loads", loads},
    {"reloads", reloads},
    {"misloads", misloads},
    {"lists", lists},
    {"forks", forks},
    {"vforks", vforks},
    {"annotates", annotates},
    {"deadlocks", deadlocks},
};

static void *repeats(void *arg)
{
    enum { NOT_OF_ANY_CALL = 12345 };
    const struct kind *k = arg;
    while (!over) {
        errno = NOT_OF_ANY_CALL;
        k->once();
        if (errno != NOT_OF_ANY_CALL && !(k->once == semaphores && errno == ETIMEDOUT)) {
            fprintf(stderr, "%s: errno has become %d\n", k->name, errno);
            _exit(99);
        }
        pthread_mutex_lock(&counted);
        rounds++;
        pthread_mutex_unlock(&counted);
    }
    if (k->once == writes) /* who reads may wait for one more */
        k->once();
    return NULL;
}

enum { MOST = 64 };
static pthread_t threads[MOST];
static int n;
static sigset_t set;

static void *await_end(void *unused)
{
    int sig;
    (void)unused;
    puts("ready");
    fflush(stdout);
    CHECK(sigwait(&set, &sig) == 0); /* a call that would notice a stop */
    over = true;
    for (int i = 0; i < n; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    printf("done, %s\n", rounds > n ? "many rounds" : "too few rounds");
    exit(0);
}

int main(int argc, char **argv)
{
    pthread_t last;
    CHECK(pipe(ends) == 0);
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    for (int i = 1; i < argc && n < MOST; i++)
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (!strcmp(argv[i], kinds[k].name)) {
                CHECK(pthread_create(&threads[n], NULL, repeats, (void *)&kinds[k]) == 0);
                CHECK(pthread_setname_np(threads[n++], kinds[k].name) == 0 || access("/proc/self", F_OK));
            }
    CHECK(n == argc - 1);
    if (!getenv("FIRST_ENDS"))
        await_end(NULL);
    CHECK(pthread_create(&last, NULL, await_end, NULL) == 0);
    pthread_exit(NULL);
}
