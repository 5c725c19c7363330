/*
 * torture SECONDS LIBRARY: a thread each loads and unloads libraries, forks, makes threads, throws exceptions, jumps
 * out of signal handlers, allocates, switches stacks and computes, as fast as it can. Each has to make progress: when
 * one makes none for half a minute, something holds a lock for ever, and the program ends itself.
 */
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                              \
            _exit(99);                                                                                                 \
        }                                                                                                              \
    } while (0)

static const char *library;
static bool over;

static void compute(int n)
{
    for (volatile int i = 0; i < n; i = i + 1)
        ;
}

static void load_and_unload()
{
    const char *const others[] = {library, "libresolv.so.2", "libanl.so.1", "libBrokenLocale.so.1"};
    for (const char *name : others) {
        void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        CHECK(handle || name != library);
        compute(1000);
        if (handle)
            dlclose(handle);
    }
}

static void fork_and_wait()
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        free(malloc(100));
        compute(10000);
        _exit(7);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

static void *live_shortly(void *arg)
{
    compute(20000);
    free(malloc(1000));
    return arg;
}

static void make_threads()
{
    pthread_t t[4];
    int n = 0;
    while (n < 4 && !pthread_create(&t[n], nullptr, live_shortly, nullptr))
        n++;
    while (n--)
        pthread_join(t[n], nullptr);
}

struct Witness {
    int *count;
    ~Witness() { ++*count; }
};

static NOINLINE int descend(int depth, int *count)
{
    Witness w{count};
    if (!depth)
        throw std::runtime_error(std::string("the bottom is reached, and this does not fit a small string"));
    return descend(depth - 1, count) + 1;
}

static void throw_and_catch()
{
    for (int depth = 1; depth < 40; depth += 3) {
        int count = 0;
        try {
            descend(depth, &count);
            CHECK(false);
        } catch (const std::exception &e) {
            CHECK(count == depth + 1 && strlen(e.what()) > 20);
        }
    }
}

static thread_local sigjmp_buf back;
static thread_local volatile sig_atomic_t may_jump;

static void jump(int)
{
    if (may_jump)
        siglongjmp(back, 1);
}

static void be_jumped_out_of()
{
    for (int i = 0; i < 50; i++) {
        if (!sigsetjmp(back, 1)) {
            may_jump = 1;
            pthread_kill(pthread_self(), SIGUSR1);
            CHECK(false);
        }
        may_jump = 0;
        compute(1000);
    }
}

static void allocate()
{
    void *p[64] = {};
    for (int i = 0; i < 2000; i++) {
        void *&q = p[i * 7 % 64];
        q = i % 3 ? realloc(q, static_cast<size_t>(i % 500 + 1) * 16) : (free(q), malloc(static_cast<size_t>(i)));
    }
    for (void *q : p)
        free(q);
}

static thread_local ucontext_t outside, inside;

static void on_other_stack()
{
    compute(10000);
    swapcontext(&inside, &outside);
    compute(10000);
}

static void switch_stacks()
{
    enum { SIZE = 64 << 10 };
    char *stack = static_cast<char *>(malloc(SIZE));
    getcontext(&inside);
    inside.uc_stack.ss_sp = stack;
    inside.uc_stack.ss_size = SIZE;
    inside.uc_link = &outside;
    makecontext(&inside, on_other_stack, 0);
    swapcontext(&outside, &inside);
    swapcontext(&outside, &inside);
    free(stack);
}

static void just_compute() { compute(1000000); }

static struct {
    void (*torment)();
    const char *name;
    unsigned long rounds;
} workers[] = {{load_and_unload, "dlopen", 0}, {fork_and_wait, "fork", 0},     {make_threads, "pthread_create", 0},
               {throw_and_catch, "throw", 0},  {be_jumped_out_of, "siglongjmp", 0}, {allocate, "malloc", 0},
               {switch_stacks, "swapcontext", 0}, {just_compute, "compute", 0}};
enum { WORKERS = sizeof workers / sizeof workers[0], PATIENCE = 60 };

static void *work(void *arg)
{
    auto *w = static_cast<decltype(&workers[0])>(arg);
    do { /* once at least, however late it comes to it */
        w->torment();
        __atomic_fetch_add(&w->rounds, 1, __ATOMIC_RELAXED);
    } while (!__atomic_load_n(&over, __ATOMIC_RELAXED));
    return nullptr;
}

static void watch(int seconds)
{
    unsigned long before[WORKERS] = {};
    int stuck[WORKERS] = {};
    for (int s = 0; s < seconds; s++) {
        sleep(1);
        for (int i = 0; i < WORKERS; i++) {
            unsigned long now = __atomic_load_n(&workers[i].rounds, __ATOMIC_RELAXED);
            stuck[i] = now == before[i] ? stuck[i] + 1 : 0;
            before[i] = now;
            if (stuck[i] == PATIENCE) {
                fprintf(stderr, "%s is stuck after %lu rounds\n", workers[i].name, now);
                abort();
            }
        }
    }
}

int main(int argc, char **argv)
{
    pthread_t t[WORKERS];
    CHECK(argc == 3);
    library = argv[2];
    signal(SIGUSR1, jump);
    for (int i = 0; i < WORKERS; i++)
        CHECK(!pthread_create(&t[i], nullptr, work, &workers[i]));
    watch(atoi(argv[1]));
    __atomic_store_n(&over, true, __ATOMIC_RELAXED);
    for (int i = 0; i < WORKERS; i++)
        CHECK(!pthread_join(t[i], nullptr));
    for (int i = 0; i < WORKERS; i++)
        CHECK(workers[i].rounds);
    if (getenv("TORTURE_VERBOSE"))
        for (auto &w : workers)
            fprintf(stderr, "%s: %lu\n", w.name, w.rounds);
    return 0;
}
