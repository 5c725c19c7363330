/*
 * Runs one program of the gauntlet.
 *
 * guard row SECONDS USER COMMAND…: with no network but loopback, where that is permitted, as USER where root says so
 * ("-": as it is), and for SECONDS at most. Afterwards whatever it started and left is gone, daemons included. The exit
 * status is the command's, 128 + the signal that ended it, or 124 when the time was over.
 *
 * guard program FILE [--shim SHIM TRACE] COMMAND…: as `thrace record` would run it, but without its work at the end; with SHIM
 * it is recorded. The CPU time of it and of its children, in seconds, is appended to FILE. It ends as the command does.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <net/if.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TIME_IS_OVER = 124, CANNOT = 125, NOT_EXECUTED = 127 };

static int usage(void)
{
    fputs("usage: guard row SECONDS USER COMMAND…\n"
          "       guard program FILE [--shim SHIM TRACE] COMMAND…\n",
          stderr);
    return CANNOT;
}

static void execute(char **argv)
{
    execvp(argv[0], argv);
    fprintf(stderr, "guard: %s: %s\n", argv[0], strerror(errno));
    _exit(NOT_EXECUTED);
}

/* --- row ---------------------------------------------------------------------------------------------------------- */

static void loopback_only(void)
{
    if (unshare(CLONE_NEWNET))
        return;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct ifreq lo = {.ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING};
    if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &lo))
        fprintf(stderr, "guard: no loopback device: %s\n", strerror(errno));
    if (fd >= 0)
        close(fd);
}

static void become(const char *user)
{
    if (!strcmp(user, "-") || geteuid())
        return;
    const struct passwd *p = getpwnam(user);
    if (!p || setgroups(1, &p->pw_gid) || setgid(p->pw_gid) || setuid(p->pw_uid)) {
        fprintf(stderr, "guard: cannot become %s: %s\n", user, strerror(errno));
        _exit(CANNOT);
    }
}

/* Calls itself for the children of children; those that lost their parent are ours, this being their subreaper. */
static int kill_children(pid_t pid)
{
    char path[64];
    pid_t child;
    int n = 0;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)pid, (long)pid);
    FILE *f = fopen(path, "re");
    while (f && fscanf(f, "%d", &child) == 1) {
        n += 1 + kill_children(child);
        kill(child, SIGKILL);
    }
    if (f)
        fclose(f);
    return n;
}

static void clean_up(void)
{
    while (kill_children(getpid()))
        while (waitpid(-1, NULL, WNOHANG) > 0)
            ;
}

static volatile sig_atomic_t asked_to_end;
static void note(int sig) { asked_to_end = sig; }

static int row(unsigned seconds, const char *user, char **argv)
{
    const struct sigaction wake = {.sa_handler = note};
    static const int ends[] = {SIGALRM, SIGINT, SIGTERM, SIGHUP};
    int status = 0;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        sigaction(ends[i], &wake, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    loopback_only();
    pid_t pid = fork();
    if (!pid) {
        setsid();
        become(user);
        execute(argv);
    }
    /* Once more each second: the first one may come just before waitpid. */
    const struct itimerval limit = {.it_value.tv_sec = seconds, .it_interval.tv_sec = 1};
    setitimer(ITIMER_REAL, &limit, NULL);
    for (;;) {
        pid_t gone = waitpid(-1, &status, 0);
        if (gone == pid || (gone < 0 && (errno != EINTR || asked_to_end)))
            break;
    }
    setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
    clean_up();
    if (asked_to_end)
        return asked_to_end == SIGALRM ? TIME_IS_OVER : 128 + asked_to_end;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* --- program ------------------------------------------------------------------------------------------------------ */

static void preload(const char *shim, const char *trace)
{
    char pid[32], libraries[8192];
    const char *before = getenv("LD_PRELOAD");
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    snprintf(libraries, sizeof libraries, "%s%s%s", shim, before ? ":" : "", before ? before : "");
    setenv("LD_PRELOAD", libraries, 1);
    setenv("THRACE_OUT", trace, 1);
    setenv("THRACE_LAUNCHER", pid, 1);
}

static int program(const char *path, char **argv)
{
    const char *shim = NULL, *trace = NULL;
    if (!strcmp(argv[0], "--shim")) {
        if (!argv[1] || !argv[2] || !argv[3])
            return usage();
        shim = argv[1];
        trace = argv[2];
        argv += 3;
    }
    pid_t pid = fork();
    if (!pid) {
        if (shim)
            preload(shim, trace);
        execute(argv);
    }
    struct rusage use;
    int status;
    if (pid < 0 || wait4(pid, &status, 0, &use) != pid)
        return CANNOT;
    FILE *f = fopen(path, "ae");
    if (f) {
        fprintf(f, "%.6f\n",
                (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
                    (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6);
        fclose(f);
    }
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    if (argc >= 5 && !strcmp(argv[1], "row"))
        return row((unsigned)atoi(argv[2]), argv[3], argv + 4);
    if (argc >= 4 && !strcmp(argv[1], "program"))
        return program(argv[2], argv + 3);
    return usage();
}
