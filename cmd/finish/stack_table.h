/* The stacks of a recording and their PCs: of waits, of samples, and of where threads start. */
#ifndef THRACE_CMD_FINISH_STACK_TABLE_H
#define THRACE_CMD_FINISH_STACK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rec_stack {
    uint64_t generation, id;
    size_t first, n; /* its PCs: pcs[first …] */
    size_t epoch; /* of a sample: 1 + the number of refreshes of the modules before it; of other stacks 0 */
    const char *thread; /* the name of the unannounced thread whose first stack it is, or NULL */
    uint64_t thread_g, named_at;
    bool ambiguous; /* of two such threads with two names */
    size_t object;  /* 1 + the number of the object in front of its frames; 0: there is none */
    bool on_base;   /* its frames are those of … */
    uint64_t base;  /* … the stack with this ID */
};

struct rec_pc {
    uint64_t pc;
    uint64_t generation;
    size_t epoch; /* its stack's */
    int64_t symbol;   /* number in the symbolizer */
    const char *hook; /* the wrapped function that the PC stands for, or NULL */
    int module;
};

struct stack_table {
    struct rec_stack *v; /* by generation and ID once they are sorted */
    size_t n, cap;
    struct rec_pc *pcs;
    size_t npcs, cap_pcs;
};

/* Adds a PC to the stack that was added last, or to none. False: out of memory. */
bool stack_table_add_pc(struct stack_table *t, uint64_t pc, uint64_t generation);

/* Adds a stack, of the PCs that follow. It stays in place until the next one. NULL when memory ran out. */
struct rec_stack *stack_table_begin(struct stack_table *t, uint64_t generation, uint64_t id);

/* The same with its PCs, all of that epoch. */
struct rec_stack *stack_table_add(struct stack_table *t, uint64_t generation, uint64_t id, size_t epoch,
                                  const uintptr_t *pcs, size_t n);

void stack_table_sort(struct stack_table *t);

/* Once they are sorted: the place of the first stack of that generation whose ID is not below. */
size_t stack_table_from(const struct stack_table *t, uint64_t generation, uint64_t id);

/* The stack of that ID in a generation, or NULL, once they are sorted. */
struct rec_stack *stack_table_find(const struct stack_table *t, uint64_t generation, uint64_t id);

void stack_table_free(struct stack_table *t);

#endif
