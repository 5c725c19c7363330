/*
 * Stacks that are needed after their generation: each different one once, with its texts. Memory is for what is
 * different.
 */
#ifndef THRACE_PARSER_REWRITE_KEPT_STACKS_H
#define THRACE_PARSER_REWRITE_KEPT_STACKS_H

#include "gotrace/reader.h"
#include "parser/builder_intern.h"
#include "parser/idmap.h"
#include "parser/vec.h"

struct kept_stacks {
    struct intern known;
    VEC(size_t) places; /* in known.bytes, of stack number 1 and so on */
    struct idmap numbers; /* of the generation `serial`: IDs to numbers */
    uint64_t serial;
    struct raw_buffer key;
    bool failed; /* memory is short */
};

/* The number of a stack, or of its outermost frame alone, while its handle is valid; 0: it has no frames. */
uint32_t kept_stack(struct kept_stacks *k, struct gotrace_stack stack);
uint32_t kept_stack_root(struct kept_stacks *k, struct gotrace_stack stack);

/* How many frames a kept stack has. */
size_t kept_stack_size(const struct kept_stacks *k, uint32_t number);

/*
 * Frame after frame of a kept stack: *at is 0 before the first call. False: there is none any more. The texts live
 * until the next stack is kept.
 */
bool kept_stack_next(const struct kept_stacks *k, uint32_t number, size_t *at, struct gotrace_frame *frame);

void kept_stacks_free(struct kept_stacks *k);

#endif
