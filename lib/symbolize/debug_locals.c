/*
 * Variables on a stack: a function's debug info says how far each of them is from the CFA, or from the sp. Those of a
 * block, or of a call that was inlined, share their places with others', so the code that was being executed tells which
 * of them are there.
 */
#include "config.h"

#include "lib/symbolize/debug.h"

#include "lib/symbolize/dwarf_names.h"

static uint64_t code_of(uint64_t local) { return (local & ~(LOCAL_BIT | LOCAL_FROM_SP)) >> LOCAL_SHIFT; }

static bool spans_hold(const struct spans *s, uint64_t addr)
{
    for (size_t i = 0; i < s->n; i++)
        if (addr >= s->v[i].start && addr < s->v[i].end)
            return true;
    return false;
}

static bool is_open(const struct search *s, size_t i) { return !s->answer->pcs[s->first_local + i].n; }

bool debug_locals_wanted(const struct unit *u)
{
    const struct search *s = u->search;
    for (size_t i = 0; i < s->nlocals && u->die.tag != DW_TAG_partial_unit; i++)
        if (is_open(s, i) && (!s->spans.n || spans_hold(&s->spans, code_of(s->pcs[s->first_local + i]))))
            return true;
    return false;
}

/* The variable that is wanted, as far as the walk has come. */
struct local {
    uint64_t code;
    bool from_sp;
    int64_t place; /* from the CFA, or the sp */
    int64_t base;  /* the frame base, from there */
    bool has_base, found;
    struct variable variable;
    uint64_t inside; /* of the variable */
};

/* An inner block's variable takes the place of an outer one's, which is not alive there. */
static void look_at(struct unit *u, struct local *l, const struct dwarf_die *d)
{
    struct variable v;
    int64_t offset;
    if (!l->has_base || !dwarf_frame_offset(u->tree, d, &offset) || offset + l->base > l->place)
        return;
    debug_variable_read(u, d, &v);
    uint64_t inside = (uint64_t)(l->place - offset - l->base), size = type_size(&v.type);
    if (!v.name || inside >= (size ? size : 1))
        return;
    l->variable = v;
    l->inside = inside;
    l->found = true;
}

/* Whether the wanted variable may be among the children. Reads the DIE to its end. */
static bool enter(void *arg, struct unit *u, struct dwarf_die *d, int depth, bool *good)
{
    struct local *l = arg;
    struct spans *spans = &u->search->spans;
    switch (d->tag) {
    case DW_TAG_subprogram:
        *good = dwarf_die_attributes(u->tree, d);
        if (!*good || !dwarf_spans(u->tree, d, spans) || !spans_hold(spans, l->code))
            return false;
        l->has_base = dwarf_frame_base(u->tree, d, l->from_sp, &l->base);
        return true;
    case DW_TAG_inlined_subroutine:
    case DW_TAG_lexical_block:
    case DW_TAG_try_block:
    case DW_TAG_catch_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
        *good = dwarf_die_attributes(u->tree, d);
        return *good && (!dwarf_spans(u->tree, d, spans) || spans_hold(spans, l->code));
    case DW_TAG_variable:
    case DW_TAG_formal_parameter:
        *good = dwarf_die_attributes(u->tree, d);
        if (*good)
            look_at(u, l, d);
        return false;
    default:
        *good = d->children && d->abbrev->has_sibling ? dwarf_die_attributes(u->tree, d) : dwarf_die_pass(u->tree, d);
        return false;
    }
}

void debug_locals_apply(struct unit *u)
{
    struct search *s = u->search;
    for (size_t i = 0; i < s->nlocals && !s->failed; i++) {
        uint64_t key = s->pcs[s->first_local + i];
        int64_t distance = (int64_t)(key & ((UINT64_C(1) << LOCAL_SHIFT) - 1)) * LOCAL_UNIT;
        struct local l = {.code = code_of(key), .from_sp = key & LOCAL_FROM_SP};
        l.place = l.from_sp ? distance : -distance;
        struct text text;
        if (!is_open(s, i))
            continue;
        debug_walk(u, enter, &l);
        if (!l.found)
            continue;
        debug_variable_name(u, &l.variable, NULL, &text);
        type_path(&s->origins, &l.variable.type, l.inside, &text);
        uint32_t file = debug_variable_file(u, &l.variable);
        uint32_t name = strings_add(&s->answer->strings, text.bytes, text.len);
        answer_add(s->answer, s->first_local + i, (struct answer_frame){name, file, file ? l.variable.line : 0});
    }
}
