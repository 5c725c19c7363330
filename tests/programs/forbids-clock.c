/*
 * A thread gives up the processor's counter (PR_SET_TSC), which clocks read, and goes on with all that is otherwise
 * recorded: calls, waits, threads, memory, children, other programs. Trap 56. Or it allows itself the counter; or
 * forbids itself nearly all system calls, too, and uses a lock.
 */
#include "program.h"

#include <linux/seccomp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static void forbid(const char *how)
{
    if (!strcmp(how, "syscall"))
        CHECK(syscall(SYS_prctl, PR_SET_TSC, PR_TSC_SIGSEGV, 0, 0, 0) == 0);
    else
        CHECK(prctl(PR_SET_TSC, strcmp(how, "allow") ? PR_TSC_SIGSEGV : PR_TSC_ENABLE) == 0);
}

static void forbid_system_calls(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0);
    CHECK(pthread_mutex_lock(&lock) == 0 && pthread_mutex_unlock(&lock) == 0);
    syscall(SYS_exit, 0);
}

static void handler(int sig)
{
    (void)sig;
    forbid("prctl");
}

/* In the middle of a wait that is recorded. */
static void forbid_in_a_handler(void)
{
    sigset_t set, old;
    signal(SIGALRM, handler);
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    sigprocmask(SIG_BLOCK, &set, &old);
    alarm(1);
    sigsuspend(&old);
}

static void *work(void *self)
{
    introduce(self);
    for (int i = 0; i < 2000; i++) {
        char *p = malloc((size_t)(i % 50) * 1000 + 1);
        CHECK(p);
        p[0] = 1;
        free(p);
    }
    for (int i = 0; i < 20; i++)
        usleep(100);
    return NULL;
}

static void compute(void)
{
    for (volatile int i = 0; i < 100000000; i++)
        ;
}

static void child(void)
{
    pid_t pid = fork();
    CHECK(pid >= 0);
    if (!pid) {
        struct thread t;
        spawn(&t, work);
        join(&t);
        exit(3);
    }
    int status;
    CHECK(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 3);
}

int main(int argc, char **argv)
{
    struct thread t;
    CHECK(argc >= 2);
    spawn(&t, work);
    join(&t);
    if (!strcmp(argv[1], "already")) {
        puts("still alive, after exec");
        return 0;
    }
    if (!strcmp(argv[1], "handler"))
        forbid_in_a_handler();
    else
        forbid(argv[1]);
    spawn(&t, work);
    work(&(struct thread){0});
    compute();
    join(&t);
    child();
    CHECK(prctl(PR_SET_NAME, "renamed") == 0);
    puts("still alive");
    fflush(NULL);
    if (!strcmp(argv[1], "strict"))
        forbid_system_calls();
    if (!strcmp(argv[1], "exec"))
        execl(argv[0], argv[0], "already", (char *)NULL);
    return 0;
}
