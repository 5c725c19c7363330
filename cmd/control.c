/* thrace start, stop, detach, status, snapshot: commands to a process that runs with the library in it. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/control_client.h"
#include "cmd/control_list.h"
#include "cmd/control_trace.h"
#include "cmd/finish/orphaned_spools.h"
#include "cmd/finish/process_life.h"
#include "cmd/finish/trace_path.h"
#include "cmd/finish_report.h"
#include "cmd/table.h"
#include "cmd/verbs.h"
#include "lib/text.h"

struct command {
    struct arguments arguments;
    enum control_verb verb;
    bool finishes; /* makes a trace of the spool that the process left */
};

static const char *why(const struct command *c, int err)
{
    switch (err) {
    case EALREADY: return c->verb == CONTROL_START ? "a recording is under way already" : "nothing is being recorded";
    case EOPNOTSUPP:
        if (c->verb == CONTROL_DETACH)
            return "thrace attach did not begin what is there: a library that was preloaded stays";
        return "no flight recorder runs there (THRACE_FLIGHT_RECORDER)";
    default: return control_refusal(err);
    }
}

static int make_trace(pid_t pid, const char *spool, const struct finish_how *how, bool is_over)
{
    static struct finish_summary sum;
    int status = (int)control_trace_make(pid, spool, how, is_over, &sum);
    if (!status && !how->quiet && !sum.elsewhere)
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
    printf("%ld: recording session %" PRIu32 " for %.1f s, generation %" PRIu64 ", %" PRIu32 " thread%s, %" PRIu64
           " bytes, %" PRIu64 " lost: %s\n",
           (long)pid, r->session, (double)r->recorded_ns / 1e9, r->generation, r->threads,
           r->threads == 1 ? "" : "s", r->log_bytes, r->lost,
           r->spool);
}

/* A flight recorder that was attached has left snapshots that it took by itself, and thrace attach is not there. */
static void name_rest(const char *spool, uint32_t pid)
{
    char out[PATH_MAX];
    struct orphaned_spools rest;
    if (*spool != '/' || !trace_path_of(spool, out, sizeof out) || access(out, F_OK))
        return;
    orphaned_spools_find(&rest, out, pid, (struct since){0, 0, 0});
    for (size_t i = 0; i < rest.n; i++)
        if (rest.v[i].kind == ORPHAN_READY)
            fprintf(stderr, "thrace: a recording is kept: thrace finish %s\n", rest.v[i].path);
    orphaned_spools_free(&rest);
}

static int send_command(const struct command *c, pid_t pid, struct finish_how *how, bool keep)
{
    static struct control_reply r;
    struct process_stat s;
    const char *err = process_look(pid, &s);
    if (!err)
        err = control_ask(pid, c->verb, &r);
    how->of_pid = s.innermost ? s.innermost : (uint32_t)pid; /* looked up while it was there to be asked */
    how->of_start = s.start;
    if (!err && r.error)
        err = why(c, -r.error);
    if (err) {
        complain(c->arguments.verb, "%ld: %s", (long)pid, err);
        return EXIT_USAGE;
    }
    text_make_printable(r.spool);
    if (c->verb == CONTROL_STATUS) {
        print_status(pid, &r);
        if (r.said_number)
            printf("%ld: it said last: %s\n", (long)pid, r.said);
    }
    if (c->verb == CONTROL_START)
        fprintf(stderr, "thrace: recording session %" PRIu32 " of process %ld, %" PRIu32 " thread%s: %s\n", r.session,
                (long)pid, r.threads, r.threads == 1 ? "" : "s", r.spool);
    if (!c->finishes)
        return EXIT_OK;
    if (keep) {
        puts(r.spool);
        return EXIT_OK;
    }
    if (!how->out && c->verb != CONTROL_SNAPSHOT && control_trace_is_awaited(pid, r.spool)) {
        if (!how->quiet)
            fprintf(stderr, "thrace: thrace attach, which has begun this recording, makes the trace\n");
        return EXIT_OK;
    }
    const bool is_over = c->verb == CONTROL_DETACH, ended_before = is_over && control_trace_is_missing(pid, r.spool);
    int status = ended_before ? EXIT_OK : make_trace(pid, r.spool, how, is_over);
    if (is_over)
        name_rest(r.spool, how->of_pid);
    if (is_over && status == EXIT_OK)
        control_trace_tidy_up(c->arguments.verb, pid, r.spool, !ended_before);
    return status;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static void command_cell(struct table *t, pid_t pid)
{
    char name[64];
    command_of(pid, name, sizeof name);
    table_cell(t, "%s", name);
}

static void status_row(struct table *t, pid_t pid)
{
    static struct control_reply r;
    const char *err = control_ask(pid, CONTROL_STATUS, &r);
    table_cell(t, "%ld", (long)pid);
    command_cell(t, pid);
    if (err || r.error) {
        for (int i = 0; i < 5; i++)
            table_cell(t, "-");
        table_cell(t, "%s", err ? err : strerror(-r.error));
        return;
    }
    table_cell(t, "%" PRIu32, r.session);
    table_cell(t, "%" PRIu32, r.threads);
    if (!r.recording) {
        for (int i = 0; i < 3; i++)
            table_cell(t, "-");
        table_cell(t, "nothing is being recorded");
        return;
    }
    table_cell(t, "%.1f s", (double)r.recorded_ns / 1e9);
    table_cell(t, "%" PRIu64, r.log_bytes);
    table_cell(t, "%" PRIu64, r.lost);
    text_make_printable(r.spool);
    table_cell(t, "%s", r.spool);
}

static int print_all_status(const char *verb)
{
    static const struct table_column columns[] = {
        {NULL, "pid"}, {NULL, "<command"}, {NULL, "session"}, {NULL, "threads"}, {NULL, "for"}, {NULL, "bytes"},
        {NULL, "lost"}, {NULL, "<recording to"}, {NULL, NULL}};
    struct listeners l;
    struct table t;
    if (!listeners_find(&l)) {
        listeners_free(&l);
        complain(verb, "cannot list the sockets of the machine: %s", strerror(errno));
        return EXIT_USAGE;
    }
    table_init(&t, "", columns);
    t.rows_are_lines = !isatty(STDOUT_FILENO); /* for grep and awk, as ps does it */
    for (size_t i = 0; i < l.list.n; i++)
        status_row(&t, l.list.v[i]);
    if (t.ncells)
        table_print(&t, stdout);
    else
        complain(verb, "no process listens; what is started with thrace record --control or THRACE_CONTROL=1 does");
    int status = t.failed ? EXIT_USAGE : EXIT_OK;
    table_free(&t);
    listeners_free(&l);
    return status;
}

/* --- the verbs ---------------------------------------------------------------------------------------------------- */

static int run(const struct command *command, int argc, char **argv)
{
    const struct arguments *a = &command->arguments;
    struct finish_how how = {.report = complain, .who = a->verb, .progress = stderr};
    bool keep = false;
    pid_t pid;
    for (int c; (c = next_option(a, argc, argv)) != -1;) {
        switch (c) {
        case 'h': return show_usage(a);
        case 'o': how.out = optarg; break;
        case 'q': how.quiet = true; break;
        case 'k': keep = true; break;
        default: return EXIT_USAGE;
        }
    }
    if (command->verb == CONTROL_STATUS && optind == argc)
        return print_all_status(a->verb);
    if (!has_operands(a, argc, 1, 1, "a PID"))
        return EXIT_USAGE;
    if (!take_pid(argv[optind], &pid))
        return wrong_use(a, "%s: not the number of a process", argv[optind]);
    if (how.out && keep)
        return wrong_use(a, "-k makes no trace, so there is nothing for -o");
    return send_command(command, listener_meant(pid), &how, keep);
}

static const struct option finish_options[] = {{"output", required_argument, NULL, 'o'},
                                         {"keep", no_argument, NULL, 'k'},
                                         {"quiet", no_argument, NULL, 'q'},
                                         {"help", no_argument, NULL, 'h'},
                                         {NULL, 0, NULL, 0}};

#define FINISH_USAGE                                                                                                   \
    "  -o FILE, --output FILE  write the trace there, not where the recording was to go\n"                             \
    "  -k, --keep              keep the spool, for thrace finish, and make no trace\n"                                 \
    "  -q, --quiet             no summary\n"
#define LISTENS                                                                                                        \
    "PID is that of the program, or of the thrace record that runs it. It listens when it was started with\n"          \
    "thrace record --control or --start off, or with THRACE_CONTROL=1, or while thrace attach is there.\n"
#define STATUSES "Exit status: 0 done, 2 not done; one line on stderr tells why.\n"

int cmd_start(int argc, char **argv)
{
    static const struct command c = {{"start",
                                      "usage: thrace start PID\n"
                                      "Begins a recording in a program that is running.\n" LISTENS STATUSES,
                                      ":h", only_help},
                                     CONTROL_START, false};
    return run(&c, argc, argv);
}

int cmd_stop(int argc, char **argv)
{
    static const struct command c = {{"stop",
                                      "usage: thrace stop [-kq] [-o FILE] PID\n"
                                      "Ends the recording that is under way in the process, and makes its trace.\n"
                                      FINISH_USAGE LISTENS
                                      "Exit status: 0 done, 1 what the process left is no recording, 2 not done.\n",
                                      ":hkqo:", finish_options},
                                     CONTROL_STOP, true};
    return run(&c, argc, argv);
}

int cmd_detach(int argc, char **argv)
{
    static const struct command c = {{"detach",
                                      "usage: thrace detach [-kq] [-o FILE] PID\n"
                                      "Ends what thrace attach began in the process, which runs its own code again,\n"
                                      "and makes the trace. Needed only where thrace attach, or top, was killed.\n"
                                      FINISH_USAGE
                                      "Exit status: 0 done, 1 what the process left is no recording, 2 not done.\n",
                                      ":hkqo:", finish_options},
                                     CONTROL_DETACH, true};
    return run(&c, argc, argv);
}

int cmd_status(int argc, char **argv)
{
    static const struct command c = {{"status",
                                      "usage: thrace status [PID]\n"
                                      "Tells what the process records; without PID, what each process of yours does\n"
                                      "that listens, root's of everybody.\n" LISTENS STATUSES,
                                      ":h", only_help},
                                     CONTROL_STATUS, false};
    return run(&c, argc, argv);
}

int cmd_snapshot(int argc, char **argv)
{
    static const struct command c = {{"snapshot",
                                      "usage: thrace snapshot [-kq] [-o FILE] PID\n"
                                      "Makes a trace of what the process's flight recorder holds, which goes on.\n"
                                      FINISH_USAGE LISTENS
                                      "Exit status: 0 done, 1 what the process left is no recording, 2 not done.\n",
                                      ":hkqo:", finish_options},
                                     CONTROL_SNAPSHOT, true};
    return run(&c, argc, argv);
}
