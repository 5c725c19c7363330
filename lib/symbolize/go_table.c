/*
 * The table: a header; for each function its first PC and where it is described, in order, and the PC behind the last;
 * descriptions, names, and programs that say how a value (the file, the line) changes from PC to PC.
 */
#include "config.h"

#include "lib/symbolize/go_table.h"

#include <string.h>

#include "lib/symbolize/cursor.h"

enum { HEADER = 8, MOST_READ = 1 << 30 };

/* Of what a function is described by, behind its first PC: four bytes each. */
enum { NAME = 0, FILE_PROGRAM = 4, LINE_PROGRAM = 5 };

#define MAGIC 0xfffffffb
#define MAGIC_116 0xfffffffa
#define MAGIC_118 0xfffffff0
#define MAGIC_120 0xfffffff1

static uint64_t number(const struct go_table *t, uint64_t at, size_t size, bool *bad)
{
    if (at > t->size) {
        *bad = true;
        return 0;
    }
    struct cursor c = {.p = t->data + at, .end = t->data + t->size};
    uint64_t v = cursor_fixed(&c, size);
    *bad |= c.bad;
    return v;
}

/* A string of the table that ends in it; else, or if it is empty, NULL. */
static const char *string(const struct go_table *t, uint64_t at)
{
    if (at >= t->size || !t->data[at] || !memchr(t->data + at, 0, t->size - at))
        return NULL;
    return (const char *)t->data + at;
}

static bool known_magic(const uint8_t *p, uint32_t *magic)
{
    memcpy(magic, p, sizeof *magic);
    uint32_t swapped = __builtin_bswap32(*magic);
    return *magic == MAGIC_116 || *magic == MAGIC_118 || *magic == MAGIC_120 || swapped == MAGIC ||
           swapped == MAGIC_116 || swapped == MAGIC_118 || swapped == MAGIC_120;
}

enum go_table_status go_table_open(struct go_table *t, const uint8_t *data, size_t size)
{
    uint32_t magic;
    bool bad = false;
    *t = (struct go_table){.data = data, .size = size, .left = MOST_READ};
    if (size < HEADER)
        return GO_TABLE_NONE;
    if (known_magic(data, &magic))
        return GO_TABLE_UNKNOWN;
    t->quantum = data[6];
    t->word = data[7];
    if (magic != MAGIC || data[4] || data[5] || (t->quantum != 1 && t->quantum != 2 && t->quantum != 4) ||
        (t->word != 4 && t->word != 8))
        return GO_TABLE_NONE;
    t->nfuncs = number(t, HEADER, t->word, &bad);
    if (bad || t->nfuncs > size / (2 * t->word))
        return GO_TABLE_NONE;
    uint64_t behind = HEADER + (2 * t->nfuncs + 2) * t->word;
    t->files = number(t, behind, 4, &bad);
    return bad ? GO_TABLE_NONE : GO_TABLE_OK;
}

/* The first PC of function i; of the number of functions, the PC behind the last. */
static uint64_t first_pc(const struct go_table *t, uint64_t i, bool *bad)
{
    return number(t, HEADER + (1 + 2 * i) * t->word, t->word, bad);
}

/* What a program says at a PC, -1 if nothing. It begins at `at` for the PC entry. */
static int32_t value_at(struct go_table *t, uint64_t at, uint64_t entry, uint64_t pc)
{
    if (!at || at >= t->size) /* 0: the function has none */
        return -1;
    struct cursor c = {.p = t->data + at, .end = t->data + t->size};
    uint64_t reached = entry;
    uint32_t value = UINT32_MAX;
    for (bool first = true;; first = false) {
        uint32_t change = (uint32_t)cursor_uleb(&c);
        if (c.bad || (!change && !first))
            return -1;
        value += change & 1 ? ~(change >> 1) : change >> 1;
        reached += cursor_uleb(&c) * t->quantum;
        if (c.bad || !t->left)
            return -1;
        t->left--;
        if (pc < reached)
            return (int32_t)value;
    }
}

static const char *file(const struct go_table *t, int32_t n)
{
    bool bad = false;
    if (n <= 0 || (uint64_t)n >= number(t, t->files, 4, &bad) || bad)
        return NULL;
    uint64_t at = number(t, t->files + 4 * (uint64_t)n, 4, &bad);
    return bad ? NULL : string(t, at);
}

bool go_table_find(struct go_table *t, uint64_t pc, struct go_line *line)
{
    bool bad = false;
    uint64_t a = 0, b = t->nfuncs;
    while (a < b) {
        uint64_t m = a + (b - a) / 2;
        if (first_pc(t, m, &bad) <= pc)
            a = m + 1;
        else
            b = m;
    }
    if (!a || pc >= first_pc(t, a, &bad))
        return false;
    uint64_t at = number(t, HEADER + (2 * a) * t->word, t->word, &bad);
    if (bad || at >= t->size)
        return false;
    uint64_t entry = number(t, at, t->word, &bad), fields = at + t->word;
    const char *name = string(t, number(t, fields + 4 * NAME, 4, &bad));
    uint64_t files = number(t, fields + 4 * FILE_PROGRAM, 4, &bad);
    uint64_t lines = number(t, fields + 4 * LINE_PROGRAM, 4, &bad);
    if (bad || !name)
        return false;
    *line = (struct go_line){
        .function = name, .file = file(t, value_at(t, files, entry, pc)), .is_first = pc == entry};
    int32_t n = line->file ? value_at(t, lines, entry, pc) : 0;
    line->line = n > 0 ? (uint32_t)n : 0;
    return true;
}
