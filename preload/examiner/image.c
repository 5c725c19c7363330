#include "preload/examiner/image.h"

#include <string.h>
#include <sys/mman.h>

#include "lib/rawsys.h"

static bool overlaps(const struct image *im, const struct segment *s)
{
    for (unsigned i = 0; i < im->n; i++)
        if (s->from < im->segment[i].to && im->segment[i].from < s->to)
            return true;
    return false;
}

bool image_open(struct image *im, const struct dl_phdr_info *info, const char **why)
{
    *im = (struct image){0};
    *why = "its module is not laid out as linkers do it";
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type != PT_LOAD || !ph->p_filesz)
            continue;
        struct segment s = {info->dlpi_addr + ph->p_vaddr, info->dlpi_addr + ph->p_vaddr + ph->p_filesz,
                            ph->p_flags & PF_X};
        if (im->n == IMAGE_SEGMENTS || s.from >= s.to || overlaps(im, &s) || !(ph->p_flags & PF_R))
            return false;
        if (s.code && ph->p_flags & PF_W)
            return false;
        im->segment[im->n++] = s;
    }
    long p = sys_mmap(unwind_modules_size(IMAGE_SEGMENTS), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *why = "there is no memory to examine its module";
    if (sys_failed(p))
        return false;
    im->modules = unwind_modules_init((void *)p, IMAGE_SEGMENTS, 1);
    unwind_modules_add(im->modules, info);
    *why = NULL;
    return true;
}

void image_close(struct image *im)
{
    if (im->modules)
        sys_munmap(im->modules, unwind_modules_size(IMAGE_SEGMENTS));
}

const struct segment *image_segment(const struct image *im, uintptr_t at, size_t n)
{
    for (unsigned i = 0; i < im->n; i++)
        if (at >= im->segment[i].from && at < im->segment[i].to && im->segment[i].to - at >= n)
            return &im->segment[i];
    return NULL;
}

/* Of its description nobody has said that it is right. */
static bool is_sound(const struct image *im, const struct cfi_fde *fde)
{
    return fde->start < fde->end && image_segment(im, fde->start, fde->end - fde->start) &&
           image_is_code(im, fde->start);
}

bool image_function(const struct image *im, uintptr_t pc, struct cfi_fde *fde)
{
    const struct unwind_module *m = unwind_modules_find(im->modules, pc);
    return m && cfi_find(m, pc, fde) && is_sound(im, fde);
}

void image_functions(const struct image *im, void (*visit)(const struct cfi_fde *, void *), void *arg)
{
    const struct unwind_module *m = im->modules->n ? &im->modules->m[0] : NULL; /* all have the same table */
    for (size_t i = 0; m && m->hdr && i < m->fdes; i++) {
        int32_t at;
        struct cfi_fde fde;
        memcpy(&at, m->table + 8 * i + 4, sizeof at);
        if (at >= m->cfi - m->hdr && at < m->cfi_end - m->hdr && cfi_parse(m, m->hdr + at, &fde) && is_sound(im, &fde))
            visit(&fde, arg);
    }
}
