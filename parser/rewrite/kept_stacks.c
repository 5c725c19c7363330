#include "parser/rewrite/kept_stacks.h"

#include <string.h>

#include "lib/wire/events.h"

/* What stands before the two texts of each frame in the bytes of a stack; how many frames there are is before them all.
 */
struct frame_head {
    uint64_t pc, line;
    size_t function, file; /* lengths */
};

static void add_frame(struct raw_buffer *key, const struct gotrace_frame *f)
{
    struct frame_head head;
    memset(&head, 0, sizeof head); /* stacks are compared byte by byte */
    head.pc = f->pc;
    head.line = f->line;
    head.function = f->function.len;
    head.file = f->file.len;
    raw_buffer_add(key, &head, sizeof head);
    raw_buffer_add(key, f->function.data, f->function.len);
    raw_buffer_add(key, f->file.data, f->file.len);
}

/* The number of the stack that the frames from first on make. */
static uint32_t keep(struct kept_stacks *k, struct gotrace_stack stack, size_t first)
{
    size_t n = gotrace_stack_len(stack) - first;
    struct gotrace_frame f;
    bool fresh;
    k->key.size = 0;
    raw_buffer_add(&k->key, &n, sizeof n);
    for (size_t i = first; gotrace_stack_frame(stack, i, &f); i++)
        add_frame(&k->key, &f);
    uint64_t number = k->key.failed ? 0 : intern(&k->known, k->key.at, k->key.size, &fresh);
    if (!number || number > UINT32_MAX || !VEC_ROOM(&k->places)) {
        k->failed = true;
        return 0;
    }
    if (fresh)
        k->places.v[k->places.n++] = k->known.bytes.size - k->key.size;
    return (uint32_t)number;
}

uint32_t kept_stack(struct kept_stacks *k, struct gotrace_stack stack)
{
    if (!gotrace_stack_len(stack))
        return 0;
    if (k->serial != stack.serial)
        idmap_clear(&k->numbers);
    k->serial = stack.serial;
    uint32_t number = idmap_get(&k->numbers, stack.id);
    if (number)
        return number;
    number = keep(k, stack, 0);
    if (number && !idmap_add(&k->numbers, stack.id, number))
        k->failed = true;
    return number;
}

uint32_t kept_stack_root(struct kept_stacks *k, struct gotrace_stack stack)
{
    size_t n = gotrace_stack_len(stack);
    return n ? keep(k, stack, n - 1) : 0;
}

size_t kept_stack_size(const struct kept_stacks *k, uint32_t number)
{
    size_t n;
    memcpy(&n, k->known.bytes.at + k->places.v[number - 1], sizeof n);
    return n < STACK_MAX_FRAMES ? n : STACK_MAX_FRAMES;
}

bool kept_stack_next(const struct kept_stacks *k, uint32_t number, size_t *at, struct gotrace_frame *frame)
{
    const uint8_t *bytes = k->known.bytes.at + k->places.v[number - 1];
    size_t place = *at >> 8, nth = *at & 0xff, n; /* a stack has 128 frames at most */
    memcpy(&n, bytes, sizeof n);
    if (nth >= n)
        return false;
    if (!nth)
        place = sizeof n;
    struct frame_head head;
    memcpy(&head, bytes + place, sizeof head);
    const char *text = (const char *)bytes + place + sizeof head;
    *frame = (struct gotrace_frame){
        head.pc, {text, head.function}, {text + head.function, head.file}, head.line};
    place += sizeof head + head.function + head.file;
    *at = place << 8 | (nth + 1);
    return true;
}

void kept_stacks_free(struct kept_stacks *k)
{
    intern_free(&k->known);
    VEC_FREE(&k->places);
    idmap_free(&k->numbers);
    raw_buffer_free(&k->key);
}
