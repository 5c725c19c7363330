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

/* The DIE that an attribute of a DIE of the unit refers to, as a key, or 0. */
static uint64_t reference(const struct unit *u, const struct dwarf_die *d, enum dwarf_attribute a)
{
    uint64_t to;
    bool alt;
    if (!dwarf_reference(u->tree, d, a, &to, &alt) || to & IN_ALT || (alt && !u->tree->file->alt))
        return 0;
    return alt ? to | IN_ALT : to;
}

static uint32_t small(const struct dwarf_die *d, enum dwarf_attribute a)
{
    uint64_t v = dwarf_number(d, a);
    return v <= UINT32_MAX ? (uint32_t)v : 0;
}

/* Reads the first DIE and what it refers to. */
static void read_description(struct unit *u, const struct dwarf_die *first, struct name_slot *out)
{
    const char *linkage = NULL, *plain = NULL;
    const struct dwarf_die *d = first;
    struct dwarf_unit *at = u->tree;
    struct dwarf_die other;
    for (int hops = 0; at && hops < MAX_HOPS; hops++) {
        linkage = dwarf_string(at, d, AT_LINKAGE_NAME);
        if (!plain)
            plain = dwarf_string(at, d, AT_NAME);
        /* File numbers mean something only together with the line table of their own unit. */
        if (!out->decl_line && (out->decl_line = small(d, AT_DECL_LINE)) && at == u->tree)
            out->decl_file = debug_file(u, dwarf_number(d, AT_DECL_FILE));
        at = linkage ? NULL : dwarf_follow_declaration(at, d, &other);
        d = &other;
    }
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

void debug_describe(struct unit *u, const struct dwarf_die *d, struct node *node)
{
    uint64_t origin = reference(u, d, AT_ORIGIN);
    if (!origin)
        origin = reference(u, d, AT_SPECIFICATION);
    uint64_t key = origin ? origin : d->offset;
    struct name_slot *slot = find_slot(u->search, key);
    if (!slot)
        return;
    if (!slot->key) {
        slot->key = key;
        u->search->nnames++;
        read_description(u, d, slot);
    }
    node->function = slot->function;
    node->decl_file = slot->decl_file;
    node->decl_line = slot->decl_line;
    node->unmangled = slot->unmangled;
}
