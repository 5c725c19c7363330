/* The builder's string and stack tables: entries go into a batch as they come, the tables remember which there are. */
#include "config.h"

#include <string.h>

#include "parser/builder.h"
#include "parser/utf8.h"

static int add_string(struct gotrace_builder *b, uint64_t id, const void *s, size_t size)
{
    if (wire_add_string(&b->string_table, id, s, size))
        return 0;
    if (builder_flush_batch(b, &b->string_table, EV_Strings))
        return -1;
    wire_add_string(&b->string_table, id, s, size);
    return 0;
}

static int add_stack(struct gotrace_builder *b, uint64_t id, const struct gotrace_raw_frame *frames, size_t n)
{
    if (wire_add_stack(&b->stack_table, id, frames, n))
        return 0;
    if (builder_flush_batch(b, &b->stack_table, EV_Stacks))
        return -1;
    wire_add_stack(&b->stack_table, id, frames, n);
    return 0;
}

static uint64_t new_id(struct gotrace_builder *b, struct intern *table, const void *key, size_t size, bool *fresh)
{
    uint64_t id = intern(table, key, size, fresh);
    if (!id && (table->bytes.failed || table->next != UINT64_MAX))
        builder_no_memory(b);
    else if (!id)
        builder_refuse(b, "out of ids");
    return id;
}

uint64_t gotrace_builder_string(struct gotrace_builder *b, const char *s, size_t size)
{
    if (!builder_ready(b))
        return 0;
    size = utf8_prefix((const uint8_t *)s, size, STRING_MAX_SIZE);
    if (!size)
        return 0;
    bool fresh;
    uint64_t id = new_id(b, &b->strings, s, size, &fresh);
    return fresh && add_string(b, id, s, size) ? 0 : id;
}

uint64_t gotrace_builder_stack_of_ids(struct gotrace_builder *b, const struct gotrace_raw_frame *frames, size_t n)
{
    if (!builder_ready(b) || !n)
        return 0;
    if (n > STACK_MAX_FRAMES)
        n = STACK_MAX_FRAMES;
    bool fresh;
    uint64_t id = new_id(b, &b->stacks, frames, n * sizeof *frames, &fresh);
    return fresh && add_stack(b, id, frames, n) ? 0 : id;
}

uint64_t gotrace_builder_stack(struct gotrace_builder *b, const struct gotrace_builder_frame *frames, size_t n)
{
    struct gotrace_raw_frame raw[STACK_MAX_FRAMES];
    if (n > STACK_MAX_FRAMES)
        n = STACK_MAX_FRAMES;
    for (size_t i = 0; i < n; i++) {
        const char *function = frames[i].function ? frames[i].function : "",
                   *file = frames[i].file ? frames[i].file : "";
        raw[i] = (struct gotrace_raw_frame){
            .pc = frames[i].pc,
            .function = gotrace_builder_string(b, function, strlen(function)),
            .file = gotrace_builder_string(b, file, strlen(file)),
            .line = frames[i].line,
        };
    }
    return gotrace_builder_stack_of_ids(b, raw, n);
}

int gotrace_builder_string_as(struct gotrace_builder *b, uint64_t id, const char *s, size_t size)
{
    if (!builder_ready(b))
        return -1;
    if (!id)
        return builder_refuse(b, "id 0 is the empty string's");
    intern_skip(&b->strings, id);
    return add_string(b, id, s, utf8_prefix((const uint8_t *)s, size, STRING_MAX_SIZE));
}

int gotrace_builder_stack_as(struct gotrace_builder *b, uint64_t id, const struct gotrace_raw_frame *frames, size_t n)
{
    if (!builder_ready(b))
        return -1;
    if (!id)
        return builder_refuse(b, "id 0 is the empty stack's");
    intern_skip(&b->stacks, id);
    return add_stack(b, id, frames, n > STACK_MAX_FRAMES ? STACK_MAX_FRAMES : n);
}
