#include "config.h"

#include "lib/symbolize/debug.h"

#include <stdlib.h>

enum { MAX_SPANS = 1 << 20, RLE_OFFSET_PAIR = 4, RLE_START_END = 6, RLE_START_LENGTH = 7, RLE_STARTX_ENDX = 2,
       RLE_STARTX_LENGTH = 3 };

bool debug_ok(Dwarf_Debug dbg, int r, Dwarf_Error error)
{
    if (r == DW_DLV_ERROR)
        dwarf_dealloc_error(dbg, error);
    return r == DW_DLV_OK;
}

/* Functions that the linker dropped keep their description at address 0, -1 or -2. */
static void add(struct search *s, uint64_t start, uint64_t end)
{
    if (!start || start >= end || start >= UINT64_MAX - 1 || s->spans.n >= MAX_SPANS)
        return;
    if (s->spans.n == s->spans.cap) {
        size_t cap = s->spans.cap ? s->spans.cap * 2 : 16;
        struct span *v = realloc(s->spans.v, cap * sizeof *v);
        if (!v) {
            s->failed = true;
            return;
        }
        s->spans.v = v;
        s->spans.cap = cap;
    }
    s->spans.v[s->spans.n++] = (struct span){start, end};
}

/* DWARF 2 to 4: .debug_ranges. */
static void add_ranges(struct unit *u, Dwarf_Die die, Dwarf_Attribute attr)
{
    Dwarf_Off offset, real;
    Dwarf_Error error = NULL;
    Dwarf_Half form;
    Dwarf_Ranges *list;
    Dwarf_Signed n;
    Dwarf_Unsigned bytes;
    if (!debug_ok(u->dbg, dwarf_whatform(attr, &form, &error), error))
        return;
    bool plain = form == DW_FORM_data4 || form == DW_FORM_data8;
    Dwarf_Unsigned value = 0;
    error = NULL;
    if (plain ? !debug_ok(u->dbg, dwarf_formudata(attr, &value, &error), error)
              : !debug_ok(u->dbg, dwarf_global_formref(attr, &offset, &error), error))
        return;
    error = NULL;
    if (!debug_ok(u->dbg, dwarf_get_ranges_b(u->dbg, plain ? value : offset, die, &real, &list, &n, &bytes, &error),
                  error))
        return;
    uint64_t base = u->base;
    for (Dwarf_Signed i = 0; i < n && list[i].dwr_type != DW_RANGES_END; i++) {
        if (list[i].dwr_type == DW_RANGES_ADDRESS_SELECTION)
            base = list[i].dwr_addr2;
        else
            add(u->search, base + list[i].dwr_addr1, base + list[i].dwr_addr2);
    }
    dwarf_ranges_dealloc(u->dbg, list, n);
}

/* DWARF 5: .debug_rnglists. */
static void add_rnglist(struct unit *u, Dwarf_Attribute attr)
{
    Dwarf_Half form;
    Dwarf_Error error = NULL;
    Dwarf_Unsigned value, n, offset;
    Dwarf_Rnglists_Head head;
    if (!debug_ok(u->dbg, dwarf_whatform(attr, &form, &error), error))
        return;
    error = NULL;
    int r = form == DW_FORM_rnglistx ? dwarf_formudata(attr, &value, &error)
                                     : dwarf_global_formref(attr, &value, &error);
    if (!debug_ok(u->dbg, r, error))
        return;
    error = NULL;
    if (!debug_ok(u->dbg, dwarf_rnglists_get_rle_head(attr, form, value, &head, &n, &offset, &error), error))
        return;
    for (Dwarf_Unsigned i = 0; i < n; i++) {
        unsigned len, code;
        Dwarf_Unsigned raw1, raw2, start, end;
        Dwarf_Bool no_addresses = 0;
        error = NULL;
        r = dwarf_get_rnglists_entry_fields_a(head, i, &len, &code, &raw1, &raw2, &no_addresses, &start, &end, &error);
        if (!debug_ok(u->dbg, r, error))
            break;
        if (no_addresses)
            continue;
        if (code == RLE_OFFSET_PAIR || code == RLE_START_END || code == RLE_START_LENGTH ||
            code == RLE_STARTX_ENDX || code == RLE_STARTX_LENGTH)
            add(u->search, start, end);
    }
    dwarf_dealloc_rnglists_head(head);
}

static bool add_low_high(struct unit *u, Dwarf_Die die)
{
    Dwarf_Addr low, high;
    Dwarf_Half form;
    enum Dwarf_Form_Class class;
    Dwarf_Error error = NULL;
    if (!debug_ok(u->dbg, dwarf_lowpc(die, &low, &error), error))
        return false;
    error = NULL;
    if (!debug_ok(u->dbg, dwarf_highpc_b(die, &high, &form, &class, &error), error))
        return false;
    add(u->search, low, class == DW_FORM_CLASS_CONSTANT ? low + high : high);
    return true;
}

bool debug_spans(struct unit *u, Dwarf_Die die, Dwarf_Half version)
{
    u->search->spans.n = 0;
    if (!add_low_high(u, die)) {
        Dwarf_Attribute attr;
        Dwarf_Error error = NULL;
        if (!debug_ok(u->dbg, dwarf_attr(die, DW_AT_ranges, &attr, &error), error))
            return false;
        if (version >= 5)
            add_rnglist(u, attr);
        else
            add_ranges(u, die, attr);
        dwarf_dealloc_attribute(attr);
    }
    return u->search->spans.n > 0;
}
