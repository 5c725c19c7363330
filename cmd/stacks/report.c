#include "config.h"

#include "cmd/stacks/report.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/export/memory_file.h"
#include "cmd/lines.h"

enum { INDENT = 4 };

/* Of a group of threads: in this order they are told. */
enum rank { ENDED_PROCESS, IN_CIRCLE, RUNS, WAITS_FOR_SOMEBODY, WAITS };

struct group {
    enum rank rank;
    size_t n, first; /* threads; the number of the first one */
};

struct report {
    const struct look *look;
    struct lines lines;
    size_t depth;
    size_t *group_of; /* by thread */
    VEC(struct group) groups;
};

static const struct thread *thread_at(const struct report *r, size_t i) { return &r->look->threads.list.v[i]; }
static const struct wait *wait_at(const struct report *r, size_t i) { return &r->look->waits[i]; }

/* --- groups ------------------------------------------------------------------------------------------------------- */

static enum rank rank_of(const struct report *r, size_t i)
{
    if (thread_at(r, i)->signal)
        return ENDED_PROCESS;
    if (r->look->in_circle[i])
        return IN_CIRCLE;
    if (thread_at(r, i)->state == 'R')
        return RUNS;
    return wait_at(r, i)->other && wait_at(r, i)->kind != OBJECT_THREAD ? WAITS_FOR_SOMEBODY : WAITS;
}

static bool same_stack(const struct thread *a, const struct thread *b)
{
    return a->npcs == b->npcs && a->flags == b->flags && a->spared == b->spared && a->state == b->state &&
           !memcmp(a->pcs, b->pcs, (size_t)a->npcs * sizeof *a->pcs);
}

static bool make_groups(struct report *r)
{
    for (size_t i = 0; i < r->look->threads.list.n; i++) {
        size_t g = 0;
        while (g < r->groups.n && !(r->groups.v[g].rank == rank_of(r, i) &&
                                    same_stack(thread_at(r, r->groups.v[g].first), thread_at(r, i))))
            g++;
        if (g == r->groups.n) {
            if (!VEC_ROOM(&r->groups))
                return false;
            r->groups.v[r->groups.n++] = (struct group){rank_of(r, i), 0, i};
        }
        r->groups.v[g].n++;
        r->group_of[i] = g;
    }
    return true;
}

/* --- text --------------------------------------------------------------------------------------------------------- */

static const char *state_text(const struct thread *t, bool of_core)
{
    switch (t->state) {
    case 'R': return of_core ? "ran" : "runs";
    case 'T': return "is stopped by a signal";
    case 't': return "is stopped by a debugger";
    case 'Z':
    case 'X': return "has ended";
    default: return "waits in the kernel";
    }
}

/* "waits for mutex a (x.c:4), held by worker 2 (4714)" */
static bool put_wait(struct report *r, const char *before, size_t i)
{
    const struct thread *t = thread_at(r, i);
    const struct wait *w = wait_at(r, i);
    const struct thread *other = w->other ? threads_find(&r->look->threads, w->other) : NULL;
    const char *state = state_text(t, r->look->process.core);
    if (!w->object[0])
        return lines_put(&r->lines, before, "%s", state);
    if (t->state == 'T' || t->state == 't')
        return lines_put(&r->lines, before, "%s, where it waits for %s", state, w->object);
    if (!w->other || w->kind == OBJECT_THREAD)
        return lines_put(&r->lines, before, "waits for %s", w->object);
    if (!other)
        return lines_put(&r->lines, before, "waits for %s, held by thread %ld, which is not one of this process now",
                         w->object, (long)w->other);
    if (other == t)
        return lines_put(&r->lines, before, "waits for %s, held by itself", w->object);
    return lines_put(&r->lines, before, "waits for %s, held by %s (%ld)", w->object, other->name, (long)other->tid);
}

/* All circles, each once: from its thread with the lowest number on. */
static bool put_circles(struct report *r)
{
    for (size_t i = 0; i < r->look->threads.list.n; i++) {
        bool lowest = r->look->in_circle[i], ok = true;
        for (size_t k = r->look->next[i]; lowest && k != i; k = r->look->next[k])
            lowest = k > i;
        if (!lowest)
            continue;
        lines_begin(&r->lines, 0);
        lines_begin(&r->lines, 0);
        const struct thread *t = thread_at(r, i);
        char begins[64];
        snprintf(begins, sizeof begins, "Deadlock: %s (%ld)", t->name, (long)t->tid);
        ok = put_wait(r, begins, i);
        for (size_t k = r->look->next[i]; k != i && ok; k = r->look->next[k])
            ok = put_wait(r, ", which", k);
        if (!ok)
            return false;
    }
    return true;
}

static bool same_wait(const struct report *r, size_t a, size_t b)
{
    return wait_at(r, a)->other == wait_at(r, b)->other && !strcmp(wait_at(r, a)->object, wait_at(r, b)->object);
}

/* The members of a group that wait for the same, on a line of their own. */
static bool put_members(struct report *r, size_t g, size_t first)
{
    bool ok = true;
    lines_begin(&r->lines, 0);
    for (size_t i = first, next; i != SIZE_MAX && ok; i = next) {
        next = SIZE_MAX;
        for (size_t k = i + 1; k < r->look->threads.list.n && next == SIZE_MAX; k++)
            if (r->group_of[k] == g && same_wait(r, k, first))
                next = k;
        const struct thread *t = thread_at(r, i);
        ok = lines_put(&r->lines, i == first ? "" : ",", "%s (%ld)", t->name, (long)t->tid);
    }
    return ok && put_wait(r, ":", first);
}

static bool told_before(const struct report *r, size_t g, size_t i)
{
    for (size_t k = r->groups.v[g].first; k < i; k++)
        if (r->group_of[k] == g && same_wait(r, k, i))
            return true;
    return false;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* " (shop.c:12)"; where no line is known, the file is the module's, and the line 1; and there may be no module. */
static void put_place(char *into, size_t size, const struct report *r, const struct symbolize_frame *f, uintptr_t pc)
{
    const struct module *m = modules_find(&r->look->modules, pc - 1);
    if (f->line == 1 && !m)
        snprintf(into, size, "%s", "");
    else if (f->line == 1 && !strcmp(base_of(f->file), base_of(m->path)))
        snprintf(into, size, " (%s)", base_of(f->file));
    else
        snprintf(into, size, " (%s:%u)", base_of(f->file), f->line);
}

/* What is missing at the end of the stack, or NULL. */
static const char *end_text(const struct thread *t)
{
    if (t->flags & UNWIND_TRUNCATED)
        return "… and more: the stack is very deep";
    if (t->spared && t->state == 'D')
        return "… the rest is not known: it cannot be stopped where it is";
    if (t->spared && t->call != NO_CALL)
        return "… the rest is not known: it was not stopped, as its call might fail or end early (see --stop)";
    if (t->spared)
        return "… it was not stopped (see --stop)";
    return t->flags & UNWIND_STOPPED ? "… the rest was not found" : NULL;
}

static void put_frames(struct report *r, const struct thread *t)
{
    size_t told = 0, left = 0;
    for (int i = 0; i < t->npcs; i++) {
        size_t n;
        const struct symbolize_frame *frames = symbolize_frames(r->look->symbolizer, t->symbols[i], &n);
        for (size_t k = 0; k < n; k++) {
            char place[PATH_MAX + 32];
            if (told == r->depth) {
                left++;
                continue;
            }
            told++;
            put_place(place, sizeof place, r, &frames[k], t->pcs[i]);
            lines_begin(&r->lines, INDENT);
            lines_put(&r->lines, "", "%s%s", frames[k].function, place);
        }
    }
    char more[48];
    const char *ends[] = {left ? more : NULL, end_text(t)};
    snprintf(more, sizeof more, "… %zu more", left);
    for (int i = 0; i < 2; i++)
        if (ends[i]) {
            lines_begin(&r->lines, INDENT);
            lines_words(&r->lines, ends[i]);
        }
}

static bool put_group(struct report *r, size_t g)
{
    bool ok = true;
    lines_begin(&r->lines, 0);
    for (size_t i = r->groups.v[g].first; i < r->look->threads.list.n && ok; i++)
        if (r->group_of[i] == g && !told_before(r, g, i))
            ok = put_members(r, g, i);
    put_frames(r, thread_at(r, r->groups.v[g].first));
    return ok;
}

/* The next group to be told: by rank, by size, by number. */
static size_t next_group(const struct report *r, const bool *told)
{
    size_t best = SIZE_MAX;
    for (size_t g = 0; g < r->groups.n; g++)
        if (!told[g] && (best == SIZE_MAX || r->groups.v[g].rank < r->groups.v[best].rank ||
                         (r->groups.v[g].rank == r->groups.v[best].rank && r->groups.v[g].n > r->groups.v[best].n)))
            best = g;
    return best;
}

static bool put_all(struct report *r)
{
    const struct threads *ts = &r->look->threads;
    bool *told = calloc(r->groups.n + 1, sizeof *told), ok = told;
    fprintf(r->lines.out, "%s (%ld)%s: %zu thread%s", r->look->process.name, (long)r->look->process.pid,
            r->look->process.core ? ", core file" : "", ts->list.n, ts->list.n == 1 ? "" : "s");
    for (size_t i = 0; i < ts->list.n; i++)
        if (ts->list.v[i].signal)
            fprintf(r->lines.out, ", ended by signal %d (%s) that %s (%ld) took", ts->list.v[i].signal,
                    strsignal(ts->list.v[i].signal), ts->list.v[i].name, (long)ts->list.v[i].tid);
    if (ts->stops.stopped)
        fprintf(r->lines.out, ", %zu of them stopped for %.1f ms", ts->stops.stopped,
                (double)ts->stops.pause_ns * 1e-6);
    if (ts->stops.tracer)
        fprintf(r->lines.out, "; process %ld traces it, and none could be stopped", (long)ts->stops.tracer);
    ok = ok && put_circles(r);
    for (size_t g; ok && (g = next_group(r, told)) != SIZE_MAX;) {
        told[g] = true;
        ok = put_group(r, g);
    }
    fputc('\n', r->lines.out);
    free(told);
    return ok;
}

bool report_stacks(const struct look *l, size_t depth, FILE *out)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = memory_file(&text, &size);
    struct report r = {.look = l, .depth = depth, .lines = {.out = f, .width = lines_width(out), .deeper = INDENT + 2}};
    r.group_of = calloc(l->threads.list.n + 1, sizeof *r.group_of);
    bool ok = f && r.group_of && make_groups(&r) && put_all(&r);
    if (f && fclose(f))
        ok = false;
    /* Names are the program's, and may be meant for the terminal. */
    for (size_t i = 0; i < size && ok; i++) {
        unsigned char c = (unsigned char)text[i], next = (unsigned char)text[i + 1]; /* behind the end is a 0 */
        bool commands = (c < ' ' && c != '\n') || c == 0x7f || (c == 0xc2 && next >= 0x80 && next < 0xa0);
        fputc(commands ? '?' : c, out);
    }
    free(text);
    free(r.group_of);
    VEC_FREE(&r.groups);
    return ok;
}
