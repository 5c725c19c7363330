#include "config.h"

#include "lib/symbolize/debug.h"

#include <stdlib.h>
#include <string.h>

#include "lib/symbolize/demangle.h"

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

static size_t first_pc_from(const struct search *s, uint64_t addr)
{
    size_t a = 0, b = s->npcs;
    while (a < b) {
        size_t m = a + (b - a) / 2;
        if (s->pcs[m] < addr)
            a = m + 1;
        else
            b = m;
    }
    return a;
}

static int by_start(const void *a, const void *b)
{
    const struct span *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

/* Collects the PCs in the unit that are not known yet. A unit that does not tell its range may hold any. */
static void collect_hits(struct unit *u, Dwarf_Die die, Dwarf_Half version)
{
    struct search *s = u->search;
    s->nhits = 0;
    if (!debug_spans(u, die, version)) {
        for (size_t pc = 0; pc < s->npcs; pc++)
            add_hit(s, pc);
        return;
    }
    if (s->spans.n > 1)
        qsort(s->spans.v, s->spans.n, sizeof *s->spans.v, by_start);
    size_t pc = 0;
    for (size_t i = 0; i < s->spans.n; i++) {
        size_t first = first_pc_from(s, s->spans.v[i].start);
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

static bool language_mangles(struct unit *u, Dwarf_Die die)
{
    Dwarf_Unsigned language = 0;
    Dwarf_Error error = NULL;
    if (!debug_ok(u->dbg, dwarf_srclang(die, &language, &error), error))
        return false;
    switch (language) {
    case DW_LANG_C_plus_plus:
    case DW_LANG_C_plus_plus_03:
    case DW_LANG_C_plus_plus_11:
    case DW_LANG_C_plus_plus_14:
    case DW_LANG_D:
    case DW_LANG_ObjC_plus_plus:
    case DW_LANG_Rust:
    case DW_LANG_Swift:
        return true;
    default:
        return false;
    }
}

static void resolve_unit(struct unit *u)
{
    struct search *s = u->search;
    struct debug_split split;
    s->nnodes = 0;
    debug_lines_open(u, u->die);
    debug_lines_apply(u);
    bool is_split = debug_split_enter(u, &split);
    u->names_mangled = language_mangles(u, u->die);
    debug_tree_apply(u, false);
    for (size_t i = 0; i < s->nhits; i++) {
        if (s->hits[i].has_row && s->hits[i].node == NO_NODE) {
            debug_tree_apply(u, true);
            break;
        }
    }
    for (size_t i = 0; i < s->nhits; i++)
        add_frames(u, &s->hits[i]);
    if (is_split)
        debug_split_leave(u, &split);
    debug_lines_close(u);
}

static void visit_unit(struct search *s, Dwarf_Die die, struct unit *u)
{
    Dwarf_Half tag;
    Dwarf_Error error = NULL;
    if (!debug_ok(u->dbg, dwarf_tag(die, &tag, &error), error) || tag == DW_TAG_partial_unit || tag == DW_TAG_type_unit)
        return;
    u->die = die;
    error = NULL;
    if (!debug_ok(u->dbg, dwarf_lowpc(die, &u->base, &error), error))
        u->base = 0;
    collect_hits(u, die, u->version);
    if (!s->nhits)
        return;
    resolve_unit(u);
}

static void visit_units(struct search *s)
{
    Dwarf_Debug dbg = s->object.dbg;
    Dwarf_Unsigned start = 0;
    for (;;) {
        Dwarf_Unsigned length, type_offset, next;
        Dwarf_Off abbrev;
        Dwarf_Half version, address_size, length_size, extension, type;
        Dwarf_Sig8 signature;
        memset(&signature, 0, sizeof signature);
        Dwarf_Error error = NULL;
        int r = dwarf_next_cu_header_d(dbg, 1, &length, &version, &abbrev, &address_size, &length_size, &extension,
                                       &signature, &type_offset, &next, &type, &error);
        if (!debug_ok(dbg, r, error)) {
            s->corrupt |= r == DW_DLV_ERROR;
            return;
        }
        if (next <= start)
            return;
        struct unit u = {.search = s, .dbg = dbg, .version = version, .start = start, .end = next,
                         .budget = next - start};
        memcpy(&u.id, &signature, sizeof u.id);
        Dwarf_Die die;
        error = NULL;
        r = dwarf_siblingof_b(dbg, NULL, 1, &die, &error);
        if (debug_ok(dbg, r, error)) {
            visit_unit(s, die, &u);
            dwarf_dealloc_die(die);
        } else {
            s->corrupt |= r == DW_DLV_ERROR;
        }
        start = next;
    }
}

enum debug_status debug_resolve(const struct debug_files *files, const struct symtab *symbols, const uint64_t *pcs,
                                size_t npcs, struct answer *answer)
{
    struct search s = {.files = files, .symbols = symbols, .pcs = pcs, .npcs = npcs, .answer = answer};
    Dwarf_Error error = NULL;
    s.hits = malloc(npcs * sizeof *s.hits);
    if (!s.hits) {
        answer->failed = true;
        return DEBUG_OK;
    }
    if (!debug_object_open(&s.object, files->main)) {
        free(s.hits);
        return DEBUG_CORRUPT;
    }
    if (files->alt && debug_object_open(&s.alt, files->alt))
        dwarf_set_tied_dbg(s.object.dbg, s.alt.dbg, &error);
    visit_units(&s);
    debug_object_close(&s.object);
    debug_object_close(&s.alt);
    free(s.hits);
    free(s.nodes);
    free(s.names);
    free(s.spans.v);
    answer->failed |= s.failed;
    return s.corrupt ? DEBUG_CORRUPT : s.no_split ? DEBUG_NO_SPLIT : DEBUG_OK;
}
