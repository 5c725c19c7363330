/*
 * sandbox errno|kill|reads: threads that work on after a filter forbids nearly every system call; or that read a file
 * meanwhile, so that it comes in the middle of their calls, and kills. Trap 35.
 */
#include "program.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static long sum;
static int file;
static int reads, installed;

static void read_until_it_is_installed(void)
{
    char byte;
    __atomic_add_fetch(&reads, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&installed, __ATOMIC_ACQUIRE))
        if (read(file, &byte, 1) != 1)
            _exit(1);
}

static NOINLINE void *works(void *self)
{
    introduce(self);
    if (file)
        read_until_it_is_installed();
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 20000; i++) {
        pthread_mutex_lock(&lock);
        sum++;
        pthread_mutex_unlock(&lock);
    }
    pthread_barrier_wait(&barrier);
    syscall(SYS_exit, 0); /* glibc's own way out unmaps and advises */
    return NULL;
}

#define ALLOW(name) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    unsigned otherwise = strcmp(argv[1], "errno") != 0 ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(read),
        ALLOW(write),
        ALLOW(exit),
        ALLOW(exit_group),
        ALLOW(futex),
        ALLOW(rt_sigreturn),
        BPF_STMT(BPF_RET | BPF_K, otherwise),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    struct thread t[3];
    if (!strcmp(argv[1], "reads"))
        CHECK((file = open("/dev/zero", O_RDONLY)) > 0);
    CHECK(pthread_barrier_init(&barrier, NULL, 4) == 0);
    for (int i = 0; i < 3; i++)
        spawn(&t[i], works);
    while (file && __atomic_load_n(&reads, __ATOMIC_ACQUIRE) < 3)
        sched_yield();
    for (int i = 0; i < 3 && !file; i++)
        await_asleep(&t[i]);
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0);
    __atomic_store_n(&installed, 1, __ATOMIC_RELEASE);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    char line[64];
    int length = snprintf(line, sizeof line, "%ld\ntrace: goroutine works 3\n", sum);
    CHECK(write(1, line, (size_t)length) == length);
    _exit(7);
}
