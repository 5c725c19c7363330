/*
 * switches WHAT: threads that lose their processor, and that block where no function of libc is called. It prints what
 * the kernel itself says of how long they could have run and did not: "delay NAME NANOSECONDS".
 *
 *   share    two threads, and main, on one CPU
 *   forks    the same, and then in a child
 *   crowd    four threads on one CPU
 *   killed   two that never end on one CPU, until the process kills itself
 *   unseen   a thread sleeps by an instruction of its own
 *   short    thousands of threads that end at once, while main looks whether its descriptors keep their numbers:
 *            "short THREADS, OTHER NUMBERS"
 *   moves    a thread goes to another CPU and back, and one stays; "moves NUMBER", or nothing where there is one CPU
 */
#include "program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>

enum { SHARE_MS = 150, NAPS = 5, NAP_MS = 20, TRIPS = 6, SHORT = 10000 };

static pthread_barrier_t barrier;

static void use_one_cpu(void)
{
    cpu_set_t may, one;
    CHECK(sched_getaffinity(0, sizeof may, &may) == 0);
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &may))
            CPU_SET(cpu, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
}

/* The last thing that a thread does, when no other one computes any more: what comes then is not in it. */
static unsigned long long own_delay(void)
{
    char text[128] = "";
    unsigned long long ran, delay = 0;
    int fd = open("/proc/thread-self/schedstat", O_RDONLY);
    if (fd < 0 || read(fd, text, sizeof text - 1) < 0 || sscanf(text, "%llu %llu", &ran, &delay) != 2)
        return 0;
    close(fd);
    return delay;
}

static unsigned long long delay_of_a, delay_of_b;

static NOINLINE void *shares_a(void *self)
{
    introduce(self);
    pthread_barrier_wait(&barrier);
    compute_for(SHARE_MS);
    pthread_barrier_wait(&barrier);
    delay_of_a = own_delay();
    return NULL;
}

static NOINLINE void *shares_b(void *self)
{
    introduce(self);
    pthread_barrier_wait(&barrier);
    compute_for(SHARE_MS);
    pthread_barrier_wait(&barrier);
    delay_of_b = own_delay();
    return NULL;
}

static void share(void)
{
    struct thread t[2];
    CHECK(pthread_barrier_init(&barrier, NULL, 2) == 0);
    spawn(&t[0], shares_a);
    spawn(&t[1], shares_b);
    for (int i = 0; i < 2; i++)
        join(&t[i]);
    if (delay_of_a && delay_of_b)
        printf("delay shares_a %llu\ndelay shares_b %llu\n", delay_of_a, delay_of_b);
    fflush(stdout);
}

static NOINLINE void *crowds(void *self)
{
    introduce(self);
    pthread_barrier_wait(&barrier);
    compute_for(SHARE_MS);
    return NULL;
}

static void crowd(void)
{
    struct thread t[4];
    CHECK(pthread_barrier_init(&barrier, NULL, 4) == 0);
    for (int i = 0; i < 4; i++)
        spawn(&t[i], crowds);
    for (int i = 0; i < 4; i++)
        join(&t[i]);
}

static void share_in_child(void)
{
    pid_t child = fork();
    int status;
    CHECK(child >= 0);
    if (child == 0) {
        share();
        exit(0);
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static NOINLINE void *never_ends(void *self)
{
    introduce(self);
    pthread_barrier_wait(&barrier);
    for (;;)
        compute_for(1);
    return NULL;
}

static void be_killed(void)
{
    struct thread t[2];
    CHECK(pthread_barrier_init(&barrier, NULL, 3) == 0);
    for (int i = 0; i < 2; i++)
        spawn(&t[i], never_ends);
    pthread_barrier_wait(&barrier);
    compute_for(SHARE_MS);
    kill(getpid(), SIGKILL);
}

static NOINLINE void *ends_at_once(void *arg)
{
    return arg;
}

static int all_short_ended;

static NOINLINE void *makes_short_ones(void *self)
{
    pthread_t t;
    introduce(self);
    for (int i = 0; i < SHORT; i++)
        CHECK(pthread_create(&t, NULL, ends_at_once, NULL) == 0 && pthread_join(t, NULL) == 0);
    __atomic_store_n(&all_short_ended, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void keep_numbers(void)
{
    struct thread t;
    int others = 0, number = dup(STDOUT_FILENO);
    close(number);
    spawn(&t, makes_short_ones);
    while (!__atomic_load_n(&all_short_ended, __ATOMIC_ACQUIRE)) {
        int fd = dup(STDOUT_FILENO);
        others += fd != number;
        close(fd);
    }
    join(&t);
    printf("short %d, %d\n", SHORT, others);
}

static void nap_by_instruction(const struct timespec *time)
{
#if defined(__x86_64__)
    long ret = SYS_nanosleep;
    __asm__ volatile("syscall" : "+a"(ret) : "D"(time), "S"(0) : "rcx", "r11", "memory");
#else
    register long x8 __asm__("x8") = SYS_nanosleep;
    register long x0 __asm__("x0") = (long)time;
    register long x1 __asm__("x1") = 0;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
#endif
}

static NOINLINE void *naps_unseen(void *self)
{
    static const struct timespec nap = {0, NAP_MS * 1000000};
    introduce(self);
    for (int i = 0; i < NAPS; i++)
        nap_by_instruction(&nap);
    return NULL;
}

static int two_cpus[2], ncpus;

static void find_two_cpus(void)
{
    cpu_set_t may;
    CHECK(sched_getaffinity(0, sizeof may, &may) == 0);
    for (int cpu = 0; cpu < CPU_SETSIZE && ncpus < 2; cpu++)
        if (CPU_ISSET(cpu, &may))
            two_cpus[ncpus++] = cpu;
}

static void go_to(int cpu)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    CHECK(sched_setaffinity(0, sizeof one, &one) == 0);
}

/* It begins on the first CPU, as the process does. */
static NOINLINE void *travels(void *self)
{
    introduce(self);
    for (int i = 0; i < TRIPS; i++) {
        go_to(two_cpus[1]);
        compute_for(1);
        go_to(two_cpus[0]);
        compute_for(1);
    }
    return NULL;
}

static NOINLINE void *stays(void *self)
{
    introduce(self);
    for (int i = 0; i < TRIPS; i++)
        compute_for(2);
    return NULL;
}

static void move(void)
{
    struct thread t[2];
    spawn(&t[0], travels);
    spawn(&t[1], stays);
    for (int i = 0; i < 2; i++)
        join(&t[i]);
    if (ncpus == 2)
        printf("moves %d\n", 2 * TRIPS);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "share";
    struct thread t;
    find_two_cpus();
    if (strcmp(what, "short"))
        use_one_cpu();
    if (!strcmp(what, "unseen")) {
        spawn(&t, naps_unseen);
        join(&t);
    } else if (!strcmp(what, "moves") && ncpus == 2) {
        move();
    } else if (!strcmp(what, "crowd")) {
        crowd();
    } else if (!strcmp(what, "short")) {
        keep_numbers();
    } else if (!strcmp(what, "killed")) {
        be_killed();
    } else {
        share();
    }
    if (!strcmp(what, "forks"))
        share_in_child();
    return 0;
}
