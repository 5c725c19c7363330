/*
 * What code is mapped where: for the unwinder, as a snapshot that is swapped in as a whole, and for `thrace finish`, as
 * META_MODULE records. Refreshed at each generation, before and after dlclose, and at the end; so a module that came
 * and went is known if anything of it could be on a stack. (A process with threads but without helper does it less
 * often.)
 */
#include "preload/modules.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/meta.h"
#include "lib/unwind/unwind.h"
#include "preload/recorder.h"
#include "preload/service.h"
#include "preload/snapshots.h"
#include "preload/upcalls.h"

enum { RECORD_MAX = SPOOL_PATH_MAX + 256 };

struct module_map module_map;

static struct lock refresh_lock;
static unsigned long long last_adds, last_subs;

struct module_note module_note(const struct dl_phdr_info *info, uint32_t type, const char *of)
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
            if (n->n_type == type && n->n_namesz == 4 && !memcmp(n + 1, of, 4))
                return (struct module_note){(const uint8_t *)(n + 1) + name, n->n_descsz};
            p += sizeof *n + name + desc;
        }
    }
    return (struct module_note){NULL, 0};
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

static int find_span(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct module_span *wanted = arg, found;
    (void)size;
    text_bounds(info, &found.from, &found.to);
    if (wanted->from < found.from || wanted->from >= found.to)
        return 0;
    *wanted = found;
    return 1;
}

bool module_span_of(uintptr_t pc, struct module_span *span)
{
    *span = (struct module_span){pc, pc};
    return dl_iterate_phdr(find_span, span);
}

static const char *executable = "";

void modules_init(const char *exe) { executable = exe; }

static const char *module_path(const struct dl_phdr_info *info)
{
    return info->dlpi_name && *info->dlpi_name ? info->dlpi_name : executable;
}

/*
 * The records of the snapshot, for sessions that begin later; a child of fork may not ask the loader, whose lock
 * another thread of its parent may have held.
 */
enum { KEPT_MAX = 256 << 10 };
static struct {
    uint8_t *p; /* each: its length in two bytes, and the record */
    size_t used;
} kept;

static bool can_keep(void)
{
    if (!kept.p) {
        long p = sys_mmap(KEPT_MAX, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        kept.p = sys_failed(p) ? NULL : (uint8_t *)p;
    }
    return kept.p;
}

static void keep(const uint8_t *record, size_t len)
{
    if (kept.used + 2 + len > KEPT_MAX)
        return;
    kept.p[kept.used] = (uint8_t)len;
    kept.p[kept.used + 1] = (uint8_t)(len >> 8);
    memcpy(kept.p + kept.used + 2, record, len);
    kept.used += 2 + len;
}

static void record_kept(void)
{
    for (size_t at = 0, len; at < kept.used; at += 2 + len) {
        len = kept.p[at] | (size_t)kept.p[at + 1] << 8;
        service_record(kept.p + at + 2, len);
    }
}

static void record(const struct dl_phdr_info *info, uint64_t time)
{
    uint8_t buf[RECORD_MAX];
    struct meta_record r;
    uintptr_t start, end;
    struct module_note id = module_note(info, NT_GNU_BUILD_ID, "GNU");
    const char *path = module_path(info);
    text_bounds(info, &start, &end);
    if (start >= end)
        return;
    meta_begin(&r, buf, sizeof buf, META_MODULE);
    meta_int(&r, time);
    meta_int(&r, start);
    meta_int(&r, end);
    meta_int(&r, info->dlpi_addr);
    meta_text(&r, path, strlen(path));
    meta_text(&r, id.bytes, id.len);
    if (r.overflow)
        return;
    keep(buf, (size_t)(r.p - buf));
    service_record(buf, (size_t)(r.p - buf));
}

struct visit {
    struct unwind_modules *modules;
    uint64_t time;
    unsigned long long adds, subs;
};

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct visit *v = arg;
    v->adds = info->dlpi_adds;
    v->subs = info->dlpi_subs;
    if (!v->modules)
        return 1;
    unwind_modules_add(v->modules, info);
    record(info, v->time);
    return 0;
}

/* --- looking ------------------------------------------------------------------------------------------------------ */

void modules_refresh(void)
{
    struct visit v = {0};
    if (!lock_try(&refresh_lock))
        return;
    dl_iterate_phdr(visit, &v); /* asks for the count only */
    bool changed = !modules_now() || v.adds != last_adds || v.subs != last_subs; /* musl begins with 0 */
    if (changed && can_keep() && (v.modules = snapshot_new())) {
        kept.used = 0;
        v.time = now();
        dl_iterate_phdr(visit, &v);
        last_adds = v.adds;
        last_subs = v.subs;
        snapshot_publish(v.modules, &module_map.snapshot);
    }
    lock_drop(&refresh_lock);
}

int modules_missing(void)
{
    if (modules_now())
        return 0;
    return __atomic_load_n(&refresh_lock.word, __ATOMIC_RELAXED) ? -EBUSY : -ENOMEM;
}

uint64_t modules_changes(void) { return snapshots_made(); }

enum { LOOK_AGAIN_NS = 100000000 };
static uint64_t next_look_ns; /* on CLOCK_MONOTONIC */
static uint32_t wanted;

void modules_may_be_new(void)
{
    uint64_t t = clock_mono_ns(), next = __atomic_load_n(&next_look_ns, __ATOMIC_RELAXED);
    if (t < next || !__atomic_compare_exchange_n(&next_look_ns, &next, t + LOOK_AGAIN_NS, false, __ATOMIC_RELAXED,
                                                 __ATOMIC_RELAXED))
        return;
    __atomic_store_n(&wanted, 1, __ATOMIC_RELEASE);
    if (!upcalls.wake_helper())
        request_maintenance();
}

bool modules_wanted(void) { return __atomic_exchange_n(&wanted, 0, __ATOMIC_ACQUIRE); }

void modules_restart(void)
{
    lock_take(&refresh_lock);
    record_kept();
    lock_drop(&refresh_lock);
}

void modules_forget_lock(void)
{
    refresh_lock.word = 0;
    snapshots_forget();
}
