#include "config.h"

#include "lib/symbolize/symtab.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symbolize/array.h"

enum { RANK_GLOBAL, RANK_WEAK, RANK_LOCAL, RANK_UNDERSCORE = 4, RANK_UNTYPED = 8 };

/* The bytes between two functions belong to the first, as long as they can be there for alignment. */
enum { MAX_LABELS = 16 };

void symtab_add(struct symtab *t, struct symbol s)
{
    if (!array_room(&t->symbols, t->n, &t->cap, sizeof *t->symbols)) {
        t->failed = true;
        return;
    }
    t->symbols[t->n++] = s;
}

static bool is_wanted(const struct symtab *t, const struct image *im, const Elf64_Sym *sym)
{
    unsigned type = ELF64_ST_TYPE(sym->st_info);
    if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= im->nsections)
        return false;
    if (t->of_objects)
        return (type == STT_OBJECT || type == STT_COMMON) && (im->sections[sym->st_shndx].flags & SHF_ALLOC);
    return (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE) &&
           (im->sections[sym->st_shndx].flags & SHF_EXECINSTR);
}

/* Mapping symbols ($x, $d on aarch64) and local labels are no functions. */
static bool is_label(const char *name)
{
    return name[0] == '$' || (name[0] == '.' && name[1] == 'L');
}

static void add_symbol(struct symtab *t, const struct image *im, const Elf64_Sym *sym, const char *names, size_t len)
{
    unsigned type = ELF64_ST_TYPE(sym->st_info), bind = ELF64_ST_BIND(sym->st_info);
    if (!is_wanted(t, im, sym) || sym->st_name >= len)
        return;
    const char *name = names + sym->st_name;
    size_t name_len = strnlen(name, len - sym->st_name);
    if (!name_len || name_len == len - sym->st_name || name_len > UINT32_MAX || is_label(name))
        return;
    const char *version = memchr(name + 1, '@', name_len - 1);
    if (version)
        name_len = (size_t)(version - name);
    const struct section *section = &im->sections[sym->st_shndx];
    uint64_t room = section->addr + section->size - sym->st_value;
    if (sym->st_value < section->addr || room > section->size)
        return;
    struct symbol s = {.start = sym->st_value, .name = name, .name_len = (uint32_t)name_len};
    if (sym->st_size)
        s.end = s.start + (sym->st_size < room ? sym->st_size : room);
    else if (t->of_objects)
        s.end = s.start + 1;
    s.rank = bind == STB_GLOBAL ? RANK_GLOBAL : bind == STB_WEAK ? RANK_WEAK : RANK_LOCAL;
    if (name[0] == '_' && strncmp(name, "_Z", 2) && strncmp(name, "_R", 2))
        s.rank += RANK_UNDERSCORE;
    if (type == STT_NOTYPE)
        s.rank += RANK_UNTYPED;
    symtab_add(t, s);
}

void symtab_add_image(struct symtab *t, struct image *im)
{
    for (size_t i = 0; i < im->nsections; i++) {
        struct section *s = &im->sections[i];
        if ((s->type != SHT_SYMTAB && s->type != SHT_DYNSYM) || s->link >= im->nsections)
            continue;
        size_t len, names_len;
        const uint8_t *p = image_contents(im, s, &len);
        const uint8_t *names = image_contents(im, &im->sections[s->link], &names_len);
        if (!p || !names)
            continue;
        Elf64_Sym sym;
        for (; len >= sizeof sym; p += sizeof sym, len -= sizeof sym) {
            memcpy(&sym, p, sizeof sym);
            add_symbol(t, im, &sym, (const char *)names, names_len);
        }
    }
}

static int by_start(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->name_len != y->name_len)
        return x->name_len < y->name_len ? -1 : 1;
    return memcmp(x->name, y->name, x->name_len);
}

void symtab_seal(struct symtab *t)
{
    if (!t->n)
        return;
    qsort(t->symbols, t->n, sizeof *t->symbols, by_start);
    size_t kept = 0;
    for (size_t i = 1; i < t->n; i++) {
        struct symbol *last = &t->symbols[kept];
        if (t->symbols[i].start != last->start)
            t->symbols[++kept] = t->symbols[i];
        else if (t->symbols[i].end > last->end)
            last->end = t->symbols[i].end;
    }
    t->n = kept + 1;
}

const struct symbol *symtab_find(const struct symtab *t, uint64_t addr)
{
    size_t a = 0, b = t->n;
    while (a < b) {
        size_t m = a + (b - a) / 2;
        if (t->symbols[m].start <= addr)
            a = m + 1;
        else
            b = m;
    }
    const struct symbol *near = a ? &t->symbols[a - 1] : NULL;
    if (!near)
        return NULL;
    /* Labels without a size may stand inside of a sized function. */
    for (int steps = 0; a-- && steps < MAX_LABELS; steps++)
        if (addr < t->symbols[a].end)
            return &t->symbols[a];
    /* Behind the end of a sized one may be padding, or a local function that the table does not have. */
    return near->end ? NULL : near;
}

void symtab_free(struct symtab *t)
{
    free(t->symbols);
    *t = (struct symtab){0};
}
