/* thrace top: what the threads of a process do, second by second. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/control_list.h"
#include "cmd/export/memory_file.h"
#include "cmd/finish/finish_write.h"
#include "cmd/lines.h"
#include "cmd/record_options.h"
#include "cmd/terminal.h"
#include "cmd/top.h"
#include "cmd/top/find_spool.h"
#include "cmd/top/holders.h"
#include "cmd/top/terminal_mode.h"
#include "cmd/verbs.h"

static const char usage[] =
    "usage: thrace top [OPTION…] PID\n"
    "\n"
    "Shows what the threads of a process do: on the whole terminal, anew with each generation of its recording,\n"
    "which is each second if nothing else was asked for. The recording is only read, so the process does not notice.\n"
    "A process that is not recorded is attached to, as by thrace attach, and detached from at the end; nothing is\n"
    "left of that. Where the output is no terminal, one text comes after the other.\n"
    "\n"
    "  --view WHAT    all (default), locks, waits, calls or threads\n"
    "  --thread RE    only threads whose names match the regular expression\n"
    "  --times N      so many generations\n"
    "  --text         text, also on a terminal\n"
    "  --no-attach    only look at what is recorded\n"
    "  --with-filter  attach also to a process with a filter of system calls, as in containers\n"
    "  -h, --help     print this\n"
    "\n"
    "Keys: a, l, w, c, t for the views; < and > sort by another column, the arrows scroll; / takes threads by their\n"
    "names; s shows what all threads do right now, as thrace stacks; S takes a snapshot of a flight recorder; space\n"
    "holds the screen; q leaves.\n"
    "Exit status: 0, or 2 when the process cannot be looked at.\n";

enum { OPTION_VIEW = 256, OPTION_THREAD, OPTION_TIMES, OPTION_TEXT, OPTION_NO_ATTACH,
       OPTION_WITH_FILTER };

static const struct option longs[] = {
    {"view", required_argument, NULL, OPTION_VIEW},
    {"thread", required_argument, NULL, OPTION_THREAD},
    {"times", required_argument, NULL, OPTION_TIMES},
    {"text", no_argument, NULL, OPTION_TEXT},
    {"no-attach", no_argument, NULL, OPTION_NO_ATTACH},
    {"with-filter", no_argument, NULL, OPTION_WITH_FILTER},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};
static const struct arguments arguments = {"top", usage, ":h", longs};

enum { LOOK_MS = 100, QUIET_MS = 3000 };

/* --- windows ------------------------------------------------------------------------------------------------------ */

static void take_times(struct top *t)
{
    struct cpu_times *old = t->screen.before == &t->times[0] ? &t->times[0] : &t->times[1],
                     *other = old == &t->times[0] ? &t->times[1] : &t->times[0];
    cpu_times_free(old);
    cpu_times_take(old, t->screen.pid);
    t->screen.before = other;
    t->screen.now = old;
}

/* A generation that cannot be summed up is not the end of all. NULL, or what is. */
static const char *pass_over(struct top *t, const char *wrong)
{
    enum { FAILED_MAX = 10 };
    snprintf(t->message, sizeof t->message, " generation %" PRIu64 " is left out: %.160s", t->follow.shown + 1, wrong);
    if (!t->full_screen)
        complain("top", "%ld:%s", (long)t->screen.pid, t->message);
    return ++t->failed < FAILED_MAX ? NULL : wrong;
}

/* The newest generation that is over becomes the window; those before it, if they were too many, are passed over. */
static const char *next_window(struct top *t, bool *is_new)
{
    struct spool_file file;
    const char *wrong = follow_read(&t->follow);
    *is_new = false;
    while (!wrong && follow_next(&t->follow, &file, &wrong)) {
        bool newest = !t->held && t->follow.shown + 1 == t->follow.over;
        if (newest && file.events.n) {
            if (!t->hz)
                t->hz = finish_frequency(&t->follow.header);
            struct window *w = window_new(&file, &t->root, t->hz, &t->follow.waits, t->screen.filter, &wrong);
            if (w) {
                window_free(t->window);
                t->window = w;
                *is_new = true;
            }
            wrong = w ? NULL : pass_over(t, wrong);
        }
        const char *then = follow_next_end(&t->follow, &file);
        wrong = wrong ? wrong : then;
        bool known = *is_new && !t->follow.header.owners_hidden;
        if (!wrong && known && !holders_tell(t->window, &t->follow.waits, t->screen.pid))
            wrong = "out of memory";
    }
    if (*is_new) {
        take_times(t);
        t->failed = 0;
    }
    const struct spool_header *h = &t->follow.header;
    t->screen.lost = h->lost_events;
    t->screen.counts_heap = h->heap.state == SPOOL_HEAP_COUNTED && h->heap.live >= 0;
    t->screen.heap = t->screen.counts_heap ? (uint64_t)h->heap.live : 0;
    return wrong;
}

static bool has_ended(const struct top *t) { return !process_goes_on(t->screen.pid, t->process.start); }

/* Of a process that was attached to nobody ends the recording when it executes another program. */
static bool has_left(struct top *t)
{
    enum { QUIET_NS = 2000000000 };
    return t->visit.begun && t->shown_at && clock_mono_ns() - t->shown_at > QUIET_NS &&
           !attachment_is_recorded(&t->visit.attachment) && t->visit.attachment.gone;
}

/* --- the screen --------------------------------------------------------------------------------------------------- */

static bool make_text(struct top *t)
{
    char *text = NULL;
    size_t size = 0, rows;
    FILE *f = memory_file(&text, &size);
    terminal_mode_size(&rows, &t->screen.width);
    if (!t->full_screen)
        t->screen.width = lines_width(stdout);
    bool ok = f;
    if (f && t->window)
        ok = screen_put(&t->screen, t->window, f);
    else if (f)
        fprintf(f, "%s (%ld)  waits for the first generation of the recording to end\n", t->name,
                (long)t->screen.pid);
    if (f && fclose(f))
        ok = false;
    free(t->text);
    t->text = text;
    return ok;
}

static void draw(struct top *t)
{
    static const char keys[] =
        " a all  l locks  w waits  c calls  t threads  <> sort  / filter  s stacks  q quit";
    char line[sizeof t->message + 64];
    const char *bottom = *t->message ? t->message : t->held ? " held; space goes on" : keys;
    double quiet = (double)(clock_mono_ns() - t->shown_at) * 1e-9;
    if (bottom == keys && t->window && quiet * 1000 > QUIET_MS) {
        struct process_stat s;
        bool stopped = !process_stat(t->screen.pid, &s) && (s.state == 'T' || s.state == 't');
        snprintf(line, sizeof line, " nothing new for %.0f s: %s", quiet,
                 stopped ? "it is stopped" : "no thread made a call that is recorded");
        bottom = line;
    }
    terminal_mode_draw(t->text ? t->text : "", t->line, bottom);
}

/* --- the loop ----------------------------------------------------------------------------------------------------- */

/* Without keys. False: it is to end. */
static bool goes_on_after_pause(void)
{
    return (poll(NULL, 0, LOOK_MS) >= 0 || errno == EINTR) && !terminal_mode_stops();
}

/* NULL, or why it cannot go on. */
static const char *watch(struct top *t)
{
    while (t->shown < t->most) {
        bool is_new = false, ended = has_ended(t);
        const char *wrong = next_window(t, &is_new);
        if (wrong == follow_stopped)
            return NULL;
        if (wrong)
            return wrong;
        t->shown += is_new;
        t->shown_at = is_new || !t->shown_at ? clock_mono_ns() : t->shown_at;
        if ((is_new || t->full_screen) && !make_text(t))
            return "out of memory";
        if (is_new && !t->full_screen) {
            printf("%s%s", t->shown > 1 ? "\n" : "", t->text);
            if (fflush(stdout)) {
                t->unread = errno == EPIPE;
                return NULL; /* main() says so */
            }
        }
        if (t->full_screen)
            draw(t);
        t->is_over = !is_new && (ended || follow_has_ended(&t->follow) || has_left(t));
        if (t->is_over && !t->held)
            return NULL;
        if (t->full_screen ? !top_take_key(t, terminal_mode_key(LOOK_MS)) : !goes_on_after_pause())
            return NULL;
    }
    return NULL;
}

static bool take_view(const char *text, enum view *view)
{
    static const char *const names[] = {[VIEW_ALL] = "all",
                                        [VIEW_LOCKS] = "locks",
                                        [VIEW_WAITS] = "waits",
                                        [VIEW_CALLS] = "calls",
                                        [VIEW_THREADS] = "threads"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(text, names[i])) {
            *view = (enum view)i;
            return true;
        }
    return false;
}

static const char was_said[] = ""; /* what went wrong */

/* Finds what is recorded, or has it recorded. NULL, or why there is nothing. */
static const char *find_recording(struct top *t, struct spool_claim *claim)
{
    static char path[FOUND_SPOOL_SIZE];
    const pid_t pid = t->screen.pid;
    const char *refused = NULL, *wrong = find_spool(claim, path, pid, &t->process);
    if (wrong == is_not_recorded && t->visits) {
        terminal_mode_insist();
        refused = visit_environment_read("top") ? visit_begin(&t->visit, "top", pid, t->with_filter) : was_said;
        if (t->visit.begun)
            visit_spool(&t->visit, path, sizeof path);
        wrong = t->visit.begun ? find_spool_at(claim, path, pid, &t->process)
                               : find_spool(claim, path, pid, &t->process); /* of somebody who was faster */
        if (wrong && !*wrong)
            wrong = is_not_recorded;
    } else if (!wrong && t->visits && visit_take_over(&t->visit, "top", pid, path)) {
        terminal_mode_insist();
    }
    return refused && wrong == is_not_recorded ? refused : wrong;
}

static void say_that_it_visits(const struct top *t)
{
    const struct attachment *a = &t->visit.attachment;
    if (a->done.held_ns)
        complain("top", "%ld: was not recorded and is attached to, one thread was held for %.1f ms; it is detached "
                 "from at the end", (long)t->screen.pid, (double)a->done.held_ns / 1e6);
    else
        complain("top", "%ld: is still attached to, by a thrace top that was killed; it is detached from at the end",
                 (long)t->screen.pid);
    attachment_say_what_is_missed(a);
}

/* NULL, or why it cannot go on. */
static const char *show(struct top *t, bool text)
{
    command_of(t->screen.pid, t->name, sizeof t->name);
    t->screen.name = t->name;
    t->screen.tids_are_ours = !t->process.innermost || (pid_t)t->process.innermost == t->screen.pid;
    t->screen.color = wants_color(stdout);
    t->screen.before = &t->times[0];
    t->screen.now = &t->times[1];
    take_times(t);
    t->full_screen = !text && terminal_mode_begin();
    t->screen.visits = t->visit.begun && t->full_screen;
    t->follow.stop = terminal_mode_stops;
    if (t->full_screen)
        terminal_mode_draw("", 0, " reads what was recorded so far …");
    const char *wrong = watch(t);
    terminal_mode_end();
    return wrong;
}

static int look(struct top *t, bool text)
{
    struct spool_claim claim = {.fd = -1};
    const char *wrong = process_look(t->screen.pid, &t->process);
    process_root_look(&t->root, t->root_path, t->screen.pid);
    if (!wrong)
        wrong = find_recording(t, &claim);
    if (t->visit.begun)
        say_that_it_visits(t);
    if (!wrong)
        wrong = follow_open(&t->follow, claim.fd);
    if (!wrong)
        wrong = show(t, text);
    if (wrong && wrong != was_said)
        complain("top", "%ld: %s", (long)t->screen.pid, wrong);
    if (!wrong && t->is_over)
        complain("top", "%ld: the recording has ended%s", (long)t->screen.pid,
                 has_ended(t) ? "" : ", and the process goes on: it was told so, or executed another program");
    bool visited = t->visit.begun;
    if (!visit_end(&t->visit))
        wrong = was_said;
    else if (visited && !t->visit.attachment.gone && !has_ended(t))
        complain("top", "%ld: is detached from, and nothing is left of the recording", (long)t->screen.pid);
    window_free(t->window);
    follow_close(&t->follow);
    spool_claim_end(&claim, "", false);
    cpu_times_free(&t->times[0]);
    cpu_times_free(&t->times[1]);
    free(t->text);
    if (t->unread && visited) { /* as it would have been without what was to be put back */
        signal(SIGPIPE, SIG_DFL);
        raise(SIGPIPE);
    }
    return wrong ? EXIT_USAGE : EXIT_OK;
}

int cmd_top(int argc, char **argv)
{
    static struct top t = {.most = SIZE_MAX, .visits = true};
    bool text = false;
    regex_t re;
    for (int option; (option = next_option(&arguments, argc, argv)) != -1;) {
        switch (option) {
        case OPTION_VIEW:
            if (!take_view(optarg, &t.screen.view))
                return wrong_use(&arguments, "--view %s: it is all, locks, waits, calls or threads", optarg);
            break;
        case OPTION_THREAD:
            if (regcomp(&re, optarg, REG_EXTENDED | REG_NOSUB))
                return wrong_use(&arguments, "--thread %s: no regular expression", optarg);
            regfree(&re);
            t.screen.filter = optarg;
            break;
        case OPTION_TIMES:
            if (!take_number("top", "--times", optarg, SIZE_MAX, &t.most))
                return EXIT_USAGE;
            break;
        case OPTION_TEXT: text = true; break;
        case OPTION_NO_ATTACH: t.visits = false; break;
        case OPTION_WITH_FILTER: t.with_filter = true; break;
        case 'h': return show_usage(&arguments);
        default: return EXIT_USAGE;
        }
    }
    if (!has_operands(&arguments, argc, 1, 1, "a PID"))
        return EXIT_USAGE;
    if (!take_pid(argv[optind], &t.screen.pid))
        return wrong_use(&arguments, "\"%s\" is no process ID", argv[optind]);
    t.screen.pid = listener_meant(t.screen.pid);
    return look(&t, text);
}
