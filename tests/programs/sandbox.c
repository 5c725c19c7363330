/* sandbox errno|kill: threads that work on after a filter forbids nearly every system call. Trap 35. */
#include "program.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static long sum;

static NOINLINE void *works(void *self)
{
    introduce(self);
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
    unsigned otherwise = !strcmp(argv[1], "kill") ? SECCOMP_RET_KILL_PROCESS : SECCOMP_RET_ERRNO | EPERM;
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
    CHECK(pthread_barrier_init(&barrier, NULL, 4) == 0);
    for (int i = 0; i < 3; i++)
        spawn(&t[i], works);
    for (int i = 0; i < 3; i++)
        await_asleep(&t[i]);
    CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    CHECK(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    char line[64];
    int length = snprintf(line, sizeof line, "%ld\ntrace: goroutine works 3\n", sum);
    CHECK(write(1, line, (size_t)length) == length);
    _exit(7);
}
