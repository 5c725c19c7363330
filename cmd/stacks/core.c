#include "config.h"

#include "cmd/stacks/core.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FIRST_PAGE = 4096,
    SEGMENTS_MAX = 1 << 20,
    FILES_MAX = 64 << 20,
    AUXV_MAX = 4096,
    NOTES_MAX = 1 << 30,
    THREADS_MAX = 1 << 16
};

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64 };
#else
enum { MACHINE = EM_AARCH64 };
#endif

static bool read_all(int fd, uint64_t at, void *into, size_t n)
{
    for (size_t done = 0; done < n;) {
        ssize_t got = at + done <= INT64_MAX ? pread(fd, (char *)into + done, n - done, (off_t)(at + done)) : 0;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* What is in the core file of n bytes from that address on, which is in the mapping. */
static size_t read_dumped(const struct core *c, const struct mapping *m, uint64_t address, void *into, size_t n)
{
    uint64_t skip = address - m->start;
    if (skip >= m->dumped)
        return 0;
    if (n > m->dumped - skip)
        n = (size_t)(m->dumped - skip);
    return read_all(c->fd, m->dumped_at + skip, into, n) ? n : 0;
}

/*
 * Whether the file is the one that was mapped: its first page is, which has the build-id, and which the kernel leaves
 * in core files. Where it is not there, nobody can tell.
 */
static bool is_what_it_was(const struct process *p, const struct mapping *m, int fd)
{
    uint8_t then[FIRST_PAGE], now[FIRST_PAGE];
    while (m > p->maps.v && !strcmp(m[-1].path, m->path))
        m--;
    size_t n = m->offset ? 0 : read_dumped(p->core, m, m->start, then, sizeof then);
    return n >= sizeof(ElfW(Ehdr)) && read_all(fd, 0, now, n) && !memcmp(then, now, n);
}

static int open_mapped(const struct process *p, const struct mapping *m)
{
    struct stat st;
    int fd = *m->path == '/' && !stat(m->path, &st) && S_ISREG(st.st_mode)
                 ? open(m->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
                 : -1;
    if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || !is_what_it_was(p, m, fd))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* What is in the file that was mapped, if the program cannot have changed it. */
static size_t read_mapped(const struct process *p, const struct mapping *m, uint64_t address, void *into, size_t n)
{
    struct core *c = p->core;
    if (m->write)
        return 0;
    if (strcmp(c->path, m->path) != 0) {
        if (c->file >= 0)
            close(c->file);
        c->file = open_mapped(p, m);
        snprintf(c->path, sizeof c->path, "%s", m->path);
    }
    if (n > m->end - address)
        n = (size_t)(m->end - address);
    ssize_t got = c->file < 0 ? -1 : pread(c->file, into, n, (off_t)(m->offset + (address - m->start)));
    return got > 0 ? (size_t)got : 0;
}

static size_t read_core(const struct process *p, uint64_t address, void *into, size_t n)
{
    size_t done = 0, got = 1;
    while (done < n && got) {
        const struct mapping *m = process_mapping(p, address + done);
        void *to = (char *)into + done;
        got = m ? read_dumped(p->core, m, address + done, to, n - done) : 0;
        if (m && !got)
            got = read_mapped(p, m, address + done, to, n - done);
        done += got;
    }
    return done;
}

/* --- mappings ----------------------------------------------------------------------------------------------------- */

/* The path becomes the mapping's. False: memory is short. */
static bool add_mapping(struct process *p, struct mapping m)
{
    if (!m.path || !VEC_ROOM(&p->maps)) {
        free(m.path);
        return false;
    }
    p->maps.v[p->maps.n++] = m;
    return true;
}

static bool add_segment(struct process *p, const ElfW(Phdr) *ph)
{
    struct core *c = p->core;
    struct mapping m = {.start = ph->p_vaddr,
                        .end = ph->p_vaddr + ph->p_memsz,
                        .dumped_at = ph->p_offset,
                        .dumped = ph->p_filesz < ph->p_memsz ? ph->p_filesz : ph->p_memsz,
                        .read = ph->p_flags & PF_R,
                        .write = ph->p_flags & PF_W,
                        .exec = ph->p_flags & PF_X};
    if (m.start >= m.end)
        return true;
    if (m.dumped && (m.dumped_at >= c->size || m.dumped > c->size - m.dumped_at)) {
        c->is_cut_off = true;
        m.dumped = m.dumped_at < c->size ? c->size - m.dumped_at : 0;
    }
    m.path = strdup("");
    return add_mapping(p, m);
}

static int by_start(const void *a, const void *b)
{
    const struct mapping *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* By address, and such that each address is in one. */
static void sort_mappings(struct process *p)
{
    size_t kept = 0;
    if (p->maps.n)
        qsort(p->maps.v, p->maps.n, sizeof *p->maps.v, by_start);
    for (size_t i = 0; i < p->maps.n; i++)
        if (!kept || p->maps.v[i].start >= p->maps.v[kept - 1].end)
            p->maps.v[kept++] = p->maps.v[i];
        else
            free(p->maps.v[i].path);
    p->maps.n = kept;
}

/* A file that was mapped there. gcore leaves such mappings out. False: memory is short. */
static bool add_file(struct process *p, size_t segments, uint64_t start, uint64_t end, uint64_t offset,
                     const char *path)
{
    struct mapping *found = NULL;
    for (size_t lo = 0, hi = segments; lo < hi && !found;) {
        size_t mid = (lo + hi) / 2;
        struct mapping *m = &p->maps.v[mid];
        if (m->end <= start)
            lo = mid + 1;
        else if (m->start >= end)
            hi = mid;
        else
            found = m;
    }
    if (!found)
        return add_mapping(p, (struct mapping){.start = start,
                                               .end = end,
                                               .offset = offset,
                                               .read = true,
                                               .exec = true, /* it may be */
                                               .path = strdup(path)});
    if (found->start != start || found->end > end)
        return true;
    char *copy = strdup(path);
    if (!copy)
        return false;
    free(found->path);
    found->path = copy;
    found->offset = offset;
    return true;
}

/* --- notes -------------------------------------------------------------------------------------------------------- */

/*
 * "count, size of a page, (start, end, offset in pages) of each, and then their paths": which files were mapped where.
 * False: memory is short. What is not in order counts as not there.
 */
static bool take_files(struct process *p, uint64_t at, size_t size)
{
    enum { HEADER = 2, EACH = 3 };
    size_t words = size / sizeof(uint64_t), segments = p->maps.n;
    uint64_t *v = malloc(size + 1);
    bool ok = v;
    if (v && words >= HEADER && read_all(p->core->fd, at, v, size) && v[0] <= (words - HEADER) / EACH) {
        const char *end = (char *)v + size, *text = (char *)(v + HEADER + EACH * v[0]);
        *((char *)v + size) = 0;
        for (const uint64_t *w = v + HEADER; w < v + HEADER + EACH * v[0] && text < end && ok; w += EACH) {
            if (w[0] < w[1] && v[1] && w[2] < INT64_MAX / v[1])
                ok = add_file(p, segments, w[0], w[1], w[2] * v[1], text);
            text += strlen(text) + 1;
        }
        sort_mappings(p);
        p->core->has_files = true;
    }
    free(v);
    return ok;
}

static void take_auxv(struct core *c, uint64_t at, size_t size)
{
    ElfW(auxv_t) v[AUXV_MAX / sizeof(ElfW(auxv_t))];
    if (size > sizeof v || !read_all(c->fd, at, v, size))
        return;
    for (size_t i = 0; i < size / sizeof *v && v[i].a_type != AT_NULL; i++)
        if (v[i].a_type == AT_SYSINFO_EHDR)
            c->vdso = v[i].a_un.a_val;
        else if (v[i].a_type == AT_PHDR)
            c->headers = v[i].a_un.a_val;
}

/* False: memory is short. */
static bool take_note(struct process *p, uint32_t type, uint64_t at, size_t size)
{
    struct core *c = p->core;
    struct elf_prstatus status;
    struct elf_prpsinfo info;
    switch (type) {
    case NT_PRSTATUS:
        if (size != sizeof status || !read_all(c->fd, at, &status, size))
            return true;
        if (c->threads.n == THREADS_MAX)
            return true;
        if (!VEC_ROOM(&c->threads))
            return false;
        if (!c->threads.n)
            c->signal = status.pr_cursig;
        struct core_thread *t = &c->threads.v[c->threads.n++];
        t->tid = status.pr_pid;
        memcpy(&t->regs, &status.pr_reg, sizeof t->regs);
        return true;
    case NT_PRPSINFO:
        if (size == sizeof info && read_all(c->fd, at, &info, size)) {
            snprintf(p->name, sizeof p->name, "%.*s", (int)sizeof info.pr_fname, info.pr_fname);
            p->pid = p->own_pid = info.pr_pid;
        }
        return true;
    case NT_AUXV:
        take_auxv(c, at, size);
        return true;
    case NT_FILE:
        return size > FILES_MAX || c->has_files || take_files(p, at, size);
    default:
        return true;
    }
}

static bool take_notes(struct process *p, uint64_t at, uint64_t size)
{
    const int fd = p->core->fd;
    const uint64_t end = at + (size < NOTES_MAX ? size : NOTES_MAX);
    while (end - at >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        char name[4];
        if (!read_all(fd, at, &note, sizeof note))
            return true;
        uint64_t text = at + sizeof note, desc = text + ((uint64_t)note.n_namesz + 3) / 4 * 4,
                 next = desc + ((uint64_t)note.n_descsz + 3) / 4 * 4;
        if (next > end || (!note.n_namesz && !note.n_descsz))
            return true;
        if (note.n_namesz == 5 && read_all(fd, text, name, sizeof name) && !memcmp(name, "CORE", 4) &&
            !take_note(p, note.n_type, desc, note.n_descsz))
            return false;
        at = next;
    }
    return true;
}

/* --- headers ------------------------------------------------------------------------------------------------------ */

static const char *why_no_core(const uint8_t *magic)
{
    static const struct {
        const char *magic, *says;
    } packed[] = {
        {"\x28\xb5\x2f\xfd", "it is compressed: zstd -d makes a core file of it"},
        {"\x1f\x8b", "it is compressed: gzip -d makes a core file of it"},
        {"\xfd" "7zXZ", "it is compressed: xz -d makes a core file of it"},
        {"\x04\x22\x4d\x18", "it is compressed: lz4 -d makes a core file of it"},
    };
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
        if (!memcmp(magic, packed[i].magic, strlen(packed[i].magic)))
            return packed[i].says;
    return "it is no core file";
}

/* How many there are stands in the first section where it has no room in the header. */
static bool count_headers(const struct core *c, const ElfW(Ehdr) *e, size_t *n)
{
    ElfW(Shdr) first;
    *n = e->e_phnum;
    if (*n != PN_XNUM)
        return true;
    if (!read_all(c->fd, e->e_shoff, &first, sizeof first))
        return false;
    *n = first.sh_info;
    return *n <= SEGMENTS_MAX;
}

/* Memory first: the list of files belongs to it. False: memory is short. */
static bool take_headers(struct process *p, const ElfW(Phdr) *v, size_t n)
{
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++)
        ok = v[i].p_type != PT_LOAD || add_segment(p, &v[i]);
    sort_mappings(p);
    for (size_t i = 0; i < n && ok && !p->core->threads.n; i++)
        ok = v[i].p_type != PT_NOTE || v[i].p_offset > INT64_MAX || v[i].p_filesz > INT64_MAX ||
             take_notes(p, v[i].p_offset, v[i].p_filesz);
    return ok;
}

static const char *read_headers(struct process *p)
{
    static const char damaged[] = "it is cut off, or damaged: its headers are not there";
    struct core *c = p->core;
    ElfW(Ehdr) e;
    size_t n;
    memset(&e, 0, sizeof e);
    ssize_t got = pread(c->fd, &e, sizeof e, 0);
    if (got < 0)
        return strerror(errno);
    if (memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 || (e.e_ident[EI_CLASS] == ELFCLASS64 && e.e_type != ET_CORE))
        return why_no_core(e.e_ident);
    if (e.e_ident[EI_CLASS] != ELFCLASS64 || e.e_machine != MACHINE || e.e_phentsize != sizeof(ElfW(Phdr)))
        return "it is a core file of another architecture than this command";
    if (!count_headers(c, &e, &n))
        return damaged;
    ElfW(Phdr) *v = calloc(n + 1, sizeof *v);
    bool there = v && read_all(c->fd, e.e_phoff, v, n * sizeof *v), ok = v && (!there || take_headers(p, v, n));
    free(v);
    if (!ok)
        return no_memory;
    if (!there)
        return damaged;
    if (c->threads.n == THREADS_MAX)
        return "there are more threads in it than this command takes";
    return c->threads.n ? NULL : "it is cut off, or damaged: there is no thread in it";
}

static void name_mappings(struct process *p)
{
    const struct mapping *program = process_mapping(p, p->core->headers);
    snprintf(p->exe, sizeof p->exe, "%s", program ? program->path : "");
    for (size_t i = 0; i < p->maps.n; i++) {
        struct mapping *m = &p->maps.v[i];
        char *path = m->start == p->core->vdso && !*m->path ? strdup("[vdso]") : NULL;
        if (path) {
            free(m->path);
            m->path = path;
        }
    }
}

const char *core_open(struct process *p, const char *path)
{
    struct stat st;
    memset(p, 0, sizeof *p);
    p->read = read_core;
    p->core = calloc(1, sizeof *p->core);
    if (!p->core)
        return no_memory;
    p->core->file = -1;
    p->core->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (p->core->fd < 0 || fstat(p->core->fd, &st))
        return strerror(errno);
    if (!S_ISREG(st.st_mode))
        return "it is no regular file";
    p->core->size = (uint64_t)st.st_size;
    const char *wrong = read_headers(p);
    name_mappings(p);
    return wrong;
}

void core_close(struct core *c)
{
    if (!c)
        return;
    if (c->fd >= 0)
        close(c->fd);
    if (c->file >= 0)
        close(c->file);
    VEC_FREE(&c->threads);
    free(c);
}
