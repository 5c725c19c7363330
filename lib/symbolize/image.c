#include "config.h"

#include "lib/symbolize/image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/symbolize/types.h"
#include "lib/symbolize/unpack.h"

static bool inside(const struct image *im, uint64_t offset, uint64_t len)
{
    return offset <= im->len && len <= im->len - offset;
}

static const char *string_at(const struct image *im, const Elf64_Shdr *strings, uint32_t offset)
{
    if (!inside(im, strings->sh_offset, strings->sh_size) || offset >= strings->sh_size)
        return "";
    const char *s = (const char *)im->bytes + strings->sh_offset + offset;
    return memchr(s, 0, strings->sh_size - offset) ? s : "";
}

static void find_build_id(struct image *im, uint64_t offset, uint64_t len, uint64_t align)
{
    if (!inside(im, offset, len))
        return;
    const uint8_t *p = im->bytes + offset, *end = p + len;
    size_t mask = align == 8 ? 7 : 3;
    while ((size_t)(end - p) >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr n;
        memcpy(&n, p, sizeof n);
        p += sizeof n;
        size_t name = (n.n_namesz + mask) & ~mask, desc = (n.n_descsz + mask) & ~mask;
        if (name > (size_t)(end - p) || n.n_descsz > (size_t)(end - p) - name)
            return;
        if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 && !memcmp(p, "GNU", 4)) {
            im->build_id = p + name;
            im->build_id_len = n.n_descsz;
            return;
        }
        if (desc > (size_t)(end - p) - name)
            return;
        p += name + desc;
    }
}

static enum image_status read_sections(struct image *im, const Elf64_Ehdr *eh)
{
    Elf64_Shdr sh, names = {0};
    if (!eh->e_shoff || eh->e_shentsize != sizeof sh || !inside(im, eh->e_shoff, sizeof sh))
        return IMAGE_OK;
    const uint8_t *table = im->bytes + eh->e_shoff;
    memcpy(&sh, table, sizeof sh);
    uint64_t count = eh->e_shnum ? eh->e_shnum : sh.sh_size;
    uint64_t names_index = eh->e_shstrndx == SHN_XINDEX ? sh.sh_link : eh->e_shstrndx;
    if (count > (im->len - eh->e_shoff) / sizeof sh)
        return IMAGE_OK;
    if (names_index < count)
        memcpy(&names, table + names_index * sizeof sh, sizeof names);
    im->sections = calloc(count ? count : 1, sizeof *im->sections);
    if (!im->sections)
        return IMAGE_NO_MEMORY;
    im->nsections = count;
    for (size_t i = 0; i < count; i++) {
        memcpy(&sh, table + i * sizeof sh, sizeof sh);
        struct section *s = &im->sections[i];
        *s = (struct section){.name = string_at(im, &names, sh.sh_name), .type = sh.sh_type, .flags = sh.sh_flags,
                              .addr = sh.sh_addr, .entsize = sh.sh_entsize, .link = sh.sh_link, .info = sh.sh_info,
                              .size = sh.sh_size};
        if (sh.sh_type != SHT_NOBITS && sh.sh_type != SHT_NULL && inside(im, sh.sh_offset, sh.sh_size)) {
            s->data = im->bytes + sh.sh_offset;
            s->len = sh.sh_size;
        }
        if (sh.sh_type == SHT_NOTE && !im->build_id)
            find_build_id(im, sh.sh_offset, sh.sh_size, sh.sh_addralign);
    }
    return IMAGE_OK;
}

static void read_segments(struct image *im, const Elf64_Ehdr *eh)
{
    Elf64_Phdr ph;
    if (eh->e_phentsize != sizeof ph || !inside(im, eh->e_phoff, (uint64_t)eh->e_phnum * sizeof ph))
        return;
    for (size_t i = 0; i < eh->e_phnum && !im->build_id; i++) {
        memcpy(&ph, im->bytes + eh->e_phoff + i * sizeof ph, sizeof ph);
        if (ph.p_type == PT_NOTE)
            find_build_id(im, ph.p_offset, ph.p_filesz, ph.p_align);
    }
}

enum image_status image_parse(struct image *im, const void *bytes, size_t len)
{
    Elf64_Ehdr eh;
    *im = (struct image){.bytes = bytes, .len = len};
    if (len < sizeof eh)
        return IMAGE_NOT_ELF;
    memcpy(&eh, bytes, sizeof eh);
    if (memcmp(eh.e_ident, ELFMAG, SELFMAG) || eh.e_ident[EI_CLASS] != ELFCLASS64 ||
        eh.e_ident[EI_DATA] != ELFDATA2LSB)
        return IMAGE_NOT_ELF;
    im->machine = eh.e_machine;
    read_segments(im, &eh);
    return read_sections(im, &eh);
}

static struct image_log *opened;

void image_log_to(struct image_log *log) { opened = log; }

void image_look_at(const char *path, struct image_opened *file)
{
    struct stat st;
    memset(file, 0, sizeof *file);
    memcpy(file->path, path, strnlen(path, sizeof file->path - 1));
    if (stat(path, &st))
        return;
    file->state.dev = st.st_dev;
    file->state.ino = st.st_ino;
    file->state.size = (uint64_t)st.st_size;
    file->state.mtime = (uint64_t)st.st_mtim.tv_sec;
    file->state.mtime_ns = (uint64_t)st.st_mtim.tv_nsec;
    file->state.ctime = (uint64_t)st.st_ctim.tv_sec;
    file->state.ctime_ns = (uint64_t)st.st_ctim.tv_nsec;
}

static void log_open(const char *path)
{
    if (opened && opened->n < IMAGE_LOG_MAX && strlen(path) < sizeof opened->v->path)
        image_look_at(path, &opened->v[opened->n++]);
    else if (opened)
        opened->overflow = true;
}

enum image_status image_open(struct image *im, const char *path)
{
    *im = (struct image){0};
    log_open(path);
    struct stat st;
    if (!stat(path, &st) && !S_ISREG(st.st_mode)) /* the program chose the path: opening a device may do something */
        return IMAGE_NOT_ELF;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return IMAGE_UNREADABLE;
    enum image_status status = IMAGE_UNREADABLE;
    void *p = MAP_FAILED;
    if (fstat(fd, &st))
        ;
    else if (!S_ISREG(st.st_mode) || st.st_size < (off_t)sizeof(Elf64_Ehdr))
        status = IMAGE_NOT_ELF;
    else if ((uint64_t)st.st_size > SYMBOLIZE_MAX_FILE)
        status = IMAGE_TOO_LARGE;
    else
        p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    int saved = errno;
    close(fd);
    errno = saved;
    if (p == MAP_FAILED)
        return status;
    status = image_parse(im, p, (size_t)st.st_size);
    im->mapped = true;
    if (status != IMAGE_OK)
        image_close(im);
    return status;
}

void image_close(struct image *im)
{
    for (size_t i = 0; i < im->nsections; i++)
        free(im->sections[i].unpacked);
    free(im->sections);
    if (im->mapped)
        munmap((void *)im->bytes, im->len);
    *im = (struct image){0};
}

struct section *image_section(const struct image *im, const char *name)
{
    for (size_t i = 0; i < im->nsections; i++)
        if (!strcmp(im->sections[i].name, name))
            return &im->sections[i];
    return NULL;
}

/*
 * Debug info becomes a third to a tenth of its size when it is compressed. A file of the program's choice could become
 * a thousand times as large, and take as long to read.
 */
static uint64_t most_unpacked(uint64_t len)
{
    enum { RATIO = 32, ANYWAY = 1 << 20 };
    uint64_t most = ANYWAY + RATIO * len;
    return most < SYMBOLIZE_MAX_FILE ? most : SYMBOLIZE_MAX_FILE;
}

const uint8_t *image_contents(struct image *im, struct section *s, size_t *len)
{
    if (!s || !s->data)
        return NULL;
    enum packing packing = packing_of(s);
    if (packing == PACKED_NOT) {
        *len = s->len;
        return s->data;
    }
    if (!s->unpacked) {
        uint64_t most = most_unpacked(im->len);
        uint64_t room = im->unpacked_total < most ? most - im->unpacked_total : 0;
        s->unpacked = unpack(s, packing, room, &s->unpacked_len);
        if (!s->unpacked)
            return NULL;
        im->unpacked_total += s->unpacked_len;
    }
    *len = s->unpacked_len;
    return s->unpacked;
}

const uint8_t *image_at(const struct image *im, uint64_t addr, size_t *left)
{
    for (size_t i = 0; i < im->nsections; i++) {
        const struct section *s = &im->sections[i];
        if ((s->flags & SHF_ALLOC) && s->data && addr >= s->addr && addr - s->addr < s->len) {
            *left = s->len - (addr - s->addr);
            return s->data + (addr - s->addr);
        }
    }
    return NULL;
}

bool image_has_build_id(const struct image *im, const uint8_t *id, size_t len)
{
    return im->build_id_len == len && !memcmp(im->build_id, id, len);
}

bool image_has_dwarf(const struct image *im)
{
    static const char *const names[] = {".debug_info", ".zdebug_info", ".debug_info.dwo"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct section *s = image_section(im, names[i]);
        if (s && s->len)
            return true;
    }
    return false;
}
