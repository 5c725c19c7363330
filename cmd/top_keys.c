#include "config.h"

#include "cmd/export/memory_file.h"
#include "cmd/top.h"

#include <errno.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/control_client.h"
#include "cmd/control_trace.h"
#include "cmd/finish/finish.h"
#include "cmd/stacks/look.h"
#include "cmd/stacks/report.h"
#include "cmd/top/terminal_mode.h"

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
    FILE *f = memory_file(&text, &size);
    const char *wrong = look_at(&look, t->screen.pid, STOP_SAFE);
    if (!wrong && (!f || !report_stacks(&look, SIZE_MAX, f)))
        wrong = "out of memory";
    look_free(&look);
    if (f && fclose(f))
        wrong = "out of memory";
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
    static char trace[PATH_MAX], spool[PATH_MAX];
    const pid_t pid = t->screen.pid;
    const char *wrong = control_ask(pid, CONTROL_SNAPSHOT, &reply);
    if (!wrong && reply.error)
        wrong = reply.error == -EOPNOTSUPP ? "no flight recorder runs there (--flight-recorder)"
                                           : control_refusal(-reply.error);
    if (!wrong && t->visit.begun && !visit_trace(trace, sizeof trace, t->name, pid, 1))
        wrong = "there is no name for it in the current directory";
    if (wrong) {
        snprintf(t->message, sizeof t->message, " snapshot: %s", wrong);
        return;
    }
    const struct finish_how how = {.out = t->visit.begun ? trace : NULL,
                                   .anyway = t->visit.begun,
                                   .quiet = true,
                                   .report = report_snapshot,
                                   .who = "top",
                                   .of_pid = t->process.innermost ? t->process.innermost : (uint32_t)pid,
                                   .of_start = t->process.start,
                                   .root = t->root};
    snapshot_of = t;
    bool is_ours = visit_find(&t->visit, reply.spool, spool, sizeof spool);
    if ((is_ours ? finish_spool(spool, &how, &sum) : control_trace_make(pid, reply.spool, &how, false, &sum)) ==
        FINISH_DONE) {
        snprintf(t->message, sizeof t->message, " snapshot: %.200s", sum.path);
        visit_forget(&t->visit, reply.spool);
    }
    if (t->visit.begun)
        visit_trace_unused(trace);
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
    char text[TOP_FILTER_MAX] = "", line[TOP_FILTER_MAX + 64];
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

bool top_take_key(struct top *t, int key)
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
