#include "preload/session/finisher.h"

#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "preload/held_signals.h"
#include "preload/recorder.h"
#include "preload/say.h"
#include "preload/session/state.h"
#include "preload/valgrind.h"

static char thrace_path[SPOOL_PATH_MAX];

/* The command lies where it was installed, or beside the library in a build tree. */
static int find_self(struct dl_phdr_info *info, size_t size, void *arg)
{
    uintptr_t here = (uintptr_t)&find_self;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t lo = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && here >= lo && here < lo + info->dlpi_phdr[i].p_memsz) {
            strncpy(thrace_path, info->dlpi_name, sizeof thrace_path - 32);
            return 1;
        }
    }
    return 0;
}

/* Where the library is installed, thrace is also the name of its folder. */
static bool is_program(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISREG(st.st_mode) && (st.st_mode & S_IXUSR);
}

static const char *find_thrace(void)
{
    static const char *const beside[] = {"/../thrace", "/../../bin/thrace"};
    dl_iterate_phdr(find_self, NULL);
    char *slash = strrchr(thrace_path, '/');
    for (int i = 0; slash && i < 2; i++) {
        strcpy(slash, beside[i]);
        if (is_program(thrace_path))
            return thrace_path;
    }
    return THRACE_BINDIR "/thrace";
}

/*
 * `thrace finish` is our grandchild, so that the program sees no child of its own come and go. Execution gives a child
 * back its SIGCHLD; the child in between does not execute: made by clone without an exit signal, it gives none, and no
 * wait of the program's other threads can take it, only ours with __WCLONE. Both borrow our memory. All signals are
 * blocked in the one in between: a handler of the program must not run there.
 */
struct finisher {
    const char **argv;
    char **envp;
    uint64_t signals; /* to be blocked in the program that is executed */
};

/* Of the one that is executed, which has descriptors of its own. */
static void say_to_nobody(void)
{
    long fd = raw_syscall(SYS_openat, AT_FDCWD, (long)"/dev/null", O_WRONLY, 0, 0, 0);
    if (sys_failed(fd))
        raw_syscall(SYS_close, 2, 0, 0, 0, 0, 0);
    else
        raw_syscall(SYS_dup3, fd, 2, 0, 0, 0, 0);
}

static int execute_finish(void *arg)
{
    const struct finisher *f = arg;
    char *clean[512];
    int n = 0;
    for (char **e = f->envp; e && *e && n < 511; e++)
        if (strncmp(*e, "LD_PRELOAD=", 11) && (strncmp(*e, "THRACE_", 7) || !strncmp(*e, "THRACE_SYMBOL_CACHE=", 20)))
            clean[n++] = *e;
    clean[n] = NULL;
    raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&f->signals, 0, sizeof f->signals, 0, 0);
    if (says_nothing_aloud())
        say_to_nobody();
    if (clock_is_forbidden) /* to the program, which would hand that down over the exec */
        raw_syscall(SYS_prctl, PR_SET_TSC, PR_TSC_ENABLE, 0, 0, 0, 0);
    raw_syscall(SYS_execve, (long)f->argv[0], (long)f->argv, (long)clean, 0, 0, 0);
    raw_syscall(SYS_exit_group, 127, 0, 0, 0, 0, 0);
    return 0;
}

static int wait_for(int pid, int flags)
{
    int status = -1;
    while (raw_syscall(SYS_wait4, pid, (long)&status, flags, 0, 0, 0) == -EINTR)
        ;
    return status;
}

static int stand_between(void *arg)
{
    static char stack[16384] __attribute__((aligned(16)));
    const struct kernel_sigaction dfl = {.handler = SIG_DFL}; /* so that the grandchild is ours to wait for */
    signal_action(SIGCHLD, &dfl, NULL);
    int pid = clone(execute_finish, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, arg);
    int status = pid < 0 ? -1 : wait_for(pid, 0);
    raw_syscall(SYS_exit_group, WIFEXITED(status) ? WEXITSTATUS(status) : 127, 0, 0, 0, 0, 0);
    return 0;
}

static bool run(const char **argv, char **envp)
{
    static char stack[16384] __attribute__((aligned(16)));
    struct finisher f = {argv, envp, 0};
    uint64_t all = ~signals_unhandled();
    raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&f.signals, sizeof all, 0, 0);
    int pid = clone(stand_between, stack + sizeof stack, CLONE_VM, &f);
    int status = pid < 0 ? -1 : wait_for(pid, (int)__WCLONE);
    raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&f.signals, 0, sizeof f.signals, 0, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* So many spools go to one command. */
enum { SPOOLS_AT_ONCE = 16 };

struct job {
    const char *argv[3 + SPOOLS_AT_ONCE + 1];
    char paths[SPOOLS_AT_ONCE][SPOOL_PATH_MAX];
    int n;
    char **envp;
    bool failed;
};

static void run_job(struct job *job)
{
    job->argv[3 + job->n] = NULL;
    if (job->n && !run(job->argv, job->envp))
        job->failed = true;
    job->n = 0;
}

static void add_spool(void *arg, const char *path)
{
    struct job *job = arg;
    strcpy(job->paths[job->n], path);
    job->argv[3 + job->n] = job->paths[job->n];
    if (++job->n == SPOOLS_AT_ONCE)
        run_job(job);
}

/* --- what it did not finish --------------------------------------------------------------------------------------- */

static bool forbidden, left_to_others;

/* Paths do not lead there from here. */
static bool is_elsewhere(void)
{
    uint64_t root = session_root();
    return root && session.root && root != session.root;
}

struct left {
    char list[SPOOL_PATH_MAX];
    size_t len;
    bool more;
};

/* One that certainly is not there was finished all the same. */
static void add_left(void *arg, const char *path)
{
    static const char more[] = " and more";
    struct left *left = arg;
    size_t len = strlen(path);
    long err = raw_syscall(SYS_faccessat, AT_FDCWD, (long)path, 0, 0, 0, 0);
    if (err == -ENOENT || left->more)
        return;
    left->more = left->len + len + sizeof more + 1 > sizeof left->list;
    if (!left->more && left->len)
        left->list[left->len++] = ' ';
    memcpy(left->list + left->len, left->more ? more : path, left->more ? sizeof more - 1 : len);
    left->len += left->more ? sizeof more - 1 : len;
}

void say_unfinished(void)
{
    static const char line[] = "the trace is not finished yet; this finishes it: thrace finish ";
    static struct left left;
    if (forbidden || is_elsewhere()) {
        say(line, session_spool());
        return;
    }
    session_each_spool(add_left, &left);
    if (left.len)
        say(line, left.list);
}

/* ------------------------------------------------------------------------------------------------------------------ */

void forbid_finisher(void) { forbidden = true; }
void leave_to_others(bool leave) { left_to_others = leave; }

bool run_finisher(char **envp)
{
    static struct job job;
    if (left_to_others)
        return true;
    if (forbidden || is_under_valgrind() || is_elsewhere())
        return false;
    job.argv[0] = find_thrace();
    job.argv[1] = "finish";
    job.argv[2] = "-iq"; /* thrace stop may finish what it stopped, at the same time */
    job.envp = envp;
    session_each_spool(add_spool, &job);
    run_job(&job);
    return !job.failed;
}
