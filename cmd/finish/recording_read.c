#include "config.h"

#include "cmd/finish/recording_read.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/finish/recording_locks.h"
#include "cmd/finish/recording_objects.h"
#include "cmd/finish/recording_records.h"

static int by_id(const void *a, const void *b)
{
    const struct rec_block *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* A block may be freed in a chunk that comes before the one that it was allocated in. */
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
 * A thread that was not announced has no start that could bear its name, so its first stack does. If that is also the
 * first stack of a thread of another name, the stack gets no name.
 */
static void name_first_stack(struct recording *r, struct rec_name *n)
{
    struct first_stack first = n->g < r->seen.ngoroutines ? r->seen.first[n->g] : (struct first_stack){0};
    struct rec_stack *s = first.id ? stack_table_find(&r->stacks, first.generation, first.id) : NULL;
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
        struct rec_thread *t = recording_thread(r, n->g);
        if (t)
            set_name(&t->name, &t->named_at, n);
        else
            name_first_stack(r, n);
        free(n->text);
    }
    free(names->names);
}

/* A thread that could not be made left its G to the next one: the last record counts. */
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

const char *recording_read(struct recording *r, const struct spool_file *f)
{
    struct rec_names names = {0};
    memset(r, 0, sizeof *r);
    const char *err = events_see(&r->seen, f);
    r->exe = f->header->exe;
    if (f->events.n) {
        r->first_generation = f->events.v[0].generation;
        r->first_time = f->events.v[0].time;
    }
    if (!err && !samples_begin(&r->samples, f))
        err = "out of memory";
    r->pid = f->header->pid;
    for (size_t i = 0; i < f->meta.n && !err; i++)
        err = recording_read_records(r, &names, &f->meta.v[i], false);
    for (size_t i = 0; i < f->locks.n && !err; i++)
        err = recording_read_locks(r, &f->locks.v[i]);
    rec_modules_end(&r->modules);
    for (size_t i = 0; i < f->meta.n && !err; i++)
        err = recording_read_records(r, &names, &f->meta.v[i], true);
    samples_end(&r->samples);
    recording_sort(r);
    stack_table_sort(&r->stacks);
    recording_link_objects(r);
    keep_last_records(r);
    if (!recording_index_threads(r) && !err)
        err = "out of memory";
    apply_names(r, &names);
    apply_frees(r);
    return err;
}
