#include "config.h"

#include <stdlib.h>

#include "lib/symbolize/array.h"
#include "lib/symbolize/dwarf.h"
#include "lib/symbolize/dwarf_names.h"

enum { MAX_ATTRIBUTES = 1024 };

static uint8_t kept_as(uint64_t name)
{
    switch (name) {
    case DW_AT_sibling:
        return AT_SIBLING;
    case DW_AT_low_pc:
        return AT_LOW_PC;
    case DW_AT_high_pc:
        return AT_HIGH_PC;
    case DW_AT_ranges:
        return AT_RANGES;
    case DW_AT_abstract_origin:
        return AT_ORIGIN;
    case DW_AT_specification:
        return AT_SPECIFICATION;
    case DW_AT_name:
        return AT_NAME;
    case DW_AT_linkage_name:
    case DW_AT_MIPS_linkage_name:
        return AT_LINKAGE_NAME;
    case DW_AT_decl_file:
        return AT_DECL_FILE;
    case DW_AT_decl_line:
        return AT_DECL_LINE;
    case DW_AT_call_file:
        return AT_CALL_FILE;
    case DW_AT_call_line:
        return AT_CALL_LINE;
    case DW_AT_stmt_list:
        return AT_STMT_LIST;
    case DW_AT_comp_dir:
        return AT_COMP_DIR;
    case DW_AT_language:
        return AT_LANGUAGE;
    case DW_AT_str_offsets_base:
        return AT_STR_OFFSETS_BASE;
    case DW_AT_addr_base:
    case DW_AT_GNU_addr_base:
        return AT_ADDR_BASE;
    case DW_AT_rnglists_base:
        return AT_RNGLISTS_BASE;
    case DW_AT_GNU_ranges_base:
        return AT_RANGES_BASE;
    case DW_AT_dwo_name:
    case DW_AT_GNU_dwo_name:
        return AT_DWO_NAME;
    case DW_AT_GNU_dwo_id:
        return AT_DWO_ID;
    case DW_AT_location:
        return AT_LOCATION;
    case DW_AT_frame_base:
        return AT_FRAME_BASE;
    case DW_AT_type:
        return AT_TYPE;
    case DW_AT_signature:
        return AT_SIGNATURE;
    case DW_AT_byte_size:
        return AT_BYTE_SIZE;
    case DW_AT_bit_size:
        return AT_BIT_SIZE;
    case DW_AT_data_member_location:
        return AT_MEMBER_LOCATION;
    case DW_AT_count:
        return AT_ELEMENTS;
    case DW_AT_upper_bound:
        return AT_UPPER_BOUND;
    case DW_AT_declaration:
        return AT_DECLARATION;
    default:
        return AT_COUNT;
    }
}

/* Reads one more abbreviation; false at the end of the table. */
static bool read_next(struct dwarf_abbrevs *t)
{
    struct cursor *c = &t->rest;
    struct dwarf_abbrev a = {.code = cursor_uleb(c), .first = (uint32_t)t->nspecs};
    if (c->bad || !a.code || t->nspecs > UINT32_MAX - MAX_ATTRIBUTES)
        return false;
    a.tag = (uint16_t)cursor_uleb(c);
    a.children = cursor_fixed(c, 1) != 0;
    for (;;) {
        uint64_t name = cursor_uleb(c), form = cursor_uleb(c);
        if (c->bad || form > UINT16_MAX || a.n == MAX_ATTRIBUTES)
            return false;
        if (!name && !form)
            break;
        struct dwarf_spec s = {.form = (uint16_t)form, .attribute = kept_as(name)};
        if (form == DW_FORM_implicit_const)
            s.constant = cursor_sleb(c);
        a.has_sibling |= s.attribute == AT_SIBLING;
        int size = dwarf_form_size(s.form, t->word, t->version);
        a.size = a.size < 0 || size < 0 ? -1 : a.size + size;
        if (!array_room(&t->specs, t->nspecs, &t->specs_cap, sizeof *t->specs))
            return false;
        t->specs[t->nspecs++] = s;
        a.n++;
    }
    if (!array_room(&t->v, t->n, &t->cap, sizeof *t->v))
        return false;
    t->v[t->n++] = a;
    return true;
}

static int by_code(const void *a, const void *b)
{
    const struct dwarf_abbrev *x = a, *y = b;
    return x->code < y->code ? -1 : x->code > y->code;
}

/* Codes mostly count from 1 on. */
const struct dwarf_abbrev *dwarf_abbrev_find(struct dwarf_abbrevs *t, uint64_t code)
{
    while (t->n < code && !t->whole)
        t->whole = !read_next(t);
    if (code - 1 < t->n && t->v[code - 1].code == code)
        return &t->v[code - 1];
    while (!t->whole)
        t->whole = !read_next(t);
    if (!t->n)
        return NULL;
    if (!t->sorted)
        qsort(t->v, t->n, sizeof *t->v, by_code);
    t->sorted = true;
    return bsearch(&(struct dwarf_abbrev){.code = code}, t->v, t->n, sizeof *t->v, by_code);
}

static struct dwarf_abbrevs *new_table(struct dwarf_unit *u)
{
    struct dwarf_file *f = u->file;
    const struct bytes *s = &f->sections[DWARF_ABBREV];
    struct dwarf_abbrevs *t = NULL;
    if (array_room(&f->tables, f->ntables, &f->tables_cap, sizeof(struct dwarf_abbrevs *)))
        t = malloc(sizeof *t);
    if (!t) {
        f->failed = true;
        return NULL;
    }
    *t = (struct dwarf_abbrevs){.offset = u->abbrev_offset, .word = u->word, .version = (uint8_t)u->version};
    t->rest = (struct cursor){s->p + u->abbrev_offset, s->p + s->len, false};
    return f->tables[f->ntables++] = t;
}

/* Units that share a table mostly stand side by side. */
struct dwarf_abbrevs *dwarf_abbrevs_of(struct dwarf_unit *u)
{
    struct dwarf_file *f = u->file;
    if (u->abbrevs)
        return u->abbrevs;
    if (u->abbrev_offset >= f->sections[DWARF_ABBREV].len)
        return NULL;
    for (size_t i = f->ntables; i-- > 0 && i + 2 > f->ntables;)
        if (f->tables[i]->offset == u->abbrev_offset && f->tables[i]->word == u->word &&
            f->tables[i]->version == u->version)
            return u->abbrevs = f->tables[i];
    return u->abbrevs = new_table(u);
}

void dwarf_abbrevs_free(struct dwarf_abbrevs *t)
{
    free(t->v);
    free(t->specs);
    free(t);
}
