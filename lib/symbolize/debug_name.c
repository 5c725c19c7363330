/*
 * What a function is called may be written elsewhere: an inlined call refers to the function's abstract instance, and
 * that to a declaration in a class. Many calls share one of these, so what is found there is kept by its offset.
 */
#include "config.h"

#include "lib/symbolize/debug.h"

#include <stdlib.h>
#include <string.h>

#include "lib/symbolize/demangle.h"

enum { MAX_HOPS = 8 };

#define IN_ALT (UINT64_C(1) << 63)

static Dwarf_Debug debug_of(const struct unit *u, uint64_t key)
{
    return key & IN_ALT ? u->search->alt.dbg : u->dbg;
}

/* The DIE that an attribute refers to, as a key, or 0. */
static uint64_t reference(const struct unit *u, uint64_t from, Dwarf_Die die, Dwarf_Half name)
{
    Dwarf_Debug dbg = debug_of(u, from);
    Dwarf_Attribute attr;
    Dwarf_Half form = 0;
    Dwarf_Off to = 0;
    Dwarf_Error error = NULL;
    if (!debug_ok(dbg, dwarf_attr(die, name, &attr, &error), error))
        return 0;
    error = NULL;
    if (!debug_ok(dbg, dwarf_whatform(attr, &form, &error), error))
        form = 0;
    error = NULL;
    if (form == DW_FORM_ref_sig8 || !debug_ok(dbg, dwarf_global_formref(attr, &to, &error), error))
        to = 0;
    dwarf_dealloc_attribute(attr);
    if (!to || to & IN_ALT)
        return 0;
    if (form == DW_FORM_GNU_ref_alt || form == DW_FORM_ref_sup4 || form == DW_FORM_ref_sup8)
        return u->search->alt.dbg ? to | IN_ALT : 0;
    return to | (from & IN_ALT);
}

static uint64_t next_die(const struct unit *u, uint64_t from, Dwarf_Die die)
{
    uint64_t to = reference(u, from, die, DW_AT_abstract_origin);
    return to ? to : reference(u, from, die, DW_AT_specification);
}

static char *text(Dwarf_Debug dbg, Dwarf_Die die, Dwarf_Half name)
{
    char *s = NULL;
    Dwarf_Error error = NULL;
    return debug_ok(dbg, dwarf_die_text(die, name, &s, &error), error) ? s : NULL;
}

uint32_t debug_number(Dwarf_Debug dbg, Dwarf_Die die, Dwarf_Half name)
{
    Dwarf_Attribute attr;
    Dwarf_Unsigned value = 0;
    Dwarf_Signed with_sign = 0;
    Dwarf_Error error = NULL;
    if (!debug_ok(dbg, dwarf_attr(die, name, &attr, &error), error))
        return 0;
    error = NULL;
    if (!debug_ok(dbg, dwarf_formudata(attr, &value, &error), error)) {
        /* DW_FORM_implicit_const is one with a sign for libdwarf. */
        error = NULL;
        bool ok = debug_ok(dbg, dwarf_formsdata(attr, &with_sign, &error), error);
        value = ok && with_sign > 0 ? (Dwarf_Unsigned)with_sign : 0;
    }
    dwarf_dealloc_attribute(attr);
    return value <= UINT32_MAX ? (uint32_t)value : 0;
}

/* File numbers mean something only together with the line table of their own unit. */
static bool in_unit(const struct unit *u, uint64_t key)
{
    return !(key & IN_ALT) && key >= u->start && key < u->end;
}

/* Reads die and what it refers to. */
static void read_description(struct unit *u, uint64_t key, Dwarf_Die die, struct name_slot *out)
{
    char *linkage = NULL, *plain = NULL;
    Dwarf_Die at = die;
    for (int hops = 0; at && hops < MAX_HOPS; hops++) {
        Dwarf_Debug dbg = debug_of(u, key);
        linkage = text(dbg, at, DW_AT_linkage_name);
        if (!linkage)
            linkage = text(dbg, at, DW_AT_MIPS_linkage_name);
        if (!plain)
            plain = text(dbg, at, DW_AT_name);
        if (!out->decl_line && (out->decl_line = debug_number(dbg, at, DW_AT_decl_line)) && in_unit(u, key))
            out->decl_file = debug_file(u, debug_number(dbg, at, DW_AT_decl_file));
        uint64_t next = linkage ? 0 : next_die(u, key, at);
        if (at != die)
            dwarf_dealloc_die(at);
        at = NULL;
        Dwarf_Error error = NULL;
        if (next && !debug_ok(debug_of(u, next), dwarf_offdie_b(debug_of(u, next), next & ~IN_ALT, 1, &at, &error), error))
            at = NULL;
        key = next;
    }
    if (at && at != die)
        dwarf_dealloc_die(at);
    out->unmangled = !linkage;
    if (linkage)
        out->function = demangle(&u->search->answer->strings, linkage, strlen(linkage));
    else if (plain)
        out->function = strings_add(&u->search->answer->strings, plain, strlen(plain));
}

static struct name_slot *find_slot(struct search *s, uint64_t key)
{
    if (s->nnames * 2 >= s->names_cap) {
        size_t cap = s->names_cap ? s->names_cap * 2 : 1024;
        struct name_slot *names = calloc(cap, sizeof *names);
        if (!names) {
            s->failed = true;
            return NULL;
        }
        for (size_t i = 0; i < s->names_cap; i++) {
            if (!s->names[i].key)
                continue;
            size_t j = s->names[i].key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (cap - 1);
            while (names[j].key)
                j = (j + 1) & (cap - 1);
            names[j] = s->names[i];
        }
        free(s->names);
        s->names = names;
        s->names_cap = cap;
    }
    size_t j = key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (s->names_cap - 1);
    while (s->names[j].key && s->names[j].key != key)
        j = (j + 1) & (s->names_cap - 1);
    return &s->names[j];
}

void debug_describe(struct unit *u, Dwarf_Die die, struct node *node)
{
    Dwarf_Off offset = 0;
    Dwarf_Error error = NULL;
    if (!debug_ok(u->dbg, dwarf_dieoffset(die, &offset, &error), error))
        return;
    uint64_t origin = next_die(u, 0, die), key = origin ? origin : offset;
    struct name_slot *slot = find_slot(u->search, key);
    if (!slot)
        return;
    if (!slot->key) {
        slot->key = key;
        u->search->nnames++;
        read_description(u, offset, die, slot);
    }
    node->function = slot->function;
    node->decl_file = slot->decl_file;
    node->decl_line = slot->decl_line;
    node->unmangled = slot->unmangled;
}
