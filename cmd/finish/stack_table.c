#include "config.h"

#include "cmd/finish/stack_table.h"

#include <stdlib.h>

#include "parser/vec.h"

bool stack_table_add_pc(struct stack_table *t, uint64_t pc, uint64_t generation)
{
    if (t->npcs == t->cap_pcs && !vec_grow((void **)&t->pcs, &t->cap_pcs, sizeof *t->pcs))
        return false;
    t->pcs[t->npcs++] = (struct rec_pc){.pc = pc, .generation = generation};
    return true;
}

struct rec_stack *stack_table_begin(struct stack_table *t, uint64_t generation, uint64_t id)
{
    if (!VEC_ROOM(t))
        return NULL;
    t->v[t->n] = (struct rec_stack){.generation = generation, .id = id, .first = t->npcs};
    return &t->v[t->n++];
}

struct rec_stack *stack_table_add(struct stack_table *t, uint64_t generation, uint64_t id, size_t epoch,
                                  const uintptr_t *pcs, size_t n)
{
    struct rec_stack *s = stack_table_begin(t, generation, id);
    if (!s)
        return NULL;
    s->epoch = epoch;
    for (; s->n < n; s->n++) {
        if (!stack_table_add_pc(t, pcs[s->n], generation))
            return NULL;
        t->pcs[t->npcs - 1].epoch = epoch;
    }
    return s;
}

static int by_stack(const void *a, const void *b)
{
    const struct rec_stack *x = a, *y = b;
    if (x->generation != y->generation)
        return x->generation < y->generation ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

void stack_table_sort(struct stack_table *t)
{
    if (t->n)
        qsort(t->v, t->n, sizeof *t->v, by_stack);
}

size_t stack_table_from(const struct stack_table *t, uint64_t generation, uint64_t id)
{
    size_t low = 0, high = t->n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        struct rec_stack *s = &t->v[mid];
        if (s->generation < generation || (s->generation == generation && s->id < id))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

struct rec_stack *stack_table_find(const struct stack_table *t, uint64_t generation, uint64_t id)
{
    size_t i = stack_table_from(t, generation, id);
    struct rec_stack *s = i < t->n ? &t->v[i] : NULL;
    return s && s->generation == generation && s->id == id ? s : NULL;
}

void stack_table_free(struct stack_table *t)
{
    for (size_t i = 0; i < t->n; i++)
        free((char *)(uintptr_t)t->v[i].thread);
    free(t->v);
    free(t->pcs);
}
