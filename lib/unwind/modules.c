/* The snapshot of mapped modules. */
#include "config.h"

#include "lib/unwind/unwind.h"

#include <sys/auxv.h>

#include "lib/unwind/reader.h"

struct unwind_modules *unwind_modules_init(void *mem, size_t cap, uint64_t generation)
{
    struct unwind_modules *mods = mem;
    memset(mods, 0, sizeof *mods);
    mods->generation = generation;
    mods->cap = cap;
    return mods;
}

/* The segment of an object that holds the address, when it can be read and, as CFI always is, not written. */
static const ElfW(Phdr) *segment_of(const struct dl_phdr_info *info, uintptr_t vaddr)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type == PT_LOAD && (ph->p_flags & (PF_R | PF_W)) == PF_R && vaddr >= ph->p_vaddr &&
            vaddr - ph->p_vaddr < ph->p_filesz)
            return ph;
    }
    return NULL;
}

/*
 * Notes where the CFI is. Only the table that every linker writes (sorted pairs of int32 relative to the header) is
 * used: a search through .eh_frame itself takes milliseconds.
 */
static void find_cfi(struct unwind_module *m, const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type != PT_GNU_EH_FRAME)
            continue;
        const ElfW(Phdr) *seg = segment_of(info, ph->p_vaddr);
        if (!seg)
            return;
        m->cfi = (const uint8_t *)(info->dlpi_addr + seg->p_vaddr);
        m->cfi_end = m->cfi + seg->p_filesz;
        struct cfi_reader r = {(const uint8_t *)(info->dlpi_addr + ph->p_vaddr), m->cfi_end, false};
        const uint8_t *hdr = r.p;
        uint8_t version = (uint8_t)cfi_read_fixed(&r, 1);
        uint8_t frame_enc = (uint8_t)cfi_read_fixed(&r, 1);
        uint8_t count_enc = (uint8_t)cfi_read_fixed(&r, 1);
        uint8_t table_enc = (uint8_t)cfi_read_fixed(&r, 1);
        if (version != 1 || count_enc == POINTER_OMITTED || table_enc != POINTER_SDATA4_DATAREL)
            return;
        if (frame_enc != POINTER_OMITTED)
            cfi_read_pointer(&r, frame_enc, (uintptr_t)hdr);
        uint64_t fdes = cfi_read_pointer(&r, count_enc, (uintptr_t)hdr);
        if (r.bad || fdes > cfi_left(&r) / 8)
            return;
        m->hdr = hdr;
        m->table = r.p;
        m->fdes = fdes;
        return;
    }
}

/* The kernel's module says nothing of it on aarch64, so that all unwinders know it by its instructions. */
static uintptr_t find_signal_return(const struct unwind_module *m, const struct dl_phdr_info *info)
{
#if defined(__aarch64__)
    static const uint32_t code[] = {0xd2801168 /* mov x8, #SYS_rt_sigreturn */, 0xd4000001 /* svc #0 */};
    if (info->dlpi_addr && info->dlpi_addr == getauxval(AT_SYSINFO_EHDR))
        for (uintptr_t p = m->start; p + sizeof code <= m->end; p += sizeof code[0])
            if (!memcmp((const void *)p, code, sizeof code))
                return p;
#endif
    (void)m, (void)info;
    return 0;
}

static void insert(struct unwind_modules *mods, const struct unwind_module *m)
{
    if (mods->n == mods->cap) {
        mods->dropped++;
        return;
    }
    size_t at = mods->n++;
    for (; at > 0 && mods->m[at - 1].start > m->start; at--)
        mods->m[at] = mods->m[at - 1];
    mods->m[at] = *m;
}

void unwind_modules_add(struct unwind_modules *mods, const struct dl_phdr_info *info)
{
    struct unwind_module m = {.bias = info->dlpi_addr};
    find_cfi(&m, info);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type != PT_LOAD || !(ph->p_flags & PF_X))
            continue;
        m.start = info->dlpi_addr + ph->p_vaddr;
        m.end = m.start + ph->p_memsz;
        m.signal_return = find_signal_return(&m, info);
        if (m.start < m.end)
            insert(mods, &m);
    }
}

const struct unwind_module *unwind_modules_find(const struct unwind_modules *mods, uintptr_t pc)
{
    size_t lo = 0, hi = mods->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (mods->m[mid].start <= pc)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo > 0 && pc < mods->m[lo - 1].end ? &mods->m[lo - 1] : NULL;
}
