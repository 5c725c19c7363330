#include "parser/analyze/run_queue.h"

#include <stdlib.h>

#include "parser/analyze/spread.h"

enum { US = 1000, MS = 1000 * US };
#define SECONDS UINT64_C(1000000000)

static const uint64_t at_most[RUN_QUEUE_LENGTHS] = {
    1 * US,  3 * US,  10 * US,  30 * US,  100 * US,    300 * US,    1 * MS,       3 * MS,
    10 * MS, 30 * MS, 100 * MS, 300 * MS, 1 * SECONDS, 3 * SECONDS, 10 * SECONDS, UINT64_MAX};

uint64_t run_queue_at_most(unsigned length) { return at_most[length]; }

void run_queue_init(struct run_queue *q)
{
    *q = (struct run_queue){.all.spread = spread_new(SPREAD_COARSE)};
    q->failed = !q->all.spread;
    stat_groups_init(&q->reasons, true);
    stat_groups_init(&q->objects, true);
}

void run_queue_free(struct run_queue *q)
{
    free(q->all.spread);
    stat_groups_free(&q->reasons);
    stat_groups_free(&q->objects);
}

/* There are two lengths for each power of ten, and so three for five powers of two: where to begin to look. */
static unsigned length_of(uint64_t ns)
{
    unsigned power = 63 - (unsigned)__builtin_clzll(ns | 1), length = power < 10 ? 0 : (power - 10) * 3 / 5;
    length = length < RUN_QUEUE_LENGTHS - 1 ? length : RUN_QUEUE_LENGTHS - 1;
    while (ns > at_most[length])
        length++;
    return length;
}

/* There are few reasons, which are asked for all the time. */
static void count(struct run_queue *q, uint32_t reason, uint64_t ns)
{
    struct run_queue_known *known = &q->known[reason % RUN_QUEUE_KNOWN];
    if (!known->number || known->reason != reason) {
        uint32_t number = stat_groups_add(&q->reasons, reason, ns);
        if (number < q->reasons.list.n)
            *known = (struct run_queue_known){reason, number + 1};
        return;
    }
    struct stat_group *g = &q->reasons.list.v[known->number - 1];
    g->count++;
    g->total += ns;
    g->max = ns > g->max ? ns : g->max;
    spread_add(g->spread, SPREAD_COARSE, ns);
}

void run_queue_add(struct run_queue *q, uint32_t reason, uint32_t object, uint64_t ns)
{
    struct run_queue_length *length = &q->lengths[length_of(ns)];
    length->count++;
    length->total += ns;
    count(q, reason, ns);
    if (object)
        stat_groups_add(&q->objects, object - 1, ns);
}

static void sum_up(struct run_queue *q, const struct stat_group *g)
{
    q->all.count += g->count;
    q->all.total += g->total;
    q->all.max = g->max > q->all.max ? g->max : q->all.max;
    if (g->spread)
        spread_add_all(q->all.spread, g->spread, SPREAD_COARSE);
}

void run_queue_end(struct run_queue *q)
{
    if (run_queue_failed(q))
        return;
    for (size_t i = 0; i < q->reasons.list.n; i++)
        sum_up(q, &q->reasons.list.v[i]);
    sum_up(q, &q->reasons.others);
}

const struct stat_group *run_queue_of(const struct run_queue *q, uint32_t object)
{
    for (size_t i = 0; i < q->objects.list.n; i++)
        if (q->objects.list.v[i].key == object)
            return &q->objects.list.v[i];
    return NULL;
}
