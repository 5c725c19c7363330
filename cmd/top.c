/* thrace top: what the threads of a recorded process do, second by second. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/control_client.h"
#include "cmd/control_list.h"
#include "cmd/finish/finish.h"
#include "cmd/finish/finish_write.h"
#include "cmd/lines.h"
#include "cmd/stacks/look.h"
#include "cmd/stacks/report.h"
#include "cmd/terminal.h"
#include "cmd/top/find_spool.h"
#include "cmd/top/follow.h"
#include "cmd/top/holders.h"
#include "cmd/top/screen.h"
#include "cmd/top/terminal_mode.h"
#include "cmd/verbs.h"

static const char usage[] =
    "usage: thrace top [OPTION…] PID\n"
    "\n"
    "Shows what the threads of a process do that thrace records: on the whole terminal, anew with each generation of\n"
    "the recording, which is each second if nothing else was asked for. The recording is only read, so the process\n"
    "does not notice. Where the output is no terminal, one text comes after the other.\n"
    "\n"
    "  --view WHAT    all (default), locks, waits, calls or threads\n"
    "  --thread RE    only threads whose names match the regular expression\n"
    "  --times N      so many generations\n"
    "  --text         text, also on a terminal\n"
    "  -h, --help     print this\n"
    "\n"
    "Keys: a, l, w, c, t for the views; < and > sort by another column, the arrows scroll; / takes threads by their\n"
    "names; s shows what all threads do right now, as thrace stacks; S takes a snapshot of a flight recorder; space\n"
    "holds the screen; q leaves.\n"
    "Exit status: 0, or 2 when the process cannot be looked at.\n";

enum { OPTION_VIEW = 256, OPTION_THREAD, OPTION_TIMES, OPTION_TEXT };

static const struct option longs[] = {
    {"view", required_argument, NULL, OPTION_VIEW},
    {"thread", required_argument, NULL, OPTION_THREAD},
    {"times", required_argument, NULL, OPTION_TIMES},
    {"text", no_argument, NULL, OPTION_TEXT},
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};
static const struct arguments arguments = {"top", usage, ":h", longs};

enum { LOOK_MS = 100, QUIET_MS = 3000, FILTER_MAX = 128 };

struct top {
    struct screen screen;
    char name[64], filter[FILTER_MAX], message[256];
    struct process_stat process;
    struct follow follow;
    uint64_t hz; /* ticks of the recording in a second */
    struct window *window; /* NULL: there is none so far */
    struct cpu_times times[2]; /* screen.before and screen.now lead to them */
    uint64_t shown_at;         /* CLOCK_MONOTONIC, in ns */
    size_t shown, most;        /* generations */
    bool full_screen, held, is_over;
    int failed; /* generations in a row that could not be summed up */
    size_t line;               /* the first one that is drawn */
    char *text;                /* what was drawn last */
};

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
            struct window *w = window_new(&file, t->hz, &t->follow.waits, t->screen.filter, &wrong);
            if (w) {
                window_free(t->window);
                t->window = w;
                *is_new = true;
            }
            wrong = w ? NULL : pass_over(t, wrong);
        }
        const char *then = follow_next_end(&t->follow, &file);
        wrong = wrong ? wrong : then;
        if (!wrong && *is_new && !holders_tell(t->window, &t->follow.waits, t->screen.pid))
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

static bool has_ended(const struct top *t)
{
    struct process_stat s;
    return process_stat(t->screen.pid, &s) || s.start != t->process.start || s.state == 'Z' || s.state == 'X';
}

/* --- the screen --------------------------------------------------------------------------------------------------- */

static bool make_text(struct top *t)
{
    char *text = NULL;
    size_t size = 0, rows;
    FILE *f = open_memstream(&text, &size);
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

/* The first line that is drawn after that key: one of the text. */
static size_t scrolled(const char *text, size_t line, int key)
{
    enum { PAGE = 10 };
    size_t last = 0;
    for (const char *c = text; c && *c; c++)
        last += *c == '\n' && c[1];
    switch (key) {
    case KEY_UP: return line - (line > 0);
    case KEY_DOWN: return line < last ? line + 1 : line;
    case KEY_PAGE_UP: return line < PAGE ? 0 : line - PAGE;
    case KEY_PAGE_DOWN: return line + PAGE < last ? line + PAGE : last;
    default: return line;
    }
}

/* Until a key: the text of something else. */
static bool show_text(const char *text, const char *title)
{
    for (size_t line = 0;;) {
        terminal_mode_draw(text, line, title);
        int key = terminal_mode_key(-1);
        switch (key) {
        case KEY_STOP: return false;
        case KEY_NONE:
        case KEY_RESIZED: break;
        case KEY_UP:
        case KEY_DOWN:
        case KEY_PAGE_UP:
        case KEY_PAGE_DOWN: line = scrolled(text, line, key); break;
        default: return true;
        }
    }
}

static bool show_stacks(struct top *t)
{
    struct look look;
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    const char *wrong = look_at(&look, t->screen.pid, STOP_SAFE);
    if (!wrong && (!f || !report_stacks(&look, SIZE_MAX, f)))
        wrong = "out of memory";
    look_free(&look);
    if (f)
        fclose(f);
    snprintf(t->message, sizeof t->message, wrong ? " %s" : "%s", wrong ? wrong : "");
    bool goes_on = wrong || show_text(text, " stacks: the arrows scroll, any other key leaves");
    free(text);
    return goes_on;
}

/* What finish_spool() reports goes to the line at the bottom. */
static struct top *snapshot_of;
__attribute__((format(printf, 2, 3))) static void report_snapshot(const char *who, const char *fmt, ...)
{
    va_list args;
    (void)who;
    va_start(args, fmt);
    vsnprintf(snapshot_of->message, sizeof snapshot_of->message, fmt, args);
    va_end(args);
}

static void take_snapshot(struct top *t)
{
    static struct control_reply reply;
    static struct finish_summary sum;
    const char *wrong = control_ask(t->screen.pid, CONTROL_SNAPSHOT, &reply);
    if (!wrong && reply.error)
        wrong = reply.error == -EOPNOTSUPP ? "no flight recorder runs there: thrace record --flight-recorder"
                                           : strerror(-reply.error);
    if (wrong) {
        snprintf(t->message, sizeof t->message, " snapshot: %s", wrong);
        return;
    }
    const struct finish_how how = {.quiet = true,
                                   .report = report_snapshot,
                                   .who = "top",
                                   .of_pid = t->process.innermost ? t->process.innermost : (uint32_t)t->screen.pid,
                                   .of_start = t->process.start};
    snapshot_of = t;
    if (finish_spool(reply.spool, &how, &sum) == FINISH_DONE)
        snprintf(t->message, sizeof t->message, " snapshot: %.200s", sum.path);
    free(sum.holders);
    sum.holders = NULL;
}

static size_t without_last(char *text, size_t n)
{
    while (n > 1 && ((unsigned char)text[n - 1] & 0xc0) == 0x80)
        n--;
    n -= n > 0;
    text[n] = 0;
    return n;
}

/* Reads it at the bottom of the screen; Escape leaves it as it was. False: the program is to end. */
static bool read_filter(struct top *t)
{
    char text[FILTER_MAX] = "", line[FILTER_MAX + 64];
    size_t n = 0;
    for (;;) {
        snprintf(line, sizeof line, " threads whose names match: %s_", text);
        terminal_mode_draw(t->text ? t->text : "", t->line, line);
        int key = terminal_mode_key(-1);
        if (key == KEY_STOP)
            return false;
        if (key == KEY_ESCAPE)
            return true;
        if (key == '\n' || key == '\r')
            break;
        if (key == 0x7f || key == '\b') /* a whole character of UTF-8 */
            n = without_last(text, n);
        else if (key >= ' ' && key < 256 && key != 0x7f && n + 1 < sizeof text) {
            text[n++] = (char)key;
            text[n] = 0;
        }
    }
    regex_t re;
    int err = n ? regcomp(&re, text, REG_EXTENDED | REG_NOSUB) : 0;
    if (err) {
        snprintf(t->message, sizeof t->message, " %.100s: no regular expression", text);
        return true;
    }
    if (n)
        regfree(&re);
    snprintf(t->filter, sizeof t->filter, "%s", text);
    t->screen.filter = n ? t->filter : NULL;
    snprintf(t->message, sizeof t->message, " from the next generation on");
    return true;
}

static void sort_by_another(struct screen *s, int step)
{
    static const char *const titles[] = {NULL, "total", "max", "p99", "p50"};
    enum { N = sizeof titles / sizeof *titles };
    if (s->view == VIEW_THREADS || s->view == VIEW_ALL) {
        s->order = (enum thread_order)(((int)s->order + step + THREAD_ORDERS) % THREAD_ORDERS);
        return;
    }
    int at = 0;
    for (int i = 1; i < N; i++)
        if (s->sort && !strcmp(s->sort, titles[i]))
            at = i;
    s->sort = titles[(at + step + N) % N];
}

static void set_view(struct top *t, enum view view)
{
    t->screen.view = view;
    t->screen.sort = NULL;
    t->line = 0;
}

/* False: it is to end. */
static bool take_key(struct top *t, int key)
{
    if (key != KEY_NONE)
        t->message[0] = 0;
    switch (key) {
    case 'q':
    case KEY_STOP: return false;
    case 'a': set_view(t, VIEW_ALL); break;
    case 'l': set_view(t, VIEW_LOCKS); break;
    case 'w': set_view(t, VIEW_WAITS); break;
    case 'c': set_view(t, VIEW_CALLS); break;
    case 't': set_view(t, VIEW_THREADS); break;
    case '<': sort_by_another(&t->screen, -1); break;
    case '>': sort_by_another(&t->screen, 1); break;
    case ' ': t->held = !t->held; break;
    case 's': return show_stacks(t);
    case 'S': take_snapshot(t); break;
    case '/': return read_filter(t);
    default: t->line = scrolled(t->text, t->line, key);
    }
    return true;
}

/* --- the loop ----------------------------------------------------------------------------------------------------- */

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
            if (fflush(stdout))
                return NULL; /* main() says so */
        }
        if (t->full_screen)
            draw(t);
        t->is_over = !is_new && (ended || follow_has_ended(&t->follow));
        if (t->is_over && !t->held)
            return NULL;
        if (t->full_screen ? !take_key(t, terminal_mode_key(LOOK_MS)) : (poll(NULL, 0, LOOK_MS) < 0 && errno != EINTR))
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

static int look(struct top *t, bool text)
{
    struct spool_claim claim = {.fd = -1};
    const char *wrong = process_stat(t->screen.pid, &t->process) ? "there is no such process" : NULL;
    if (!wrong)
        wrong = find_spool(&claim, t->screen.pid, &t->process);
    if (!wrong)
        wrong = follow_open(&t->follow, claim.fd);
    if (!wrong) {
        command_of(t->screen.pid, t->name, sizeof t->name);
        t->screen.name = t->name;
        t->screen.tids_are_ours = !t->process.innermost || (pid_t)t->process.innermost == t->screen.pid;
        t->screen.color = wants_color(stdout);
        t->screen.before = &t->times[0];
        t->screen.now = &t->times[1];
        take_times(t);
        t->full_screen = !text && terminal_mode_begin();
        t->follow.stop = t->full_screen ? terminal_mode_stops : NULL;
        if (t->full_screen)
            terminal_mode_draw("", 0, " reads what was recorded so far …");
        wrong = watch(t);
        terminal_mode_end();
    }
    if (wrong)
        complain("top", "%ld: %s", (long)t->screen.pid, wrong);
    else if (t->is_over)
        complain("top", "%ld: the recording has ended%s", (long)t->screen.pid,
                 has_ended(t) ? "" : ", and the process goes on: it was told so, or executed another program");
    window_free(t->window);
    follow_close(&t->follow);
    spool_claim_end(&claim, "", false);
    cpu_times_free(&t->times[0]);
    cpu_times_free(&t->times[1]);
    free(t->text);
    return wrong ? EXIT_USAGE : EXIT_OK;
}

int cmd_top(int argc, char **argv)
{
    static struct top t = {.most = SIZE_MAX};
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
