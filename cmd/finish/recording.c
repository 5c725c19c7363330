#include "config.h"

#include "cmd/finish/recording.h"

#include <stdlib.h>

#include "lib/symbolize/symbolize.h"

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

static int by_string(const void *a, const void *b)
{
    const struct rec_string *x = a, *y = b;
    if (x->generation != y->generation)
        return x->generation < y->generation ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static int by_hook(const void *a, const void *b)
{
    const struct rec_hook *x = a, *y = b;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

/* Of several names of one function, as open and open64 are, the shortest counts, however many others there are. */
static int by_hook_and_name(const void *a, const void *b)
{
    const struct rec_hook *x = a, *y = b;
    size_t n = strlen(x->name), m = strlen(y->name);
    int order = by_hook(a, b);
    return order ? order : n != m ? (n > m) - (n < m) : strcmp(x->name, y->name);
}

static void keep_shortest(struct recording *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->nhooks; i++)
        if (n && r->hooks[n - 1].pc == r->hooks[i].pc)
            free(r->hooks[i].name);
        else
            r->hooks[n++] = r->hooks[i];
    r->nhooks = n;
}

void recording_sort(struct recording *r)
{
    if (r->nthreads)
        qsort(r->threads, r->nthreads, sizeof *r->threads, by_thread);
    if (r->nstatuses)
        qsort(r->statuses, r->nstatuses, sizeof *r->statuses, by_status);
    if (r->nstrings)
        qsort(r->strings, r->nstrings, sizeof *r->strings, by_string);
    if (r->nhooks)
        qsort(r->hooks, r->nhooks, sizeof *r->hooks, by_hook_and_name);
    keep_shortest(r);
}

static int by_g(const void *key, const void *thread)
{
    uint64_t g = *(const uint64_t *)key, other = ((const struct rec_thread *)thread)->g;
    return g < other ? -1 : g > other;
}

struct rec_thread *recording_thread(const struct recording *r, uint64_t g)
{
    return r->nthreads ? bsearch(&g, r->threads, r->nthreads, sizeof *r->threads, by_g) : NULL;
}

static int by_generation(const void *a, const void *b, void *recording)
{
    const struct recording *r = recording;
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    if (r->threads[x].generation != r->threads[y].generation)
        return r->threads[x].generation < r->threads[y].generation ? -1 : 1;
    return x < y ? -1 : x > y;
}

bool recording_index_threads(struct recording *r)
{
    if (!r->nthreads)
        return true;
    if (!(r->by_generation = malloc(r->nthreads * sizeof *r->by_generation)))
        return false;
    for (size_t i = 0; i < r->nthreads; i++)
        r->by_generation[i] = i;
    qsort_r(r->by_generation, r->nthreads, sizeof *r->by_generation, by_generation, r);
    return true;
}

size_t recording_threads_from(const struct recording *r, uint64_t generation)
{
    size_t low = 0, high = r->nthreads;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (r->threads[r->by_generation[mid]].generation < generation)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

const struct rec_thread *recording_thread_of(const struct recording *r, size_t number, uint64_t generation)
{
    const struct rec_thread *t = number < r->nthreads ? &r->threads[r->by_generation[number]] : NULL;
    return t && t->generation == generation ? t : NULL;
}

bool recording_has_start(const struct recording *r, uint64_t g) { return recording_thread(r, g); }

const struct rec_status *recording_status(const struct recording *r, uint64_t g)
{
    struct rec_status key = {.g = g};
    return r->nstatuses ? bsearch(&key, r->statuses, r->nstatuses, sizeof key, by_status) : NULL;
}

const char *recording_hook(const struct recording *r, uint64_t pc)
{
    const struct rec_hook key = {.pc = pc};
    const struct rec_hook *h = r->nhooks ? bsearch(&key, r->hooks, r->nhooks, sizeof key, by_hook) : NULL;
    return h ? h->name : NULL;
}

void recording_free(struct recording *r)
{
    for (size_t i = 0; i < r->nthreads; i++)
        free((char *)(uintptr_t)r->threads[i].name);
    for (size_t i = 0; i < r->nhooks; i++)
        free(r->hooks[i].name);
    free(r->statuses);
    free(r->threads);
    free(r->by_generation);
    free(r->hooks);
    free(r->strings);
    free(r->blocks);
    free(r->frees);
    free(r->profile);
    free(r->calls);
    VEC_FREE(&r->switches);
    idmap_free(&r->locks_noted);
    VEC_FREE(&r->delays);
    VEC_FREE(&r->asleep);
    VEC_FREE(&r->wakers);
    free(r->seen.first);
    free(r->seen.statuses);
    heap_types_free(&r->seen.types);
    stack_table_free(&r->stacks);
    rec_objects_free(&r->objects);
    free(r->locks.v);
    rec_modules_free(&r->modules);
    samples_free(&r->samples);
    symbolize_free(r->symbolizer);
}
