/* A made-up ELF file in memory: sections one by one, then the tables. */
#ifndef THRACE_TESTS_ELF_IMAGE_H
#define THRACE_TESTS_ELF_IMAGE_H

#include <elf.h>
#include <stdlib.h>

#include "lib/symbolize/image.h"
#include "tests/unit/unit.h"

enum { ELF_SIZE = 16 << 10, ELF_SECTIONS = 24 };

struct elf_image {
    uint8_t *b;
    size_t n, nnames;
    uint16_t machine;
    Elf64_Shdr sections[ELF_SECTIONS];
    unsigned nsections;
    char names[512];
    struct image image; /* once it is finished */
};

static inline void elf_begin(struct elf_image *e, uint16_t machine)
{
    *e = (struct elf_image){.machine = machine, .n = sizeof(Elf64_Ehdr), .nsections = 1, .nnames = 1};
    e->b = calloc(1, ELF_SIZE);
    assert_non_null(e->b);
}

/* Returns the number of the section, from 1. */
static inline unsigned elf_section(struct elf_image *e, const char *name, Elf64_Shdr sh, const void *data, size_t len)
{
    assert_true(e->nsections < ELF_SECTIONS && e->n + len + 8 < ELF_SIZE);
    assert_true(e->nnames + strlen(name) < sizeof e->names);
    sh.sh_name = (uint32_t)e->nnames;
    strcpy(e->names + e->nnames, name);
    e->nnames += strlen(name) + 1;
    e->n = (e->n + 7) & ~(size_t)7;
    sh.sh_offset = e->n;
    sh.sh_size = len;
    memcpy(e->b + e->n, data, len);
    e->n += len;
    e->sections[e->nsections] = sh;
    return e->nsections++;
}

static inline struct image *elf_end(struct elf_image *e)
{
    elf_section(e, ".shstrtab", (Elf64_Shdr){.sh_type = SHT_STRTAB}, e->names, sizeof e->names);
    e->n = (e->n + 7) & ~(size_t)7;
    size_t len = e->nsections * sizeof *e->sections;
    assert_true(e->n + len <= ELF_SIZE);
    Elf64_Ehdr eh = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
                     .e_machine = e->machine, .e_shoff = e->n, .e_shentsize = sizeof *e->sections,
                     .e_shnum = (uint16_t)e->nsections, .e_shstrndx = (uint16_t)(e->nsections - 1)};
    memcpy(e->b, &eh, sizeof eh);
    memcpy(e->b + e->n, e->sections, len);
    e->n += len;
    uint8_t *exact = realloc(e->b, e->n); /* so that AddressSanitizer sees a read beyond */
    assert_non_null(exact);
    e->b = exact;
    assert_int_equal(image_parse(&e->image, e->b, e->n), IMAGE_OK);
    return &e->image;
}

static inline void elf_free(struct elf_image *e)
{
    image_close(&e->image);
    free(e->b);
}

#endif
