#include "preload/probes/patch.h"

#if defined(__x86_64__)

#include <string.h>
#include <sys/mman.h>

#include "lib/options/probes.h"
#include "preload/recorder.h"
#include "preload/text_file.h"
#include "preload/valgrind.h"

enum { PAGE = 4096 };

/* What is to be done at the end: the patches of the module that is under way. */
static struct pending {
    struct site site;
    const uint8_t *trampoline;
    uintptr_t semaphore;
} *pending;

static void *allocate(size_t size)
{
    long p = sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return sys_failed(p) ? NULL : (void *)p;
}

/* --- the process -------------------------------------------------------------------------------------------------- */

static bool is_single(void)
{
    char status[4096];
    text_file_read("/proc/self/status", status, sizeof status);
    return strstr(status, "\nThreads:\t1\n");
}

const char *patches_obstacle(void)
{
    if (is_under_valgrind())
        return "valgrind executes the program's code in its own way";
    if (!is_single())
        return "another library has made a thread already, which might be where code is changed";
    if (!probe_entry_begin())
        return "the processor, or the system, has no XSAVE";
    pending = pending ? pending : allocate(PATCHES_MAX * sizeof *pending);
    return pending ? NULL : "memory ran out";
}

/* --- a module ----------------------------------------------------------------------------------------------------- */

const char *patches_begin(struct patches *p, const struct dl_phdr_info *module, unsigned n)
{
    *p = (struct patches){.module = module};
    n = n < PATCHES_MAX ? n : PATCHES_MAX;
    p->probe = allocate(n * sizeof *p->probe);
    return p->probe ? trampolines_begin(&p->trampolines, module, n) : "memory ran out";
}

/*
 * A counter of two bytes that the program can write to: it guards the probe while it is 0. The loader write-protects
 * the whole pages of PT_GNU_RELRO.
 */
static bool is_writable(const struct dl_phdr_info *module, uintptr_t at)
{
    const uintptr_t page = ~(uintptr_t)(PAGE - 1);
    bool writable = false;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *ph = &module->dlpi_phdr[i];
        uintptr_t from = module->dlpi_addr + ph->p_vaddr, to = from + ph->p_memsz;
        if (ph->p_type == PT_LOAD && at >= from && at < to && to - at >= sizeof(uint16_t))
            writable = ph->p_flags & PF_W;
        if (ph->p_type == PT_GNU_RELRO && at + sizeof(uint16_t) > (from & page) && at < (to & page))
            return false;
    }
    return writable;
}

struct module_symbols {
    struct operand_symbols symbols;
    const struct notes_file *file;
    const struct dl_phdr_info *module;
};

static uintptr_t find_symbol(const struct operand_symbols *symbols, const char *name, size_t len)
{
    const struct module_symbols *s = (const struct module_symbols *)(const void *)symbols;
    return len ? notes_symbol(s->file, s->module, name, len) : 0;
}

const char *patches_add(struct patches *p, const struct patch *patch, bool *unread)
{
    *unread = false;
    if (p->n == PATCHES_MAX)
        return "there are too many";
    if (patch->note->semaphore && !is_writable(p->module, patch->note->semaphore))
        return "nobody may write to what guards it";
    struct probe *probe = &p->probe[p->n];
    *probe = (struct probe){.behind = patch->site->pc + 1, .nacts = (uint16_t)patch->nacts, .act = patch->act};
    for (unsigned i = 0; i < patch->nacts; i++)
        probe->tracks |= patch->act[i].action == PROBE_REGION_BEGIN || patch->act[i].action == PROBE_REGION_NEXT ||
                         patch->act[i].action == PROBE_REGION_END;
    const struct module_symbols symbols = {{find_symbol}, patch->file, p->module};
    probe->noperands = operands_read(patch->note->arguments, &symbols.symbols, probe->operand);
    for (unsigned i = 0; i < probe->noperands; i++)
        *unread |= probe->operand[i].kind == OPERAND_UNKNOWN;
    const uint8_t *trampoline = trampoline_write(&p->trampolines, patch->site, probe);
    if (!trampoline)
        return "there is no memory near what it belongs to";
    pending[p->n++] = (struct pending){*patch->site, trampoline, patch->note->semaphore};
    return NULL;
}

static const char *enter_all(const struct patches *p)
{
    for (unsigned i = 0; i < p->n; i++) {
        if (!trampoline_enter(&pending[i].site, pending[i].trampoline))
            return "the system does not let its code be replaced";
        if (pending[i].semaphore)
            ++*(uint16_t *)pending[i].semaphore;
    }
    return NULL;
}

const char *patches_end(struct patches *p)
{
    const char *why = trampolines_end(&p->trampolines);
    return why ? why : enter_all(p);
}

#endif
