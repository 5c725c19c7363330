/*
 * round-trip TRACE V1-TRACE: whether a trace of v1 still says what the trace says that it was made of, by what
 * docs/versions.md has as dropped. Prints the first differences; exit status 1 when there are any.
 *
 * Each trace becomes lines: of what they are (a goroutine, a proc, metrics, ranges), when, and what happened. Those of
 * one thing have to be the same, and in the same order.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gotrace/reader.h"
#include "parser/as_v1/steps.h"

enum { GOROUTINE = 'g', PROC = 'p', WORLD = 'w', HASH = 1 << 16, MAX_BAD = 10, MAX_LATE = 16 };

struct line {
    char what;
    uint64_t id;
    size_t nth;
    int64_t time;
    char *text;
    bool no_time; /* it is at the beginning, or says what a goroutine starts as */
};

struct story {
    struct line *v;
    size_t n, cap, first; /* first: goroutines that were there at the beginning */
    bool has_lead, collects;
    bool no_time; /* that of the line says nothing */
    int64_t zero, last, returned_at;
    uint64_t returned; /* from a system call, with the line before */
    uint64_t created[HASH]; /* goroutines that began waiting or in a system call, which are runnable in v1 */
    uint64_t left[HASH];    /* those that ended in one, which v1 does not say */
};

static struct story stories[2];
static int target;

static void add(struct story *s, char what, uint64_t id, int64_t time, char *text)
{
    if (s->n == s->cap) {
        s->cap = s->cap ? 2 * s->cap : 1024;
        s->v = realloc(s->v, s->cap * sizeof *s->v);
        if (!s->v)
            abort();
    }
    s->v[s->n] = (struct line){what, id, s->n, time, text, s->no_time};
    s->n++;
}

static void print_str(FILE *out, struct gotrace_str s)
{
    fprintf(out, " %.*s", (int)s.len, s.data);
}

static void print_stack(FILE *out, struct gotrace_stack s)
{
    struct gotrace_frame f;
    for (size_t i = 0; gotrace_stack_frame(s, i, &f); i++) {
        fprintf(out, " %" PRIx64, f.pc);
        if (target < 7)
            continue;
        print_str(out, f.function);
        print_str(out, f.file);
        fprintf(out, ":%" PRIu64, f.line);
    }
}

/* As a version of v1 says it. */
static const char *reason(const struct gotrace_transition *t)
{
    static const char *const known[] = {"forever", "sleep",   "chan send", "chan receive",
                                        "network", "sync",    "select",    "sync.(*Cond).Wait",
                                        "GC mark assist wait for work"};
    bool stops = t->from == GOTRACE_STATE_RUNNING && t->to == GOTRACE_STATE_RUNNABLE;
    if (stops)
        return t->reason.len == 9 && !memcmp(t->reason.data, "preempted", 9) ? "preempted" : "runtime.Gosched";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i]) == t->reason.len && !memcmp(known[i], t->reason.data, t->reason.len) &&
            (target >= 8 || i < 8))
            return known[i];
    return "";
}

static void goroutine(struct story *s, const struct gotrace_event *ev, const struct gotrace_transition *t, FILE *out)
{
    uint64_t *created = &s->created[t->resource.id % HASH];
    enum gotrace_state to = t->to;
    if (t->from == GOTRACE_STATE_NOT_EXIST && to != GOTRACE_STATE_RUNNABLE) {
        *created = t->resource.id + 1;
        to = GOTRACE_STATE_RUNNABLE;
    } else if (*created == t->resource.id + 1) { /* runnable by now in v1 */
        *created = 0;
        if (to == GOTRACE_STATE_RUNNABLE)
            return;
    }
    s->first += t->from == GOTRACE_STATE_UNDETERMINED;
    fprintf(out, "%s %s", gotrace_state_name(to), reason(t));
    if (t->from == GOTRACE_STATE_UNDETERMINED)
        return;
    if (t->from == GOTRACE_STATE_RUNNING)
        fprintf(out, " P=%" PRIu64, gotrace_event_proc(ev));
    if (t->from == GOTRACE_STATE_WAITING || t->from == GOTRACE_STATE_NOT_EXIST)
        fprintf(out, " G=%" PRId64, (int64_t)gotrace_event_goroutine(ev));
    print_stack(out, gotrace_event_stack(ev));
    struct gotrace_frame f;
    bool known = gotrace_stack_frame(t->stack, 0, &f) && f.pc > 1; /* v1 always has one */
    if (t->from == GOTRACE_STATE_NOT_EXIST && known && target < 7)
        fprintf(out, " start %" PRIx64, f.pc);
    else if (t->from == GOTRACE_STATE_NOT_EXIST && known)
        print_stack(out, t->stack);
}

/* Of two events that v1 has for the end of a system call, the second. */
static bool is_second(struct story *s, const struct gotrace_event *ev, const struct gotrace_transition *t)
{
    bool second = t->from == GOTRACE_STATE_RUNNABLE && t->to == GOTRACE_STATE_RUNNING &&
                  s->returned == t->resource.id && gotrace_event_time(ev) == s->returned_at + 1;
    s->returned = GOTRACE_NONE;
    return second;
}

static void transition(struct story *s, const struct gotrace_event *ev, FILE *out, char *what, uint64_t *id)
{
    struct gotrace_transition t;
    gotrace_event_transition(ev, &t);
    *id = t.resource.id;
    *what = t.resource.kind == GOTRACE_RESOURCE_PROC ? PROC : GOROUTINE;
    s->no_time = t.from == GOTRACE_STATE_UNDETERMINED;
    s->has_lead |= s->no_time && t.to == GOTRACE_STATE_RUNNING;
    uint64_t *left = &s->left[t.resource.id % HASH];
    if (t.from == GOTRACE_STATE_SYSCALL && t.to == GOTRACE_STATE_NOT_EXIST)
        *left = t.resource.id + 1;
    if (t.from == t.to || *left == t.resource.id + 1) {
        *left = t.from == GOTRACE_STATE_NOT_EXIST ? 0 : *left;
        return;
    }
    if (*what == PROC) {
        if (t.from != GOTRACE_STATE_UNDETERMINED || t.to == GOTRACE_STATE_RUNNING)
            fprintf(out, "%s", gotrace_state_name(t.to));
        if (t.to == GOTRACE_STATE_RUNNING)
            fprintf(out, " M=%" PRId64, (int64_t)gotrace_event_thread(ev));
        return;
    }
    if (is_second(s, ev, &t)) {
        strcpy(s->v[s->n - 1].text, "Running ");
    } else if (t.from == GOTRACE_STATE_SYSCALL && s->created[t.resource.id % HASH] != t.resource.id + 1) {
        fprintf(out, "%s ", gotrace_state_name(t.to));
        s->returned = t.to == GOTRACE_STATE_RUNNABLE ? t.resource.id : GOTRACE_NONE;
        s->returned_at = gotrace_event_time(ev);
    } else {
        goroutine(s, ev, &t, out);
    }
}

static void range(struct story *s, const struct gotrace_event *ev, FILE *out, char *what, uint64_t *id)
{
    struct gotrace_range r;
    gotrace_event_range(ev, &r);
    bool active = gotrace_event_kind(ev) == GOTRACE_KIND_RANGE_ACTIVE, is_gc = !strcmp(r.name, "GC concurrent mark phase");
    if ((active && (!is_gc || s->collects)) || (target < 9 && strstr(r.name, "assist")))
        return;
    if (is_gc)
        s->collects = gotrace_event_kind(ev) != GOTRACE_KIND_RANGE_END;
    bool stop = !strcmp(r.name, "stop-the-world");
    if (r.scope.kind != GOTRACE_RESOURCE_NONE && (!stop || target >= 10)) {
        *what = r.scope.kind == GOTRACE_RESOURCE_PROC ? PROC : GOROUTINE;
        *id = r.scope.id;
    }
    if (stop && target < 21 && target >= 10 && strncmp(r.detail.data, "GC ", 3))
        return;
    fprintf(out, "%s %s", gotrace_kind_name(active ? GOTRACE_KIND_RANGE_BEGIN : gotrace_event_kind(ev)), r.name);
    if (target >= 10)
        print_str(out, r.detail);
    for (size_t i = 0; target >= 9 && i < r.nattributes; i++)
        fprintf(out, " %s=%" PRIu64, r.attributes[i].name, r.attributes[i].value);
    if (!stop)
        print_stack(out, gotrace_event_stack(ev));
}

static void user(const struct gotrace_event *ev, FILE *out)
{
    struct gotrace_task t;
    struct gotrace_region r;
    struct gotrace_log l;
    if (target < 11)
        return;
    fprintf(out, "%s", gotrace_kind_name(gotrace_event_kind(ev)));
    if (gotrace_event_task(ev, &t)) {
        uint64_t parent = t.parent == GOTRACE_NONE ? 0 : t.parent;
        fprintf(out, " %" PRIu64 " %" PRIu64, t.id, parent);
        print_str(out, t.type);
    } else if (gotrace_event_region(ev, &r)) {
        fprintf(out, " %" PRIu64, r.task);
        print_str(out, r.type);
    } else if (gotrace_event_log(ev, &l)) {
        fprintf(out, " %" PRIu64, l.task);
        print_str(out, l.category);
        print_str(out, l.message);
    }
    print_stack(out, gotrace_event_stack(ev));
}

static void tell(struct story *s, const struct gotrace_event *ev)
{
    struct gotrace_metric m;
    struct gotrace_label label;
    char *text = NULL, what = WORLD;
    size_t size;
    uint64_t id = 0;
    FILE *out = open_memstream(&text, &size);
    s->no_time = false;
    switch (gotrace_event_kind(ev)) {
    case GOTRACE_KIND_TRANSITION:
        transition(s, ev, out, &what, &id);
        break;
    case GOTRACE_KIND_METRIC:
        gotrace_event_metric(ev, &m);
        fprintf(out, "%s %" PRIu64, m.name, m.value);
        print_stack(out, gotrace_event_stack(ev));
        break;
    case GOTRACE_KIND_LABEL:
        gotrace_event_label(ev, &label);
        what = GOROUTINE;
        id = label.resource.id;
        s->no_time = true;
        if (target >= 8)
            print_str(out, label.label);
        break;
    case GOTRACE_KIND_STACK_SAMPLE:
        what = GOROUTINE;
        id = gotrace_event_goroutine(ev);
        if (target < 19)
            break;
        fprintf(out, "sample P=%" PRId64, (int64_t)gotrace_event_proc(ev));
        print_stack(out, gotrace_event_stack(ev));
        break;
    case GOTRACE_KIND_RANGE_BEGIN:
    case GOTRACE_KIND_RANGE_ACTIVE:
    case GOTRACE_KIND_RANGE_END:
        range(s, ev, out, &what, &id);
        break;
    case GOTRACE_KIND_SYNC:
    case GOTRACE_KIND_EXPERIMENTAL:
        break;
    default:
        what = GOROUTINE;
        id = gotrace_event_goroutine(ev);
        user(ev, out);
    }
    fclose(out);
    if (*text)
        add(s, what, id, gotrace_event_time(ev), text);
    else
        free(text);
}

static int by_what(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    if (x->what != y->what)
        return x->what - y->what;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->nth < y->nth ? -1 : 1;
}

static void read_story(struct story *s, const char *path)
{
    struct gotrace_reader *r = gotrace_reader_open_path(path);
    const struct gotrace_event *ev = gotrace_reader_next(r);
    s->zero = ev ? gotrace_event_time(ev) : 0;
    for (; ev; ev = gotrace_reader_next(r)) {
        s->last = gotrace_event_time(ev);
        tell(s, ev);
    }
    if (gotrace_reader_error(r)) {
        fprintf(stderr, "%s: %s\n", path, gotrace_reader_error(r)->message);
        exit(2);
    }
    gotrace_reader_free(r);
    if (s->n)
        qsort(s->v, s->n, sizeof *s->v, by_what);
}

/* How much later all happens: v1 has what was there at the beginning in front. */
static int64_t shift(const struct story *s)
{
    return 1 + (s->first || s->has_lead ? AS_V1_LEAD : 0) + 2 * (int64_t)s->first;
}

int main(int argc, char **argv)
{
    if (argc != 4 || !(target = atoi(argv[1] + 2)))
        return 2;
    for (int i = 0; i < 2; i++)
        read_story(&stories[i], argv[i + 2]);
    const struct story *a = &stories[0], *b = &stories[1];
    /* What goes on at the end of the trace ends with it in v1. The last event is a Sync, which is behind the others. */
    int64_t end = a->last - a->zero + shift(a) + b->zero - 1;
    unsigned bad = 0;
    for (size_t i = 0, j = 0; bad < MAX_BAD && (i < a->n || j < b->n); i++, j++) {
        while (j < b->n && b->v[j].time > end)
            j++;
        const struct line *x = i < a->n ? &a->v[i] : NULL, *y = j < b->n ? &b->v[j] : NULL;
        if (!x && !y)
            break;
        bool same = x && y && x->what == y->what && x->id == y->id && !strcmp(x->text, y->text);
        /* Events of v2 all have another time, so that one may be pushed by two that v1 has for one before it. */
        int64_t late = same ? (y->time - b->zero) - (x->time - a->zero) - shift(a) : 0;
        if (same && (x->no_time || (late >= 0 && late < MAX_LATE)))
            continue;
        bad++;
        if (x)
            printf("- %c%" PRIu64 " %" PRId64 " %s\n", x->what, x->id, x->time - a->zero + shift(a), x->text);
        if (y)
            printf("+ %c%" PRIu64 " %" PRId64 " %s\n", y->what, y->id, y->time - b->zero, y->text);
    }
    return bad != 0;
}
