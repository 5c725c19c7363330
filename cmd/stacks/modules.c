#include "config.h"

#include "cmd/stacks/modules.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE_SIZE = 4096, HEADERS_MAX = 128, NOTES_MAX = 4096, CFI_MAX = 512 << 20 };

static uint64_t page_down(uint64_t address) { return address & ~(uint64_t)(PAGE_SIZE - 1); }
static uint64_t page_up(uint64_t address) { return page_down(address + PAGE_SIZE - 1); }

/* --- what a module says of itself --------------------------------------------------------------------------------- */

struct headers {
    ElfW(Phdr) v[HEADERS_MAX];
    ElfW(Half) n;
};

/* Those of the file that is mapped from its beginning at that address. False: no ELF file is. */
static bool read_headers(const struct process *p, uint64_t address, struct headers *h)
{
    ElfW(Ehdr) e;
    if (!process_load(p, address, &e, sizeof e) || memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 ||
        e.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) || e.e_phentsize != sizeof *h->v ||
        !e.e_phnum || e.e_phnum > HEADERS_MAX)
        return false;
    h->n = e.e_phnum;
    return process_load(p, address + e.e_phoff, h->v, h->n * sizeof *h->v);
}

/* The lowest and highest address in the file's terms. False: nothing is mapped, or it is out of all proportion. */
static bool extent(const struct headers *h, uint64_t *low, uint64_t *high)
{
    *low = UINT64_MAX;
    *high = 0;
    for (int i = 0; i < h->n; i++) {
        const ElfW(Phdr) *ph = &h->v[i];
        if (ph->p_type != PT_LOAD || ph->p_vaddr + ph->p_memsz < ph->p_vaddr)
            continue;
        if (page_down(ph->p_vaddr) < *low)
            *low = page_down(ph->p_vaddr);
        if (page_up(ph->p_vaddr + ph->p_memsz) > *high)
            *high = page_up(ph->p_vaddr + ph->p_memsz);
    }
    return *low < *high && *high - *low < UINT64_C(1) << 40;
}

/* Where the first byte of the file goes: the lowest segment begins there. */
static bool first_address(const struct headers *h, uint64_t *address)
{
    for (int i = 0; i < h->n; i++)
        if (h->v[i].p_type == PT_LOAD && h->v[i].p_offset < PAGE_SIZE) {
            *address = page_down(h->v[i].p_vaddr);
            return true;
        }
    return false;
}

static void find_build_id(struct module *m, const struct process *p, const struct headers *h)
{
    uint8_t notes[NOTES_MAX];
    for (int i = 0; i < h->n && !m->build_id_len; i++) {
        const ElfW(Phdr) *ph = &h->v[i];
        size_t size = ph->p_memsz < sizeof notes ? (size_t)ph->p_memsz : sizeof notes;
        if (ph->p_type != PT_NOTE || !process_load(p, m->bias + ph->p_vaddr, notes, size))
            continue;
        for (size_t at = 0; size - at >= sizeof(ElfW(Nhdr));) {
            ElfW(Nhdr) note;
            memcpy(&note, notes + at, sizeof note);
            uint64_t name = at + sizeof note, text = name + ((uint64_t)note.n_namesz + 3) / 4 * 4,
                     next = text + ((uint64_t)note.n_descsz + 3) / 4 * 4;
            if (next > size)
                break;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(notes + name, "GNU", 4) &&
                note.n_descsz <= BUILD_ID_MAX) {
                memcpy(m->build_id, notes + text, note.n_descsz);
                m->build_id_len = note.n_descsz;
                break;
            }
            at = (size_t)next;
        }
    }
}

/* --- which there are ---------------------------------------------------------------------------------------------- */

static bool has_code(const struct process *p, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < p->maps.n; i++)
        if (p->maps.v[i].exec && p->maps.v[i].start < end && p->maps.v[i].end > start)
            return true;
    return false;
}

/* True also where no module begins; false: memory is short. */
static bool add_module(struct modules *ms, const struct process *p, const struct mapping *at)
{
    struct headers h;
    uint64_t low, high, first;
    struct module m = {.inode = at->inode, .symbols = -1};
    if (!read_headers(p, at->start, &h) || !extent(&h, &low, &high) || !first_address(&h, &first))
        return true;
    m.bias = at->start - first;
    m.start = m.bias + low;
    m.end = m.bias + high;
    if (m.start > m.end || !has_code(p, m.start, m.end) ||
        (ms->list.n && ms->list.v[ms->list.n - 1].end > m.start)) /* a file that is mapped into a module's hole */
        return true;
    find_build_id(&m, p, &h);
    m.path = strdup(at->path);
    if (!m.path || !VEC_ROOM(&ms->list)) {
        free(m.path);
        return false;
    }
    ms->list.v[ms->list.n++] = m;
    return true;
}

struct module *modules_find(const struct modules *ms, uint64_t address)
{
    size_t lo = 0, hi = ms->list.n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (ms->list.v[mid].start <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo && address < ms->list.v[lo - 1].end ? &ms->list.v[lo - 1] : NULL;
}

/* --- their places here -------------------------------------------------------------------------------------------- */

static bool is_free(const struct process *p, uint64_t start, uint64_t end)
{
    for (size_t i = 0; i < p->maps.n; i++)
        if (p->maps.v[i].start < end && p->maps.v[i].end > start)
            return false;
    return true;
}

/* A range in which neither the process nor we have anything. No memory of it is used so far. */
static bool reserve(struct modules *ms, const struct process *p, size_t size)
{
    enum { TRIES = 64 };
    for (uint64_t i = 0; i < TRIES; i++) { /* the later ones for address spaces of 39 bits */
        uint64_t at = i < TRIES / 2 ? (UINT64_C(0x1234) << 32) + (i << 40) : (UINT64_C(1) << 34) + (i << 33);
        if (!is_free(p, at, at + size))
            continue;
        void *place = mmap((void *)(uintptr_t)at, size, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (place == MAP_FAILED)
            continue;
        ms->place = place;
        ms->place_size = size;
        if ((uintptr_t)place == at)
            return true;
        munmap(place, size); /* a kernel that does not know the flag */
        ms->place = NULL;
    }
    return false;
}

/*
 * Copies the segment that holds the table of frames, which is the one that lib/unwind will read, to the module's place.
 * False: that segment is not there, and nothing of it may be read.
 */
static bool copy_frames(const struct module *m, const struct process *p, const struct headers *h,
                        const ElfW(Phdr) *table)
{
    for (int i = 0; i < h->n; i++) {
        const ElfW(Phdr) *ph = &h->v[i];
        if (ph->p_type != PT_LOAD || (ph->p_flags & (PF_R | PF_W)) != PF_R ||
            table->p_vaddr - ph->p_vaddr >= ph->p_filesz)
            continue;
        uint64_t from = m->bias + page_down(ph->p_vaddr),
                 size = page_up(ph->p_vaddr + ph->p_filesz) - page_down(ph->p_vaddr);
        if (from < m->start || size > CFI_MAX || size > m->end - from)
            return false;
        void *to = (void *)(uintptr_t)(from + m->moved);
        if (mprotect(to, size, PROT_READ | PROT_WRITE))
            return false;
        p->read(p, from, to, size);
        return true;
    }
    return true; /* lib/unwind does not find it either */
}

/* Reads the headers anew: a process may change its memory between two looks, and an address must be in its place. */
static void add_to_walk(struct modules *ms, const struct module *m, const struct process *p, const struct mapping *at)
{
    struct headers h;
    const ElfW(Phdr) *table = NULL;
    uint64_t low, high;
    if (!read_headers(p, at->start, &h) || !extent(&h, &low, &high) || m->bias + low < m->start ||
        m->bias + high > m->end)
        return;
    for (int i = 0; i < h.n; i++) {
        const ElfW(Phdr) *ph = &h.v[i];
        if (ph->p_type == PT_LOAD && (ph->p_vaddr + ph->p_memsz < ph->p_vaddr || ph->p_filesz > ph->p_memsz))
            return;
        if (ph->p_type == PT_GNU_EH_FRAME && !table)
            table = ph;
    }
    if (!table || copy_frames(m, p, &h, table))
        unwind_modules_add(ms->unwind, &(struct dl_phdr_info){.dlpi_addr = (ElfW(Addr))(m->bias + m->moved),
                                                               .dlpi_phdr = h.v,
                                                               .dlpi_phnum = h.n});
}

static const char *place_all(struct modules *ms, const struct process *p)
{
    size_t size = STACK_COPY_MAX + 2 * PAGE_SIZE;
    for (size_t i = 0; i < ms->list.n; i++)
        size += (size_t)(ms->list.v[i].end - ms->list.v[i].start) + PAGE_SIZE;
    if (!reserve(ms, p, size) || mprotect(ms->place + PAGE_SIZE, STACK_COPY_MAX, PROT_READ | PROT_WRITE))
        return "there is no free range of addresses to work in";
    uint64_t at = (uintptr_t)ms->place + STACK_COPY_MAX + 2 * PAGE_SIZE;
    for (size_t i = 0; i < ms->list.n; i++) {
        struct module *m = &ms->list.v[i];
        const struct mapping *mapping = process_mapping(p, m->start);
        m->moved = at - m->start;
        at += m->end - m->start + PAGE_SIZE;
        if (mapping)
            add_to_walk(ms, m, p, mapping);
    }
    return NULL;
}

const char *modules_open(struct modules *ms, const struct process *p)
{
    memset(ms, 0, sizeof *ms);
    for (size_t i = 0; i < p->maps.n; i++)
        if (p->maps.v[i].offset == 0 && p->maps.v[i].read && !add_module(ms, p, &p->maps.v[i]))
            return no_memory;
    size_t segments = 8 * ms->list.n + 8;
    ms->unwind = malloc(unwind_modules_size(segments));
    ms->recipes = calloc(1, sizeof *ms->recipes);
    ms->cache = calloc(1, sizeof *ms->cache);
    if (!ms->unwind || !ms->recipes || !ms->cache)
        return no_memory;
    unwind_modules_init(ms->unwind, segments, 1);
    ms->cache->recipes = ms->recipes;
    return place_all(ms, p);
}

void modules_close(struct modules *ms)
{
    if (ms->place)
        munmap(ms->place, ms->place_size);
    for (size_t i = 0; i < ms->list.n; i++)
        free(ms->list.v[i].path);
    free(ms->unwind);
    free(ms->recipes);
    free(ms->cache);
    VEC_FREE(&ms->list);
    memset(ms, 0, sizeof *ms);
}

/* --- a walk ------------------------------------------------------------------------------------------------------- */

/*
 * Where an address of the process is here; itself if it is nowhere. A stack ends where a word may point to, too. Return
 * addresses may be signed.
 */
static uint64_t move(const struct modules *ms, const struct stack_copy *stack, uint64_t stack_moved, uint64_t word)
{
    if (word - stack->start <= stack->size)
        return word + stack_moved;
    uint64_t address = unwind_plain_address(word);
    const struct module *m = modules_find(ms, address);
    return m ? address + m->moved : word;
}

static uint64_t move_back(const struct modules *ms, uint64_t word)
{
    if (word - (uintptr_t)ms->place >= ms->place_size)
        return word;
    for (size_t i = 0; i < ms->list.n; i++)
        if (word - ms->list.v[i].moved - ms->list.v[i].start < ms->list.v[i].end - ms->list.v[i].start)
            return word - ms->list.v[i].moved;
    return word;
}

int modules_unwind(struct modules *ms, const struct stack_copy *stack, uintptr_t *pcs, int max, unsigned *flags)
{
    uint8_t *here = ms->place + PAGE_SIZE;
    uint64_t moved = (uintptr_t)here + stack->start % PAGE_SIZE - stack->start;
    size_t size = stack->size < STACK_COPY_MAX - PAGE_SIZE ? stack->size : STACK_COPY_MAX - PAGE_SIZE;
    uintptr_t *words = (uintptr_t *)(uintptr_t)(stack->start + moved);
    struct unwind_request q = {.regs = stack->regs,
                               .stack_lo = (uintptr_t)words,
                               .stack_hi = (uintptr_t)words + size,
                               .max = (uint16_t)max,
                               .options = UNWIND_NO_MEMO};
    struct unwind_stack out;
    if (stack->regs.r[UNWIND_SP] - stack->start >= size) { /* lib/unwind would look for it in our memory */
        pcs[0] = stack->regs.r[UNWIND_PC] + stack->regs.exact;
        *flags = UNWIND_STOPPED;
        return 1;
    }
    memcpy(words, stack->bytes, size);
    for (size_t i = 0; i < size / sizeof *words; i++)
        words[i] = (uintptr_t)move(ms, stack, moved, words[i]);
    for (int i = 0; i < UNWIND_NREGS; i++)
        q.regs.r[i] = (uintptr_t)move(ms, stack, moved, q.regs.r[i]);
    int n = unwind_capture(ms->cache, ms->unwind, &q, pcs, &out);
    for (int i = 0; i < n; i++)
        pcs[i] = (uintptr_t)move_back(ms, pcs[i]);
    *flags = out.flags;
    return n;
}
