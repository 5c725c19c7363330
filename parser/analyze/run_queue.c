#include "parser/analyze/run_queue.h"

#include <stdlib.h>

#include "parser/analyze/spread.h"

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

/* 1 µs, 3 µs, 10 µs, 30 µs … */
uint64_t run_queue_at_most(unsigned length)
{
    uint64_t ns = length % 2 ? 3000 : 1000;
    if (length >= RUN_QUEUE_LENGTHS - 1)
        return UINT64_MAX;
    for (; length >= 2; length -= 2)
        ns *= 10;
    return ns;
}

void run_queue_add(struct run_queue *q, uint32_t reason, uint32_t object, uint64_t ns)
{
    unsigned length = 0;
    while (ns > run_queue_at_most(length))
        length++;
    q->lengths[length].count++;
    q->lengths[length].total += ns;
    q->all.count++;
    q->all.total += ns;
    q->all.max = ns > q->all.max ? ns : q->all.max;
    if (!q->failed)
        spread_add(q->all.spread, SPREAD_COARSE, ns);
    stat_groups_add(&q->reasons, reason, ns);
    if (object)
        stat_groups_add(&q->objects, object - 1, ns);
}

const struct stat_group *run_queue_of(const struct run_queue *q, uint32_t object)
{
    for (size_t i = 0; i < q->objects.list.n; i++)
        if (q->objects.list.v[i].key == object)
            return &q->objects.list.v[i];
    return NULL;
}
