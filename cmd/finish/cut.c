#include "config.h"

#include "cmd/finish/cut.h"

#include <gotrace/reader.h>

#include "lib/wire/cursor.h"
#include "parser/unplaced.h"

struct cut {
    struct spool_file *f;
    uint64_t generation, events;
};

static struct wire_cursor begin(const struct spool_batch *b)
{
    return (struct wire_cursor){.p = b->data, .end = b->data + b->size};
}

static size_t count_events(const struct spool_batch *b)
{
    struct wire_cursor c = begin(b);
    struct wire_event ev;
    size_t n = 0;
    while (wire_next(&c, &ev) == WIRE_EVENT)
        n++;
    return n;
}

static void keep_events(struct spool_batch *b, size_t n)
{
    struct wire_cursor c = begin(b);
    struct wire_event ev;
    while (n-- && wire_next(&c, &ev) == WIRE_EVENT)
        ;
    b->size = (size_t)(c.p - b->data);
}

/* The batches of a thread are in the order of time. */
static void cut_thread(void *arg, uint64_t thread, size_t n)
{
    struct cut *c = arg;
    struct spool_batches *b = &c->f->events;
    for (size_t i = b->n; i-- > 0 && n && b->v[i].generation == c->generation;) {
        if (b->v[i].m != thread)
            continue;
        size_t has = count_events(&b->v[i]), gone = n < has ? n : has;
        keep_events(&b->v[i], has - gone);
        n -= gone;
        c->events += gone;
    }
}

static void drop_empty(struct spool_batches *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++)
        if (b->v[i].size)
            b->v[n++] = b->v[i];
    b->n = n;
}

uint64_t cut_unplaced(struct spool_file *f, const char *trace)
{
    struct cut c = {f, f->events.n ? f->events.v[f->events.n - 1].generation : 0, 0};
    struct gotrace_reader *r = gotrace_reader_open_path(trace);
    while (r && gotrace_reader_next(r))
        ;
    const struct gotrace_error *err = r ? gotrace_reader_error(r) : NULL;
    if (err && err->generation == c.generation)
        reader_unplaced(r, cut_thread, &c);
    gotrace_reader_free(r);
    drop_empty(&f->events);
    return c.events;
}

uint64_t cut_generation(struct spool_file *f)
{
    struct spool_batches *b = &f->events;
    uint64_t events = 0, last = b->n ? b->v[b->n - 1].generation : 0;
    if (!b->n || b->v[0].generation == last)
        return 0;
    for (; b->v[b->n - 1].generation == last; b->n--)
        events += count_events(&b->v[b->n - 1]);
    return events;
}

bool is_whole(const char *trace)
{
    struct gotrace_reader *r = gotrace_reader_open_path(trace);
    while (r && gotrace_reader_next(r))
        ;
    bool whole = r && !gotrace_reader_error(r);
    gotrace_reader_free(r);
    return whole;
}
