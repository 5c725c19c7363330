#include "config.h"

#include "lib/symbolize/dwarf.h"
#include "lib/symbolize/dwarf_names.h"

static struct dwarf_unit *type_unit(const struct dwarf_unit *from, uint64_t signature)
{
    struct dwarf_file *f = from->file;
    if (f->split)
        return dwarf_split_type_unit(from, signature);
    for (size_t i = 0; i < f->nunits; i++)
        if (f->units[i].type == DW_UT_type && f->units[i].id == signature)
            return &f->units[i];
    return NULL;
}

struct dwarf_unit *dwarf_follow(struct dwarf_unit *from, const struct dwarf_die *d, enum dwarf_attribute a,
                                struct dwarf_die *to)
{
    struct dwarf_unit *u = from;
    struct dwarf_die own;
    uint64_t offset;
    bool alt;
    if (dwarf_has(d, a) && d->values[a].form == DW_FORM_ref_sig8) {
        u = type_unit(from, d->values[a].v);
        offset = u ? u->start + u->type_offset : 0;
    } else if (!dwarf_reference(from, d, a, &offset, &alt)) {
        return NULL;
    } else if (alt) {
        u = from->file->alt ? dwarf_unit_at(from->file->alt, offset) : NULL;
    } else if (offset < from->start || offset >= from->end) {
        u = dwarf_unit_at(from->file, offset);
    }
    if (!u || (!u->prepared && !dwarf_unit_prepare(u, &own)) || !dwarf_die_read(u, offset, to))
        return NULL;
    return u;
}

struct dwarf_unit *dwarf_follow_declaration(struct dwarf_unit *from, const struct dwarf_die *d, struct dwarf_die *to)
{
    struct dwarf_unit *u = dwarf_follow(from, d, AT_ORIGIN, to);
    return u ? u : dwarf_follow(from, d, AT_SPECIFICATION, to);
}

/* In one walk: a DIE does not say who its parent is. */
size_t dwarf_parents(struct dwarf_unit *u, uint64_t offset, uint64_t *parents, size_t max)
{
    struct dwarf_die d;
    size_t n = 0;
    if (!dwarf_die_read(u, u->dies, &d) || !d.children)
        return 0;
    uint64_t at = d.next;
    while (at < offset) {
        if (!dwarf_die_begin(u, at, &d))
            return 0;
        at = d.next;
        if (!d.abbrev) {
            if (!n)
                return 0;
            n--;
            continue;
        }
        if (!(d.abbrev->has_sibling && d.children ? dwarf_die_attributes(u, &d) : dwarf_die_pass(u, &d)))
            return 0;
        at = d.next;
        if (!d.children)
            continue;
        uint64_t after = dwarf_sibling(u, &d);
        if (after && after <= offset) {
            at = after;
        } else {
            if (n == max)
                return 0;
            parents[n++] = d.offset;
        }
    }
    return at == offset ? n : 0;
}

/* Whatever comes after the address makes it another one: that of a thread's own variable, say. */
bool dwarf_location(const struct dwarf_unit *u, const struct dwarf_die *d, uint64_t *addr)
{
    struct cursor c;
    if (!dwarf_block(u, d, AT_LOCATION, &c))
        return false;
    uint64_t operation = cursor_fixed(&c, 1);
    if (operation == DW_OP_addr)
        *addr = cursor_fixed(&c, sizeof *addr);
    else if (operation != DW_OP_addrx && operation != DW_OP_GNU_addr_index)
        return false;
    else if (!dwarf_indexed_address(u, cursor_uleb(&c), addr))
        return false;
    return !c.bad && c.p == c.end;
}

bool dwarf_frame_offset(const struct dwarf_unit *u, const struct dwarf_die *d, int64_t *offset)
{
    struct cursor c;
    if (!dwarf_block(u, d, AT_LOCATION, &c) || cursor_fixed(&c, 1) != DW_OP_fbreg)
        return false;
    *offset = cursor_sleb(&c);
    return !c.bad && c.p == c.end;
}

/* A frame pointer is below the return address and the caller's frame pointer, which the CFA is above. */
bool dwarf_frame_base(const struct dwarf_unit *u, const struct dwarf_die *function, bool from_sp, int64_t *distance)
{
    enum { RBP = DW_OP_reg0 + 6, RSP = DW_OP_reg0 + 7, FRAME_RECORD = 16 };
    struct cursor c;
    if (!dwarf_block(u, function, AT_FRAME_BASE, &c))
        return false;
    uint64_t operation = cursor_fixed(&c, 1);
    bool known = !from_sp && operation == DW_OP_call_frame_cfa;
    *distance = known || from_sp ? 0 : -FRAME_RECORD;
#if defined(__x86_64__) /* programs are looked at where they were recorded */
    known |= operation == (from_sp ? RSP : RBP);
#endif
    return known && !c.bad && c.p == c.end;
}

bool dwarf_member_offset(const struct dwarf_unit *u, const struct dwarf_die *d, uint64_t *offset)
{
    struct cursor c;
    *offset = 0;
    if (!dwarf_has(d, AT_MEMBER_LOCATION) || dwarf_constant(d, AT_MEMBER_LOCATION, offset))
        return true;
    /* DWARF 2 has an expression that adds the offset to the object's address; that of a virtual base looks it up. */
    if (!dwarf_block(u, d, AT_MEMBER_LOCATION, &c) || cursor_fixed(&c, 1) != DW_OP_plus_uconst)
        return false;
    *offset = cursor_uleb(&c);
    return !c.bad && c.p == c.end;
}
