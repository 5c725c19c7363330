/*
 * The arguments of thrace record. Most are environment variables of the library; they are read here as the library will
 * read them, so that no program is started that would then run unrecorded.
 */
#include "config.h"

#include "cmd/record_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/record_probes.h"
#include "cmd/verbs.h"

static const char record_usage[] =
    "usage: thrace record [OPTION…] [--] COMMAND [ARGUMENT…]\n"
    "Runs the command and records what its threads do. Its exit status is passed on; 125: it was not\n"
    "started because it cannot be recorded, 126: it is not executable, 127: it was not found.\n"
    "  -o FILE, --output FILE  the trace (default: COMMAND.PID.trace)\n"
    "  --cpu-hz N     CPU samples in a second of a thread's CPU time: 0 to 10000 (default: 99)\n"
    "  --wrap CLASSES  what to record: sync,sleep,io,net,poll,file,mem,proc,ipc,stdio,heap (default:\n"
    "                 all); -mem,-file: all but these\n"
    "  --heap-sample BYTES  a heap profile beside the trace: one block in so many bytes, such as 512K\n"
    "  --heap-events  every allocation and every free as an event of an experiment; the trace is 1.23 at least\n"
    "  --lock-stats   count how often each lock is taken, and how long it is held: thrace stat shows it\n"
    "  --switches     have the kernel say when threads lose a processor and get one: who could run and did not\n"
    "                 is shown so\n"
    "  --cpus         as --switches, and say in messages which CPU a thread is on\n"
    "  --wakers       as --switches, and have the kernel say who wakes threads, other processes and interrupts\n"
    "                 among them; for root\n"
    "  --annotations WHOSE  take the calls of programs built with other tracers' interfaces: itt,nvtx\n"
    "                 (or one of these), all (default), none\n"
    "  --probe MAPPING         USDT probes as annotations, such as provider:name=log(arg1,str(arg2)),\n"
    "                 =region-begin(arg1), =region-end; or @FILE with one a line. Again for more\n"
    "  --min-call TIME  only count system calls that are shorter, such as 10us\n"
    "  --call-objects  say of system calls, too, which file or other descriptor they were on\n"
    "  --errors WHICH  failed calls whose errno is shown: most (default: not EAGAIN), all, none\n"
    "  --trace-version 1.NN    version of the trace: 1.22 (default), 1.5 to 1.26\n"
    "  --start WHEN   now (default), off, delay:2s, signal:USR2\n"
    "  --stop WHEN    after:10s, signal:USR2, size:64M, or several with commas between\n"
    "  --control      let thrace start, stop, status and snapshot talk to the program\n"
    "  --flight-recorder KEEP  keep only the last 10s, 64M, or 10s,64M, and write that …\n"
    "  --snapshot WHEN         … on signal:USR2, after a wait:100ms that another thread caused,\n"
    "                 after wait:any:100ms, at exit, or several with commas between\n"
    "  --follow       record its child processes, too, each in a file of its own\n"
    "  --pid-file FILE  the number of its process, for kill and thrace snapshot, as long as it runs\n"
    "  --view         make a page of the trace, too: TRACE.html, which any browser opens\n"
    "  --stat         say on stderr what the threads waited for, and who ended that: thrace stat in short\n"
    "  --no-validate  do not check the trace afterwards\n"
    "Names of signals are as for kill; times are 10us, 10ms, 10s; sizes 64K, 64M, 4G.\n";

static const char attach_usage[] =
    "usage: thrace attach [OPTION…] PID\n"
    "Records what the threads of a process do that runs already, until the time is over, Ctrl-C, thrace\n"
    "stop PID, or its end; then makes the trace. One thread of it is held for some milliseconds to load\n"
    "thrace's library; afterwards the process runs its own code again.\n"
    "  -o FILE, --output FILE  the trace (default: NAME.PID.trace)\n"
    "  --for TIME     for so long, such as 10s\n"
    "  --with-filter  also a process with a filter of system calls, as in containers\n"
    "  --cpu-hz N     CPU samples in a second of a thread's CPU time: 0 to 10000 (default: 99)\n"
    "  --wrap CLASSES  what to record: sync,sleep,io,net,poll,file,mem,proc,ipc,stdio (default:\n"
    "                 all); -mem,-file: all but these\n"
    "  --heap-sample BYTES  a heap profile of what is allocated meanwhile: one block in so many bytes, such as 512K\n"
    "  --lock-stats   count how often each lock is taken, and how long it is held: thrace stat shows it\n"
    "  --switches     have the kernel say when threads lose a processor and get one: who could run and did not\n"
    "                 is shown so\n"
    "  --cpus         as --switches, and say in messages which CPU a thread is on\n"
    "  --wakers       as --switches, and have the kernel say who wakes threads, other processes and interrupts\n"
    "                 among them; for root\n"
    "  --min-call TIME  only count system calls that are shorter, such as 10us\n"
    "  --call-objects  say of system calls, too, which file or other descriptor they were on\n"
    "  --errors WHICH  failed calls whose errno is shown: most (default: not EAGAIN), all, none\n"
    "  --trace-version 1.NN    version of the trace: 1.22 (default), 1.5 to 1.26\n"
    "  --flight-recorder KEEP  keep only the last 10s, 64M, or 10s,64M, for thrace snapshot and for the end …\n"
    "  --snapshot WHEN         … and write that after a wait:100ms that another thread caused, too, or after\n"
    "                 wait:any:100ms\n"
    "  --view         make a page of the trace, too: TRACE.html, which any browser opens\n"
    "  --stat         say on stderr what the threads waited for, and who ended that: thrace stat in short\n"
    "  --no-validate  do not check the trace afterwards\n"
    "Times are 10us, 10ms, 10s; sizes 64K, 64M, 4G. Exit status: 0 recorded, 2 not recorded; one line on\n"
    "stderr tells why.\n";

/* The options of the command itself, and those that options.def has a flag for: FIRST_KIND and what follows. */
enum { MAX_OPTIONS = 48, FIRST_KIND = 256 };

static const struct option own_options[] = {
    {"no-validate", no_argument, NULL, 'n'},
    {"stat", no_argument, NULL, 's'},
    {"view", no_argument, NULL, 'V'},
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};
static const struct option own_of_record[] = {{"pid-file", required_argument, NULL, 'p'}, {NULL, 0, NULL, 0}};
static const struct option own_of_attach[] = {
    {"for", required_argument, NULL, 'f'}, {"with-filter", no_argument, NULL, 'F'}, {NULL, 0, NULL, 0}};

/* What makes no sense in a program that is in the middle of its life. */
static bool is_for_the_beginning(const char *flag)
{
    static const char *const flags[] = {"start", "stop", "control", "follow", "probe", "heap-events", "annotations"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (!strcmp(flag, flags[i]))
            return true;
    return false;
}

/* Such options are none of attach's: it only says what they are. */
static bool asks_for_the_beginning(const char *verb, int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        char flag[32];
        if (strncmp(argv[i], "--", 2) != 0)
            continue;
        snprintf(flag, sizeof flag, "%.*s", (int)strcspn(argv[i] + 2, "="), argv[i] + 2);
        if (is_for_the_beginning(flag)) {
            complain(verb, "--%s has to begin with the program: thrace record --%s", flag, flag);
            return true;
        }
    }
    return false;
}

static void forget_the_beginning(void)
{
    for (unsigned i = 0; option_kind(i); i++)
        if (option_kind(i)->flag && is_for_the_beginning(option_kind(i)->flag))
            unsetenv(option_kind(i)->variable);
}

static void list_options(struct option list[MAX_OPTIONS], const struct option *own, bool attaches)
{
    int n = 0;
    for (const struct option *o = own_options; o->name; o++)
        list[n++] = *o;
    for (const struct option *o = own; o->name; o++)
        list[n++] = *o;
    const struct option_kind *kind;
    for (int i = 0; n + 1 < MAX_OPTIONS && (kind = option_kind((unsigned)i)); i++)
        if (kind->flag && !(attaches && is_for_the_beginning(kind->flag)))
            list[n++] = (struct option){kind->flag, option_is_switch(kind) ? no_argument : required_argument, NULL,
                                        FIRST_KIND + i};
    list[n] = (struct option){NULL, 0, NULL, 0};
}

static bool default_out(char *out, size_t size, const char *command, pid_t pid)
{
    const char *slash = strrchr(command, '/');
    size_t n = 0;
    for (const char *p = slash ? slash + 1 : command; *p && n + 2 < size; p++) {
        if (*p == '%')
            out[n++] = '%';
        out[n++] = *p;
    }
    int len = snprintf(out + n, size - n, ".%ld.trace", (long)pid);
    return len > 0 && (size_t)len < size - n;
}

/* Why not, or NULL. */
static const char *absolute(char *path, size_t size, const char *out)
{
    char cwd[PATH_MAX] = "";
    if (*out != '/' && !getcwd(cwd, sizeof cwd - 1))
        return errno == ENOENT ? "the current directory is gone" : strerror(errno);
    int n = snprintf(path, size, "%s%s%s", cwd, *out == '/' || !strcmp(cwd, "/") ? "" : "/", out);
    return n > 0 && (size_t)n < size ? NULL : "the path is too long";
}

/* Checked as the library does: the path may be too long for it, or not a pattern. */
bool record_options_choose_out(struct record_options *o, const char *given, const char *command, pid_t pid)
{
    static struct options unused; /* it is not the whole of them */
    char name[PATH_MAX], entry[PATH_MAX + 16];
    struct option_fault fault;
    if (given && !*given) {
        complain(o->then.verb, "-o: the name of the file is empty");
        return false;
    }
    if (given && !strcmp(given, "-")) {
        complain(o->then.verb, "-o -: the trace of a recording goes to a file; ./- is one of that name");
        return false;
    }
    const char *why = "the path is too long";
    if (given || default_out(name, sizeof name, command, pid))
        why = absolute(o->out, sizeof o->out, given ? given : name);
    if (why) {
        complain(o->then.verb, "%s: %s", given ? given : command, why);
        return false;
    }
    snprintf(entry, sizeof entry, "THRACE_OUT=%s", o->out);
    if (options_read(&unused, (char *[]){entry, NULL}, &fault))
        return true;
    complain(o->then.verb, "-o %s makes no sense; it takes %s", o->out, fault.kind->takes);
    return false;
}

static void name_misspelt_variables(const char *verb)
{
    for (char **entry = environ; *entry; entry++) {
        struct piece name;
        const char *meant = option_meant(*entry, &name);
        if (meant)
            complain(verb, "no such variable: %.*s; did you mean %s?", (int)name.len, name.text, meant);
    }
}

/* As it was given: by option or in the environment. */
static void complain_of_value(const char *verb, const struct option_fault *fault, const bool *given)
{
    const struct option_kind *kind = fault->kind;
    bool by_flag = false;
    for (unsigned i = 0; option_kind(i); i++)
        by_flag |= given[i] && option_kind(i) == kind;
    if (by_flag)
        complain(verb, "--%s %s makes no sense; it takes %s", kind->flag, fault->value, kind->takes);
    else
        complain(verb, "%s=%s makes no sense; it takes %s", kind->variable, fault->value, kind->takes);
}

/* By now the options are in the environment, too. */
static bool read_environment(struct record_options *o, const bool *given)
{
    struct option_fault fault;
    unsetenv("THRACE_OUT"); /* of an outer recording; the program gets its own */
    unsetenv("THRACE_LAUNCHER");
    name_misspelt_variables(o->then.verb);
    if (!options_read(&o->library, environ, &fault)) {
        complain_of_value(o->then.verb, &fault, given);
        return false;
    }
    const struct snapshot_option *s = &o->library.snapshot;
    if ((s->signal || s->wait_ns || s->exit) && !o->library.flight.bytes) {
        complain(o->then.verb, "--snapshot (THRACE_SNAPSHOT) is for a flight recorder, and there is none: "
                           "add --flight-recorder 10s");
        return false;
    }
    return true;
}

/* False after a complaint. */
static bool set_variable(const char *verb, const char *name, const char *value, bool over)
{
    if (!setenv(name, value, over))
        return true;
    complain(verb, "%s cannot be set: %s", name, strerror(errno));
    return false;
}

static bool give(const char *verb, const struct option_kind *kind, const char *value, bool again)
{
    if (value && !*value) {
        complain(verb, "--%s is empty; it takes %s", kind->flag, kind->takes);
        return false;
    }
    if (!strcmp(kind->flag, "probe"))
        return record_probes_give(kind, value, again);
    return set_variable(verb, kind->variable, value ? value : "1", true);
}

/* Exit statuses that other verbs use are the program's here. */
static int help(const struct arguments *a, int failed)
{
    int status = show_usage(a);
    if (!fflush(stdout))
        return status;
    complain(a->verb, "cannot write to standard output: %s", strerror(errno));
    return failed;
}

static bool take_for(struct record_options *o, const char *text)
{
    if (value_duration((struct piece){text, strlen(text)}, &o->for_ns) && o->for_ns)
        return true;
    complain(o->then.verb, "--for %s makes no sense; it takes a time, such as 10s", text);
    return false;
}

/* False: the command ends with *status. */
static bool read_options(struct record_options *o, const struct arguments *a, int argc, char **argv, int *status,
                         bool given[MAX_OPTIONS], const char **out)
{
    *o = (struct record_options){.then = {.verb = a->verb, .check = true}};
    for (int c; (c = next_option(a, argc, argv)) != -1;) {
        switch (c) {
        case 'h': *status = help(a, *status); return false;
        case 'n': o->then.check = false; break;
        case 's': o->then.stat = true; break;
        case 'V': o->then.view = true; break;
        case 'o': *out = optarg; break;
        case 'p': o->pid_file = optarg; break;
        case 'f':
            if (!take_for(o, optarg))
                return false;
            break;
        case 'F': o->with_filter = true; break;
        case '?': return false;
        default:
            if (!give(a->verb, option_kind((unsigned)(c - FIRST_KIND)), optarg, given[c - FIRST_KIND]))
                return false;
            given[c - FIRST_KIND] = true;
        }
    }
    return true;
}

bool record_options_read(struct record_options *o, int argc, char **argv, int *status)
{
    struct option list[MAX_OPTIONS];
    const struct arguments arguments = {"record", record_usage, "+:ho:", list};
    bool given[MAX_OPTIONS] = {false};
    const char *out = NULL;
    *status = CANNOT_RECORD;
    list_options(list, own_of_record, false);
    if (!read_options(o, &arguments, argc, argv, status, given, &out) ||
        !has_operands(&arguments, argc, 1, INT_MAX, "a COMMAND"))
        return false;
    o->command = argv + optind;
    bool is_read = record_options_choose_out(o, out, *o->command, getpid()) && read_environment(o, given);
    o->then.snapshots_only = o->library.flight.bytes && !o->library.snapshot.exit;
    return is_read;
}

/* Who has set this one for all recordings is not to believe that it holds for this one. */
static void complain_of_the_beginning(const char *verb)
{
    static const struct {
        const char *variable, *what;
    } kinds[] = {{"THRACE_PROBES", "probes"}, {"THRACE_HEAP_EVENTS", "events of the heap"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const char *value = getenv(kinds[i].variable);
        if (value && *value && strcmp(value, "0") != 0)
            complain(verb, "no %s are recorded (%s): that has to begin with the program", kinds[i].what,
                     kinds[i].variable);
    }
}

static bool is_by_option(const bool *given, const char *flag)
{
    for (unsigned i = 0; option_kind(i); i++)
        if (given[i] && !strcmp(option_kind(i)->flag, flag))
            return true;
    return false;
}

/* Who has set this for all recordings has not asked for it in this one. */
static void leave_out_snapshots(const char *verb, const bool *given)
{
    static const char name[] = "THRACE_SNAPSHOT";
    const char *when = getenv(name);
    if (!when || is_by_option(given, "snapshot"))
        return;
    bool flies = getenv("THRACE_FLIGHT_RECORDER");
    if (flies && strstr(when, "signal:"))
        complain(verb, "there are no snapshots by themselves (%s): signal: has to begin with the program", name);
    if (!flies || strstr(when, "signal:"))
        unsetenv(name);
}

/* What is kept when the recording ends is a trace, however that comes about. */
static bool take_snapshot_at_end(const struct record_options *o)
{
    static const char name[] = "THRACE_SNAPSHOT";
    static char when[1024];
    const char *given = getenv(name);
    const struct snapshot_option *s = &o->library.snapshot;
    if (s->signal) {
        complain(o->then.verb, "--snapshot signal: that has to begin with the program, which has its own signals now; "
                               "thrace snapshot %ld does it", (long)o->pid);
        return false;
    }
    if (!o->library.flight.bytes || s->exit)
        return true;
    int n = snprintf(when, sizeof when, "%s%sexit", given ? given : "", given && *given ? "," : "");
    if (n > 0 && (size_t)n < sizeof when)
        return set_variable(o->then.verb, name, when, true);
    complain(o->then.verb, "--snapshot (%s) is too long", name);
    return false;
}

bool attach_options_read(struct record_options *o, int argc, char **argv, int *status)
{
    struct option list[MAX_OPTIONS];
    const struct arguments arguments = {"attach", attach_usage, ":ho:", list};
    bool given[MAX_OPTIONS] = {false};
    const char *out = NULL;
    *status = EXIT_USAGE;
    list_options(list, own_of_attach, true);
    complain_of_the_beginning(arguments.verb);
    forget_the_beginning();
    if (asks_for_the_beginning(arguments.verb, argc, argv) ||
        !read_options(o, &arguments, argc, argv, status, given, &out) ||
        !has_operands(&arguments, argc, 1, 1, "a PID"))
        return false;
    if (!take_pid(argv[optind], &o->pid)) {
        complain(o->then.verb, "\"%s\" is no process ID", argv[optind]);
        return false;
    }
    leave_out_snapshots(o->then.verb, given);
    return (!out || record_options_choose_out(o, out, out, o->pid)) && read_environment(o, given) &&
           take_snapshot_at_end(o);
}

bool visit_environment_read(const char *verb)
{
    static const char name[] = "THRACE_FLIGHT_RECORDER", enough[] = "64M";
    static const bool given[MAX_OPTIONS];
    static struct record_options o;
    forget_the_beginning();
    unsetenv("THRACE_SNAPSHOT"); /* and nothing is written by itself */
    unsetenv("THRACE_HEAP_SAMPLE"); /* a screen has no profile */
    o.then.verb = verb;
    return set_variable(verb, name, enough, false) && read_environment(&o, given);
}
