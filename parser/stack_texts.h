/*
 * Stacks as they are printed. A trace has few of them and refers to them over and over, so the text of each is made
 * once in a generation and kept.
 */
#ifndef THRACE_PARSER_STACK_TEXTS_H
#define THRACE_PARSER_STACK_TEXTS_H

#include "parser/generation.h"
#include "parser/raw_buffer.h"

/* So much text is kept at most: a few bytes of a hostile trace can stand for much text. */
enum { STACK_TEXTS_KEPT = 16 << 20 };

struct stack_texts {
    const struct generation *of; /* and its serial, as in the handles of its stacks */
    uint64_t serial;
    struct raw_buffer text;
    VEC(struct stack_text) known; /* by the place in the generation's stacks */
};

struct stack_text {
    uint32_t at, size; /* in text; size 0: not made, or not kept */
};

/* Appends the frames. What is kept is of one generation: that of the stack asked for last. */
void stack_texts_add(struct stack_texts *t, struct raw_buffer *o, const struct generation *g, uint64_t id);

/* The same where nothing is kept. */
void stack_print(struct raw_buffer *o, const struct generation *g, uint64_t id);

void stack_texts_free(struct stack_texts *t);

#endif
