/*
 * A stub jumps through a slot of the GOT, and a relocation names the function whose address goes into that slot. Stubs
 * are found by decoding their jump, not by counting: linkers lay the tables out in their own ways.
 */
#include "config.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symbolize/symtab.h"

enum { STUB = 16 };

/* In the order of the relocations at first; a relocation without a symbol has a nameless slot. */
struct slot {
    uint64_t addr;
    const char *name;
    uint32_t name_len;
};

struct slots {
    struct slot *v;
    size_t n, cap;
};

static void add_relocations(struct slots *slots, struct image *im, const struct section *rela)
{
    if (rela->type != SHT_RELA || rela->link >= im->nsections || !rela->data)
        return;
    const struct section *syms = &im->sections[rela->link];
    if (!syms->data || syms->link >= im->nsections || !im->sections[syms->link].data)
        return;
    const struct section *names = &im->sections[syms->link];
    size_t count = rela->len / sizeof(Elf64_Rela), nsyms = syms->len / sizeof(Elf64_Sym);
    struct slot *v = realloc(slots->v, (slots->n + count + 1) * sizeof *v);
    if (!v)
        return;
    slots->v = v;
    for (size_t i = 0; i < count; i++) {
        Elf64_Rela r;
        Elf64_Sym sym;
        memcpy(&r, rela->data + i * sizeof r, sizeof r);
        size_t index = ELF64_R_SYM(r.r_info);
        struct slot *slot = &slots->v[slots->n++];
        *slot = (struct slot){.addr = r.r_offset};
        if (!index || index >= nsyms)
            continue;
        memcpy(&sym, syms->data + index * sizeof sym, sizeof sym);
        if (sym.st_name >= names->len)
            continue;
        const char *name = (const char *)names->data + sym.st_name;
        size_t len = strnlen(name, names->len - sym.st_name);
        if (len < names->len - sym.st_name && len < UINT32_MAX)
            *slot = (struct slot){r.r_offset, name, (uint32_t)len};
    }
}

static int by_addr(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* The GOT slot that an x86-64 stub jumps through, or 0: [endbr64] [bnd] jmp *disp32(%rip). */
static uint64_t x86_64_slot(const uint8_t *p, uint64_t addr)
{
    static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
    size_t i = memcmp(p, endbr64, sizeof endbr64) ? 0 : sizeof endbr64;
    if (p[i] == 0xf2)
        i++;
    if (p[i] != 0xff || p[i + 1] != 0x25)
        return 0;
    int32_t disp;
    memcpy(&disp, p + i + 2, sizeof disp);
    return addr + i + 6 + (uint64_t)(int64_t)disp;
}

/* The same for aarch64: adrp x16, page; ldr x17, [x16, #offset]; with an optional bti before them. */
static uint64_t aarch64_slot(const uint8_t *p, uint64_t addr)
{
    uint32_t insn[3];
    memcpy(insn, p, sizeof insn);
    size_t i = insn[0] == 0xd503245f;
    if ((insn[i] & 0x9f00001f) != 0x90000010 || (insn[i + 1] & 0xffc003ff) != 0xf9400211)
        return 0;
    uint64_t page = (insn[i] >> 5 & 0x7ffff) << 2 | (insn[i] >> 29 & 3);
    page = (page ^ (UINT64_C(1) << 20)) - (UINT64_C(1) << 20);
    return ((addr + i * 4) & ~UINT64_C(0xfff)) + (page << 12) + (insn[i + 1] >> 10 & 0xfff) * 8;
}

static void add_stub(struct symtab *t, const struct slots *slots, uint64_t from, uint64_t to, uint64_t got)
{
    struct slot key = {.addr = got};
    const struct slot *slot = got && slots->n ? bsearch(&key, slots->v, slots->n, sizeof key, by_addr) : NULL;
    if (slot && slot->name_len)
        symtab_add(t, (struct symbol){from, to, slot->name, slot->name_len, 0});
}

static void add_stubs(struct symtab *t, const struct section *s, const struct slots *slots)
{
    if (!s || !s->data)
        return;
    /* .plt.got has stubs of 8 bytes on x86-64, and a jump fits into both sizes. */
    size_t step = s->entsize == 8 ? 8 : STUB;
    for (size_t at = 0; at < s->len && step <= s->len - at; at += step) {
        uint8_t stub[STUB] = {0};
        memcpy(stub, s->data + at, step);
        add_stub(t, slots, s->addr + at, s->addr + at + step, x86_64_slot(stub, s->addr + at));
    }
}

/* Stubs that land or sign are longer than others, and so is the header before them: each begins where it is found. */
static void add_aarch64_stubs(struct symtab *t, const struct section *s, const struct slots *slots)
{
    enum { INSN = 4, LONGEST = 24 };
    for (size_t at = 0; s && s->data && at < s->len && STUB <= s->len - at;) {
        uint64_t got = aarch64_slot(s->data + at, s->addr + at);
        size_t end = at + (got ? STUB : INSN);
        while (got && end < s->len && end - at < LONGEST &&
               (s->len - end < STUB || !aarch64_slot(s->data + end, s->addr + end)))
            end += INSN;
        add_stub(t, slots, s->addr + at, s->addr + end, got);
        at = end;
    }
}

/* With lazy binding and IBT, .plt pushes the number of the relocation and leaves the jump to .plt.sec. */
static void add_pushing_stubs(struct symtab *t, struct image *im, const struct slots *jumps)
{
    const struct section *s = image_section(im, ".plt");
    if (im->machine != EM_X86_64 || !s || !s->data)
        return;
    for (size_t at = STUB; at < s->len && STUB <= s->len - at; at += STUB) {
        const uint8_t *p = s->data + at;
        uint32_t index;
        memcpy(&index, p + 5, sizeof index);
        if (p[0] == 0xf3 && p[4] == 0x68 && index < jumps->n && jumps->v[index].name_len)
            symtab_add(t, (struct symbol){s->addr + at, s->addr + at + STUB, jumps->v[index].name,
                                          jumps->v[index].name_len, 0});
    }
}

void plt_add_image(struct symtab *t, struct image *im)
{
    struct slots slots = {0};
    const struct section *plt = image_section(im, ".rela.plt"), *dyn = image_section(im, ".rela.dyn");
    if (plt) {
        add_relocations(&slots, im, plt);
        add_pushing_stubs(t, im, &slots);
    }
    if (dyn)
        add_relocations(&slots, im, dyn);
    if (slots.n)
        qsort(slots.v, slots.n, sizeof *slots.v, by_addr);
    static const char *const tables[] = {".plt", ".plt.sec", ".plt.got", ".iplt"};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        (im->machine == EM_AARCH64 ? add_aarch64_stubs : add_stubs)(t, image_section(im, tables[i]), &slots);
    free(slots.v);
}
