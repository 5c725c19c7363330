#include "preload/go.h"

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/modules.h"

/* The linker of Go leaves its build ID in a note of this kind. */
static bool has_go_note(const struct dl_phdr_info *info)
{
    enum { GO_BUILD_ID = 4 };
    return module_note(info, GO_BUILD_ID, "Go\0").bytes;
}

static bool needs_libraries(const struct dl_phdr_info *info)
{
    for (int i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_DYNAMIC)
            continue;
        const ElfW(Dyn) *d = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
        for (; d->d_tag != DT_NULL; d++)
            if (d->d_tag == DT_NEEDED)
                return true;
    }
    return false;
}

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
    enum go_code *found = arg;
    (void)size;
    if (has_go_note(info))
        *found = needs_libraries(info) ? CGO : GO_WITHOUT_LIBC;
    return *found != NO_GO;
}

static bool seen;

bool go_was_seen(void) { return __atomic_load_n(&seen, __ATOMIC_RELAXED); }

enum go_code go_at_start(void)
{
    enum go_code found = NO_GO;
    dl_iterate_phdr(look, &found);
    seen = found != NO_GO;
    return found;
}

struct wanted {
    uintptr_t address;
    bool is_go;
};

static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct wanted *w = arg;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
        if (ph->p_type == PT_LOAD && w->address - (info->dlpi_addr + ph->p_vaddr) < ph->p_memsz) {
            w->is_go = has_go_note(info);
            return 1;
        }
    }
    return 0;
}

bool go_comes_from(const void *caller)
{
    static uintptr_t last;
    struct wanted w = {(uintptr_t)caller, false};
    if (go_was_seen() || __atomic_exchange_n(&last, w.address, __ATOMIC_RELAXED) == w.address)
        return false;
    dl_iterate_phdr(look_at, &w);
    return w.is_go && !__atomic_exchange_n(&seen, true, __ATOMIC_RELAXED);
}
