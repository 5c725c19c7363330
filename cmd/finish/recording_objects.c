#include "config.h"

#include "cmd/finish/recording_objects.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/finish/recording.h"
#include "cmd/finish/recording_frames.h"
#include "lib/symbolize/symbolize.h"
#include "lib/text.h"

/*
 * PCs of objects: an address in memory as it is, as no code is there; above 47 bits, which of several objects it was, as
 * memory is used again. What has no address has a bit that no address and no other PC has, and its kind.
 */
enum { VARIANT_SHIFT = 48, VARIANTS = 1 << 12, KIND_SHIFT = 54 };
#define NOT_IN_MEMORY (UINT64_C(1) << 61)

/* --- which records are of the same object ------------------------------------------------------------------------- */

struct order {
    const struct recording *r;
    size_t object;
};

static int by_number(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int by_site(const struct recording *r, const struct rec_object *x, const struct rec_object *y)
{
    int c = by_number(x->nsite, y->nsite);
    for (size_t i = 0; !c && i < x->nsite; i++)
        c = by_number(r->stacks.pcs[x->site + i].pc, r->stacks.pcs[y->site + i].pc);
    return c;
}

/* A record without a text may be of the same object as one with any; it comes behind those. */
static int by_text(const struct rec_object *x, const struct rec_object *y)
{
    if (!x->len || !y->len)
        return by_number(y->len, x->len);
    size_t len = x->len < y->len ? x->len : y->len;
    int c = memcmp(x->text, y->text, len);
    return c ? c : by_number(x->len, y->len);
}

static int by_place(const struct rec_object *x, const struct rec_object *y)
{
    int c = by_number(object_is_in_memory(x->kind) && x->address, object_is_in_memory(y->kind) && y->address);
    return c ? c : by_number(x->address, y->address);
}

/* So may one whose variable is not known, if there is only one at the place. */
static int by_variable(const struct rec_object *x, const struct rec_object *y)
{
    if (!x->variable || !y->variable)
        return by_number(!x->variable, !y->variable);
    int c = strcmp(x->variable->function, y->variable->function);
    return c ? c : by_number(x->variable->line, y->variable->line);
}

static int by_identity(const void *a, const void *b)
{
    const struct order *l = a, *k = b;
    const struct rec_object *x = &l->r->objects.v[l->object], *y = &l->r->objects.v[k->object];
    int c = by_place(x, y);
    c = c ? c : by_number(x->kind, y->kind);
    c = c ? c : by_site(l->r, x, y);
    c = c ? c : by_text(x, y);
    c = c ? c : by_variable(x, y);
    return c ? c : by_number(l->object, k->object);
}

static bool same_place(const struct recording *r, const struct rec_object *x, const struct rec_object *y)
{
    return !by_place(x, y) && x->kind == y->kind && !by_site(r, x, y) && (!x->len || !y->len || !by_text(x, y));
}

static uint64_t pc_of(const struct rec_object *o, uint64_t variant)
{
    variant %= VARIANTS;
    if (object_is_in_memory(o->kind) && o->address)
        return o->address ^ variant << VARIANT_SHIFT;
    return NOT_IN_MEMORY ^ (uint64_t)o->kind << KIND_SHIFT ^ variant << 40 ^ (o->address & ((UINT64_C(1) << 54) - 1));
}

static void number_objects(struct recording *r, const struct order *order)
{
    struct rec_objects *objects = &r->objects;
    const struct rec_object *last = NULL;
    uint64_t variant = 0;
    size_t nvariables = 0;
    for (size_t i = 0; i < objects->n; i++) {
        struct rec_object *o = &objects->v[order[i].object];
        bool same = last && same_place(r, last, o);
        nvariables = same ? nvariables : 0;
        if (!same || (!last->len && by_variable(last, o) && (o->variable || nvariables > 1))) {
            variant = last && !by_place(last, o) && (o->address || last->kind == o->kind) ? variant + 1 : 0;
            objects->names[objects->nnames++] = (struct rec_object_name){.pc = pc_of(o, variant)};
            nvariables += !!o->variable;
            last = o;
        }
        o->number = objects->nnames - 1;
        if (!o->len) {
            o->text = last->text;
            o->len = last->len;
        }
        if (!o->variable) {
            o->variable = last->variable;
            o->is_local = last->is_local;
        }
    }
}

/* --- names, when the symbolizer knows the variables -------------------------------------------------------------- */

static bool find_objects(struct recording *r)
{
    struct rec_objects *objects = &r->objects;
    struct order *order = malloc((objects->n + 1) * sizeof *order);
    objects->names = calloc(objects->n + 1, sizeof *objects->names);
    bool ok = order && objects->names;
    if (ok) {
        for (size_t i = 0; i < objects->n; i++)
            order[i] = (struct order){r, i};
        qsort(order, objects->n, sizeof *order, by_identity);
        number_objects(r, order);
    }
    free(order);
    return ok;
}

void recording_link_objects(struct recording *r)
{
    for (size_t i = 0; i < r->stacks.n; i++) {
        struct rec_stack *s = &r->stacks.v[i];
        const struct rec_stack *base = s->on_base ? stack_table_find(&r->stacks, s->generation, s->base) : NULL;
        if (base && !base->on_base) {
            s->first = base->first;
            s->n = base->n;
        }
        if (s->object) {
            r->objects.v[s->object - 1].first_wait = i;
            r->objects.v[s->object - 1].waited = true;
        }
    }
}

static bool ask(struct symbolizer *symbolizer, int module, struct rec_object *o)
{
    const struct rec_local *l = &o->local;
    if (!l->pc) {
        o->symbols[0] = symbolize_add_object(symbolizer, module, o->address);
        return o->symbols[0] >= 0;
    }
    o->symbols[0] = symbolize_add_local(symbolizer, module, l->pc, SYMBOLIZE_BELOW_CFA, l->below_cfa);
    o->symbols[1] = symbolize_add_local(symbolizer, module, l->pc, SYMBOLIZE_ABOVE_SP, l->above_sp);
    return o->symbols[0] >= 0 && o->symbols[1] >= 0;
}

bool recording_ask_objects(struct recording *r)
{
    for (size_t i = 0; i < r->objects.n; i++) {
        struct rec_object *o = &r->objects.v[i];
        o->symbols[0] = o->symbols[1] = -1;
        if (o->len || !o->address || !object_is_in_memory(o->kind))
            continue;
        uint64_t address = o->local.pc ? o->local.pc : o->address + 1;
        const struct rec_module *m = rec_modules_find(&r->modules, address, o->generation, 0);
        if (m && !ask(r->symbolizer, r->modules.mappings[m->mapping].symbol_module, o))
            return false;
    }
    return true;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 2, 3))) static bool set_function(struct rec_object_name *name, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (vasprintf(&name->function, fmt, args) < 0)
        name->function = NULL;
    va_end(args);
    /* Paths and names of the program's may have anything in them; a line of text is made of it. */
    if (name->function)
        text_make_printable(name->function);
    return name->function;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* "mutex initialised at pool.c:44 (0x7f…)", or "by init_pool" where there are no lines. */
static bool name_by_place(struct rec_object_name *name, const struct rec_object *o, const char *how,
                          const struct symbolize_frame *at, bool has_line)
{
    name->file = at->file;
    name->line = at->line;
    if (has_line)
        return set_function(name, "%s %s at %s:%" PRIu32 " (0x%" PRIx64 ")", object_word(o->kind), how,
                            base_name(at->file), at->line, o->address);
    return set_function(name, "%s %s in %s (0x%" PRIx64 ")", object_word(o->kind), how, at->function, o->address);
}

static bool name_thread(const struct recording *r, struct rec_object_name *name, const struct rec_object *o)
{
    struct symbolize_frame start;
    const char *given = recording_thread_start(r, o->address, &start);
    name->file = start.file;
    name->line = start.line;
    return set_function(name, "thread %s %" PRIu64, given ? given : start.function, o->address);
}

static bool name_object(const struct recording *r, struct rec_object_name *name, const struct rec_object *o)
{
    const char *word = object_word(o->kind);
    struct symbolize_frame at;
    bool has_line;
    const struct symbolize_frame *variable = o->variable;
    name->file = "[object]";
    name->line = 1;
    if (o->len && !object_is_in_memory(o->kind))
        return set_function(name, "%.*s", (int)o->len, o->text);
    if (o->len)
        return set_function(name, "%s %.*s", word, (int)o->len, o->text);
    if (!o->address)
        return set_function(name, "%s (any)", word);
    if (o->kind == OBJECT_THREAD)
        return name_thread(r, name, o);
    if (!object_is_in_memory(o->kind))
        return set_function(name, "%s (unknown)", word);
    if (variable) {
        name->file = variable->file;
        name->line = variable->line;
        if (o->is_local) /* there may be several at a time */
            return set_function(name, "%s %s (0x%" PRIx64 ")", word, variable->function, o->address);
        return set_function(name, "%s %s", word, variable->function);
    }
    if (recording_program_frame(r, o->site, o->nsite, true, &at, &has_line))
        return name_by_place(name, o, "initialised", &at, has_line);
    const struct rec_stack *s = &r->stacks.v[o->first_wait];
    if (o->waited && recording_program_frame(r, s->first, s->n, false, &at, &has_line))
        return name_by_place(name, o, "waited for", &at, has_line);
    if (!o->waited && recording_program_frame(r, o->held, o->nheld, false, &at, &has_line))
        return name_by_place(name, o, "held", &at, has_line);
    return set_function(name, "%s at 0x%" PRIx64, word, o->address);
}

static void find_variable(const struct recording *r, struct rec_object *o)
{
    o->variable = NULL;
    for (int i = 0; i < 2 && !o->variable; i++) {
        size_t n = 0;
        const struct symbolize_frame *v = o->symbols[i] >= 0 ? symbolize_frames(r->symbolizer, o->symbols[i], &n) : NULL;
        o->variable = n ? v : NULL;
        o->is_local = o->local.pc;
    }
}

static bool name_objects(struct recording *r, bool waited)
{
    bool ok = true;
    for (size_t i = 0; i < r->objects.n && ok; i++) {
        const struct rec_object *o = &r->objects.v[i];
        struct rec_object_name *name = &r->objects.names[o->number];
        ok = o->waited != waited || name->function || name_object(r, name, o);
    }
    return ok;
}

/* What was waited for has its name from there, whether its uses were counted or not. */
bool recording_name_objects(struct recording *r)
{
    for (size_t i = 0; i < r->objects.n; i++)
        find_variable(r, &r->objects.v[i]);
    return find_objects(r) && name_objects(r, true) && name_objects(r, false);
}
