/* thrace record: starts a program with the shim, waits for it, and makes the trace of what it left. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/complain.h"
#include "cmd/gather.h"
#include "cmd/library.h"
#include "cmd/pid_file.h"
#include "cmd/record_options.h"
#include "cmd/record_place.h"
#include "cmd/target.h"
#include "cmd/verbs.h"


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

/* A program that was built for other tracers loads what such a variable names; ours is in it already. */
static void offer_library(const char *library, uint64_t annotations)
{
#define THRACE_ANNOTATIONS(name, text, variable)                                                                       \
    if (annotations & ANNOTATIONS_##name)                                                                              \
        setenv(variable, library, 0);
#include "lib/options/annotations.def"
#undef THRACE_ANNOTATIONS
}

/* False: there is no memory for it. */
static bool set_environment(const char *library, const char *out)
{
    char pid[32];
    const char *before = getenv("LD_PRELOAD");
    static char preload[2 * PATH_MAX];
    snprintf(preload, sizeof preload, "%s%s%s", library, before && *before ? ":" : "", before ? before : "");
    snprintf(pid, sizeof pid, "%ld", (long)getpid());
    return !setenv("LD_PRELOAD", preload, 1) && !setenv("THRACE_OUT", out, 1) && !setenv("THRACE_LAUNCHER", pid, 1);
}

/* Paths are static here: a command that runs with the stack limit of its program has little of it. */
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

/* For a recording that does not begin by itself. */
static void report_how_to_start(long pid, const struct options *o)
{
    if (o->start.when == START_OFF) {
        fprintf(stderr, "thrace: process %ld is not recorded yet: ", pid);
        if (o->start.signal)
            fprintf(stderr, "kill -%d %ld, or thrace start %ld, begins that\n", o->start.signal, pid, pid);
        else
            fprintf(stderr, "thrace start %ld begins that, thrace stop %ld ends it\n", pid, pid);
    } else if (o->control && o->flight.bytes) {
        fprintf(stderr, "thrace: the flight recorder of process %ld runs: thrace snapshot %ld writes what it holds\n",
                pid, pid);
    }
}

/*
 * Runs the program and returns its wait status. -1: it could not be executed; then *cannot is the exit status, and the
 * complaint is made.
 */
static int run(const struct target *t, const struct record_options *o, const char *library, int *cannot)
{
    struct pid_file pid_file;
    struct sigaction old[NPASSED];
    int pipefd[2], status, err = 0;
    *cannot = CANNOT_RECORD;
    if (!pid_file_prepare(&pid_file, o->pid_file))
        return -1;
    if (pipe2(pipefd, O_CLOEXEC)) {
        complain("record", "cannot start a process: %s", strerror(errno));
        return -1;
    }
    handle_signals(old);
    /* A reader of our lines may go away; the traces are made all the same. */
    void (*pipe_was)(int) = signal(SIGPIPE, SIG_IGN);
    pid_t pid = fork();
    if (!pid) {
        signal(SIGPIPE, pipe_was);
        for (int i = 0; i < NPASSED; i++)
            sigaction(passed[i], &old[i], NULL);
        bool is_set = !library || set_environment(library, o->out);
        if (library && is_set)
            offer_library(library, o->library.annotations);
        if (is_set)
            execv(t->path, o->command);
        err = errno;
        if (write(pipefd[1], &err, sizeof err) != sizeof err)
            _exit(127);
        _exit(126);
    }
    if (pid < 0)
        err = errno;
    child = launched = pid;
    close(pipefd[1]);
    if (pid > 0)
        pid_file_write(&pid_file, pid);
    if (pid > 0 && read(pipefd[0], &err, sizeof err) != sizeof err)
        err = 0;
    close(pipefd[0]);
    if (pid > 0 && !err && library)
        report_how_to_start((long)pid, &o->library);
    pid_t ended = 0;
    while (pid > 0 && (ended = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
        ;
    if (ended < 0) {
        status = W_EXITCODE(CANNOT_RECORD, 0);
        complain("record", "cannot wait for process %ld: %s; when it has ended, thrace finish %s.spool makes its trace",
                 (long)pid, strerror(errno), o->out);
    }
    child = 0;
    pid_file_remove(&pid_file);
    let_go_on_signals(o->out);
    if (!err)
        return status;
    if (pid < 0) {
        complain("record", "cannot start a process: %s", strerror(err));
    } else {
        complain("record", "%s: %s", t->path, strerror(err));
        *cannot = err == ENOENT ? 127 : 126;
    }
    return -1;
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

/* The trace of a large program needs many at once; with fewer, names or the whole trace would be missing. */
static bool enough_descriptors(void)
{
    enum { NEEDED = 5 };
    int fds[NEEDED], n = 0;
    while (n < NEEDED && (fds[n] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
        n++;
    int err = errno;
    for (int i = 0; i < n; i++)
        close(fds[i]);
    if (n < NEEDED)
        complain("record", "a trace needs %d more file descriptors, and there are %d: %s (ulimit -n). To limit the "
                 "program only: thrace record -- sh -c 'ulimit -n N; exec COMMAND'", NEEDED, n, strerror(err));
    return n == NEEDED;
}

/* Not everybody has the library for musl, without which its programs run all the same. */
static const char *find_its_library(struct target *t, char *library, size_t size)
{
    const char *missing = *t->problem ? NULL : find_library(t->libc, library, size);
    if (!missing || t->libc != LIBC_MUSL)
        return missing;
    snprintf(t->problem, sizeof t->problem, "%s runs without being recorded: it is built for musl, and %s", t->path,
             missing);
    return NULL;
}

static int record(struct target *t, const struct record_options *o)
{
    static char library[PATH_MAX];
    const char *missing = find_its_library(t, library, sizeof library);
    bool traced = !*t->problem;
    int cannot;
    if (!traced || missing)
        complain("record", "%s", missing ? missing : t->problem);
    if (traced && (missing || !enough_descriptors() || !can_record_to("record", o->out)))
        return CANNOT_RECORD;
    struct since since = since_now();
    int status = run(t, o, traced ? library : NULL, &cannot);
    if (status < 0)
        return cannot;
    if (traced)
        gather_traces(o->out, (uint32_t)launched, since, o->then);
    return end_like(status);
}

int cmd_record(int argc, char **argv)
{
    static struct record_options o;
    int status;
    if (!record_options_read(&o, argc, argv, &status))
        return status;
    static struct target t;
    target_find(&t, *o.command);
    if (t.error) {
        complain("record", "%s", t.problem);
        return t.error;
    }
    return record(&t, &o);
}
