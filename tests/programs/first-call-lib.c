/*
 * The library of first-call: its constructor, which the loader runs before that of what is preloaded, makes one call
 * of its program's choice. Nothing else here goes through the recorder, so that this call is the first one.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

int first_call(const char *name, int *result);
int capset(void *header, const void *data);

/* Waiting with it fails at once, because it is not locked. */
static pthread_mutex_t strict = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static pthread_t thread;
static thrd_t c11_thread;
static mtx_t c11_mutex;
static cnd_t c11_cond;
static once_flag c11_once = ONCE_FLAG_INIT;
static sem_t sem;
static cpu_set_t cpus;
static sigset_t signals;
static struct sigaction action;
static const struct timespec past = {1, 0}, moment = {0, 1000};
static _Alignas(16) char stack[16384];
static char *echo[] = {"echo", "executed", NULL}, *no_environment[] = {NULL};

/* A condition variable of before glibc 2.3.2. */
#if defined(__x86_64__)
#define OLD(ret, name, params)                                                                                         \
    ret old_##name params;                                                                                             \
    __asm__(".symver old_" #name "," #name "@GLIBC_2.2.5");
OLD(int, pthread_cond_wait, (void *, pthread_mutex_t *))
OLD(int, pthread_cond_timedwait, (void *, pthread_mutex_t *, const struct timespec *))
OLD(int, pthread_cond_signal, (void *))
OLD(int, pthread_cond_broadcast, (void *))
static void *old_cond[8];
#endif

static void *run(void *arg) { return arg; }
static int run_c11(void *arg) { return arg != NULL; }
static int leave(void *arg) { _exit(*(int *)arg); }
static void nothing(void) {}

static int clone_and_wait(void)
{
    int status = 7, pid = clone(leave, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, &status);
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define CALLS(CALL)                                                                                                    \
    CALL(pthread_create, pthread_create(&thread, NULL, run, NULL))                                                     \
    CALL(pthread_join, pthread_join(pthread_self(), NULL))                                                             \
    CALL(pthread_tryjoin_np, pthread_tryjoin_np(pthread_self(), NULL))                                                 \
    CALL(pthread_timedjoin_np, pthread_timedjoin_np(pthread_self(), NULL, &past))                                      \
    CALL(pthread_clockjoin_np, pthread_clockjoin_np(pthread_self(), NULL, CLOCK_MONOTONIC, &past))                     \
    CALL(pthread_setname_np, pthread_setname_np(pthread_self(), "first"))                                              \
    CALL(pthread_mutex_lock, pthread_mutex_lock(&mutex))                                                               \
    CALL(pthread_mutex_trylock, pthread_mutex_trylock(&mutex))                                                         \
    CALL(pthread_mutex_timedlock, pthread_mutex_timedlock(&mutex, &past))                                              \
    CALL(pthread_mutex_clocklock, pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past))                             \
    CALL(pthread_mutex_unlock, pthread_mutex_unlock(&strict))                                                          \
    CALL(pthread_rwlock_rdlock, pthread_rwlock_rdlock(&rwlock))                                                        \
    CALL(pthread_rwlock_tryrdlock, pthread_rwlock_tryrdlock(&rwlock))                                                  \
    CALL(pthread_rwlock_timedrdlock, pthread_rwlock_timedrdlock(&rwlock, &past))                                       \
    CALL(pthread_rwlock_clockrdlock, pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &past))                      \
    CALL(pthread_rwlock_wrlock, pthread_rwlock_wrlock(&rwlock))                                                        \
    CALL(pthread_rwlock_trywrlock, pthread_rwlock_trywrlock(&rwlock))                                                  \
    CALL(pthread_rwlock_timedwrlock, pthread_rwlock_timedwrlock(&rwlock, &past))                                       \
    CALL(pthread_rwlock_clockwrlock, pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &past))                      \
    CALL(pthread_cond_wait, pthread_cond_wait(&cond, &strict))                                                         \
    CALL(pthread_cond_timedwait, pthread_cond_timedwait(&cond, &strict, &past))                                        \
    CALL(pthread_cond_clockwait, pthread_cond_clockwait(&cond, &strict, CLOCK_MONOTONIC, &past))                       \
    CALL(pthread_cond_signal, pthread_cond_signal(&cond))                                                              \
    CALL(pthread_cond_broadcast, pthread_cond_broadcast(&cond))                                                        \
    CALL(pthread_barrier_init, pthread_barrier_init(&barrier, NULL, 1))                                                \
    CALL(sem_wait, sem_wait(&sem))                                                                                     \
    CALL(sem_trywait, sem_trywait(&sem))                                                                               \
    CALL(sem_timedwait, sem_timedwait(&sem, &past))                                                                    \
    CALL(sem_clockwait, sem_clockwait(&sem, CLOCK_MONOTONIC, &past))                                                   \
    CALL(sem_post, sem_post(&sem))                                                                                     \
    CALL(pthread_once, pthread_once(&once, nothing))                                                                   \
    CALL(thrd_create, thrd_create(&c11_thread, run_c11, NULL))                                                         \
    CALL(thrd_join, thrd_join(thrd_current(), NULL))                                                                   \
    CALL(thrd_sleep, thrd_sleep(&moment, NULL))                                                                        \
    CALL(thrd_yield, (thrd_yield(), 0))                                                                                \
    CALL(mtx_lock, mtx_lock(&c11_mutex))                                                                               \
    CALL(mtx_trylock, mtx_trylock(&c11_mutex))                                                                         \
    CALL(mtx_timedlock, mtx_timedlock(&c11_mutex, &past))                                                              \
    CALL(mtx_unlock, mtx_unlock((mtx_t *)&strict))                                                                     \
    CALL(cnd_wait, cnd_wait(&c11_cond, (mtx_t *)&strict))                                                              \
    CALL(cnd_timedwait, cnd_timedwait(&c11_cond, (mtx_t *)&strict, &past))                                             \
    CALL(cnd_signal, cnd_signal(&c11_cond))                                                                            \
    CALL(cnd_broadcast, cnd_broadcast(&c11_cond))                                                                      \
    CALL(call_once, (call_once(&c11_once, nothing), 0))                                                                \
    CALL(sched_yield, sched_yield())                                                                                   \
    CALL(sleep, sleep(0))                                                                                              \
    CALL(usleep, usleep(1))                                                                                            \
    CALL(nanosleep, nanosleep(&moment, NULL))                                                                          \
    CALL(clock_nanosleep, clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL))                                          \
    CALL(sigaction, sigaction(SIGUSR1, &action, NULL))                                                                 \
    CALL(pthread_sigmask, pthread_sigmask(SIG_BLOCK, &signals, NULL))                                                  \
    CALL(sigprocmask, sigprocmask(SIG_BLOCK, &signals, NULL))                                                          \
    CALL(signal, SIG_DFL == signal(SIGUSR1, SIG_IGN))                                                                  \
    CALL(sysv_signal, SIG_DFL == sysv_signal(SIGUSR1, SIG_IGN))                                                        \
    CALL(pthread_spin_lock, pthread_spin_lock(&spin))                                                                  \
    CALL(pthread_spin_trylock, pthread_spin_trylock(&spin))                                                            \
    CALL(pthread_spin_unlock, pthread_spin_unlock(&spin))                                                              \
    CALL(sched_setaffinity, sched_setaffinity(0, sizeof cpus, &cpus))                                                  \
    CALL(pthread_setaffinity_np, pthread_setaffinity_np(pthread_self(), sizeof cpus, &cpus))                           \
    CALL(execve, execve("/bin/echo", echo, no_environment))                                                            \
    CALL(execv, execv("/bin/echo", echo))                                                                              \
    CALL(execvp, execvp("/bin/echo", echo))                                                                            \
    CALL(execvpe, execvpe("/bin/echo", echo, no_environment))                                                          \
    CALL(fexecve, fexecve(-1, echo, no_environment))                                                                   \
    CALL(clone, clone_and_wait())                                                                                      \
    CALL(capset, capset(NULL, NULL))                                                                                   \
    CALL(prctl, prctl(PR_GET_DUMPABLE, 0, 0, 0, 0))                                                                    \
    CALL(syscall, 0 < syscall(SYS_getpid, 0, 0, 0, 0, 0, 0))

#if defined(__x86_64__)
#define OLD_CALLS(CALL)                                                                                                \
    CALL(old_pthread_cond_wait, old_pthread_cond_wait(old_cond, &strict))                                              \
    CALL(old_pthread_cond_timedwait, old_pthread_cond_timedwait(old_cond, &strict, &past))                             \
    CALL(old_pthread_cond_signal, old_pthread_cond_signal(old_cond))                                                   \
    CALL(old_pthread_cond_broadcast, old_pthread_cond_broadcast(old_cond))
#else
#define OLD_CALLS(CALL)
#endif

/* -1 when there is no such call; then *result is nothing, and with name NULL all names are printed. */
int first_call(const char *name, int *result)
{
#define CALL(function, call)                                                                                           \
    if (!name)                                                                                                         \
        puts(#function);                                                                                               \
    else if (!strcmp(name, #function))                                                                                 \
        return *result = (int)(call), 0;
    CALLS(CALL)
    OLD_CALLS(CALL)
    return -1;
}

int first_result = -1, first_errno;

__attribute__((constructor)) static void before_everybody(int argc, char **argv)
{
    if (argc != 2)
        return;
    sem_init(&sem, 0, 1);
    pthread_spin_init(&spin, 0);
    mtx_init(&c11_mutex, mtx_plain);
    CPU_SET(0, &cpus);
    sigaddset(&signals, SIGUSR2);
    action.sa_handler = SIG_IGN;
    first_result = -2;
    errno = 0;
    if (first_call(argv[1], &first_result))
        first_result = -3;
    first_errno = errno;
}
