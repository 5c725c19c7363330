#include "config.h"

#include "cmd/attach/remote_function.h"

#include <elf.h>
#include <string.h>

struct remote_tables {
    const struct process *p;
    uint64_t bias;
    uint64_t symbols, strings, hash; /* addresses; 0: it has none */
};

/* The loader has added the bias, but where it cannot write. */
static uint64_t place(uint64_t address, uint64_t bias) { return address < bias ? address + bias : address; }

static bool read_dynamic(struct remote_tables *t, uint64_t at, uint64_t size)
{
    for (uint64_t end = at + size; at < end; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn d;
        if (!process_load(t->p, at, &d, sizeof d) || d.d_tag == DT_NULL)
            break;
        if (d.d_tag == DT_SYMTAB)
            t->symbols = place(d.d_un.d_ptr, t->bias);
        if (d.d_tag == DT_STRTAB)
            t->strings = place(d.d_un.d_ptr, t->bias);
        if (d.d_tag == DT_GNU_HASH)
            t->hash = place(d.d_un.d_ptr, t->bias);
    }
    return t->symbols && t->strings && t->hash;
}

static bool read_tables(struct remote_tables *t, uint64_t base)
{
    enum { SEGMENTS_MAX = 64 };
    Elf64_Ehdr e;
    Elf64_Phdr ph[SEGMENTS_MAX];
    bool has_bias = false;
    if (!process_load(t->p, base, &e, sizeof e) || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 ||
        e.e_phnum > SEGMENTS_MAX || !process_load(t->p, base + e.e_phoff, ph, e.e_phnum * sizeof *ph))
        return false;
    for (int i = 0; i < e.e_phnum && !has_bias; i++) {
        has_bias = ph[i].p_type == PT_LOAD;
        if (has_bias)
            t->bias = base - (ph[i].p_vaddr - ph[i].p_offset);
    }
    for (int i = 0; i < e.e_phnum; i++)
        if (ph[i].p_type == PT_DYNAMIC)
            return read_dynamic(t, t->bias + ph[i].p_vaddr, ph[i].p_memsz);
    return false;
}

/* False: it is another one. */
static bool is_symbol(const struct remote_tables *t, uint32_t i, const char *name, int type, struct remote_range *range)
{
    Elf64_Sym s;
    char text[64];
    size_t len = strlen(name) + 1;
    if (!process_load(t->p, t->symbols + i * sizeof s, &s, sizeof s) || s.st_shndx == SHN_UNDEF || !s.st_value ||
        ELF64_ST_TYPE(s.st_info) != type || len > sizeof text ||
        !process_load(t->p, t->strings + s.st_name, text, len) || memcmp(text, name, len) != 0)
        return false;
    range->from = t->bias + s.st_value;
    range->to = range->from + s.st_size;
    return true;
}

static bool word(const struct remote_tables *t, uint64_t at, uint32_t *value)
{
    return process_load(t->p, at, value, sizeof *value);
}

/* A chain that has no end, of a process that lies, is left. */
static struct remote_range look_up(const struct remote_tables *t, const char *name, int type)
{
    struct remote_range range = {0, 0};
    enum { LONGEST_CHAIN = 4096 };
    uint32_t head[4], h = 5381, i, link;
    for (const char *p = name; *p; p++)
        h = h * 33 + (uint8_t)*p;
    if (!process_load(t->p, t->hash, head, sizeof head) || !head[0])
        return range;
    uint64_t buckets = t->hash + sizeof head + (uint64_t)head[2] * 8, chains = buckets + (uint64_t)head[0] * 4;
    if (!word(t, buckets + (uint64_t)(h % head[0]) * 4, &i) || i < head[1])
        return range;
    for (int n = 0; n < LONGEST_CHAIN; n++, i++) {
        if (!word(t, chains + (uint64_t)(i - head[1]) * 4, &link))
            return range;
        if (((link | 1) == (h | 1) && is_symbol(t, i, name, type, &range)) || link & 1)
            return range;
    }
    return range;
}

static struct remote_range range_of(const struct process *p, uint64_t base, const char *name, int type)
{
    struct remote_tables t = {.p = p};
    return read_tables(&t, base) ? look_up(&t, name, type) : (struct remote_range){0, 0};
}

uint64_t remote_function(const struct process *p, uint64_t base, const char *name)
{
    return range_of(p, base, name, STT_FUNC).from;
}

/* Also one that is not there any more, as after an upgrade. */
static bool is_called(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    size_t n = strlen(name);
    return slash && !strncmp(slash + 1, name, n) && (!slash[1 + n] || !strcmp(slash + 1 + n, " (deleted)"));
}

const struct mapping *remote_module(const struct process *p, const char *file)
{
    for (size_t i = 0; i < p->maps.n; i++) {
        const struct mapping *m = &p->maps.v[i];
        if (!m->offset && is_called(m->path, file))
            return m;
    }
    return NULL;
}

/* Since 2.34 the file has that name itself, and dlopen. */
static const char libc_file[] = "libc.so.6", loader_file[] = "ld-linux-x86-64.so.2";

bool remote_is_libc(const char *path)
{
    return is_called(path, libc_file);
}

/* They stay where they are, and are asked for again while a thread is held. */
struct remote_range remote_libc_function(const struct process *p, const char *name)
{
    enum { KNOWN_MAX = 64 };
    static struct known {
        const char *name;
        uint64_t libc;
        pid_t pid;
        struct remote_range range;
    } known[KNOWN_MAX];
    const struct mapping *libc = remote_module(p, libc_file);
    if (!libc)
        return (struct remote_range){0, 0};
    int i = 0;
    for (; i < KNOWN_MAX && known[i].name; i++)
        if (known[i].libc == libc->start && known[i].pid == p->pid && !strcmp(known[i].name, name))
            return known[i].range;
    const struct known found = {name, libc->start, p->pid, range_of(p, libc->start, name, STT_FUNC)};
    if (i < KNOWN_MAX)
        known[i] = found;
    return found.range;
}

struct remote_range remote_loader_data(const struct process *p)
{
    const struct mapping *loader = remote_module(p, loader_file);
    return loader ? range_of(p, loader->start, "_rtld_global", STT_OBJECT) : (struct remote_range){0, 0};
}

uint64_t remote_libc_bytes(const struct process *p, const uint8_t *bytes, size_t n)
{
    uint8_t code[4096];
    const size_t step = sizeof code - n + 1;
    for (size_t i = 0; i < p->maps.n; i++) {
        const struct mapping *m = &p->maps.v[i];
        for (uint64_t at = m->start; m->exec && remote_is_libc(m->path) && at < m->end; at += step) {
            size_t size = p->read(p, at, code, m->end - at < sizeof code ? m->end - at : sizeof code);
            const uint8_t *found = memmem(code, size, bytes, n);
            if (found)
                return at + (uint64_t)(found - code);
        }
    }
    return 0;
}

/*
 * In which order the loader looks is not known here; but who replaces a function of libc does so for all. So any module
 * that has it comes before libc.
 */
uint64_t remote_first_function(const struct process *p, const char *name)
{
    uint64_t found = 0;
    for (size_t i = 0; i < p->maps.n; i++) {
        const struct mapping *m = &p->maps.v[i];
        const char *slash = strrchr(m->path, '/');
        bool asked = slash && !m->offset && strncmp(slash + 1, "ld-", 3) != 0; /* the loader has one for itself */
        uint64_t address = asked ? remote_function(p, m->start, name) : 0;
        bool is_libc = remote_is_libc(m->path);
        if (address && (!found || !is_libc))
            found = address;
        if (address && !is_libc)
            break;
    }
    return found;
}
