#include "config.h"

#include "cmd/recording.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/meta.h"
#include "lib/symbolize/symbolize.h"
#include "parser/vec.h"

/* Room for one more element at the end of an array; NULL when memory runs out. */
static void *grow(void **v, size_t *n, size_t *cap, size_t size)
{
    if (*n == *cap && !vec_grow(v, cap, size))
        return NULL;
    void *element = (char *)*v + (*n)++ * size;
    memset(element, 0, size);
    return element;
}

#define ADD(r, what) grow((void **)&(r)->what, &(r)->n##what, &(r)->cap_##what, sizeof *(r)->what)

struct cursor {
    const uint8_t *p, *end; /* p is NULL after a record that is cut off */
};

static uint64_t get_int(struct cursor *c)
{
    uint64_t v = 0;
    if (c->p)
        c->p = varint_get(c->p, c->end, &v);
    return v;
}

static const uint8_t *get_text(struct cursor *c, size_t *len)
{
    uint64_t n = get_int(c);
    const uint8_t *text = c->p;
    if (!c->p || n > (uint64_t)(c->end - c->p)) {
        c->p = NULL;
        *len = 0;
        return NULL;
    }
    c->p += n;
    *len = n;
    return text;
}

static char *get_string(struct cursor *c)
{
    size_t len;
    const uint8_t *text = get_text(c, &len);
    return text ? strndup((const char *)text, len) : NULL;
}

static bool add_pc(struct recording *r, uint64_t pc, uint64_t generation)
{
    struct rec_pc *p = ADD(r, pcs);
    if (!p)
        return false;
    p->pc = pc;
    p->generation = generation;
    return true;
}

struct rec_stack *recording_add_stack(struct recording *r, uint64_t generation, uint64_t id, const uintptr_t *pcs,
                                      size_t n)
{
    struct rec_stack *s = ADD(r, stacks);
    if (!s)
        return NULL;
    *s = (struct rec_stack){.generation = generation, .id = id, .first = r->npcs, .n = n};
    for (size_t i = 0; i < n; i++)
        if (!add_pc(r, pcs[i], generation))
            return NULL;
    return s;
}

static bool read_stack(struct recording *r, struct cursor *c, uint64_t generation)
{
    struct rec_stack *s = ADD(r, stacks);
    if (!s)
        return false;
    s->generation = generation;
    s->id = get_int(c);
    s->first = r->npcs;
    uint64_t n = get_int(c);
    for (uint64_t i = 0; i < n && c->p; i++, s->n++)
        if (!add_pc(r, get_int(c), generation))
            return false;
    return true;
}

static bool read_thread(struct recording *r, struct cursor *c, uint64_t generation)
{
    struct rec_thread *t = ADD(r, threads);
    if (!t)
        return false;
    t->generation = generation;
    t->order = r->nthreads;
    t->g = get_int(c);
    t->start_pc = get_int(c);
    t->stack_id = get_int(c);
    t->pc = r->npcs;
    return add_pc(r, t->start_pc, generation);
}

struct rec_name {
    uint64_t g, at;
    char *text;
};

struct names {
    struct rec_name *names;
    size_t nnames, cap_names;
};

static bool read_name(struct names *names, struct cursor *c)
{
    struct rec_name *n = ADD(names, names);
    if (!n)
        return false;
    n->g = get_int(c);
    n->at = get_int(c);
    n->text = get_string(c);
    return n->text;
}

static bool read_module(struct recording *r, struct cursor *c, uint64_t generation)
{
    struct rec_module *m = ADD(r, modules);
    if (!m)
        return false;
    m->generation = generation;
    m->time = get_int(c);
    m->start = get_int(c);
    m->end = get_int(c);
    m->bias = get_int(c);
    m->path = get_string(c);
    m->build_id = get_text(c, &m->build_id_len);
    if (!m->path)
        return false;
    const char *slash = strrchr(m->path, '/'), *base = slash ? slash + 1 : m->path;
    m->ours = !strcmp(base, "libthrace-preload.so");
    m->runtime = !strncmp(base, "libstdc++.so", 12) || !strncmp(base, "libc++.so", 9);
    m->libc = !strncmp(base, "libc.so", 7) || !strncmp(base, "libpthread", 10);
    if (r->nrefreshes && r->refreshes[r->nrefreshes - 1] == m->time)
        return true;
    uint64_t *time = ADD(r, refreshes);
    if (time)
        *time = m->time;
    return time;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void sort_refreshes(struct recording *r)
{
    size_t n = 0;
    if (r->nrefreshes)
        qsort(r->refreshes, r->nrefreshes, sizeof *r->refreshes, by_value);
    for (size_t i = 0; i < r->nrefreshes; i++)
        if (!n || r->refreshes[n - 1] != r->refreshes[i])
            r->refreshes[n++] = r->refreshes[i];
    r->nrefreshes = n;
}

size_t recording_epoch(const struct recording *r, uint64_t time)
{
    size_t lo = 0, hi = r->nrefreshes;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (r->refreshes[mid] <= time)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo + 1;
}

static bool read_hook(struct recording *r, struct cursor *c)
{
    struct rec_hook *h = ADD(r, hooks);
    if (!h)
        return false;
    h->pc = get_int(c);
    h->name = get_string(c);
    return h->name;
}

/* As a stack of its own: no other event has it, and the frame it begins in may bear the thread's name. */
static bool read_status(struct recording *r, struct cursor *c, uint64_t generation)
{
    if (!read_stack(r, c, generation))
        return false;
    struct rec_stack *s = &r->stacks[r->nstacks - 1];
    s->id += STATUS_STACK_BASE;
    return true;
}

static bool read_calls(struct recording *r, struct cursor *c)
{
    struct rec_calls *calls = ADD(r, calls);
    if (!calls)
        return false;
    calls->pc = get_int(c);
    calls->calls = get_int(c);
    calls->ticks = get_int(c);
    return true;
}

static bool read_block(struct recording *r, struct cursor *c, uint64_t generation)
{
    struct rec_block *b = ADD(r, blocks);
    if (!b)
        return false;
    b->id = get_int(c);
    get_int(c);
    b->bytes = get_int(c);
    b->generation = generation;
    b->stack_id = get_int(c);
    return true;
}

static bool read_free(struct recording *r, struct cursor *c)
{
    uint64_t *id = ADD(r, frees);
    if (id)
        *id = get_int(c);
    return id;
}

static int by_id(const void *a, const void *b)
{
    const struct rec_block *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* A block may die in a chunk that comes before the one that it was born in. */
static void apply_frees(struct recording *r)
{
    if (r->nblocks)
        qsort(r->blocks, r->nblocks, sizeof *r->blocks, by_id);
    for (size_t i = 0; i < r->nfrees && r->nblocks; i++) {
        struct rec_block key = {.id = r->frees[i]};
        struct rec_block *b = bsearch(&key, r->blocks, r->nblocks, sizeof key, by_id);
        if (b)
            b->freed = true;
    }
}

static bool read_record(struct recording *r, struct names *names, struct cursor *c, uint64_t generation)
{
    switch (*c->p++) {
    case META_STACK: return read_stack(r, c, generation);
    case META_THREAD: return read_thread(r, c, generation);
    case META_NAME: return read_name(names, c);
    case META_MODULE: return read_module(r, c, generation);
    case META_HOOK: return read_hook(r, c);
    case META_STATUS: return read_status(r, c, generation);
    case META_SAMPLE: return samples_read(r, c->p, c->end);
    case META_HEAP_BLOCK: return read_block(r, c, generation);
    case META_HEAP_FREE: return read_free(r, c);
    case META_CALLS: return read_calls(r, c);
    default: return false;
    }
}

/* Moves behind one record; c->p is NULL when it is none. */
static void skip_record(struct cursor *c)
{
    static const char *const formats[] = META_FORMATS;
    uint8_t tag = *c->p++;
    size_t len;
    if (tag >= sizeof formats / sizeof formats[0] || !formats[tag]) {
        c->p = NULL;
        return;
    }
    for (const char *f = formats[tag]; *f; f++) {
        if (*f == 't')
            get_text(c, &len);
        else if (*f == 'i')
            get_int(c);
        else
            for (uint64_t n = get_int(c); n && c->p; n--)
                get_int(c);
    }
}

/*
 * The newest record of a batch comes first; they are read from the oldest on. Samples are read when all else is: what
 * is one stack among them depends on what was mapped.
 */
static const char *read_records(struct recording *r, struct names *names, const struct spool_batch *b, bool samples)
{
    const uint8_t *starts[SPOOL_CHUNK_SIZE / 2];
    size_t n = 0;
    struct cursor c = {b->data, b->data + b->size};
    while (c.p && c.p < c.end && n < sizeof starts / sizeof starts[0]) {
        starts[n] = c.p;
        n += (*c.p == META_SAMPLE) == samples;
        skip_record(&c);
    }
    if (c.p != c.end)
        return "the spool's records are damaged";
    while (n--)
        if (!read_record(r, names, &(struct cursor){starts[n], c.end}, b->generation))
            return "out of memory";
    return NULL;
}

static int by_thread(const void *a, const void *b)
{
    const struct rec_thread *x = a, *y = b;
    if (x->g != y->g)
        return x->g < y->g ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int by_g(const void *key, const void *thread)
{
    uint64_t g = *(const uint64_t *)key, other = ((const struct rec_thread *)thread)->g;
    return g < other ? -1 : g > other;
}

/* A thread's name is the one that was set last. */
static void apply_names(struct recording *r, struct names *names)
{
    for (size_t i = 0; i < names->nnames; i++) {
        struct rec_name *n = &names->names[i];
        struct rec_thread *t = bsearch(&n->g, r->threads, r->nthreads, sizeof *t, by_g);
        if (t && n->at >= t->named_at) {
            free((char *)(uintptr_t)t->name);
            t->name = n->text;
            t->named_at = n->at;
        } else {
            free(n->text);
        }
    }
    free(names->names);
}

/* A thread that could not be made left its G to the next one: the record that was written last holds. */
static void keep_last_records(struct recording *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->nthreads; i++) {
        if (n && r->threads[n - 1].g == r->threads[i].g) {
            r->threads[n - 1].start_pc = r->threads[i].start_pc;
            r->threads[n - 1].pc = r->threads[i].pc;
            continue;
        }
        r->threads[n++] = r->threads[i];
    }
    r->nthreads = n;
}

static int by_stack(const void *a, const void *b)
{
    const struct rec_stack *x = a, *y = b;
    if (x->generation != y->generation)
        return x->generation < y->generation ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

int recording_by_hook(const void *a, const void *b)
{
    const struct rec_hook *x = a, *y = b;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

const char *recording_read(struct recording *r, const struct spool_file *f)
{
    struct names names = {0};
    memset(r, 0, sizeof *r);
    const char *err = events_see(&r->seen, f);
    r->exe = f->header->exe;
    if (!err && !samples_begin(&r->samples, f))
        err = "out of memory";
    r->pid = f->header->pid;
    for (size_t i = 0; i < f->meta.n && !err; i++)
        err = read_records(r, &names, &f->meta.v[i], false);
    sort_refreshes(r);
    for (size_t i = 0; i < f->meta.n && !err; i++)
        err = read_records(r, &names, &f->meta.v[i], true);
    samples_end(&r->samples);
    if (r->nthreads)
        qsort(r->threads, r->nthreads, sizeof *r->threads, by_thread);
    keep_last_records(r);
    apply_names(r, &names);
    apply_frees(r);
    if (r->nhooks)
        qsort(r->hooks, r->nhooks, sizeof *r->hooks, recording_by_hook);
    if (r->nstacks)
        qsort(r->stacks, r->nstacks, sizeof *r->stacks, by_stack);
    return err;
}

void recording_free(struct recording *r)
{
    for (size_t i = 0; i < r->nthreads; i++)
        free((char *)(uintptr_t)r->threads[i].name);
    for (size_t i = 0; i < r->nmodules; i++)
        free(r->modules[i].path);
    for (size_t i = 0; i < r->nhooks; i++)
        free(r->hooks[i].name);
    free(r->stacks);
    free(r->threads);
    free(r->pcs);
    free(r->modules);
    free(r->mappings);
    free(r->records);
    free(r->refreshes);
    free(r->hooks);
    free(r->blocks);
    free(r->frees);
    free(r->profile);
    free(r->calls);
    free(r->seen.first);
    heap_types_free(&r->seen.types);
    samples_free(&r->samples);
    symbolize_free(r->symbolizer);
}
