#include "parser/analyze/stat_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "parser/analyze/place.h"
#include "parser/utf8.h"

enum { FUNCTION_MAX = 120, FILE_MAX = 60, TEXT_MAX = STAT_FRAMES * (FUNCTION_MAX + FILE_MAX + 40) };

struct line {
    char text[TEXT_MAX];
    size_t len;
};

static bool is_control(uint32_t rune) { return rune < 0x20 || (rune >= 0x7f && rune < 0xa0); }

/* At most max bytes of s, which end in "…" if that is not all. */
static void append(struct line *l, struct gotrace_str s, size_t max)
{
    const uint8_t *p = (const uint8_t *)s.data, *end = p + s.len;
    size_t start = l->len, fits = l->len; /* fits: where the text could end and the dots still have room */
    const size_t dots = 3;
    while (p < end) {
        uint32_t rune = 0;
        size_t n = utf8_get(p, end, &rune);
        if (!n || is_control(rune))
            rune = RUNE_REPLACEMENT;
        uint8_t bytes[UTF8_MAX];
        size_t size = (size_t)(utf8_put(bytes, rune) - bytes);
        if (l->len + size > start + max) {
            memcpy(l->text + fits, "…", dots);
            l->len = fits + dots;
            return;
        }
        memcpy(l->text + l->len, bytes, size);
        l->len += size;
        if (l->len + dots <= start + max)
            fits = l->len;
        p += n ? n : 1;
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

void stat_texts_init(struct stat_texts *t)
{
    static const char others[] = "others";
    *t = (struct stat_texts){.cache = calloc(STAT_NCACHED, sizeof *t->cache)};
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

uint32_t stat_text(struct stat_texts *t, struct gotrace_str s)
{
    struct line l = {.len = 0};
    append(&l, s, FUNCTION_MAX);
    return intern(t, l.text, l.len);
}

uint32_t stat_text_function(struct stat_texts *t, struct gotrace_stack stack, size_t i)
{
    struct line l = {.len = 0};
    struct gotrace_frame f;
    gotrace_stack_frame(stack, i, &f);
    append_function(&l, &f);
    return intern(t, l.text, l.len);
}

static struct gotrace_str base_name(struct gotrace_str path)
{
    const char *slash = path.len ? memrchr(path.data, '/', path.len) : NULL;
    if (!slash)
        return path;
    return (struct gotrace_str){slash + 1, path.len - (size_t)(slash + 1 - path.data)};
}

static uint32_t frames(struct stat_texts *t, struct gotrace_stack stack)
{
    struct line l = {.len = 0};
    struct gotrace_frame f;
    for (size_t i = 0; i < STAT_FRAMES && gotrace_stack_frame(stack, i, &f); i++) {
        if (i)
            l.text[l.len++] = '\n';
        append_function(&l, &f);
        if (!f.file.len)
            continue;
        l.text[l.len++] = ' ';
        l.text[l.len++] = '(';
        struct gotrace_str name = base_name(f.file);
        append(&l, name, FILE_MAX);
        if (place_has_line(name.data, name.len, f.line))
            l.len += (size_t)sprintf(l.text + l.len, ":%" PRIu64, f.line);
        l.text[l.len++] = ')';
    }
    return intern(t, l.text, l.len);
}

uint32_t stat_text_stack(struct stat_texts *t, struct gotrace_stack stack)
{
    if (t->failed)
        return 0;
    uint64_t h = (stack.serial << 32 ^ stack.id) * UINT64_C(0x9e3779b97f4a7c15);
    struct stat_cached *c = &t->cache[h >> 52];
    _Static_assert(STAT_NCACHED == 1 << (64 - 52), "the hash picks one of the cache's entries");
    if (!c->stack.reader || !gotrace_stack_equal(c->stack, stack))
        *c = (struct stat_cached){stack, frames(t, stack)};
    return c->text;
}
