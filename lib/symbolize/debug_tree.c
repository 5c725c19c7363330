#include "config.h"

#include "lib/symbolize/debug.h"
#include "lib/symbolize/dwarf_names.h"

#include <stdlib.h>

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
        for (size_t h = debug_first_hit(s, s->spans.v[i].start);
             h < s->nhits && s->hits[h].addr < s->spans.v[i].end; h++)
            s->hits[h].node = node;
}

/* A function or an inlined call that holds a hit gets a node, which *node becomes for its children. */
static bool enter_code(struct unit *u, const struct dwarf_die *d, bool everywhere, int32_t *node)
{
    struct search *s = u->search;
    bool inlined = d->tag == DW_TAG_inlined_subroutine;
    if (!dwarf_spans(u->tree, d, &s->spans) || !spans_hit(s))
        return everywhere;
    int32_t added = add_node(s, inlined ? *node : NO_NODE, inlined);
    if (added == NO_NODE)
        return false;
    *node = added;
    claim_hits(s, added);
    debug_describe(u, d, &s->nodes[added]);
    if (inlined) {
        uint64_t line = dwarf_number(d, AT_CALL_LINE);
        s->nodes[added].call_file = debug_file(u, dwarf_number(d, AT_CALL_FILE));
        s->nodes[added].call_line = line <= UINT32_MAX ? (uint32_t)line : 0;
    }
    return true;
}

/* Whether what is wanted may be among the children; *node becomes their parent. Reads the DIE to its end. */
static bool enter(struct unit *u, struct dwarf_die *d, bool everywhere, int32_t *node, bool *good)
{
    switch (d->tag) {
    case DW_TAG_subprogram:
    case DW_TAG_inlined_subroutine:
        *good = dwarf_die_attributes(u->tree, d);
        return *good && enter_code(u, d, everywhere, node);
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_common_block:
        *good = dwarf_die_attributes(u->tree, d);
        return *good && (!dwarf_spans(u->tree, d, &u->search->spans) || spans_hit(u->search) || everywhere);
    default:
        *good = d->children && d->abbrev->has_sibling ? dwarf_die_attributes(u->tree, d) : dwarf_die_pass(u->tree, d);
        return everywhere;
    }
}

struct tree_walk {
    bool everywhere;
    int32_t nodes[DEBUG_MAX_DEPTH]; /* of the parents */
};

static bool visit(void *arg, struct unit *u, struct dwarf_die *d, int depth, bool *good)
{
    struct tree_walk *w = arg;
    int32_t node = w->nodes[depth];
    bool inside = enter(u, d, w->everywhere, &node, good);
    if (depth + 1 < DEBUG_MAX_DEPTH)
        w->nodes[depth + 1] = node;
    return inside;
}

void debug_tree_apply(struct unit *u, bool everywhere)
{
    struct tree_walk w = {.everywhere = everywhere, .nodes = {NO_NODE}};
    debug_walk(u, visit, &w);
}

/* In the order of the file, one DIE after the other; offsets only grow. */
void debug_walk(struct unit *u, debug_visit_fn *visit_die, void *arg)
{
    struct dwarf_die d;
    int depth = 0;
    if (!dwarf_die_read(u->tree, u->tree->dies, &d) || !d.children)
        return;
    /* A unit may leave out the entry that ends the list of its DIEs. */
    for (uint64_t at = d.next; depth >= 0 && at && at < u->tree->end && !u->search->failed;) {
        if (!dwarf_die_begin(u->tree, at, &d))
            return;
        at = d.next;
        if (!d.abbrev) {
            depth--;
            continue;
        }
        bool good, has_children = d.children, inside = visit_die(arg, u, &d, depth, &good);
        if (!good)
            return;
        at = d.next;
        if (has_children && inside && depth + 1 < DEBUG_MAX_DEPTH)
            depth++;
        else if (has_children)
            at = dwarf_die_after_children(u->tree, &d);
    }
}
