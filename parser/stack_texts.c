#include "parser/stack_texts.h"

#include "gotrace/reader.h"

#include "parser/decimal.h"

static char *put_hex(char *end, uint64_t v)
{
    do
        *--end = "0123456789abcdef"[v % 16];
    while (v /= 16);
    return end;
}

void stack_print(struct raw_buffer *o, const struct generation *g, uint64_t id)
{
    const struct gotrace_stack stack = {g, g->serial, id};
    struct gotrace_frame f;
    for (size_t i = 0; gotrace_stack_frame(stack, i, &f); i++) {
        char number[DECIMAL_ROOM], hex[16], *const end = hex + sizeof hex, *pc = put_hex(end, f.pc);
        raw_buffer_add(o, "\t", 1);
        raw_buffer_add(o, f.function.data, f.function.len);
        raw_buffer_add(o, " @ 0x", 5);
        raw_buffer_add(o, pc, (size_t)(end - pc));
        raw_buffer_add(o, "\n\t\t", 3);
        raw_buffer_add(o, f.file.data, f.file.len);
        raw_buffer_add(o, ":", 1);
        raw_buffer_add(o, number, (size_t)(decimal_put(number, f.line) - number));
        raw_buffer_add(o, "\n", 1);
    }
}

/* Nothing is kept of g so far. */
static void begin(struct stack_texts *t, const struct generation *g)
{
    t->of = g;
    t->serial = g->serial;
    t->text.size = t->known.n = 0;
}

/* Its place in the list, which covers it then; NULL: memory is short. */
static struct stack_text *place(struct stack_texts *t, uint32_t i)
{
    while (t->known.n <= i) {
        if (!VEC_ROOM(&t->known))
            return NULL;
        t->known.v[t->known.n++] = (struct stack_text){0};
    }
    return &t->known.v[i];
}

/* Text that cannot be kept is made again, so nothing is lost when memory is short. */
static void keep(struct stack_texts *t, uint32_t i, const void *text, size_t size)
{
    if (size > STACK_TEXTS_KEPT - t->text.size)
        return;
    struct stack_text *s = place(t, i);
    size_t at = t->text.size;
    raw_buffer_add(&t->text, text, size);
    if (s && !t->text.failed)
        *s = (struct stack_text){(uint32_t)at, (uint32_t)size};
    t->text.failed = false;
}

void stack_texts_add(struct stack_texts *t, struct raw_buffer *o, const struct generation *g, uint64_t id)
{
    uint32_t number = idmap_get(&g->stack_of, id);
    if (!number)
        return;
    if (UNLIKELY(g != t->of || g->serial != t->serial))
        begin(t, g);
    if (LIKELY(number <= t->known.n && t->known.v[number - 1].size)) {
        struct stack_text s = t->known.v[number - 1];
        raw_buffer_add(o, t->text.at + s.at, s.size);
        return;
    }
    size_t before = o->size;
    stack_print(o, g, id);
    if (!o->failed && o->size > before)
        keep(t, number - 1, o->at + before, o->size - before);
}

void stack_texts_free(struct stack_texts *t)
{
    raw_buffer_free(&t->text);
    VEC_FREE(&t->known);
}
