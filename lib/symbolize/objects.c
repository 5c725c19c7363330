#include "config.h"

#include "lib/symbolize/objects.h"

#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symbolize/array.h"
#include "lib/symbolize/demangle.h"
#include "lib/symbolize/text.h"

/* The section of data at addr. What threads have of their own is laid over other sections. */
static const struct section *section_at(const struct image *im, uint64_t addr)
{
    for (size_t i = 0; i < im->nsections; i++) {
        const struct section *s = &im->sections[i];
        if ((s->flags & SHF_ALLOC) && !(s->flags & SHF_TLS) && addr >= s->addr && addr - s->addr < s->size)
            return s;
    }
    return NULL;
}

/* Spans that touch become one. */
static void merge(struct spans *s)
{
    if (!s->n)
        return;
    dwarf_spans_sort(s);
    size_t kept = 0;
    for (size_t i = 1; i < s->n; i++) {
        struct span *last = &s->v[kept];
        if (s->v[i].start > last->end)
            s->v[++kept] = s->v[i];
        else if (s->v[i].end > last->end)
            last->end = s->v[i].end;
    }
    s->n = kept + 1;
}

void objects_open(struct objects *o, const uint64_t *pcs, size_t first, size_t npcs, const struct image *im,
                  const struct symtab *symbols)
{
    size_t n = npcs - first;
    *o = (struct objects){.n = 0};
    if (!n)
        return;
    o->v = malloc(n * sizeof *o->v);
    o->starts.v = malloc(n * sizeof *o->starts.v);
    o->failed = !o->v || !o->starts.v;
    for (size_t i = 0; i < n && !o->failed; i++) {
        uint64_t addr = pcs[first + i] & ~OBJECT_BIT;
        const struct section *section = section_at(im, addr);
        if (!section)
            continue;
        const struct symbol *symbol = symtab_find(symbols, addr);
        o->v[o->n++] = (struct object){first + i, addr, symbol};
        o->starts.v[o->starts.n++] = (struct span){symbol ? symbol->start : section->addr, addr + 1};
    }
    o->left = o->n;
    merge(&o->starts);
}

void objects_close(struct objects *o)
{
    free(o->v);
    free(o->starts.v);
    *o = (struct objects){.n = 0};
}

size_t objects_first(const struct objects *o, uint64_t addr)
{
    size_t a = 0, b = o->n;
    while (a < b) {
        size_t m = a + (b - a) / 2;
        if (o->v[m].addr < addr)
            a = m + 1;
        else
            b = m;
    }
    return a;
}

bool objects_may_start(const struct objects *o, uint64_t addr)
{
    size_t a = 0, b = o->starts.n;
    while (a < b) {
        size_t m = a + (b - a) / 2;
        if (o->starts.v[m].end <= addr)
            a = m + 1;
        else
            b = m;
    }
    return a < o->starts.n && o->starts.v[a].start <= addr;
}

void objects_answer(struct objects *o, struct object *object, struct answer *a, struct answer_frame f)
{
    if (a->pcs[object->index].n)
        return;
    answer_add(a, object->index, f);
    o->left--;
}

void objects_name_by_symbols(struct objects *o, struct answer *a)
{
    for (size_t i = 0; i < o->n && !a->failed; i++) {
        const struct symbol *symbol = o->v[i].symbol;
        if (!symbol || a->pcs[o->v[i].index].n)
            continue;
        uint32_t name = demangle(&a->strings, symbol->name, symbol->name_len);
        uint64_t inside = o->v[i].addr - symbol->start;
        if (inside) {
            struct text text = {.len = 0};
            text_add(&text, "%s+0x%" PRIx64, strings_get(&a->strings, name), inside);
            name = strings_add(&a->strings, text.bytes, text.len);
        }
        objects_answer(o, &o->v[i], a, (struct answer_frame){.function = name});
    }
}
