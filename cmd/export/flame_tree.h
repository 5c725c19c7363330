/* Stacks as a tree: each frame below the one that called it, equal ones once, with what all stacks through it add up
 * to. */
#ifndef THRACE_CMD_EXPORT_FLAME_TREE_H
#define THRACE_CMD_EXPORT_FLAME_TREE_H

#include "parser/analyze/profile.h"

struct flame_node {
    const char *name;
    uint32_t text;         /* of the name, in the store of the stacks */
    uint32_t parent;       /* the first node is its own */
    uint32_t child, next;  /* node; 0: none. Sorted by name */
    uint32_t depth;        /* of the first one 0 */
    uint64_t total;        /* CPU samples, or ns */
    uint64_t before;       /* of a comparison: how much of the total is of what was before */
};

struct flame_tree {
    VEC(struct flame_node) nodes; /* the first one is of all stacks; children come after their parents */
    struct idmap index;           /* hash of parent and name to node + 1 */
    uint32_t depth;               /* of the deepest one */
};

/* Of the rows of that kind, each with its label as the outermost frame. Names live as p does. False: memory is short.
 */
bool flame_tree_make(struct flame_tree *t, const struct profile *p, enum profile_kind kind, enum profile_label by);

/*
 * The same of several profiles, which share a store: begin, add each, and end. Their numbers are multiplied by scale.
 * before: it is what others are compared with.
 */
bool flame_tree_begin(struct flame_tree *t);
bool flame_tree_add(struct flame_tree *t, const struct profile *p, enum profile_kind kind, enum profile_label by,
                    double scale, bool before);
void flame_tree_end(struct flame_tree *t, const struct stack_store *names);
void flame_tree_free(struct flame_tree *t);

#endif
