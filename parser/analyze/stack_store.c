#include "parser/analyze/stack_store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "parser/utf8.h"

#define MIX UINT64_C(0x9e3779b97f4a7c15)

static uint64_t mix(uint64_t h, uint64_t word)
{
    h = (h ^ word) * MIX;
    return h ^ h >> 29;
}

static uint64_t hash_bytes(const char *p, size_t len)
{
    uint64_t h = len, word;
    for (; len >= sizeof word; len -= sizeof word, p += sizeof word) {
        memcpy(&word, p, sizeof word);
        h = mix(h, word);
    }
    word = 0;
    if (len)
        memcpy(&word, p, len);
    return mix(h, word);
}

/* ---- texts ------------------------------------------------------------------------------------------------------ */

static bool append(struct stack_store *s, const char *p, size_t len)
{
    size_t need = s->bytes.n + len + 1;
    if (need > s->bytes.cap) {
        size_t cap = s->bytes.cap * 2 > need ? s->bytes.cap * 2 : need;
        char *v = realloc(s->bytes.v, cap);
        if (!v)
            return false;
        s->bytes.v = v;
        s->bytes.cap = cap;
    }
    if (len)
        memcpy(s->bytes.v + s->bytes.n, p, len);
    s->bytes.v[need - 1] = 0;
    s->bytes.n = need;
    return true;
}

size_t stack_text_clean(struct gotrace_str text, char to[static STACK_TEXT_MAX])
{
    const uint8_t *p = (const uint8_t *)text.data, *end = text.len ? p + text.len : p;
    uint8_t *at = (uint8_t *)to;
    while (p < end && at - (uint8_t *)to + UTF8_MAX <= STACK_TEXT_MAX) {
        uint32_t rune = 0;
        size_t n = utf8_get(p, end, &rune);
        bool control = rune_is_control(rune) || (rune & 0xfffe) == 0xfffe;
        at = utf8_put(at, n && !control ? rune : RUNE_REPLACEMENT);
        p += n ? n : 1;
    }
    return (size_t)(at - (uint8_t *)to);
}

uint32_t stack_store_text(struct stack_store *s, struct gotrace_str text)
{
    char cleaned[STACK_TEXT_MAX];
    size_t len = stack_text_clean(text, cleaned);
    uint64_t h = hash_bytes(cleaned, len);
    uint32_t found;
    for (; (found = idmap_get(&s->text_index, h)); h++) {
        const char *known = stack_store_text_of(s, found - 1);
        if (strlen(known) == len && !memcmp(known, cleaned, len))
            return found - 1;
    }
    size_t at = s->bytes.n;
    if (!VEC_ROOM(&s->texts) || s->texts.n == UINT32_MAX - 1 || !append(s, cleaned, len) ||
        !idmap_add(&s->text_index, h, (uint32_t)s->texts.n + 1)) {
        s->failed = true;
        return 0;
    }
    s->texts.v[s->texts.n] = at;
    return (uint32_t)s->texts.n++;
}

/* ---- frames and stacks ------------------------------------------------------------------------------------------ */

static uint32_t new_frame(struct stack_store *s, const struct gotrace_frame *f)
{
    char pc[2 + 16 + 1];
    struct gotrace_str name = f->function;
    if (!name.len)
        name = (struct gotrace_str){pc, (size_t)snprintf(pc, sizeof pc, "0x%" PRIx64, f->pc)};
    struct stored_frame frame = {f->pc, f->line, stack_store_text(s, name), stack_store_text(s, f->file)};
    uint64_t h = mix(mix(frame.pc, frame.line), (uint64_t)frame.function << 32 | frame.file);
    uint32_t found;
    for (; (found = idmap_get(&s->frame_index, h)); h++) {
        const struct stored_frame *known = &s->frames.v[found - 1];
        if (known->pc == frame.pc && known->line == frame.line && known->function == frame.function &&
            known->file == frame.file)
            return found - 1;
    }
    if (!VEC_ROOM(&s->frames) || s->frames.n == UINT32_MAX - 1 ||
        !idmap_add(&s->frame_index, h, (uint32_t)s->frames.n + 1)) {
        s->failed = true;
        return 0;
    }
    s->frames.v[s->frames.n] = frame;
    return (uint32_t)s->frames.n++;
}

static bool same_string(struct gotrace_str a, struct gotrace_str b) { return a.data == b.data && a.len == b.len; }

/* Texts are looked at once in a generation, as long as not too many frames come in between. */
static uint32_t frame_number(struct stack_store *s, const struct gotrace_frame *f)
{
    uint64_t h = mix(mix(f->pc, f->line), (uintptr_t)f->function.data);
    struct stack_recent *r = &s->recent[h % STACK_STORE_RECENT];
    if (r->generation != s->generation || r->frame.pc != f->pc || r->frame.line != f->line ||
        !same_string(r->frame.function, f->function) || !same_string(r->frame.file, f->file))
        *r = (struct stack_recent){*f, s->generation, new_frame(s, f)};
    return r->number;
}

/* Of the frames from `first` on, which become a stack's if there is none like it. */
static uint32_t stack_number(struct stack_store *s, size_t first)
{
    size_t n = s->numbers.n - first, size = n * sizeof *s->numbers.v;
    const uint32_t *from = n ? s->numbers.v + first : NULL; /* there may be no array yet */
    uint64_t h = hash_bytes((const char *)from, size);
    uint32_t found;
    for (; (found = idmap_get(&s->stack_index, h)); h++) {
        const struct stored_stack *known = &s->stacks.v[found - 1];
        if (known->n == n && (!n || !memcmp(s->numbers.v + known->first, from, size))) {
            s->numbers.n = first;
            return found - 1;
        }
    }
    if (!VEC_ROOM(&s->stacks) || s->stacks.n == UINT32_MAX - 1 ||
        !idmap_add(&s->stack_index, h, (uint32_t)s->stacks.n + 1)) {
        s->failed = true;
        return 0;
    }
    s->stacks.v[s->stacks.n] = (struct stored_stack){first, n};
    return (uint32_t)s->stacks.n++;
}

void stack_store_next_trace(struct stack_store *s)
{
    idmap_clear(&s->known);
    s->reader = NULL;
    s->generation++;
}

/* Of a handle that was not met before. */
static uint32_t add(struct stack_store *s, struct gotrace_stack stack)
{
    struct gotrace_frame f;
    size_t first = s->numbers.n;
    if (!gotrace_stack_frame(stack, 0, &f))
        return 0;
    for (size_t i = 0; gotrace_stack_frame(stack, i, &f); i++) {
        uint32_t number = frame_number(s, &f);
        if (s->failed || !VEC_ROOM(&s->numbers)) {
            s->failed = true;
            return 0;
        }
        s->numbers.v[s->numbers.n++] = number;
    }
    uint32_t number = stack_number(s, first);
    if (!idmap_add(&s->known, stack.id, number + 1))
        s->failed = true;
    return number;
}

uint32_t stack_store_add(struct stack_store *s, struct gotrace_stack stack)
{
    if (!stack.reader)
        return 0;
    if (stack.reader != s->reader || stack.serial != s->serial) {
        stack_store_next_trace(s);
        s->reader = stack.reader;
        s->serial = stack.serial;
    }
    uint32_t known = idmap_get(&s->known, stack.id);
    return known ? known - 1 : s->failed ? 0 : add(s, stack);
}

struct stack_store *stack_store_new(void)
{
    struct stack_store *s = calloc(1, sizeof *s);
    if (s && stack_store_text(s, (struct gotrace_str){"", 0}) == 0 && !s->failed && stack_number(s, 0) == 0 &&
        !s->failed)
        return s;
    stack_store_free(s);
    return NULL;
}

void stack_store_free(struct stack_store *s)
{
    if (!s)
        return;
    VEC_FREE(&s->bytes);
    VEC_FREE(&s->texts);
    VEC_FREE(&s->frames);
    VEC_FREE(&s->numbers);
    VEC_FREE(&s->stacks);
    idmap_free(&s->text_index);
    idmap_free(&s->frame_index);
    idmap_free(&s->stack_index);
    idmap_free(&s->known);
    free(s);
}
