/*
 * Variables with a place in memory. Few of millions are wanted, and the address of one stands in its DIE, or in the
 * unit's table of addresses. So the bytes are searched for those addresses where a wanted variable may begin, and only
 * the DIEs around such a place are read.
 */
#include "config.h"

#include "lib/symbolize/debug.h"

#include <string.h>

#include "lib/symbolize/dwarf_names.h"

enum { ADDRESS = 8 };

/* The first place from at on that looks like DW_OP_addr with such an address, or the unit's end. */
static uint64_t next_location(const struct objects *o, const struct dwarf_unit *u, uint64_t at)
{
    const uint8_t *info = u->file->sections[DWARF_INFO].p;
    uint64_t low = o->starts.v[0].start, range = o->starts.v[o->starts.n - 1].end - low;
    for (; at < u->end && u->end - at > ADDRESS; at++) {
        uint64_t addr;
        memcpy(&addr, info + at + 1, sizeof addr);
        if (addr - low < range && info[at] == DW_OP_addr && objects_may_start(o, addr))
            return at;
    }
    return u->end;
}

/* Whether there is such an address in the unit's part of .debug_addr, whose header says how long it is. */
static bool table_has_location(const struct objects *o, const struct dwarf_unit *u)
{
    uint64_t header = u->word == 4 ? 8 : 16, len;
    if (u->addr_base < header || u->addr_base > u->addr.len)
        return true;
    struct cursor c = {u->addr.p + u->addr_base - header, u->addr.p + u->addr.len, false};
    if (u->word == 8)
        cursor_fixed(&c, 4);
    len = cursor_fixed(&c, u->word);
    c.p = u->addr.p + u->addr_base;
    for (len = len < 4 ? 0 : len - 4; len >= ADDRESS && !c.bad; len -= ADDRESS)
        if (objects_may_start(o, cursor_fixed(&c, ADDRESS)))
            return true;
    return false;
}

/* Addresses are numbers, which stand in a table. */
static bool is_indexed(const struct unit *u)
{
    return u->outer->addr_base || dwarf_has(&u->die, AT_DWO_NAME);
}

bool debug_objects_wanted(const struct unit *u)
{
    const struct objects *o = u->search->objects;
    if (!o->left)
        return false;
    if (next_location(o, u->outer, u->outer->dies) < u->outer->end)
        return true;
    /* Before DWARF 5 nothing says how long a unit's part of the table is. */
    return is_indexed(u) && (u->outer->version < 5 || table_has_location(o, u->outer));
}

/* Names the objects that the variable at start holds. */
static void take_variable(struct unit *u, const struct dwarf_die *d, uint64_t start)
{
    struct search *s = u->search;
    struct objects *o = s->objects;
    struct variable v;
    struct text text;
    size_t i = objects_first(o, start), name_len;
    while (i < o->n && s->answer->pcs[o->v[i].index].n)
        i++;
    if (i == o->n || !objects_may_start(o, start))
        return;
    debug_variable_read(u, d, &v);
    if (!v.name)
        return;
    uint64_t size = type_size(&v.type);
    const struct symbol *symbol = o->v[i].symbol && o->v[i].symbol->start == start ? o->v[i].symbol : NULL;
    if (symbol && symbol->end - start > size)
        size = symbol->end - start;
    if (o->v[i].addr - start >= (size ? size : 1))
        return;
    debug_variable_name(u, &v, symbol, &text);
    uint32_t file = debug_variable_file(u, &v);
    for (name_len = text.len; i < o->n && o->v[i].addr - start < (size ? size : 1); i++) {
        text.len = name_len;
        text.bytes[name_len] = 0;
        type_path(&s->origins, &v.type, o->v[i].addr - start, &text);
        uint32_t name = strings_add(&s->answer->strings, text.bytes, text.len);
        objects_answer(o, &o->v[i], s->answer, (struct answer_frame){name, file, file ? v.line : 0});
    }
}

/* In the order of the file, one DIE after the other. */
void debug_objects_apply(struct unit *u)
{
    const struct objects *o = u->search->objects;
    struct dwarf_unit *tree = u->tree;
    struct dwarf_die d;
    bool indexed = is_indexed(u);
    uint64_t location = 0, start;
    if (!dwarf_die_read(tree, tree->dies, &d) || !d.children)
        return;
    for (uint64_t at = d.next; at < tree->end && o->left && !u->search->failed;) {
        if (!indexed && location < at)
            location = next_location(o, tree, at);
        if (location == tree->end || !dwarf_die_begin(tree, at, &d))
            return;
        at = d.next;
        if (!d.abbrev)
            continue;
        bool whole = d.tag == DW_TAG_variable || (d.children && d.abbrev->has_sibling);
        if (!(whole ? dwarf_die_attributes(tree, &d) : dwarf_die_pass(tree, &d)))
            return;
        at = d.next;
        if (d.tag == DW_TAG_variable && dwarf_location(tree, &d, &start))
            take_variable(u, &d, start);
        uint64_t after = d.children && !indexed ? dwarf_sibling(tree, &d) : 0;
        at = after && after <= location ? after : at;
    }
}
