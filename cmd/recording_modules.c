/* What was mapped: where the symbolizer finds the code of each address. */
#include "config.h"

#include "cmd/recording.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/symbolize/symbolize.h"

static bool same_module(const struct rec_module *a, const struct rec_module *b)
{
    return a->start == b->start && a->end == b->end && a->bias == b->bias && !strcmp(a->path, b->path) &&
           a->build_id_len == b->build_id_len && !memcmp(a->build_id, b->build_id, a->build_id_len);
}

static bool is_vdso(const struct rec_module *m)
{
    return !strncmp(m->path, "linux-vdso", 10) || !strcmp(m->path, "[vdso]");
}

/* The kernel that recorded is mostly the one that we run on; its build-id tells. */
static void take_own_vdso(struct symbolize_module *m)
{
    const Elf64_Ehdr *eh = (const Elf64_Ehdr *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
    m->kind = SYMBOLIZE_IMAGE;
    m->image = eh;
    m->image_len = eh ? eh->e_shoff + (size_t)eh->e_shnum * eh->e_shentsize : 0;
}

static int add_module(const struct recording *r, const struct rec_module *m)
{
    const struct symbolize_range range = {m->start, m->end, 0};
    struct symbolize_module module = {.kind = SYMBOLIZE_FILE,
                                      .path = m->path,
                                      .build_id = m->build_id,
                                      .build_id_len = m->build_id_len,
                                      .bias = m->bias,
                                      .ranges = &range,
                                      .nranges = 1};
    if (is_vdso(m))
        take_own_vdso(&module);
    return symbolize_add_module(r->symbolizer, &module);
}

/*
 * Code that is in no module may be a JIT compiler's, which tells in a file what it made. Anybody can make a file of that
 * name in /tmp, so it must be the user's own.
 */
static bool add_perf_map(const struct recording *r)
{
    char path[64];
    struct stat st;
    snprintf(path, sizeof path, "/tmp/perf-%u.map", r->pid);
    if (lstat(path, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || access(path, R_OK))
        return true;
    const struct symbolize_range everywhere = {1, UINT64_MAX, 0};
    return symbolize_add_module(r->symbolizer, &(struct symbolize_module){.kind = SYMBOLIZE_PERF_MAP,
                                                                         .path = path,
                                                                         .ranges = &everywhere,
                                                                         .nranges = 1}) >= 0;
}

bool recording_add_modules(struct recording *r)
{
    /* Of several modules at an address the one that was added last counts. */
    if (!add_perf_map(r))
        return false;
    for (size_t i = 0; i < r->nmodules; i++) {
        struct rec_module *m = &r->modules[i];
        m->symbol_module = -1;
        for (size_t j = 0; j < i && m->symbol_module < 0; j++)
            if (same_module(m, &r->modules[j]))
                m->symbol_module = r->modules[j].symbol_module;
        if (m->symbol_module < 0 && (m->symbol_module = add_module(r, m)) < 0)
            return false;
    }
    return true;
}

/*
 * Of a library without debug info one sees the functions, which is all that one wants of most. The program itself is
 * another matter.
 */
bool recording_worth_telling(const struct recording *r, const struct symbolize_message *said)
{
    const struct rec_module *m = NULL;
    for (size_t i = 0; i < r->nmodules && !m; i++)
        if (r->modules[i].symbol_module == said->module)
            m = &r->modules[i];
    if (!m || is_vdso(m) || m->ours)
        return false;
    return said->advice != SYMBOLIZE_NO_DEBUG_INFO || !strcmp(m->path, r->exe);
}
