/*
 * Every trace at hand is read twice: as usual, with the short way of reader_next.c for what is common and with the
 * texts of stacks kept, and by the long way only, with each stack printed anew. Both have to give the same events and
 * end in the same way.
 */
#include "config.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gotrace/gotrace.h"
#include "parser/event_print.h"
#include "cmd/golden/golden.h"
#include "parser/reader.h"
#include "tests/parser/padded.h"

/* All that leaves the short way comes through one of these. */
static uint64_t left_short_way;

const struct gotrace_event *__real_reader_next_slow(struct gotrace_reader *r);
const struct gotrace_event *__wrap_reader_next_slow(struct gotrace_reader *r);
const struct gotrace_event *__wrap_reader_next_slow(struct gotrace_reader *r)
{
    left_short_way++;
    return __real_reader_next_slow(r);
}

const struct gotrace_event *__real_reader_decide(struct gotrace_reader *r);
const struct gotrace_event *__wrap_reader_decide(struct gotrace_reader *r);
const struct gotrace_event *__wrap_reader_decide(struct gotrace_reader *r)
{
    left_short_way++;
    return __real_reader_decide(r);
}

struct totals {
    unsigned traces, with_short_way;
    uint64_t events, by_short_way;
};

static int tests;

static bool same_events(struct gotrace_reader *shortly, struct gotrace_reader *at_length, struct totals *t)
{
    struct raw_buffer a = {0}, b = {0};
    struct stack_texts stacks = {0};
    uint64_t n = 0, short_way = 0;
    bool same = true, more = true;
    while (same && more) {
        left_short_way = 0;
        const struct gotrace_event *x = gotrace_reader_next(shortly);
        short_way += x && !left_short_way;
        at_length->fast = false;
        const struct gotrace_event *y = gotrace_reader_next(at_length);
        more = x && y;
        same = !x == !y;
        a.size = b.size = 0;
        if (more) {
            event_print(&a, x, &stacks);
            event_print(&b, y, NULL);
            same = a.size == b.size && !a.failed && !b.failed && !memcmp(a.at, b.at, a.size) &&
                   gotrace_event_offset(x) == gotrace_event_offset(y);
        }
        n += more;
    }
    if (!same)
        printf("# event %llu: the long way\n# %.*s# by the short one\n# %.*s", (unsigned long long)n, (int)b.size,
               b.size ? (const char *)b.at : "", (int)a.size, a.size ? (const char *)a.at : "");
    t->traces++;
    t->with_short_way += short_way > 0;
    t->events += n;
    t->by_short_way += short_way;
    raw_buffer_free(&a);
    raw_buffer_free(&b);
    stack_texts_free(&stacks);
    return same;
}

static bool same_end(const struct gotrace_reader *shortly, const struct gotrace_reader *at_length)
{
    const struct gotrace_error *x = gotrace_reader_error(shortly), *y = gotrace_reader_error(at_length);
    if (!x && !y)
        return true;
    bool same = x && y && x->status == y->status && x->offset == y->offset && x->generation == y->generation &&
                x->thread == y->thread && !strcmp(x->message, y->message);
    if (!same)
        printf("# the long way: %s\n# by the short: %s\n", y ? y->message : "no error", x ? x->message : "no error");
    return same;
}

static bool compare(const struct raw_buffer *trace, struct totals *t)
{
    struct gotrace_reader *shortly = gotrace_reader_open_memory(trace->at, trace->size);
    struct gotrace_reader *at_length = gotrace_reader_open_memory(trace->at, trace->size);
    if (!shortly || !at_length)
        exit(99);
    bool same = same_events(shortly, at_length, t) && same_end(shortly, at_length);
    gotrace_reader_free(shortly);
    gotrace_reader_free(at_length);
    return same;
}

/* As it is and, if it can be, padded. */
static bool compare_both(const struct raw_buffer *trace, struct totals *t)
{
    struct raw_buffer padded = {0};
    bool same = compare(trace, t) && (!pad(trace, &padded) || compare(&padded, t));
    raw_buffer_free(&padded);
    return same;
}

/* The file is a trace, or a golden test that has one in it. */
static bool compare_file(const char *path, struct totals *t)
{
    struct raw_buffer content = {0};
    struct golden g = {0};
    size_t len = strlen(path);
    bool golden = len > 5 && !strcmp(path + len - 5, ".test");
    if (!read_file(path, &content) || (golden && !golden_parse(&g, content.at, content.size)))
        exit(99);
    bool same = compare_both(golden ? &g.bytes : &content, t);
    if (golden)
        golden_free(&g);
    raw_buffer_free(&content);
    return same;
}

static struct totals *totals;
static bool all_same;

static int visit(const char *path, const struct stat *st, int type, struct FTW *at)
{
    const char *dot = strrchr(path + at->base, '.');
    bool text = dot && (!strcmp(dot, ".md") || !strcmp(dot, ".sha256") || !strcmp(dot, ".txt") || !strcmp(dot, ".c") ||
                        !strcmp(dot, ".h") || !strcmp(dot, ".mk"));
    if (type == FTW_F && !text && !compare_file(path, totals)) {
        printf("# in %s\n", path);
        all_same = false;
    }
    return 0;
}

/* The traces below a folder, of which at least so many events come by the short way. */
static void compare_folder(const char *what, const char *folder, uint64_t least)
{
    struct totals t = {0};
    totals = &t;
    all_same = true;
    if (nftw(folder, visit, 16, FTW_PHYS)) {
        printf("ok %d - %s # SKIP no %s\n", ++tests, what, folder);
        return;
    }
    printf("# %s: %u traces, %u of them with the short way, for %llu of %llu events\n", what, t.traces,
           t.with_short_way, (unsigned long long)t.by_short_way, (unsigned long long)t.events);
    printf("%sok %d - %s are the same both ways\n", all_same && t.traces ? "" : "not ", ++tests, what);
    printf("%sok %d - the short way is taken in them\n", t.by_short_way >= least ? "" : "not ", ++tests);
}

int main(void)
{
    const char *top = getenv("top_srcdir"), *shared = getenv("THRACE_SHARED");
    char path[4096];
    top = top ? top : ".";
    snprintf(path, sizeof path, "%s/tests/golden", top);
    compare_folder("golden traces", path, 30);
    snprintf(path, sizeof path, "%s/tests/fuzz/corpus/binary", top);
    compare_folder("what fuzzing left", path, 1);
    snprintf(path, sizeof path, "%s%s/traces", shared ? shared : top, shared ? "" : "/../shared");
    compare_folder("traces of Go programs", path, 100000);
    printf("1..%d\n", tests);
    return 0;
}
