#include "config.h"

#include "lib/symbolize/debug.h"

#include <stdlib.h>

struct walk {
    struct unit *unit;
    bool everywhere;
};

static void walk_children(struct walk *, Dwarf_Die parent, int32_t node, int depth);

static int32_t add_node(struct search *s, int32_t parent, bool inlined)
{
    if (s->nnodes == s->nodes_cap) {
        size_t cap = s->nodes_cap ? s->nodes_cap * 2 : 256;
        struct node *nodes = cap < INT32_MAX ? realloc(s->nodes, cap * sizeof *nodes) : NULL;
        if (!nodes) {
            s->failed = true;
            return NO_NODE;
        }
        s->nodes = nodes;
        s->nodes_cap = cap;
    }
    s->nodes[s->nnodes] = (struct node){.parent = parent, .inlined = inlined};
    return (int32_t)s->nnodes++;
}

/* Whether a hit lies in the spans at hand. */
static bool spans_hit(const struct search *s)
{
    for (size_t i = 0; i < s->spans.n; i++) {
        size_t h = debug_first_hit(s, s->spans.v[i].start);
        if (h < s->nhits && s->hits[h].addr < s->spans.v[i].end)
            return true;
    }
    return false;
}

/* A node is visited after its parents, so the last one to claim a hit is the innermost. */
static void claim_hits(struct search *s, int32_t node)
{
    for (size_t i = 0; i < s->spans.n; i++)
        for (size_t h = debug_first_hit(s, s->spans.v[i].start); h < s->nhits && s->hits[h].addr < s->spans.v[i].end; h++)
            s->hits[h].node = node;
}

/* A function or an inlined call: descends only if a hit lies in it. */
static void visit_code(struct walk *w, Dwarf_Die die, bool inlined, int32_t parent, int depth)
{
    struct search *s = w->unit->search;
    bool placed = debug_spans(w->unit, die, w->unit->version);
    if (placed && spans_hit(s)) {
        int32_t node = add_node(s, inlined ? parent : NO_NODE, inlined);
        if (node == NO_NODE)
            return;
        claim_hits(s, node);
        debug_describe(w->unit, die, &s->nodes[node]);
        if (inlined) {
            s->nodes[node].call_file = debug_file(w->unit, debug_number(w->unit->dbg, die, DW_AT_call_file));
            s->nodes[node].call_line = debug_number(w->unit->dbg, die, DW_AT_call_line);
        }
        walk_children(w, die, node, depth);
    } else if (!placed && w->everywhere) {
        walk_children(w, die, parent, depth);
    }
}

static void visit(struct walk *w, Dwarf_Die die, int32_t parent, int depth)
{
    Dwarf_Half tag;
    Dwarf_Error error = NULL;
    if (!debug_ok(w->unit->dbg, dwarf_tag(die, &tag, &error), error))
        return;
    switch (tag) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
        visit_code(w, die, tag == DW_TAG_inlined_subroutine, parent, depth);
        break;
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_common_block:
        if (!debug_spans(w->unit, die, w->unit->version) || spans_hit(w->unit->search))
            walk_children(w, die, parent, depth);
        break;
    default:
        if (w->everywhere)
            walk_children(w, die, parent, depth);
    }
}

/* Offsets must grow: a sibling reference that points back would lead in circles. */
static void walk_children(struct walk *w, Dwarf_Die parent, int32_t node, int depth)
{
    Dwarf_Debug dbg = w->unit->dbg;
    Dwarf_Die die, next;
    Dwarf_Error error = NULL;
    Dwarf_Off last = 0, offset;
    if (depth >= MAX_DEPTH || !debug_ok(dbg, dwarf_child(parent, &die, &error), error))
        return;
    for (;;) {
        error = NULL;
        if (!w->unit->budget || !debug_ok(dbg, dwarf_dieoffset(die, &offset, &error), error) || offset <= last) {
            w->unit->search->corrupt = true;
            break;
        }
        last = offset;
        w->unit->budget--;
        visit(w, die, node, depth + 1);
        error = NULL;
        if (!debug_ok(dbg, dwarf_siblingof_b(dbg, die, 1, &next, &error), error))
            break;
        dwarf_dealloc_die(die);
        die = next;
    }
    dwarf_dealloc_die(die);
}

void debug_tree_apply(struct unit *u, bool everywhere)
{
    struct walk w = {u, everywhere};
    walk_children(&w, u->die, NO_NODE, 0);
}
