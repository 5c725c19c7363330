#include "config.h"

#include "cmd/finish/recording.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/finish/recording_records.h"
#include "lib/symbolize/symbolize.h"

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
        struct rec_block *b = !r->nblocks ? NULL : bsearch(&key, r->blocks, r->nblocks, sizeof key, by_id);
        if (b)
            b->freed = true;
    }
}

static int by_thread(const void *a, const void *b)
{
    const struct rec_thread *x = a, *y = b;
    if (x->g != y->g)
        return x->g < y->g ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static int by_status(const void *a, const void *b)
{
    const struct rec_status *x = a, *y = b;
    return x->g < y->g ? -1 : x->g > y->g;
}

const struct rec_status *recording_status(const struct recording *r, uint64_t g)
{
    struct rec_status key = {.g = g};
    return r->nstatuses ? bsearch(&key, r->statuses, r->nstatuses, sizeof key, by_status) : NULL;
}

static int by_g(const void *key, const void *thread)
{
    uint64_t g = *(const uint64_t *)key, other = ((const struct rec_thread *)thread)->g;
    return g < other ? -1 : g > other;
}

struct rec_stack *recording_find_stack(const struct recording *r, uint64_t generation, uint64_t id)
{
    size_t low = 0, high = r->nstacks;
    while (low < high) {
        size_t mid = (low + high) / 2;
        struct rec_stack *s = &r->stacks[mid];
        if (s->generation < generation || (s->generation == generation && s->id < id))
            low = mid + 1;
        else
            high = mid;
    }
    struct rec_stack *s = low < r->nstacks ? &r->stacks[low] : NULL;
    return s && s->generation == generation && s->id == id ? s : NULL;
}

static void set_name(const char **name, uint64_t *named_at, struct rec_name *n)
{
    if (n->at < *named_at)
        return;
    free((char *)(uintptr_t)*name);
    *name = n->text;
    *named_at = n->at;
    n->text = NULL;
}

/*
 * Nobody saw a thread being made that was not announced, so it has no start that could bear its name: the first stack
 * that it shows does. Where that is another thread's first stack, too, of another name, it has none.
 */
static void name_first_stack(struct recording *r, struct rec_name *n)
{
    struct first_stack first = n->g < r->seen.ngoroutines ? r->seen.first[n->g] : (struct first_stack){0};
    struct rec_stack *s = first.id ? recording_find_stack(r, first.generation, first.id) : NULL;
    if (s && s->thread && s->thread_g != n->g && strcmp(s->thread, n->text) != 0)
        s->ambiguous = true;
    else if (s && !s->ambiguous) {
        set_name(&s->thread, &s->named_at, n);
        s->thread_g = n->g;
    }
}

/* A thread's name is the one that was set last. */
static void apply_names(struct recording *r, struct rec_names *names)
{
    for (size_t i = 0; i < names->nnames; i++) {
        struct rec_name *n = &names->names[i];
        struct rec_thread *t = !r->nthreads ? NULL : bsearch(&n->g, r->threads, r->nthreads, sizeof *t, by_g);
        if (t)
            set_name(&t->name, &t->named_at, n);
        else
            name_first_stack(r, n);
        free(n->text);
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
    struct rec_names names = {0};
    memset(r, 0, sizeof *r);
    const char *err = events_see(&r->seen, f);
    r->exe = f->header->exe;
    r->first_generation = f->events.n ? f->events.v[0].generation : 0;
    if (!err && !samples_begin(&r->samples, f))
        err = "out of memory";
    r->pid = f->header->pid;
    for (size_t i = 0; i < f->meta.n && !err; i++)
        err = recording_read_records(r, &names, &f->meta.v[i], false);
    sort_refreshes(r);
    for (size_t i = 0; i < f->meta.n && !err; i++)
        err = recording_read_records(r, &names, &f->meta.v[i], true);
    samples_end(&r->samples);
    if (r->nthreads)
        qsort(r->threads, r->nthreads, sizeof *r->threads, by_thread);
    if (r->nstatuses)
        qsort(r->statuses, r->nstatuses, sizeof *r->statuses, by_status);
    if (r->nstacks)
        qsort(r->stacks, r->nstacks, sizeof *r->stacks, by_stack);
    keep_last_records(r);
    apply_names(r, &names);
    apply_frees(r);
    if (r->nhooks)
        qsort(r->hooks, r->nhooks, sizeof *r->hooks, recording_by_hook);
    return err;
}

void recording_free(struct recording *r)
{
    for (size_t i = 0; i < r->nthreads; i++)
        free((char *)(uintptr_t)r->threads[i].name);
    for (size_t i = 0; i < r->nstacks; i++)
        free((char *)(uintptr_t)r->stacks[i].thread);
    for (size_t i = 0; i < r->nmodules; i++)
        free(r->modules[i].path);
    for (size_t i = 0; i < r->nhooks; i++)
        free(r->hooks[i].name);
    free(r->stacks);
    free(r->statuses);
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
    free(r->seen.statuses);
    heap_types_free(&r->seen.types);
    samples_free(&r->samples);
    symbolize_free(r->symbolizer);
}
