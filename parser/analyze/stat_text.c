#include "parser/analyze/stat_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "parser/analyze/folded.h"
#include "parser/analyze/frames.h"
#include "parser/analyze/place.h"
#include "parser/utf8.h"

enum { FUNCTION_MAX = 120, ADDRESS_MAX = 21, FILE_MAX = 60 };
enum { TEXT_MAX = (1 + STAT_DEEPEST) * (FUNCTION_MAX + FILE_MAX + 40) };

struct line {
    char text[TEXT_MAX];
    size_t len;
};

/* The next one as it may stand in a text: its bytes, and how many they are. */
static inline size_t take_rune(const uint8_t **p, const uint8_t *end, uint8_t bytes[static UTF8_MAX])
{
    uint32_t rune = 0;
    if (**p >= ' ' && **p < 0x7f) {
        *bytes = *(*p)++;
        return 1;
    }
    size_t n = utf8_get(*p, end, &rune);
    if (!n || rune_is_control(rune))
        rune = RUNE_REPLACEMENT;
    *p += n ? n : 1;
    return (size_t)(utf8_put(bytes, rune) - bytes);
}

/* At most max bytes of s, which end in "…" if that is not all. */
static void append(struct line *l, struct gotrace_str s, size_t max)
{
    const uint8_t *p = (const uint8_t *)s.data, *end = p + s.len;
    size_t start = l->len, fits = l->len; /* fits: where the text could end and the dots still have room */
    const size_t dots = 3;
    while (p < end) {
        uint8_t bytes[UTF8_MAX];
        size_t size = take_rune(&p, end, bytes);
        if (l->len + size > start + max) {
            memcpy(l->text + fits, "…", dots);
            l->len = fits + dots;
            return;
        }
        for (size_t i = 0; i < size; i++)
            l->text[l->len++] = (char)bytes[i];
        if (l->len + dots <= start + max)
            fits = l->len;
    }
}

/* Its name; traces of Go before 1.7 have none, but PCs. */
static void append_function(struct line *l, const struct gotrace_frame *f)
{
    char pc[2 + 16 + 1];
    struct gotrace_str name = f->function;
    if (!name.len && f->pc)
        name = (struct gotrace_str){pc, (size_t)snprintf(pc, sizeof pc, "0x%" PRIx64, f->pc)};
    append(l, name, FUNCTION_MAX);
}

static uint64_t hash(const char *text, size_t len)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < len; i++)
        h = (h ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
    return h ^ h >> 32;
}

static uint32_t intern(struct stat_texts *t, const char *text, size_t len)
{
    uint64_t h = hash(text, len);
    uint32_t known = idmap_get(&t->index, h);
    if (known) {
        const char *same = t->list.v[known - 1];
        return strlen(same) == len && !memcmp(same, text, len) ? known - 1 : 0;
    }
    if (t->list.n == STAT_NTEXTS || t->failed)
        return 0;
    char *copy = strndup(text, len);
    if (!copy || !VEC_ROOM(&t->list) || !idmap_add(&t->index, h, (uint32_t)t->list.n + 1)) {
        free(copy);
        t->failed = true;
        return 0;
    }
    t->list.v[t->list.n] = copy;
    return (uint32_t)t->list.n++;
}

static struct stat_cached *new_cache(unsigned bits)
{
    size_t size = sizeof(struct stat_cached) << bits;
    struct stat_cached *cache = aligned_alloc(_Alignof(struct stat_cached), size);
    return cache ? memset(cache, 0, size) : NULL;
}

void stat_texts_init(struct stat_texts *t)
{
    static const char others[] = "others";
    *t = (struct stat_texts){.cache = new_cache(STAT_CACHE_BITS), .cache_bits = STAT_CACHE_BITS};
    t->met = t->cache;
    t->failed = !t->cache;
    intern(t, others, sizeof others - 1);
}

void stat_texts_free(struct stat_texts *t)
{
    for (size_t i = 0; i < t->list.n; i++)
        free(t->list.v[i]);
    VEC_FREE(&t->list);
    idmap_free(&t->index);
    free(t->cache);
}

static bool is_text(struct gotrace_str s, const char *text, size_t len)
{
    return s.len == len && (!len || !memcmp(s.data, text, len));
}

/* A text is its own text, so the few that come all the time are found by where they are stored. */
uint32_t stat_text(struct stat_texts *t, struct gotrace_str s)
{
    struct stat_recent *r = &t->recent[((uintptr_t)s.data ^ (uintptr_t)s.data >> 6) % STAT_NRECENT];
    if (r->text && is_text(s, r->text, r->len))
        return r->number;
    struct line l;
    l.len = 0;
    append(&l, s, FUNCTION_MAX);
    uint32_t number = intern(t, l.text, l.len);
    if (number)
        *r = (struct stat_recent){t->list.v[number], l.len, number};
    return number;
}

uint32_t stat_text_function(struct stat_texts *t, struct gotrace_stack stack, size_t i)
{
    struct line l;
    struct gotrace_frame f;
    l.len = 0;
    gotrace_stack_frame(stack, i, &f);
    append_function(&l, &f);
    return intern(t, l.text, l.len);
}

/* ---- stacks ----------------------------------------------------------------------------------------------------- */

static const char end_of_thread[] = "its end";

static void append_char(struct line *l, char c) { l->text[l->len++] = c; }

static void append_file(struct line *l, const struct gotrace_frame *f, bool line)
{
    struct gotrace_str name = frame_file(f);
    append(l, name, FILE_MAX);
    if (line && place_has_line(name.data, name.len, f->line))
        l->len += (size_t)sprintf(l->text + l->len, ":%" PRIu64, f->line);
}

static void append_frame(struct line *l, const struct gotrace_frame *f, bool line)
{
    append_function(l, f);
    if (!f->file.len)
        return;
    append_char(l, ' ');
    append_char(l, '(');
    append_file(l, f, line);
    append_char(l, ')');
}

uint32_t stat_text_frame(struct stat_texts *t, const struct gotrace_frame *f)
{
    struct line l;
    l.len = 0;
    append_frame(&l, f, false);
    return intern(t, l.text, l.len);
}

static bool is_hex_digit(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

/* Of " (0x7f10180f4698)", with which the names of objects end that have no better one: how long it is, or 0. */
static size_t address_len(struct gotrace_str name)
{
    static const char begin[] = " (0x";
    size_t n = name.len;
    if (!n || name.data[n - 1] != ')')
        return 0;
    for (n--; n && is_hex_digit(name.data[n - 1]);)
        n--;
    bool is = n >= sizeof begin - 1 && !memcmp(name.data + n - (sizeof begin - 1), begin, sizeof begin - 1);
    size_t len = is ? name.len - n + sizeof begin - 1 : 0;
    return len <= ADDRESS_MAX ? len : 0;
}

/* The address is what tells objects apart that one function waits for, however long its name is. */
static void append_object_name(struct line *l, struct gotrace_str name)
{
    size_t len = address_len(name);
    append(l, (struct gotrace_str){name.data, name.len - len}, FUNCTION_MAX - len);
    append(l, (struct gotrace_str){name.data + name.len - len, len}, len);
}

static void append_object(struct line *l, const struct gotrace_frame *object)
{
    if (frame_has_definition(object))
        append_frame(l, object, true);
    else
        append_object_name(l, object->function);
}

static const struct stack_parts *parts_of(struct stat_texts *t, struct gotrace_stack stack)
{
    if (!t->parted.reader || !gotrace_stack_equal(t->parted, stack)) {
        stack_split(stack, &t->parts);
        t->parted = stack;
    }
    return &t->parts;
}

/*
 * The object, the function that waits for it, and the program's innermost frames; all frames where none is its own. Dots
 * in a line of their own: there are more.
 */
static uint32_t where(struct stat_texts *t, struct gotrace_stack stack)
{
    struct line l;
    const struct stack_parts *parts = parts_of(t, stack);
    struct gotrace_frame f;
    bool folds = !t->depth;
    unsigned most = folds ? STAT_FRAMES : t->depth < STAT_DEEPEST ? t->depth : STAT_DEEPEST;
    if (stack_is_end(stack))
        return stat_literal(t, end_of_thread);
    l.len = 0;
    if (parts->kind)
        append_object(&l, &parts->object);
    for (size_t i = parts->first, n = 0; n <= most && gotrace_stack_frame(stack, i, &f); i++) {
        if (folds && n && parts->has_program && frame_is_folded(&f))
            continue;
        if (l.len)
            append_char(&l, '\n');
        if (n++ < most)
            append_frame(&l, &f, true);
        else
            append(&l, (struct gotrace_str){"…", 3}, 3);
    }
    return intern(t, l.text, l.len);
}

/* "fdatasync (journal.c:88 flush)" */
static void append_call(struct line *l, struct gotrace_stack stack, const struct stack_parts *parts)
{
    struct gotrace_frame f;
    if (!gotrace_stack_frame(stack, parts->first, &f))
        return;
    if (parts->program == parts->first) {
        if (parts->has_program)
            append_frame(l, &f, true);
        else
            append_function(l, &f);
        return;
    }
    append_function(l, &f);
    gotrace_stack_frame(stack, parts->program, &f);
    append_char(l, ' ');
    append_char(l, '(');
    append_file(l, &f, true);
    append_char(l, ' ');
    append_function(l, &f);
    append_char(l, ')');
}

/* On: "fdatasync (journal.c:88 flush) on file /var/lib/journal", where the trace knows that of a system call. */
static uint32_t call(struct stat_texts *t, struct gotrace_stack stack, bool on)
{
    struct line l;
    const struct stack_parts *parts = parts_of(t, stack);
    if (stack_is_end(stack))
        return stat_literal(t, end_of_thread);
    l.len = 0;
    append_call(&l, stack, parts);
    if (on && parts->kind) {
        append(&l, (struct gotrace_str){" on ", 4}, 4);
        append_object(&l, &parts->object);
    }
    return intern(t, l.text, l.len);
}

/* The program's innermost frame. */
static uint32_t place(struct stat_texts *t, struct gotrace_stack stack, bool line)
{
    struct line l;
    const struct stack_parts *parts = parts_of(t, stack);
    struct gotrace_frame f;
    l.len = 0;
    if (stack_is_end(stack))
        return stat_literal(t, end_of_thread);
    if (!gotrace_stack_frame(stack, parts->program, &f))
        return stat_empty(t);
    append_frame(&l, &f, line);
    return intern(t, l.text, l.len);
}

enum { NOT_MADE = UINT16_MAX };
_Static_assert(STAT_NTEXTS <= (int)NOT_MADE, "a number of a text is another one");

static struct stat_cached *cache_place(struct stat_cached *cache, unsigned bits, const struct gotrace_stack *stack)
{
    uint64_t h = (stack->serial << 32 ^ stack->id) * UINT64_C(0x9e3779b97f4a7c15);
    return &cache[h >> (64 - bits)];
}

/* Describing a stack costs a hundred times what finding it does, so all of a generation should have a place. */
static void grow_cache(struct stat_texts *t)
{
    unsigned bits = t->cache_bits + 1;
    struct stat_cached *bigger = bits > STAT_CACHE_BITS_MAX ? NULL : new_cache(bits);
    t->displaced = 0;
    if (!bigger)
        return;
    for (size_t i = 0; i < (size_t)1 << t->cache_bits; i++)
        if (t->cache[i].stack.reader)
            *cache_place(bigger, bits, &t->cache[i].stack) = t->cache[i];
    free(t->cache);
    t->cache = bigger;
    t->cache_bits = bits;
}

/* Handles that were just made are slow to copy, and this is asked for every stretch: so it compares them in place. */
static inline bool is_of(const struct stat_cached *c, const struct gotrace_stack *stack)
{
    return c->stack.id == stack->id && c->stack.serial == stack->serial && c->stack.reader == stack->reader &&
           c->stack.reader;
}

static struct stat_cached *find_cached(struct stat_texts *t, const struct gotrace_stack *stack)
{
    struct stat_cached *c = cache_place(t->cache, t->cache_bits, stack);
    if (is_of(c, stack))
        return c;
    t->displaced += c->stack.reader && c->stack.serial == stack->serial;
    if (t->displaced >> t->cache_bits) {
        grow_cache(t);
        c = cache_place(t->cache, t->cache_bits, stack);
    }
    *c = (struct stat_cached){.stack = *stack};
    for (int i = 0; i < STAT_STACK_TEXTS; i++)
        c->text[i] = NOT_MADE;
    return c;
}

static inline struct stat_cached *cached(struct stat_texts *t, const struct gotrace_stack *stack)
{
    if (!is_of(t->met, stack))
        t->met = find_cached(t, stack);
    return t->met;
}

static uint32_t make(struct stat_texts *t, struct gotrace_stack stack, enum stat_stack_text what)
{
    switch (what) {
    case STAT_WHERE: return where(t, stack);
    case STAT_CALL: return call(t, stack, false);
    case STAT_CALL_ON: return call(t, stack, true);
    case STAT_PLACE: return place(t, stack, true);
    case STAT_INNERMOST: return stat_text_function(t, stack, parts_of(t, stack)->first);
    default: return place(t, stack, false);
    }
}

uint32_t stat_text_stack_at(struct stat_texts *t, const struct gotrace_stack *stack, enum stat_stack_text what)
{
    if (t->failed)
        return 0;
    struct stat_cached *c = cached(t, stack);
    if (c->text[what] == NOT_MADE)
        c->text[what] = (uint16_t)make(t, *stack, what);
    return c->text[what];
}

const struct stat_cached *stat_text_split(struct stat_texts *t, const struct gotrace_stack *stack)
{
    static const struct stat_cached unknown = {.object.need = WAIT_NEED_UNKNOWN};
    if (t->failed)
        return &unknown;
    struct stat_cached *c = cached(t, stack);
    if (c->is_split)
        return c;
    const struct stack_parts *parts = parts_of(t, *stack);
    c->is_split = true;
    c->is_called = parts->program > parts->first;
    c->object = (struct stat_object){.kind = parts->kind, .need = parts->need};
    if (parts->kind) {
        struct line l;
        l.len = 0;
        append_object(&l, &parts->object);
        c->object.text = intern(t, l.text, l.len);
        l.len = 0;
        append_object_name(&l, parts->object.function);
        c->object.name = intern(t, l.text, l.len);
    }
    return c;
}
