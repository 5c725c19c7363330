#include "config.h"

#include "lib/symbolize/dwarf.h"
#include "lib/symbolize/dwarf_names.h"

enum { ADDRESS = 8, MAX_NESTING = 1 << 16 };

int dwarf_form_size(uint16_t form, unsigned word, unsigned version)
{
    switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
        return 0;
    case DW_FORM_data1:
    case DW_FORM_flag:
    case DW_FORM_ref1:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
        return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
        return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
        return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_ref_sup4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
        return 4;
    case DW_FORM_addr:
        return ADDRESS;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sup8:
    case DW_FORM_ref_sig8:
        return 8;
    case DW_FORM_data16:
        return 16;
    case DW_FORM_ref_addr:
        return version < 3 ? ADDRESS : (int)word;
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_sec_offset:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
        return (int)word;
    default:
        return -1;
    }
}

static uint64_t block_length(struct cursor *c, uint16_t form)
{
    return form == DW_FORM_block1   ? cursor_fixed(c, 1)
           : form == DW_FORM_block2 ? cursor_fixed(c, 2)
           : form == DW_FORM_block4 ? cursor_fixed(c, 4)
                                    : cursor_uleb(c);
}

static bool is_block(uint16_t form)
{
    return form == DW_FORM_exprloc || form == DW_FORM_block || form == DW_FORM_block1 || form == DW_FORM_block2 ||
           form == DW_FORM_block4;
}

bool dwarf_form_read(struct cursor *c, const uint8_t *section, const struct dwarf_unit *u, uint16_t form,
                     int64_t constant, struct dwarf_value *out)
{
    int size = dwarf_form_size(form, u->word, u->version);
    *out = (struct dwarf_value){.form = form};
    if (size > 8) {
        cursor_skip(c, (uint64_t)size);
    } else if (size > 0) {
        out->v = cursor_fixed(c, (size_t)size);
    } else if (size < 0) {
        switch (form) {
        case DW_FORM_udata:
        case DW_FORM_ref_udata:
        case DW_FORM_strx:
        case DW_FORM_addrx:
        case DW_FORM_loclistx:
        case DW_FORM_rnglistx:
        case DW_FORM_GNU_addr_index:
        case DW_FORM_GNU_str_index:
            out->v = cursor_uleb(c);
            break;
        case DW_FORM_sdata:
            out->v = (uint64_t)cursor_sleb(c);
            break;
        case DW_FORM_string:
            out->v = (uint64_t)(c->p - section);
            cursor_string(c);
            break;
        case DW_FORM_block:
        case DW_FORM_block1:
        case DW_FORM_block2:
        case DW_FORM_block4:
        case DW_FORM_exprloc:
            out->v = (uint64_t)(c->p - section);
            cursor_skip(c, block_length(c, form));
            break;
        case DW_FORM_indirect:
            form = (uint16_t)cursor_uleb(c);
            return !c->bad && form != DW_FORM_indirect && form != DW_FORM_implicit_const &&
                   dwarf_form_read(c, section, u, form, 0, out);
        default:
            c->bad = true;
        }
    } else {
        out->v = form == DW_FORM_flag_present ? 1 : (uint64_t)constant;
    }
    return !c->bad;
}

static bool malformed(struct dwarf_unit *u)
{
    u->file->corrupt = true;
    return false;
}

static struct cursor cursor_at(const struct dwarf_unit *u, uint64_t offset)
{
    const uint8_t *p = u->file->sections[DWARF_INFO].p;
    return (struct cursor){p + offset, p + u->end, false};
}

bool dwarf_die_begin(struct dwarf_unit *u, uint64_t offset, struct dwarf_die *d)
{
    struct dwarf_abbrevs *table = dwarf_abbrevs_of(u);
    d->abbrev = NULL;
    d->offset = offset;
    d->have = 0;
    d->tag = 0;
    d->children = false;
    if (offset < u->dies || offset >= u->end || !table)
        return malformed(u);
    struct cursor c = cursor_at(u, offset);
    uint64_t code = cursor_uleb(&c);
    if (c.bad)
        return malformed(u);
    d->at = d->next = offset + (uint64_t)(c.p - (u->file->sections[DWARF_INFO].p + offset));
    if (!code)
        return true;
    d->abbrev = dwarf_abbrev_find(table, code);
    if (!d->abbrev)
        return malformed(u);
    d->tag = d->abbrev->tag;
    d->children = d->abbrev->children;
    return true;
}

bool dwarf_die_attributes(struct dwarf_unit *u, struct dwarf_die *d)
{
    struct cursor c = cursor_at(u, d->at);
    const uint8_t *section = u->file->sections[DWARF_INFO].p;
    struct dwarf_value unused;
    for (uint32_t i = 0; i < d->abbrev->n; i++) {
        const struct dwarf_spec *s = &u->abbrevs->specs[d->abbrev->first + i];
        bool keep = s->attribute < AT_COUNT;
        if (!dwarf_form_read(&c, section, u, s->form, s->constant, keep ? &d->values[s->attribute] : &unused))
            return malformed(u);
        d->have |= keep ? UINT32_C(1) << s->attribute : 0;
    }
    d->next = (uint64_t)(c.p - section);
    return true;
}

bool dwarf_die_pass(struct dwarf_unit *u, struct dwarf_die *d)
{
    if (d->abbrev->size < 0)
        return dwarf_die_attributes(u, d);
    d->next = d->at + (uint64_t)d->abbrev->size;
    return d->next <= u->end ? true : malformed(u);
}

bool dwarf_die_read(struct dwarf_unit *u, uint64_t offset, struct dwarf_die *d)
{
    return dwarf_die_begin(u, offset, d) && d->abbrev && dwarf_die_attributes(u, d);
}

/* Offsets must grow: a sibling that points back would lead in circles. */
uint64_t dwarf_sibling(const struct dwarf_unit *u, const struct dwarf_die *d)
{
    uint64_t to;
    bool alt;
    return dwarf_reference(u, d, AT_SIBLING, &to, &alt) && !alt && to > d->next && to < u->end ? to : 0;
}

uint64_t dwarf_die_after_children(struct dwarf_unit *u, const struct dwarf_die *parent)
{
    uint64_t at = dwarf_sibling(u, parent);
    if (at)
        return at;
    at = parent->next;
    for (int depth = 1; depth > 0;) {
        struct dwarf_die d;
        if (depth == MAX_NESTING || !dwarf_die_begin(u, at, &d))
            return 0;
        if (d.abbrev) {
            if (!(d.abbrev->has_sibling && d.children ? dwarf_die_attributes(u, &d) : dwarf_die_pass(u, &d)))
                return 0;
            uint64_t after = d.children ? dwarf_sibling(u, &d) : 0;
            depth += d.children && !after;
            d.next = after ? after : d.next;
        } else {
            depth--;
        }
        at = d.next;
    }
    return at;
}

uint64_t dwarf_number(const struct dwarf_die *d, enum dwarf_attribute a)
{
    if (!dwarf_has(d, a))
        return 0;
    uint64_t v = d->values[a].v;
    uint16_t form = d->values[a].form;
    if (is_block(form))
        return 0;
    return (form == DW_FORM_sdata || form == DW_FORM_implicit_const) && (int64_t)v < 0 ? 0 : v;
}

bool dwarf_constant(const struct dwarf_die *d, enum dwarf_attribute a, uint64_t *out)
{
    if (!dwarf_has(d, a))
        return false;
    *out = d->values[a].v;
    switch (d->values[a].form) {
    case DW_FORM_data1:
    case DW_FORM_data2:
    case DW_FORM_data4:
    case DW_FORM_data8:
    case DW_FORM_udata:
        return true;
    case DW_FORM_sdata:
    case DW_FORM_implicit_const:
        return (int64_t)*out >= 0;
    default:
        return false;
    }
}

bool dwarf_block(const struct dwarf_unit *u, const struct dwarf_die *d, enum dwarf_attribute a, struct cursor *c)
{
    if (!dwarf_has(d, a) || !is_block(d->values[a].form))
        return false;
    *c = cursor_at(u, d->values[a].v);
    uint64_t len = block_length(c, d->values[a].form);
    if (c->bad || len > (uint64_t)(c->end - c->p))
        return false;
    c->end = c->p + len;
    return true;
}

static const char *string_in(const struct dwarf_file *f, enum dwarf_section section, uint64_t offset)
{
    const struct bytes *s = f ? &f->sections[section] : NULL;
    if (!s || offset >= s->len)
        return NULL;
    struct cursor c = {s->p + offset, s->p + s->len, false};
    return cursor_string(&c);
}

static const char *indexed_string(const struct dwarf_unit *u, uint64_t index)
{
    const struct bytes *s = &u->file->sections[DWARF_STR_OFFSETS];
    if (u->str_offsets_base > s->len || index >= (s->len - u->str_offsets_base) / u->word)
        return NULL;
    struct cursor c = {s->p + u->str_offsets_base + index * u->word, s->p + s->len, false};
    return string_in(u->file, DWARF_STR, cursor_fixed(&c, u->word));
}

const char *dwarf_string_value(const struct dwarf_unit *u, struct dwarf_value value)
{
    switch (value.form) {
    case DW_FORM_string:
        return string_in(u->file, DWARF_INFO, value.v);
    case DW_FORM_strp:
        return string_in(u->file, DWARF_STR, value.v);
    case DW_FORM_line_strp:
        return string_in(u->file, DWARF_LINE_STR, value.v);
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_strp_alt:
        return string_in(u->file->alt, DWARF_STR, value.v);
    case DW_FORM_strx:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
    case DW_FORM_GNU_str_index:
        return indexed_string(u, value.v);
    default:
        return NULL;
    }
}

const char *dwarf_string(const struct dwarf_unit *u, const struct dwarf_die *d, enum dwarf_attribute a)
{
    return dwarf_has(d, a) ? dwarf_string_value(u, d->values[a]) : NULL;
}

bool dwarf_indexed_address(const struct dwarf_unit *u, uint64_t index, uint64_t *addr)
{
    if (u->addr_base > u->addr.len || index >= (u->addr.len - u->addr_base) / ADDRESS)
        return false;
    memcpy(addr, u->addr.p + u->addr_base + index * ADDRESS, ADDRESS);
    return true;
}

bool dwarf_address(const struct dwarf_unit *u, struct dwarf_value value, uint64_t *addr)
{
    switch (value.form) {
    case DW_FORM_addr:
        *addr = value.v;
        return true;
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
    case DW_FORM_GNU_addr_index:
        return dwarf_indexed_address(u, value.v, addr);
    default:
        return false;
    }
}

bool dwarf_reference(const struct dwarf_unit *u, const struct dwarf_die *d, enum dwarf_attribute a, uint64_t *offset,
                     bool *alt)
{
    if (!dwarf_has(d, a))
        return false;
    *offset = d->values[a].v;
    *alt = false;
    switch (d->values[a].form) {
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata:
        if (*offset >= u->end - u->start)
            return false;
        *offset += u->start;
        return true;
    case DW_FORM_ref_addr:
        return true;
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_ref_sup4:
    case DW_FORM_ref_sup8:
        *alt = true;
        return true;
    default:
        return false;
    }
}
