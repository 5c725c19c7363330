#include "config.h"

#include "lib/symbolize/debug.h"

#include <stdlib.h>

#include "lib/symbolize/demangle.h"
#include "lib/symbolize/dwarf_names.h"

enum { MAX_INLINES = 256 };

static bool add_hit(struct search *s, size_t pc)
{
    if (s->answer->pcs[pc].n)
        return false;
    s->hits[s->nhits++] = (struct hit){.pc = pc, .addr = s->pcs[pc], .node = NO_NODE};
    return true;
}

size_t debug_first_hit(const struct search *s, uint64_t addr)
{
    size_t a = 0, b = s->nhits;
    while (a < b) {
        size_t m = a + (b - a) / 2;
        if (s->hits[m].addr < addr)
            a = m + 1;
        else
            b = m;
    }
    return a;
}

/*
 * Collects the PCs in the unit that are not known yet. A unit without ranges may hold any; only variables are moved into
 * a partial one.
 */
static void collect_hits(struct unit *u)
{
    struct search *s = u->search;
    s->nhits = 0;
    if (u->die.tag == DW_TAG_partial_unit)
        return;
    if (!dwarf_spans(u->outer, &u->die, &s->spans)) {
        s->spans.n = 0;
        for (size_t pc = 0; pc < s->npcs; pc++)
            add_hit(s, pc);
        return;
    }
    dwarf_spans_sort(&s->spans);
    size_t pc = 0;
    for (size_t i = 0; i < s->spans.n; i++) {
        size_t first = answer_first_pc(s->pcs, s->npcs, s->spans.v[i].start);
        for (pc = first > pc ? first : pc; pc < s->npcs && s->pcs[pc] < s->spans.v[i].end; pc++)
            add_hit(s, pc);
    }
}

/* What the symbol table calls a function whose language mangles names, but whose DIE has no linkage name. */
static uint32_t better_name(const struct unit *u, const struct node *node, uint64_t addr)
{
    const struct symbol *symbol = NULL;
    if (node->unmangled && !node->inlined && u->names_mangled)
        symbol = symtab_find(u->search->symbols, addr);
    bool mangled = symbol && symbol->name_len > 2 && symbol->name[0] == '_' &&
                   (symbol->name[1] == 'Z' || symbol->name[1] == 'R');
    return mangled ? demangle(&u->search->answer->strings, symbol->name, symbol->name_len) : node->function;
}

static void add_frames(const struct unit *u, const struct hit *hit)
{
    struct search *s = u->search;
    uint32_t file = hit->file, line = hit->line;
    int32_t at = hit->node;
    if (at == NO_NODE) {
        if (hit->has_row)
            answer_add(s->answer, hit->pc, (struct answer_frame){0, file, line});
        return;
    }
    /* Line 0 marks code that belongs to no line in particular. */
    if (!line && s->nodes[at].decl_line) {
        file = s->nodes[at].decl_file ? s->nodes[at].decl_file : file;
        line = s->nodes[at].decl_line;
    }
    for (int i = 0; at != NO_NODE && i < MAX_INLINES; i++) {
        const struct node *node = &s->nodes[at];
        answer_add(s->answer, hit->pc, (struct answer_frame){better_name(u, node, hit->addr), file, line});
        if (!node->inlined)
            break;
        file = node->call_file;
        line = node->call_line;
        at = node->parent;
    }
}

bool debug_language_mangles(const struct dwarf_die *d)
{
    switch (dwarf_number(d, AT_LANGUAGE)) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case DW_LANG_C_plus_plus_17:
    case DW_LANG_C_plus_plus_20:
    case DW_LANG_D:
    case DW_LANG_ObjC_plus_plus:
    case DW_LANG_Rust:
    case DW_LANG_Swift:
        return true;
    default:
        return false;
    }
}

static bool has_nameless_hit(const struct search *s)
{
    for (size_t i = 0; i < s->nhits; i++)
        if (s->hits[i].has_row && s->hits[i].node == NO_NODE)
            return true;
    return false;
}

static void resolve_unit(struct unit *u, bool objects, bool locals)
{
    struct search *s = u->search;
    struct debug_split split;
    struct dwarf_die die;
    s->nnodes = 0;
    debug_lines_open(u);
    if (s->nhits)
        debug_lines_apply(u);
    bool is_split = debug_split_enter(u, &split);
    u->names_mangled = dwarf_die_read(u->tree, u->tree->dies, &die) && debug_language_mangles(&die);
    if (s->nhits)
        debug_tree_apply(u, false);
    if (has_nameless_hit(s))
        debug_tree_apply(u, true);
    for (size_t i = 0; i < s->nhits; i++)
        add_frames(u, &s->hits[i]);
    if (objects)
        debug_objects_apply(u);
    if (locals)
        debug_locals_apply(u);
    if (is_split)
        debug_split_leave(u, &split);
    debug_lines_close(u);
}

static void visit_unit(struct search *s, struct dwarf_unit *outer)
{
    struct unit u = {.search = s, .outer = outer, .tree = outer};
    if (outer->type == DW_UT_type || !dwarf_unit_prepare(outer, &u.die) ||
        (u.die.tag != DW_TAG_compile_unit && u.die.tag != DW_TAG_skeleton_unit && u.die.tag != DW_TAG_partial_unit))
        return;
    /* In the program itself, offsets of ranges are from the beginning of the section. */
    uint64_t ranges_base = dwarf_number(&u.die, AT_RANGES_BASE);
    collect_hits(&u);
    outer->ranges_base = ranges_base;
    bool locals = debug_locals_wanted(&u), objects = debug_objects_wanted(&u);
    if (s->nhits || objects || locals)
        resolve_unit(&u, objects, locals);
}

enum debug_status debug_resolve(const struct debug_files *files, const struct symtab *symbols, const uint64_t *pcs,
                                size_t npcs, struct objects *objects, struct answer *answer)
{
    size_t first_local = answer_first_pc(pcs, npcs, LOCAL_BIT);
    struct search s = {.files = files, .symbols = symbols, .pcs = pcs, .npcs = first_local, .first_local = first_local,
                       .nlocals = npcs - first_local, .objects = objects, .answer = answer};
    s.hits = malloc((first_local + 1) * sizeof *s.hits);
    if (files->alt)
        dwarf_open(&s.alt, files->alt);
    bool readable = s.hits && dwarf_open(&s.main, files->main);
    s.main.alt = files->alt ? &s.alt : NULL;
    for (size_t i = 0; readable && i < s.main.nunits; i++)
        visit_unit(&s, &s.main.units[i]);
    debug_split_close_package(&s);
    answer->failed |= !s.hits || s.failed || s.main.failed || s.alt.failed;
    s.corrupt |= s.main.corrupt || s.alt.corrupt || !readable;
    dwarf_close(&s.main);
    dwarf_close(&s.alt);
    free(s.hits);
    free(s.nodes);
    free(s.names);
    free(s.spans.v);
    return s.corrupt ? DEBUG_CORRUPT : s.no_split ? DEBUG_NO_SPLIT : DEBUG_OK;
}
