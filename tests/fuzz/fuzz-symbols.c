/*
 * Any bytes as the sections of a program and of its split debug info: every address gets a function, a file and a line,
 * every object those or nothing, and every entry can be read or is refused.
 *
 * The input is a sequence of sections: a byte that says which one, three with its length, its contents.
 */
#include "config.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symbolize/dwarf.h"
#include "lib/symbolize/job.h"
#include "lib/symbolize/type_path.h"
#include "tests/fuzz/fuzz.h"

const char *const fuzz_corpora[] = {"symbols", NULL};

enum { NPCS = 64, NOBJECTS = 32, FIRST_PC = 0x1000, MAX_SECTIONS = 24, LARGEST = 1 << 16 };
enum { HEADER = 4, COMPRESSED = 0x80, MAX_DIES = 4096 };

static const struct {
    const char *name;
    uint32_t type;
} kinds[] = {
    {".debug_abbrev", SHT_PROGBITS},     {".debug_info", SHT_PROGBITS},         {".debug_line", SHT_PROGBITS},
    {".debug_line_str", SHT_PROGBITS},   {".debug_str", SHT_PROGBITS},          {".debug_ranges", SHT_PROGBITS},
    {".debug_rnglists", SHT_PROGBITS},   {".debug_addr", SHT_PROGBITS},         {".debug_str_offsets", SHT_PROGBITS},
    {".symtab", SHT_SYMTAB},             {".strtab", SHT_STRTAB},               {".plt", SHT_PROGBITS},
    {".rela.plt", SHT_RELA},             {".text", SHT_PROGBITS},               {".gnu_debugdata", SHT_PROGBITS},
    {".debug_abbrev.dwo", SHT_PROGBITS}, {".debug_info.dwo", SHT_PROGBITS},     {".debug_str.dwo", SHT_PROGBITS},
    {".debug_rnglists.dwo", SHT_PROGBITS}, {".debug_str_offsets.dwo", SHT_PROGBITS}, {".debug_cu_index", SHT_PROGBITS},
    {".debug_tu_index", SHT_PROGBITS},
};

enum { NKINDS = sizeof kinds / sizeof kinds[0], SYMTAB = 9, STRTAB = 10, FIRST_OF_DWO = 15 };

struct elf {
    uint8_t bytes[2 * LARGEST];
    size_t len;
};

static void append(struct elf *e, const void *p, size_t len)
{
    memcpy(e->bytes + e->len, p, len);
    e->len += len;
}

/* An ELF file of the sections of one side. The symbols are linked to the strings, wherever the input has them. */
static void make_elf(struct elf *e, const uint8_t *data, size_t size, bool dwo)
{
    Elf64_Shdr headers[MAX_SECTIONS + 1] = {{0}};
    Elf64_Ehdr eh = {.e_machine = EM_X86_64, .e_shentsize = sizeof headers[0], .e_shnum = 1};
    memcpy(eh.e_ident, (const uint8_t[]){0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT}, 7);
    uint32_t strings = 0;
    e->len = sizeof eh;
    while (size >= HEADER && eh.e_shnum < MAX_SECTIONS) {
        size_t kind = (data[0] & ~COMPRESSED) % NKINDS, len = data[1] | data[2] << 8 | (size_t)data[3] << 16;
        Elf64_Shdr *h = &headers[eh.e_shnum];
        len = len < size - HEADER ? len : size - HEADER;
        if ((kind >= FIRST_OF_DWO) == dwo) {
            *h = (Elf64_Shdr){.sh_name = (uint32_t)kind, .sh_type = kinds[kind].type};
            h->sh_offset = e->len;
            h->sh_size = len;
            h->sh_addr = kinds[kind].type == SHT_PROGBITS ? FIRST_PC : 0;
            h->sh_flags = (data[0] & COMPRESSED ? SHF_COMPRESSED : 0) | (dwo ? 0 : SHF_EXECINSTR | SHF_ALLOC);
            strings = kind == STRTAB ? eh.e_shnum : strings;
            eh.e_shnum++;
            append(e, data + HEADER, len);
        }
        data += HEADER + len;
        size -= HEADER + len;
    }
    Elf64_Shdr *names = &headers[eh.e_shnum];
    *names = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = e->len};
    for (size_t i = 1; i < eh.e_shnum; i++) {
        const char *name = kinds[headers[i].sh_name].name;
        headers[i].sh_link = headers[i].sh_type == SHT_SYMTAB ? strings : SYMTAB;
        headers[i].sh_name = (uint32_t)(e->len - names->sh_offset);
        append(e, name, strlen(name) + 1);
    }
    names->sh_size = e->len - names->sh_offset;
    eh.e_shstrndx = eh.e_shnum++;
    eh.e_shoff = e->len;
    append(e, headers, eh.e_shnum * sizeof headers[0]);
    memcpy(e->bytes, &eh, sizeof eh);
}

static void resolve(const struct elf *e)
{
    uint64_t pcs[NPCS + NOBJECTS];
    for (size_t i = 0; i < NPCS; i++)
        pcs[i] = FIRST_PC + i * 7;
    for (size_t i = 0; i < NOBJECTS; i++)
        pcs[NPCS + i] = OBJECT_BIT | (FIRST_PC + i * 12);
    struct job job = {.kind = SYMBOLIZE_IMAGE, .path = "fuzz", .name = "fuzz", .image = e->bytes, .image_len = e->len,
                      .pcs = pcs, .npcs = NPCS + NOBJECTS, .debug_root = "/nowhere"};
    struct answer a;
    if (!answer_init(&a, job.npcs))
        return;
    job_resolve(&job, &a);
    for (size_t i = 0; i < NPCS && !a.failed; i++)
        if (!a.pcs[i].n)
            fuzz_fail("an address without a frame");
    for (size_t i = NPCS; i < job.npcs && !a.failed; i++)
        if (a.pcs[i].n > 1)
            fuzz_fail("an object in two variables");
    for (size_t i = 0; i < a.nframes && !a.failed; i++)
        if (!a.frames[i].function || !a.frames[i].file || !a.frames[i].line)
            fuzz_fail("a frame with a gap");
    answer_free(&a);
}

static void read_type(struct dwarf_unit *u, const struct dwarf_die *d)
{
    static struct type_origins origins;
    struct text text = {.len = 0};
    struct type type = type_of(u, d);
    uint64_t address;
    origins = (struct type_origins){{{0}}};
    dwarf_location(u, d, &address);
    type_path(&origins, &type, d->offset % 256, &text);
    if (text.len >= sizeof text.bytes || text.bytes[text.len])
        fuzz_fail("a name that does not end");
}

static void read_tree(struct dwarf_unit *u, const struct dwarf_die *top)
{
    struct spans spans = {0};
    uint64_t at = top->next, last = top->offset;
    for (int i = 0; i < MAX_DIES && at < u->end; i++) {
        struct dwarf_die d;
        if (!dwarf_die_begin(u, at, &d))
            break;
        if (d.offset <= last)
            fuzz_fail("entries that do not go forward");
        last = d.offset;
        at = d.next;
        if (!d.abbrev)
            continue;
        if (!dwarf_die_attributes(u, &d))
            break;
        at = d.next;
        dwarf_spans(u, &d, &spans);
        dwarf_string(u, &d, AT_NAME);
        read_type(u, &d);
        if (d.children && i % 3 == 0)
            at = dwarf_die_after_children(u, &d);
        if (!at)
            break;
    }
    free(spans.v);
}

static void read_split(const struct elf *program, const struct elf *split)
{
    struct image images[2];
    struct dwarf_file files[2] = {{.corrupt = false}};
    if (image_parse(&images[0], program->bytes, program->len) == IMAGE_OK &&
        image_parse(&images[1], split->bytes, split->len) == IMAGE_OK && dwarf_open(&files[0], &images[0]) &&
        dwarf_open(&files[1], &images[1]))
        for (size_t i = 0; i < files[0].nunits && i < 16; i++) {
            struct dwarf_die d;
            struct dwarf_unit *u = NULL;
            if (dwarf_unit_prepare(&files[0].units[i], &d))
                u = dwarf_split_unit(&files[1], &files[0].units[i], &d);
            if (u)
                read_tree(u, &d);
        }
    dwarf_close(&files[0]);
    dwarf_close(&files[1]);
    image_close(&images[0]);
    image_close(&images[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct elf program, split;
    if (size > LARGEST)
        return 0;
    make_elf(&program, data, size, false);
    make_elf(&split, data, size, true);
    resolve(&program);
    read_split(&program, &split);
    return 0;
}
