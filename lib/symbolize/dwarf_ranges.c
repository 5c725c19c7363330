#include "config.h"

#include "lib/symbolize/array.h"
#include "lib/symbolize/dwarf.h"
#include "lib/symbolize/dwarf_names.h"

enum { MAX_SPANS = 1 << 20, OFFSET_COUNT_AT = 4 /* before the offsets of .debug_rnglists */ };

/* Functions that the linker dropped keep their description at address 0, -1 or -2. */
static void add(struct dwarf_unit *u, struct spans *s, uint64_t start, uint64_t end)
{
    if (!start || start >= end || start >= UINT64_MAX - 1 || s->n >= MAX_SPANS)
        return;
    if (!array_room(&s->v, s->n, &s->cap, sizeof *s->v)) {
        u->file->failed = true;
        return;
    }
    s->v[s->n++] = (struct span){start, end};
}

static bool cursor_in(const struct bytes *section, uint64_t offset, struct cursor *c)
{
    if (offset >= section->len)
        return false;
    *c = (struct cursor){section->p + offset, section->p + section->len, false};
    return true;
}

/* DWARF 2 to 4: .debug_ranges. */
static bool add_ranges(struct dwarf_unit *u, struct dwarf_value value, struct spans *s)
{
    struct cursor c;
    uint64_t base = u->low_pc;
    if (!cursor_in(&u->ranges, u->ranges_base + value.v, &c))
        return false;
    while (s->n < MAX_SPANS) {
        uint64_t start = cursor_fixed(&c, 8), end = cursor_fixed(&c, 8);
        if (c.bad)
            return false;
        if (!start && !end)
            break;
        if (start == UINT64_MAX)
            base = end;
        else
            add(u, s, base + start, base + end);
    }
    return true;
}

/* The list's place in .debug_rnglists: given, or found in the table of offsets that the unit's base points to. */
static bool find_list(const struct dwarf_unit *u, struct dwarf_value value, struct cursor *c)
{
    if (value.form != DW_FORM_rnglistx)
        return cursor_in(&u->rnglists, value.v, c);
    uint64_t base = u->rnglists_base, count = 0;
    if (base < OFFSET_COUNT_AT || !cursor_in(&u->rnglists, base - OFFSET_COUNT_AT, c))
        return false;
    count = cursor_fixed(c, OFFSET_COUNT_AT);
    if (value.v >= count || value.v >= u->rnglists.len)
        return false;
    cursor_skip(c, value.v * u->word);
    uint64_t offset = cursor_fixed(c, u->word);
    return !c->bad && offset < u->rnglists.len && cursor_in(&u->rnglists, base + offset, c);
}

/* DWARF 5: .debug_rnglists. */
static bool add_rnglist(struct dwarf_unit *u, struct dwarf_value value, struct spans *s)
{
    struct cursor c;
    uint64_t base = u->low_pc, start = 0, end = 0;
    if (!find_list(u, value, &c))
        return false;
    while (s->n < MAX_SPANS) {
        bool known = true;
        uint64_t code = cursor_fixed(&c, 1);
        switch (code) {
        case DW_RLE_end_of_list:
            return !c.bad;
        case DW_RLE_base_addressx:
            if (!dwarf_indexed_address(u, cursor_uleb(&c), &base))
                return false;
            continue;
        case DW_RLE_base_address:
            base = cursor_fixed(&c, 8);
            continue;
        case DW_RLE_startx_endx:
            known = dwarf_indexed_address(u, cursor_uleb(&c), &start);
            known &= dwarf_indexed_address(u, cursor_uleb(&c), &end);
            break;
        case DW_RLE_startx_length:
            known = dwarf_indexed_address(u, cursor_uleb(&c), &start);
            end = start + cursor_uleb(&c);
            break;
        case DW_RLE_offset_pair:
            start = base + cursor_uleb(&c);
            end = base + cursor_uleb(&c);
            break;
        case DW_RLE_start_end:
            start = cursor_fixed(&c, 8);
            end = cursor_fixed(&c, 8);
            break;
        case DW_RLE_start_length:
            start = cursor_fixed(&c, 8);
            end = start + cursor_uleb(&c);
            break;
        default:
            return false;
        }
        if (c.bad)
            return false;
        if (known)
            add(u, s, start, end);
    }
    return true;
}

static bool add_low_high(struct dwarf_unit *u, const struct dwarf_die *d, struct spans *s)
{
    uint64_t low, high;
    if (!dwarf_has(d, AT_LOW_PC) || !dwarf_has(d, AT_HIGH_PC) || !dwarf_address(u, d->values[AT_LOW_PC], &low))
        return false;
    if (!dwarf_address(u, d->values[AT_HIGH_PC], &high))
        high = low + d->values[AT_HIGH_PC].v;
    add(u, s, low, high);
    return true;
}

bool dwarf_spans(struct dwarf_unit *u, const struct dwarf_die *d, struct spans *s)
{
    s->n = 0;
    if (!add_low_high(u, d, s) && dwarf_has(d, AT_RANGES)) {
        bool good = u->version >= 5 ? add_rnglist(u, d->values[AT_RANGES], s) : add_ranges(u, d->values[AT_RANGES], s);
        u->file->corrupt |= !good;
    }
    return s->n > 0;
}

static int by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

void dwarf_spans_sort(struct spans *spans)
{
    if (spans->n > 1)
        qsort(spans->v, spans->n, sizeof *spans->v, by_start);
}
