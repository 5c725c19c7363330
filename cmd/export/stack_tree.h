/* The stacks of a store as a tree: a node is a frame below another one, so that stacks share what called them. */
#ifndef THRACE_CMD_EXPORT_STACK_TREE_H
#define THRACE_CMD_EXPORT_STACK_TREE_H

#include "parser/analyze/stack_store.h"

struct stack_node {
    uint32_t frame, parent; /* of the store; node + 1, 0: it is a root */
};

/* All fields begin as 0. A node stands behind its parent. */
struct stack_tree {
    VEC(struct stack_node) nodes;
    VEC(uint32_t) leaves; /* by stack: the innermost node + 1, 0: none */
    struct idmap index;   /* hash to node + 1 */
};

/* Adds all stacks that the store has. False: memory is short. */
bool stack_tree_fill(struct stack_tree *t, const struct stack_store *s);
void stack_tree_free(struct stack_tree *t);

#endif
