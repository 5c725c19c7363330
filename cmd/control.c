/* thrace start, stop, status, snapshot: orders to a process that runs with the library in it. */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/control_client.h"
#include "cmd/finish.h"

struct order {
    const char *name, *purpose;
    enum control_verb verb;
    bool finishes; /* makes a trace of the spool that the process left */
};

static void usage(FILE *to, const struct order *o)
{
    fprintf(to, "usage: thrace %s %sPID\n%s\n", o->name, o->finishes ? "[-q] [-k] [-o FILE] " : "", o->purpose);
    if (o->finishes)
        fputs("  -o FILE  write the trace there, not where the recording was to go\n"
              "  -k       keep the spool, for thrace finish, and make no trace\n"
              "  -q       no summary\n",
              to);
}

static const char *why(const struct order *o, int err)
{
    switch (err) {
    case EALREADY: return o->verb == CONTROL_START ? "a recording is under way already" : "nothing is being recorded";
    case ESHUTDOWN: return "the process records no more: it ends, or is in a sandbox";
    case EOPNOTSUPP: return "no flight recorder runs there (THRACE_FLIGHT_RECORDER)";
    case EBUSY: return "a thread of the process did not give way; try again";
    default: return strerror(err);
    }
}

/* As the process sees the file system, if that is another one. */
static void locate(char *path, size_t size, pid_t pid, const char *spool)
{
    snprintf(path, size, "%s", spool);
    if (access(path, F_OK))
        snprintf(path, size, "/proc/%ld/root%s", (long)pid, spool);
}

static int make_trace(const struct order *o, pid_t pid, const char *spool, const char *out, bool quiet)
{
    char path[PATH_MAX + 32];
    struct finish_summary sum;
    locate(path, sizeof path, pid, spool);
    int status = finish_spool(o->name, path, out, quiet, &sum);
    if (!status && !quiet && !sum.elsewhere)
        finish_report(&sum);
    return status;
}

static void print_status(pid_t pid, const struct control_reply *r)
{
    if (!r->recording) {
        printf("%ld: nothing is being recorded; %" PRIu32 " session%s so far, %" PRIu32 " thread%s\n", (long)pid,
               r->session, r->session == 1 ? "" : "s", r->threads, r->threads == 1 ? "" : "s");
        return;
    }
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    double s = (double)now.tv_sec + (double)now.tv_nsec / 1e9 - (double)r->start_realtime_ns / 1e9;
    printf("%ld: recording session %" PRIu32 " for %.1f s, generation %" PRIu64 ", %" PRIu32 " thread%s, %" PRIu64
           " bytes, %" PRIu64 " lost: %s\n",
           (long)pid, r->session, s, r->generation, r->threads, r->threads == 1 ? "" : "s", r->log_bytes, r->lost,
           r->spool);
}

static int give_order(const struct order *o, pid_t pid, const char *out, bool quiet, bool keep)
{
    static struct control_reply r;
    const char *err = control_ask(pid, o->verb, &r);
    if (!err && r.error)
        err = why(o, -r.error);
    if (err) {
        complain(o->name, "%ld: %s", (long)pid, err);
        return EXIT_USAGE;
    }
    if (o->verb == CONTROL_STATUS)
        print_status(pid, &r);
    if (!o->finishes)
        return EXIT_OK;
    if (keep) {
        puts(r.spool);
        return EXIT_OK;
    }
    return make_trace(o, pid, r.spool, out, quiet);
}

static bool read_pid(const char *text, pid_t *pid)
{
    char *end;
    errno = 0;
    long v = strtol(text, &end, 10);
    *pid = (pid_t)v;
    return !errno && *text && !*end && v > 0 && v <= INT_MAX;
}

static int run(const struct order *o, int argc, char **argv)
{
    const char *out = NULL;
    bool quiet = false, keep = false;
    pid_t pid;
    for (int c; (c = getopt(argc, argv, o->finishes ? "+hqko:" : "+h")) != -1;) {
        switch (c) {
        case 'h': usage(stdout, o); return EXIT_OK;
        case 'o': out = optarg; break;
        case 'q': quiet = true; break;
        case 'k': keep = true; break;
        default: usage(stderr, o); return EXIT_USAGE;
        }
    }
    if (optind + 1 != argc || !read_pid(argv[optind], &pid)) {
        usage(stderr, o);
        return EXIT_USAGE;
    }
    return give_order(o, pid, out, quiet, keep);
}

#define ORDER(verb, name, finishes, purpose)                                                                           \
    int cmd_##name(int argc, char **argv)                                                                              \
    {                                                                                                                  \
        static const struct order o = {#name, purpose, verb, finishes};                                                \
        return run(&o, argc, argv);                                                                                    \
    }

ORDER(CONTROL_START, start, false, "Begins a recording in a process that was started with THRACE_CONTROL=1.")
ORDER(CONTROL_STOP, stop, true, "Ends the recording that is under way in the process, and makes its trace.")
ORDER(CONTROL_STATUS, status, false, "Tells what the process records.")
ORDER(CONTROL_SNAPSHOT, snapshot, true, "Makes a trace of what the process's flight recorder holds, which goes on.")
