/*
 * Split DWARF: the program holds a skeleton of each unit, with its addresses, ranges and line table; functions and
 * inlined calls are in a .dwo file, or in a package (.dwp) of many of these, whose index tells which part of each
 * section is whose.
 */
#include "config.h"

#include "lib/symbolize/dwarf.h"
#include "lib/symbolize/dwarf_names.h"

enum { MAX_COLUMNS = 16, INDEX_HEADER = 16 };

/* Where a unit's part of each section begins. */
struct contribution {
    uint64_t info, abbrev, str_offsets, rnglists;
};

/* The number of the row in the package's index that has this id, from 1; 0 if there is none. A hash table. */
static uint64_t find_row(const struct bytes *index, uint64_t slots, uint64_t id)
{
    const uint8_t *hashes = index->p + INDEX_HEADER, *rows = hashes + slots * 8;
    uint64_t mask = slots - 1, at = id & mask, step = (id >> 32 & mask) | 1;
    for (uint64_t i = 0; i < slots; i++, at = (at + step) & mask) {
        uint64_t hash;
        uint32_t row;
        memcpy(&hash, hashes + at * 8, sizeof hash);
        memcpy(&row, rows + at * 4, sizeof row);
        if (!row)
            break;
        if (hash == id)
            return row;
    }
    return 0;
}

static bool find_in_index(const struct bytes *index, uint64_t id, struct contribution *out)
{
    struct cursor c = {index->p, index->p + index->len, false};
    /* Version 5 is a half word with padding behind it. */
    uint64_t version = cursor_fixed(&c, 4), columns = cursor_fixed(&c, 4), units = cursor_fixed(&c, 4);
    uint64_t slots = cursor_fixed(&c, 4);
    if (c.bad || (version != 2 && version != 5) || columns > MAX_COLUMNS || !slots || slots & (slots - 1) ||
        slots > (index->len - INDEX_HEADER) / 12)
        return false;
    uint64_t row = find_row(index, slots, id);
    if (!row || row > units)
        return false;
    cursor_skip(&c, slots * 12);
    struct cursor ids = c, offsets = c;
    cursor_skip(&offsets, row * columns * 4);
    *out = (struct contribution){0};
    for (uint64_t i = 0; i < columns; i++) {
        uint64_t section = cursor_fixed(&ids, 4), offset = cursor_fixed(&offsets, 4);
        if (section == DW_SECT_INFO)
            out->info = offset;
        else if (section == DW_SECT_ABBREV)
            out->abbrev = offset;
        else if (section == DW_SECT_STR_OFFSETS)
            out->str_offsets = offset;
        else if (section == DW_SECT_RNGLISTS && version == 5) /* in version 2 the number means something else */
            out->rnglists = offset;
    }
    return !ids.bad && !offsets.bad;
}

/* Makes u find its parts of the sections, once. */
static void place(struct dwarf_unit *u, const struct contribution *at)
{
    /* The bases are behind the headers of the unit's parts, before DWARF 5 without one. */
    uint64_t in_header = u->word == 4 ? 4 : 12;
    u->abbrev_offset += u->prepared ? 0 : at->abbrev;
    u->str_offsets_base = at->str_offsets + (u->version < 5 ? 0 : in_header + 4);
    u->prepared = true;
}

struct dwarf_unit *dwarf_split_type_unit(const struct dwarf_unit *from, uint64_t signature)
{
    struct dwarf_file *f = from->file;
    struct contribution at = {0};
    struct dwarf_unit *u = NULL;
    if (f->sections[DWARF_TU_INDEX].len) {
        if (find_in_index(&f->sections[DWARF_TU_INDEX], signature, &at))
            u = dwarf_unit_at(f, at.info);
    } else {
        for (size_t i = 0; i < f->nunits && !u; i++)
            u = f->units[i].type == DW_UT_split_type && f->units[i].id == signature ? &f->units[i] : NULL;
    }
    if (!u || u->type != DW_UT_split_type || u->id != signature)
        return NULL;
    place(u, &at);
    return u;
}

/* Makes u read its addresses through the skeleton. NULL if it belongs to another one. */
static struct dwarf_unit *ready(struct dwarf_unit *u, const struct dwarf_unit *skeleton, const struct contribution *at,
                                struct dwarf_die *d)
{
    place(u, at);
    u->rnglists = u->file->sections[DWARF_RNGLISTS];
    u->rnglists_base = at->rnglists + (u->word == 4 ? 4 : 12) + 8;
    u->addr = skeleton->addr;
    u->addr_base = skeleton->addr_base;
    u->low_pc = skeleton->low_pc;
    u->ranges = skeleton->ranges;
    u->ranges_base = skeleton->ranges_base;
    if (!dwarf_die_read(u, u->dies, d) || d->tag != DW_TAG_compile_unit)
        return NULL;
    /* Before DWARF 5 the number is an attribute. */
    if (!u->id)
        u->id = dwarf_number(d, AT_DWO_ID);
    return !u->id || !skeleton->id || u->id == skeleton->id ? u : NULL;
}

struct dwarf_unit *dwarf_split_unit(struct dwarf_file *f, const struct dwarf_unit *skeleton, struct dwarf_die *d)
{
    struct contribution at = {0};
    if (f->sections[DWARF_CU_INDEX].len) {
        if (!find_in_index(&f->sections[DWARF_CU_INDEX], skeleton->id, &at))
            return NULL;
        struct dwarf_unit *u = dwarf_unit_at(f, at.info);
        /* Type units may stand before it in the same part. */
        for (; u && u < f->units + f->nunits; u++)
            if (u->type != DW_UT_split_type && u->type != DW_UT_type)
                return ready(u, skeleton, &at, d);
        return NULL;
    }
    for (size_t i = 0; i < f->nunits; i++) {
        struct dwarf_unit *u = &f->units[i];
        struct dwarf_unit *found = u->type == DW_UT_split_type ? NULL : ready(u, skeleton, &at, d);
        if (found)
            return found;
    }
    return NULL;
}
