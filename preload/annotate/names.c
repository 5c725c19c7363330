#include "preload/annotate/names.h"

#include <stdbool.h>
#include <string.h>

#include "lib/wire/events.h"
#include "preload/attributes.h"

enum {
    SLOTS = 2 * NAMES_MAX,
    ARENA = 512 << 10, /* bytes, of which only what is used is touched */
    ALIGNMENT = _Alignof(struct name),
};

/* A slot is filled when the name is complete, and never changes again. */
static struct name *slots[SLOTS];
static struct name *numbered[NAMES_MAX];

/* The name that was at an address last. It mostly is there still: programs have literals for names. */
enum { HINTS = 256 };
static struct name *hints[HINTS];

static uint32_t count;
static size_t used;
static _Alignas(ALIGNMENT) char arena[ARENA];

static struct name too_many = {.number = NAMES_MAX, .len = sizeof "[too many names]" - 1, .text = "[too many names]"};

static uint64_t hash_of(const char *text, size_t len)
{
    uint64_t h = len, word;
    for (; len >= sizeof word; len -= sizeof word, text += sizeof word) {
        memcpy(&word, text, sizeof word);
        h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    word = 0;
    memcpy(&word, text, len);
    h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static bool is(const struct name *n, uint64_t hash, const char *text, size_t len)
{
    return n->hash == hash && n->len == len && !memcmp(n->text, text, len);
}

static struct name *make(uint64_t hash, const char *text, size_t len)
{
    size_t size = (sizeof(struct name) + len + 1 + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (__atomic_load_n(&used, __ATOMIC_RELAXED) + size > ARENA)
        return NULL;
    size_t at = __atomic_fetch_add(&used, size, __ATOMIC_RELAXED);
    if (at + size > ARENA)
        return NULL;
    uint32_t number = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    if (number >= NAMES_MAX)
        return NULL;
    struct name *n = (struct name *)(void *)(arena + at);
    n->hash = hash;
    n->number = number;
    n->len = (uint16_t)len;
    memcpy(n->text, text, len);
    n->text[len] = 0;
    __atomic_store_n(&numbered[number], n, __ATOMIC_RELEASE);
    return n;
}

struct name *name_intern(const char *text, size_t len)
{
    if (!len)
        return NULL;
    struct name *made = NULL;
    uint64_t hash = hash_of(text, len);
    for (size_t i = hash % SLOTS;; i = (i + 1) % SLOTS) {
        struct name *n = __atomic_load_n(&slots[i], __ATOMIC_ACQUIRE);
        if (!n) {
            if (!made && !(made = make(hash, text, len)))
                return &too_many;
            if (__atomic_compare_exchange_n(&slots[i], &n, made, false, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE))
                return made;
        }
        if (is(n, hash, text, len))
            return n;
    }
}

struct name *name_numbered(uint32_t number)
{
    if (number >= NAMES_MAX)
        return number == NAMES_MAX ? &too_many : NULL;
    return __atomic_load_n(&numbered[number], __ATOMIC_ACQUIRE);
}

static struct name **hint_for(const char *text)
{
    uintptr_t at = (uintptr_t)text;
    return &hints[(at ^ at >> 8) % HINTS];
}

IN_LINE struct name *hinted(const char *text)
{
    struct name *n = __atomic_load_n(hint_for(text), __ATOMIC_ACQUIRE);
    return n && text && !strcmp(n->text, text) ? n : NULL;
}

struct name *name_hinted(const char *text) { return hinted(text); }

void name_hint(const char *text, struct name *n) { __atomic_store_n(hint_for(text), n, __ATOMIC_RELEASE); }

size_t name_length(const char *s, size_t max)
{
    size_t len = s ? strnlen(s, max < STRING_MAX_SIZE + 1 ? max : STRING_MAX_SIZE + 1) : 0;
    if (len <= STRING_MAX_SIZE)
        return len;
    len = STRING_MAX_SIZE;
    while (len > STRING_MAX_SIZE - 4 && ((unsigned char)s[len] & 0xc0) == 0x80)
        len--;
    return len;
}

static SLOW struct name *new_name_of(const char *s)
{
    struct name *n = name_intern(s, name_length(s, SIZE_MAX));
    name_hint(s, n);
    return n;
}

struct name *name_of(const char *s)
{
    struct name *n = hinted(s);
    return likely(n) ? n : new_name_of(s);
}
