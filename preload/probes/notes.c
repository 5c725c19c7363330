#include "preload/probes/notes.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "lib/rawsys.h"

enum { NOTE_STAPSDT = 3 };

static bool has(const struct notes_file *f, uint64_t offset, uint64_t n)
{
    return offset <= f->size && n <= f->size - offset;
}

/* What is mapped, and what is on the disk now, have the same segments. */
static bool is_mapped(const struct notes_file *f, const struct dl_phdr_info *info)
{
    const ElfW(Ehdr) *e = (const ElfW(Ehdr) *)f->bytes;
    return has(f, 0, sizeof *e) && !memcmp(e->e_ident, ELFMAG, SELFMAG) && e->e_ident[EI_CLASS] == ELFCLASS64 &&
           e->e_phnum == info->dlpi_phnum && e->e_phentsize == sizeof(ElfW(Phdr)) &&
           e->e_shentsize == sizeof(ElfW(Shdr)) && !(e->e_phoff % 8) && !(e->e_shoff % 8) &&
           has(f, e->e_phoff, sizeof(ElfW(Phdr)) * e->e_phnum) &&
           has(f, e->e_shoff, sizeof(ElfW(Shdr)) * (uint64_t)e->e_shnum) && e->e_shstrndx < e->e_shnum &&
           !memcmp(f->bytes + e->e_phoff, info->dlpi_phdr, sizeof(ElfW(Phdr)) * e->e_phnum);
}

bool notes_open(struct notes_file *f, const char *path, const struct dl_phdr_info *info)
{
    struct stat st;
    long fd = sys_openat(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0), p = -1;
    *f = (struct notes_file){NULL, 0};
    if (sys_failed(fd))
        return false;
    if (!sys_failed(raw_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0)) && S_ISREG(st.st_mode) && st.st_size > 0)
        p = sys_mmap((size_t)st.st_size, PROT_READ, MAP_PRIVATE, (int)fd, 0);
    sys_close((int)fd);
    if (sys_failed(p))
        return false;
    *f = (struct notes_file){(const uint8_t *)p, (size_t)st.st_size};
    if (is_mapped(f, info))
        return true;
    notes_close(f);
    return false;
}

void notes_close(struct notes_file *f)
{
    if (f->bytes)
        sys_munmap((void *)f->bytes, f->size);
    f->bytes = NULL;
}

static const ElfW(Shdr) *section_named(const struct notes_file *f, const char *name, const ElfW(Shdr) *after)
{
    const ElfW(Ehdr) *e = (const ElfW(Ehdr) *)f->bytes;
    const ElfW(Shdr) *all = (const ElfW(Shdr) *)(f->bytes + e->e_shoff), *names = &all[e->e_shstrndx];
    if (!has(f, names->sh_offset, names->sh_size))
        return NULL;
    const char *text = (const char *)f->bytes + names->sh_offset;
    for (const ElfW(Shdr) *s = after ? after + 1 : all; s < all + e->e_shnum; s++)
        if (s->sh_name < names->sh_size && names->sh_size - s->sh_name > strlen(name) &&
            !strncmp(text + s->sh_name, name, strlen(name) + 1))
            return s;
    return NULL;
}

/* Takes a text with its NUL off. */
static const char *take_text(const uint8_t **p, const uint8_t *end)
{
    const uint8_t *nul = memchr(*p, 0, (size_t)(end - *p));
    const char *text = (const char *)*p;
    if (!nul)
        return NULL;
    *p = nul + 1;
    return text;
}

/* Three addresses and three texts. The base says by how much the addresses have moved since it was linked. */
static bool read_note(const uint8_t *p, const uint8_t *end, const struct dl_phdr_info *info, uint64_t base,
                      struct probe_note *note)
{
    uint64_t word[3];
    if ((size_t)(end - p) < sizeof word)
        return false;
    memcpy(word, p, sizeof word);
    p += sizeof word;
    uint64_t moved = info->dlpi_addr + (base ? base - word[1] : 0);
    note->pc = word[0] + moved;
    note->semaphore = word[2] ? word[2] + moved : 0;
    return (note->provider = take_text(&p, end)) && (note->name = take_text(&p, end)) &&
           (note->arguments = take_text(&p, end));
}

static void visit_section(const struct notes_file *f, const ElfW(Shdr) *s, const struct dl_phdr_info *info,
                          uint64_t base, void (*visit)(const struct probe_note *, void *), void *arg)
{
    const uint8_t *p = f->bytes + s->sh_offset, *end = p + s->sh_size;
    ElfW(Nhdr) n;
    while ((size_t)(end - p) >= sizeof n) {
        memcpy(&n, p, sizeof n);
        uint64_t name = ((uint64_t)n.n_namesz + 3) & ~UINT64_C(3), desc = ((uint64_t)n.n_descsz + 3) & ~UINT64_C(3);
        p += sizeof n;
        if (name + n.n_descsz > (uint64_t)(end - p))
            return;
        struct probe_note note;
        if (n.n_type == NOTE_STAPSDT && n.n_namesz == sizeof "stapsdt" && !memcmp(p, "stapsdt", sizeof "stapsdt") &&
            read_note(p + name, p + name + n.n_descsz, info, base, &note))
            visit(&note, arg);
        if (name + desc > (uint64_t)(end - p))
            return;
        p += name + desc;
    }
}

void notes_visit(const struct notes_file *f, const struct dl_phdr_info *info,
                 void (*visit)(const struct probe_note *, void *), void *arg)
{
    const ElfW(Shdr) *base = section_named(f, ".stapsdt.base", NULL);
    for (const ElfW(Shdr) *s = NULL; (s = section_named(f, ".note.stapsdt", s));)
        if (s->sh_type == SHT_NOTE && has(f, s->sh_offset, s->sh_size))
            visit_section(f, s, info, base ? base->sh_addr : 0, visit, arg);
}

static uintptr_t symbol_in(const struct notes_file *f, const ElfW(Shdr) *table, const char *name, size_t len)
{
    const ElfW(Ehdr) *e = (const ElfW(Ehdr) *)f->bytes;
    const ElfW(Shdr) *strings = (const ElfW(Shdr) *)(f->bytes + e->e_shoff) + table->sh_link;
    if (table->sh_link >= e->e_shnum || !has(f, table->sh_offset, table->sh_size) || table->sh_offset % 8 ||
        !has(f, strings->sh_offset, strings->sh_size))
        return 0;
    const ElfW(Sym) *s = (const ElfW(Sym) *)(f->bytes + table->sh_offset), *end = s + table->sh_size / sizeof *s;
    const char *text = (const char *)f->bytes + strings->sh_offset;
    for (; s < end; s++)
        if (s->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s->st_info) != STT_TLS && s->st_name < strings->sh_size &&
            strings->sh_size - s->st_name > len && !memcmp(text + s->st_name, name, len) && !text[s->st_name + len])
            return s->st_value;
    return 0;
}

uintptr_t notes_symbol(const struct notes_file *f, const struct dl_phdr_info *info, const char *name, size_t len)
{
    const ElfW(Ehdr) *e = (const ElfW(Ehdr) *)f->bytes;
    const ElfW(Shdr) *all = (const ElfW(Shdr) *)(f->bytes + e->e_shoff);
    for (const ElfW(Shdr) *s = all; s < all + e->e_shnum; s++) {
        bool symbols = s->sh_type == SHT_SYMTAB || s->sh_type == SHT_DYNSYM;
        uintptr_t value = symbols ? symbol_in(f, s, name, len) : 0;
        if (value)
            return info->dlpi_addr + value;
    }
    return 0;
}
