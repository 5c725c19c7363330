#include "cmd/export/stack_tree.h"

#define MIX UINT64_C(0x9e3779b97f4a7c15)

/* The node + 1; 0: memory is short. */
static uint32_t node_of(struct stack_tree *t, uint32_t frame, uint32_t parent)
{
    uint64_t h = ((uint64_t)parent << 32 | frame) * MIX;
    uint32_t found;
    for (; (found = idmap_get(&t->index, h)); h++)
        if (t->nodes.v[found - 1].frame == frame && t->nodes.v[found - 1].parent == parent)
            return found;
    if (t->nodes.n == UINT32_MAX - 1 || !VEC_ROOM(&t->nodes) || !idmap_add(&t->index, h, (uint32_t)t->nodes.n + 1))
        return 0;
    t->nodes.v[t->nodes.n++] = (struct stack_node){frame, parent};
    return (uint32_t)t->nodes.n;
}

bool stack_tree_fill(struct stack_tree *t, const struct stack_store *s)
{
    for (size_t i = t->leaves.n; i < s->stacks.n; i++) {
        const struct stored_stack *stack = &s->stacks.v[i];
        uint32_t leaf = 0;
        for (size_t depth = stack->n; depth-- > 0;)
            if (!(leaf = node_of(t, stack_store_frame(s, stack, depth), leaf)))
                return false;
        if (!VEC_ROOM(&t->leaves))
            return false;
        t->leaves.v[t->leaves.n++] = leaf;
    }
    return true;
}

void stack_tree_free(struct stack_tree *t)
{
    VEC_FREE(&t->nodes);
    VEC_FREE(&t->leaves);
    idmap_free(&t->index);
}
