/* thrace record: starts a program with the shim, waits for it, and makes the trace of what it left. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/finish.h"
#include "cmd/input.h"
#include "cmd/left_spools.h"
#include "cmd/stat.h"
#include "cmd/target.h"
#include "gotrace/validate.h"

/* What the command itself ends with when it cannot record; the program's own status is passed on otherwise. */
enum { CANNOT_RECORD = 125, STAT_LINES = 10 };

/* What to do with a trace once it is there. */
struct afterwards {
    bool check, stat;
};

static void usage(FILE *to)
{
    fputs("usage: thrace record [OPTION…] [--] COMMAND [ARGUMENT…]\n"
          "Runs the command and records what its threads do. Its exit status is passed on; 125: it was not\n"
          "started because it cannot be recorded, 126: it is not executable, 127: it was not found.\n"
          "  -o FILE        the trace (default: COMMAND.PID.trace)\n"
          "  --cpu-hz N     CPU samples in a second of a thread's CPU time: 0 to 10000 (default: 99)\n"
          "  --wrap CLASSES what to record: sync,sleep,io,net,poll,file,mem,proc,ipc,stdio,heap (default:\n"
          "                 all); -mem,-file: all but these\n"
          "  --heap-sample BYTES  a heap profile beside the trace: one block in so many bytes, such as 512K\n"
          "  --heap-events  every allocation and every free as an event of an experiment; the trace is 1.23 at least\n"
          "  --min-call TIME  only count system calls that are shorter, such as 10us\n"
          "  --start WHEN   now (default), off, delay:2s, signal:USR2\n"
          "  --stop WHEN    after:10s, signal:USR2, size:64M, or several with commas between\n"
          "  --control      let thrace start, stop, status and snapshot talk to the program\n"
          "  --flight-recorder KEEP  keep only the last 10s, 64M, or 10s,64M, and write that …\n"
          "  --snapshot WHEN         … on signal:USR2, after a wait:100ms, at exit, or several with commas between\n"
          "  --follow       record its child processes, too, each in a file of its own\n"
          "  --stat         say on stderr where the time went: the first lines of thrace stat FILE\n"
          "  --no-validate  do not check the trace afterwards\n",
          to);
}

/* Options that are environment variables of the library; it says what is wrong with a value. */
static const struct {
    int option;
    const char *variable;
} variables[] = {
    {'w', "THRACE_WRAP"},
    {'m', "THRACE_MIN_CALL"},
    {'H', "THRACE_HEAP_SAMPLE"},
    {'E', "THRACE_HEAP_EVENTS"},
    {'b', "THRACE_START"},
    {'e', "THRACE_STOP"},
    {'k', "THRACE_CONTROL"},
    {'F', "THRACE_FLIGHT_RECORDER"},
    {'S', "THRACE_SNAPSHOT"},
    {'f', "THRACE_FOLLOW"},
};
enum { NVARIABLES = sizeof variables / sizeof variables[0] };

static bool set_variable(int option, const char *value)
{
    for (int i = 0; i < NVARIABLES; i++)
        if (variables[i].option == option)
            return !setenv(variables[i].variable, value ? value : "1", 1);
    return false;
}

/* --- the program -------------------------------------------------------------------------------------------------- */

static volatile pid_t child;
static pid_t launched; /* what child was */

/* A signal from the terminal reaches the program without us. */
static void pass_on(int sig, siginfo_t *info, void *context)
{
    if (child > 0 && info->si_code <= 0)
        kill(child, sig);
}

static const int passed[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCONT};
enum { NPASSED = sizeof passed / sizeof passed[0] };

static void handle_signals(struct sigaction *old)
{
    struct sigaction sa = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
    for (int i = 0; i < NPASSED; i++)
        sigaction(passed[i], &sa, &old[i]);
}

static void set_environment(const char *library, const char *out)
{
    char pid[32];
    const char *before = getenv("LD_PRELOAD");
    char preload[2 * PATH_MAX];
    snprintf(preload, sizeof preload, "%s%s%s", library, before && *before ? ":" : "", before ? before : "");
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    setenv("LD_PRELOAD", preload, 1);
    setenv("THRACE_OUT", out, 1);
    setenv("THRACE_LAUNCHER", pid, 1);
}

static char kept[PATH_MAX + 96];

/* The program has ended and its trace is being made: that can be stopped and done later. */
static void give_up(int sig)
{
    if (write(STDERR_FILENO, kept, strlen(kept)) < 0)
        _exit(128 + sig);
    signal(sig, SIG_DFL);
    raise(sig);
}

static void let_go_on_signals(const char *out)
{
    snprintf(kept, sizeof kept, "thrace: stopped; the recording is kept: thrace finish %s.spool\n", out);
    for (int i = 0; i < NPASSED; i++)
        if (passed[i] != SIGCONT)
            signal(passed[i], give_up);
}

/* Starts argv; returns its wait status, or -1 with errno when it could not be executed. */
static int run(const struct target *t, char **argv, const char *library, const char *out)
{
    struct sigaction old[NPASSED];
    int pipefd[2], status, err = 0;
    if (pipe2(pipefd, O_CLOEXEC))
        return -1;
    handle_signals(old);
    pid_t pid = fork();
    if (!pid) {
        for (int i = 0; i < NPASSED; i++)
            sigaction(passed[i], &old[i], NULL);
        if (library)
            set_environment(library, out);
        execv(t->path, argv);
        err = errno;
        if (write(pipefd[1], &err, sizeof err) != sizeof err)
            _exit(127);
        _exit(126);
    }
    child = launched = pid;
    close(pipefd[1]);
    if (pid < 0)
        err = errno;
    else if (read(pipefd[0], &err, sizeof err) != sizeof err)
        err = 0;
    close(pipefd[0]);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    child = 0;
    let_go_on_signals(out);
    errno = err;
    return err ? -1 : status;
}

/* Ends as the program ended. */
static int end_like(int status)
{
    if (!WIFSIGNALED(status))
        return WEXITSTATUS(status);
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    signal(WTERMSIG(status), SIG_DFL);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, WTERMSIG(status));
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    raise(WTERMSIG(status));
    return 128 + WTERMSIG(status);
}

/* --- the trace ---------------------------------------------------------------------------------------------------- */

static bool can_create(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    close(fd);
    unlink(path);
    return true;
}

/*
 * The spool is the program's to make; this finds out beforehand whether it can. Where a pattern leads is not known yet.
 */
static bool can_record_to(const char *out)
{
    char path[PATH_MAX];
    struct stat st;
    const char *slash = strrchr(out, '/');
    bool pattern = strchr(slash, '%');
    int n = pattern ? snprintf(path, sizeof path, "%.*s/.thrace.%ld", (int)(slash - out), out, (long)getpid())
                    : snprintf(path, sizeof path, "%s.spool", out);
    if (!pattern && !stat(out, &st) && S_ISDIR(st.st_mode)) {
        complain("record", "%s: is a directory", out);
        return false;
    }
    if (n < 0 || (size_t)n >= sizeof path) {
        complain("record", "%s: the path is too long", out);
        return false;
    }
    if (can_create(path))
        return true;
    if (errno == EEXIST)
        complain("record", "%s is in use, or left over: thrace finish %s makes a trace of it", path, path);
    else
        complain("record", "%s: %s", out, strerror(errno));
    return false;
}

static void tell_violation(void *path, const struct gotrace_error *violation) { print_error(stderr, path, violation); }

static bool is_valid(char *path)
{
    struct gotrace_summary sum;
    struct gotrace_reader *r = open_input("record", path);
    bool ok = r && gotrace_validate(r, tell_violation, path, &sum) && !sum.violations;
    gotrace_reader_free(r);
    return ok;
}

/* The program may have executed others, recorded several sessions, and have had children that were recorded, too. */
static void finish_all(const char *out, uint64_t since_ns, struct afterwards then)
{
    struct left_spools left;
    left_spools_find(&left, out, (uint32_t)launched, since_ns);
    char unborn[PATH_MAX + 8];
    snprintf(unborn, sizeof unborn, "%s.spool", out);
    if (!left.n && !access(unborn, F_OK)) { /* killed before it was one: that is said, and it is removed */
        struct finish_summary sum;
        finish_spool("record", unborn, NULL, false, &sum);
    }
    for (size_t i = 0; i < left.n; i++) {
        struct finish_summary sum;
        bool quiet = i + 1 < left.n; /* advice about debug info once, for what was run in the end */
        if (finish_spool("record", left.v[i].path, NULL, quiet, &sum) || sum.nothing || sum.elsewhere)
            continue;
        finish_report(&sum);
        if (then.stat)
            stat_head("record", sum.path, stderr, STAT_LINES);
        if (then.check && !is_valid(sum.path))
            complain("record", "%s: the trace breaks the rules above; this is a bug of thrace, please report it",
                     sum.path);
    }
    left_spools_free(&left);
}

static bool find_library(char *path, size_t size)
{
    char self[PATH_MAX];
    static const char *const beside[] = {"/.libs/libthrace-preload.so", "/../lib/thrace/libthrace-preload.so"};
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n < 0 ? 0 : n] = 0;
    char *slash = strrchr(self, '/');
    for (int i = 0; slash && i < 2; i++) {
        snprintf(path, size, "%.*s%s", (int)(slash - self), self, beside[i]);
        if (!access(path, R_OK))
            return true;
    }
    snprintf(path, size, "%s/libthrace-preload.so", THRACE_PKGLIBDIR);
    return !access(path, R_OK);
}

static int record(const struct target *t, char **argv, const char *out, struct afterwards then)
{
    char library[PATH_MAX];
    bool traced = !*t->problem;
    if (!traced)
        complain("record", "%s", t->problem);
    else if (!find_library(library, sizeof library)) {
        complain("record", "%s is not there; was thrace installed completely?", library);
        return CANNOT_RECORD;
    } else if (!can_record_to(out))
        return CANNOT_RECORD;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t since_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    int status = run(t, argv, traced ? library : NULL, out);
    if (status < 0) {
        complain("record", "%s: %s", t->path, strerror(errno));
        return errno == ENOENT ? 127 : 126;
    }
    if (traced)
        finish_all(out, since_ns, then);
    return end_like(status);
}

static bool default_out(char *out, size_t size, const char *command)
{
    const char *slash = strrchr(command, '/');
    size_t n = 0;
    for (const char *p = slash ? slash + 1 : command; *p && n + 2 < size; p++) {
        if (*p == '%')
            out[n++] = '%';
        out[n++] = *p;
    }
    int len = snprintf(out + n, size - n, ".%ld.trace", (long)getpid());
    return len > 0 && (size_t)len < size - n;
}

static bool absolute(char *path, size_t size, const char *out)
{
    char cwd[PATH_MAX] = "";
    if (*out != '/' && !getcwd(cwd, sizeof cwd - 1))
        return false;
    int n = snprintf(path, size, "%s%s%s", cwd, *out == '/' || !strcmp(cwd, "/") ? "" : "/", out);
    return n > 0 && (size_t)n < size;
}

static bool is_rate(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits && !text[digits] && digits <= 9 && atoi(text) <= 10000;
}

int cmd_record(int argc, char **argv)
{
    static const struct option options[] = {{"no-validate", no_argument, NULL, 'n'},
                                            {"cpu-hz", required_argument, NULL, 'c'},
                                            {"heap-sample", required_argument, NULL, 'H'},
                                            {"stat", no_argument, NULL, 's'},
                                            {"wrap", required_argument, NULL, 'w'},
                                            {"min-call", required_argument, NULL, 'm'},
                                            {"start", required_argument, NULL, 'b'},
                                            {"stop", required_argument, NULL, 'e'},
                                            {"control", no_argument, NULL, 'k'},
                                            {"flight-recorder", required_argument, NULL, 'F'},
                                            {"snapshot", required_argument, NULL, 'S'},
                                            {"follow", no_argument, NULL, 'f'},
                                            {"heap-events", no_argument, NULL, 'E'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    char name[PATH_MAX], out[PATH_MAX];
    const char *given = NULL;
    struct afterwards then = {.check = true};
    for (int c; (c = getopt_long(argc, argv, "+ho:", options, NULL)) != -1;) {
        switch (c) {
        case 'h': usage(stdout); return EXIT_OK;
        case 'c':
            if (!is_rate(optarg)) {
                complain("record", "%s: not a number of samples a second, 0 to 10000", optarg);
                return CANNOT_RECORD;
            }
            setenv("THRACE_CPU_HZ", optarg, 1);
            break;
        case 'n': then.check = false; break;
        case 's': then.stat = true; break;
        case 'o': given = optarg; break;
        default:
            if (set_variable(c, optarg))
                break;
            usage(stderr);
            return CANNOT_RECORD;
        }
    }
    if (optind == argc) {
        usage(stderr);
        return CANNOT_RECORD;
    }
    struct target t;
    target_find(&t, argv[optind]);
    if (t.error) {
        complain("record", "%s", t.problem);
        return t.error;
    }
    if ((!given && !default_out(name, sizeof name, argv[optind])) || !absolute(out, sizeof out, given ? given : name)) {
        complain("record", "%s: the path is too long", given ? given : argv[optind]);
        return CANNOT_RECORD;
    }
    return record(&t, argv + optind, out, then);
}
