/*
 * The stacks of a trace, kept beyond the generation that they are of: equal ones once, with all their frames. Memory is
 * for what is different.
 */
#ifndef THRACE_PARSER_ANALYZE_STACK_STORE_H
#define THRACE_PARSER_ANALYZE_STACK_STORE_H

#include "gotrace/reader.h"
#include "parser/idmap.h"
#include "parser/vec.h"

/* The strings are texts of the store. The function is "0x1234" where the trace has no name. */
struct stored_frame {
    uint64_t pc, line;
    uint32_t function, file;
};

/* Its frames, the innermost first: so many numbers of frames from there on. */
struct stored_stack {
    size_t first, n;
};

enum { STACK_STORE_RECENT = 4096, STACK_TEXT_MAX = 4096 };

struct stack_store {
    VEC(char) bytes;
    VEC(size_t) texts; /* where in bytes; each ends with a NUL, and has no other one */
    VEC(struct stored_frame) frames;
    VEC(uint32_t) numbers; /* of frames */
    VEC(struct stored_stack) stacks; /* the first one has no frames */
    struct idmap text_index, frame_index, stack_index; /* hash to number + 1 */
    const void *reader;  /* of the handles that are known, all of one generation; NULL: of none */
    uint64_t serial;
    struct idmap known;  /* by their IDs, to number + 1 */
    struct stack_recent {
        struct gotrace_frame frame; /* by where its strings are, which stay there for a generation */
        uint64_t generation;
        uint32_t number;
    } recent[STACK_STORE_RECENT];
    uint64_t generation; /* counts those that were met */
    bool failed; /* memory is short */
};

/* NULL: memory is short. */
struct stack_store *stack_store_new(void);
void stack_store_free(struct stack_store *s);

/* Before the stacks of another trace: handles of the one before say nothing. */
void stack_store_next_trace(struct stack_store *s);

/*
 * The number of a stack, while its handle is valid; 0: it has no frames, or memory is short. A handle that was met
 * before costs a look into an array.
 */
uint32_t stack_store_add(struct stack_store *s, struct gotrace_stack stack);

/* Makes the text one that may stand in any file, as below. Returns its length; no NUL follows. */
size_t stack_text_clean(struct gotrace_str text, char to[static STACK_TEXT_MAX]);

/* The number of a text, from 0 for "". It becomes valid UTF-8 without control characters, of STACK_TEXT_MAX bytes at
 * most. */
uint32_t stack_store_text(struct stack_store *s, struct gotrace_str text);

static inline const char *stack_store_text_of(const struct stack_store *s, uint32_t text)
{
    return s->bytes.v + s->texts.v[text];
}

/* Frame i of a stack, counted from the innermost. */
static inline uint32_t stack_store_frame(const struct stack_store *s, const struct stored_stack *stack, size_t i)
{
    return s->numbers.v[stack->first + i];
}

#endif
