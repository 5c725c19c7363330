/* make-golden DIR: writes every golden test into DIR. The ones in the repository are what it writes. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/wire/varint.h"
#include "tests/golden/scenario.h"

static void die(const char *name, const char *why)
{
    fprintf(stderr, "make-golden: %s: %s\n", name, why);
    exit(2);
}

void generation_without_clock(struct trace *t, uint64_t gen) { gotrace_builder_generation(t->b, gen); }

/* From 1.25 on the validator wants to see the clocks advance. */
void generation(struct trace *t, uint64_t gen)
{
    generation_without_clock(t, gen);
    if (t->version >= 25)
        gotrace_builder_sync(t->b, 1000000000, 1000 * gen, 5000 * gen, 1700000000 + gen, 0);
}

void thread(struct trace *t, uint64_t m) { gotrace_builder_batch(t->b, m, t->now); }

void event(struct trace *t, unsigned id, const uint64_t *args, size_t n)
{
    t->now += !t->still;
    gotrace_builder_event(t->b, t->now, id, args, n);
}

uint64_t text(struct trace *t, const char *s) { return gotrace_builder_string(t->b, s, strlen(s)); }

uint64_t stack(struct trace *t, unsigned seed, unsigned frames)
{
    struct gotrace_builder_frame f[STACK_MAX_FRAMES];
    char names[STACK_MAX_FRAMES][16];
    for (unsigned i = 0; i < frames; i++) {
        snprintf(names[i], sizeof names[i], "f%u_%u", seed, i);
        f[i] = (struct gotrace_builder_frame){0x1000 * seed + i, names[i], i % 2 ? "lake.c" : "sea.c", seed + i};
    }
    return gotrace_builder_stack(t->b, f, frames);
}

void sample(struct trace *t, uint64_t m, uint64_t p, uint64_t g, uint64_t stack_id)
{
    gotrace_builder_cpu_sample(t->b, t->now, m, p, g, stack_id);
}

void running(struct trace *t, uint64_t m, uint64_t p, uint64_t g)
{
    EV(ProcStatus, p, PROC_RUNNING);
    EV(GoStatus, g, m, GO_RUNNING);
}

struct gotrace_raw_event *find(struct raw_list *l, unsigned id, unsigned n)
{
    for (size_t i = 0; i < l->n; i++)
        if (l->at[i].id == id && !n--)
            return &l->at[i];
    die(event_table[id].name, "no such event to change");
    return NULL;
}

void drop(struct raw_list *l, unsigned id, unsigned n)
{
    struct gotrace_raw_event *ev = find(l, id, n);
    memmove(ev, ev + 1, (size_t)(l->at + l->n - (ev + 1)) * sizeof *ev);
    l->n--;
}

struct gotrace_raw_event *insert_after(struct raw_list *l, struct gotrace_raw_event *before, unsigned id)
{
    size_t i = (size_t)(before - l->at) + 1;
    struct gotrace_raw_event *at = realloc(l->at, (l->n + 1) * sizeof *at);
    if (!at)
        die("insert", "out of memory");
    memmove(at + i + 1, at + i, (l->n - i) * sizeof *at);
    at[i] = (struct gotrace_raw_event){.id = (uint8_t)id, .nargs = event_table[id].nargs};
    l->at = at;
    l->n++;
    return &at[i];
}

static uint64_t encoded_size(const struct gotrace_raw_event *ev)
{
    uint64_t size = 1;
    for (unsigned i = 0; i < ev->nargs; i++)
        size += varint_size(ev->args[i]);
    for (uint64_t i = 0; ev->frames && i < ev->args[1]; i++)
        size += varint_size(ev->frames[i].pc) + varint_size(ev->frames[i].function) + varint_size(ev->frames[i].file) +
                varint_size(ev->frames[i].line);
    if (ev->id == EV_String)
        size += varint_size(ev->size) + ev->size;
    return size;
}

/* Gives each batch the size of the events behind it. */
static void fit(struct raw_list *l)
{
    uint64_t *size = NULL;
    for (size_t i = 0; i < l->n; i++) {
        unsigned id = l->at[i].id;
        if (id == EV_EventBatch)
            *(size = &l->at[i].args[3]) = 0;
        else if (id == EV_ExperimentalBatch || id == EV_EndOfGeneration)
            size = NULL;
        else if (size)
            *size += encoded_size(&l->at[i]);
    }
}

/* Copies live until the program ends: scenarios may put something of their own in their place. */
static struct copy {
    struct copy *next;
    uint64_t data[];
} *copies;

static void *copy_of(const void *p, size_t size)
{
    struct copy *c = malloc(sizeof *c + size);
    if (!c)
        die("copy", "out of memory");
    c->next = copies;
    copies = c;
    return size ? memcpy(c->data, p, size) : c->data;
}

static struct raw_list load(const struct scenario *s, const void *bytes, size_t size)
{
    struct raw_list l = {0};
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_memory(GOTRACE_RAW_BYTES, bytes, size);
    struct gotrace_raw_event ev;
    int rc;
    while ((rc = gotrace_raw_reader_next(r, &ev)) > 0) {
        if (ev.frames)
            ev.frames = copy_of(ev.frames, ev.args[1] * sizeof *ev.frames);
        if (ev.data)
            ev.data = copy_of(ev.data, ev.size);
        l.at = realloc(l.at, (l.n + 1) * sizeof *l.at);
        if (!l.at)
            die(s->name, "out of memory");
        l.at[l.n++] = ev;
    }
    if (rc < 0)
        die(s->name, gotrace_raw_reader_error(r)->message);
    gotrace_raw_reader_free(r);
    return l;
}

static void save(const struct scenario *s, const struct raw_list *l, const char *dir)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.test", dir, s->name);
    FILE *file = fopen(path, "w");
    if (!file)
        die(path, "cannot create");
    if (s->failure)
        fprintf(file, "-- expect --\nFAILURE \"%s\"\n-- trace --\n", s->failure);
    else
        fputs("-- expect --\nSUCCESS\n-- trace --\n", file);
    struct gotrace_raw_writer *w = gotrace_raw_writer_new_file(GOTRACE_RAW_TEXT, s->version, file);
    for (size_t i = 0; i < l->n; i++)
        if (gotrace_raw_writer_event(w, &l->at[i]))
            die(s->name, "an event that cannot be written");
    if (gotrace_raw_writer_finish(w) || fclose(file))
        die(path, "cannot write");
    gotrace_raw_writer_free(w);
}

static void make(const struct scenario *s, const char *dir)
{
    struct trace t = {.b = gotrace_builder_new_memory(s->version), .version = s->version, .now = 10};
    size_t size;
    s->build(&t);
    if (gotrace_builder_finish(t.b))
        die(s->name, gotrace_builder_error(t.b)->message);
    const void *bytes = gotrace_builder_bytes(t.b, &size);
    struct raw_list l = load(s, bytes, size);
    if (s->edit) {
        s->edit(&l);
        fit(&l);
    }
    if (s->lie)
        s->lie(&l);
    save(s, &l, dir);
    free(l.at);
    gotrace_builder_free(t.b);
}

int main(int argc, char **argv)
{
    static const struct scenario *const all[] = {plain_scenarios,     steal_scenarios, version_scenarios,
                                                 structure_scenarios, order_scenarios, range_scenarios,
                                                 invalid_scenarios};
    if (argc != 2) {
        fputs("usage: make-golden DIR\n", stderr);
        return 2;
    }
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        for (const struct scenario *s = all[i]; s->name; s++)
            make(s, argv[1]);
    for (struct copy *c; (c = copies); free(c))
        copies = c->next;
    return 0;
}
