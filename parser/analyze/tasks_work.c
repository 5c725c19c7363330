#include "parser/analyze/tasks_work.h"

#include "parser/analyze/spread.h"

void task_types_free(struct task_types *types)
{
    for (size_t i = 0; i < types->list.n; i++)
        free(types->list.v[i].spread);
    VEC_FREE(&types->list);
    idmap_free(&types->index);
}

static uint32_t add(struct task_types *types, uint32_t text)
{
    uint32_t *spread = spread_new(SPREAD_FINE), number = (uint32_t)types->list.n;
    if (!spread || !VEC_ROOM(&types->list) || !idmap_add(&types->index, text, number + 1)) {
        free(spread);
        types->failed = true;
        return 0;
    }
    types->list.v[types->list.n++] = (struct task_type){.text = text, .spread = spread};
    return number;
}

uint32_t task_type_of(struct task_types *types, uint32_t text)
{
    enum { OTHERS = 0 }; /* the text */
    uint32_t known = idmap_get(&types->index, text);
    if (!known && types->list.n >= TASK_NTYPES && !(known = idmap_get(&types->index, text = OTHERS)))
        return add(types, text);
    return known ? known - 1 : add(types, text);
}

void task_type_add(struct task_types *types, uint32_t type, uint64_t ns)
{
    if (types->failed)
        return;
    struct task_type *t = &types->list.v[type];
    t->count++;
    t->total += ns;
    if (ns > t->max)
        t->max = ns;
    spread_add(t->spread, SPREAD_FINE, ns);
}

void task_type_unfinished(struct task_types *types, uint32_t type)
{
    if (!types->failed)
        types->list.v[type].unfinished++;
}

uint64_t task_type_percentile(const struct task_type *type, unsigned percent)
{
    return spread_percentile(type->spread, SPREAD_FINE, percent, type->max);
}
