/*
 * What code is mapped where: for the unwinder, as a snapshot that is swapped in as a whole, and for `thrace finish`, as
 * META_MODULE records. Refreshed at each generation, before and after dlclose, and at the end; so a module that came and
 * went is known if anything of it could be on a stack. (A process with threads but without helper does it less often.)
 */
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/meta.h"
#include "preload/session.h"
#include "preload/tracer.h"

enum { SNAPSHOT_MODULES = 1024, RECORD_MAX = SPOOL_PATH_MAX + 256 };

static struct lock refresh_lock;
static unsigned long long last_adds, last_subs;
static uint64_t snapshots;
static uint32_t recorded_none; /* of what has been published, since the recording began */

struct build_id {
    const uint8_t *bytes;
    size_t len;
};

static struct build_id find_build_id(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type != PT_NOTE)
            continue;
        const uint8_t *p = (const uint8_t *)(info->dlpi_addr + ph->p_vaddr), *end = p + ph->p_memsz;
        while ((size_t)(end - p) >= sizeof(ElfW(Nhdr))) {
            const ElfW(Nhdr) *n = (const ElfW(Nhdr) *)p;
            size_t name = (n->n_namesz + 3u) & ~3u, desc = (n->n_descsz + 3u) & ~3u;
            if ((size_t)(end - p) - sizeof *n < name + desc)
                break;
            if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && !memcmp(n + 1, "GNU", 4))
                return (struct build_id){(const uint8_t *)(n + 1) + name, n->n_descsz};
            p += sizeof *n + name + desc;
        }
    }
    return (struct build_id){NULL, 0};
}

static void text_bounds(const struct dl_phdr_info *info, uintptr_t *start, uintptr_t *end)
{
    *start = UINTPTR_MAX;
    *end = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type != PT_LOAD)
            continue;
        uintptr_t lo = info->dlpi_addr + ph->p_vaddr, hi = lo + ph->p_memsz;
        *start = lo < *start ? lo : *start;
        *end = hi > *end ? hi : *end;
    }
}

static const char *module_path(const struct dl_phdr_info *info)
{
    return info->dlpi_name && *info->dlpi_name ? info->dlpi_name : session_exe();
}

static void record(const struct dl_phdr_info *info)
{
    uint8_t buf[RECORD_MAX];
    struct meta_record r;
    uintptr_t start, end;
    struct build_id id = find_build_id(info);
    const char *path = module_path(info);
    text_bounds(info, &start, &end);
    if (start >= end)
        return;
    meta_begin(&r, buf, sizeof buf, META_MODULE);
    meta_int(&r, start);
    meta_int(&r, end);
    meta_int(&r, info->dlpi_addr);
    meta_text(&r, path, strlen(path));
    meta_text(&r, id.bytes, id.len);
    if (!r.overflow)
        service_record(buf, (size_t)(r.p - buf));
}

struct visit {
    struct unwind_modules *modules; /* to be filled in, or NULL */
    bool count;                     /* do nothing but that */
    unsigned long long adds, subs;
};

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct visit *v = arg;
    v->adds = info->dlpi_adds;
    v->subs = info->dlpi_subs;
    if (v->count)
        return 1;
    if (v->modules)
        unwind_modules_add(v->modules, info);
    record(info);
    return 0;
}

/* Snapshots are never freed: a capture may be reading any of them. Of each only the pages that are used exist. */
static struct unwind_modules *new_snapshot(void)
{
    long p = sys_mmap(unwind_modules_size(SNAPSHOT_MODULES), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return sys_failed(p) ? NULL : unwind_modules_init((void *)p, SNAPSHOT_MODULES, ++snapshots);
}

void modules_refresh(void)
{
    struct visit v = {.count = true};
    if (!lock_try(&refresh_lock))
        return;
    dl_iterate_phdr(visit, &v);
    bool changed = v.adds != last_adds || v.subs != last_subs;
    if (changed)
        v.modules = new_snapshot();
    if (changed ? v.modules != NULL : __atomic_exchange_n(&recorded_none, 0, __ATOMIC_RELAXED)) {
        v.count = false;
        dl_iterate_phdr(visit, &v);
    }
    if (v.modules) {
        last_adds = v.adds;
        last_subs = v.subs;
        __atomic_store_n(&tracer.modules, v.modules, __ATOMIC_RELEASE);
    }
    lock_drop(&refresh_lock);
}

void modules_restart(void) { __atomic_store_n(&recorded_none, 1, __ATOMIC_RELAXED); }
