/* What was mapped: where the symbolizer finds the code of each address. */
#include "config.h"

#include "cmd/recording.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
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

/* A program that loads and unloads in a loop has few modules, and many records of them. */
static bool number_modules(struct recording *r)
{
    size_t n = 0;
    uint32_t *distinct = malloc((r->nmodules + 1) * sizeof *distinct);
    for (size_t i = 0; i < r->nmodules && distinct; i++) {
        struct rec_module *m = &r->modules[i];
        m->symbol_module = -1;
        for (size_t j = n; j-- > 0 && m->symbol_module < 0;)
            if (same_module(m, &r->modules[distinct[j]]))
                m->symbol_module = r->modules[distinct[j]].symbol_module;
        if (m->symbol_module >= 0)
            continue;
        if ((m->symbol_module = add_module(r, m)) < 0) {
            free(distinct);
            return false;
        }
        distinct[n++] = (uint32_t)i;
    }
    bool ok = distinct;
    free(distinct);
    return ok;
}

static int by_start(const void *a, const void *b, void *recording)
{
    const struct rec_module *x = &((struct recording *)recording)->modules[*(const uint32_t *)a];
    const struct rec_module *y = &((struct recording *)recording)->modules[*(const uint32_t *)b];
    return x->start != y->start ? (x->start < y->start ? -1 : 1) : x < y ? -1 : x > y;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static bool place_modules(struct recording *r)
{
    r->placed = malloc((r->nmodules + 1) * sizeof *r->placed);
    r->places = malloc((r->nmodules + 1) * sizeof *r->places);
    if (!r->placed || !r->places)
        return false;
    for (size_t i = 0; i < r->nmodules; i++)
        r->placed[i] = (uint32_t)i;
    qsort_r(r->placed, r->nmodules, sizeof *r->placed, by_start, r);
    for (size_t i = 0; i < r->nmodules; i++) {
        const struct rec_module *m = &r->modules[r->placed[i]];
        struct rec_place *p = r->nplaces ? &r->places[r->nplaces - 1] : NULL;
        if (!p || m->start >= p->end) {
            p = &r->places[r->nplaces++];
            *p = (struct rec_place){m->start, m->end, i, 0};
        }
        p->end = m->end > p->end ? m->end : p->end;
        p->n++;
    }
    for (size_t i = 0; i < r->nplaces; i++)
        qsort(r->placed + r->places[i].first, r->places[i].n, sizeof *r->placed, by_number);
    return true;
}

static int by_place(const void *key, const void *place)
{
    uint64_t address = *(const uint64_t *)key;
    const struct rec_place *p = place;
    return address < p->start ? -1 : address >= p->end;
}

const struct rec_module *recording_module_of(const struct recording *r, uint64_t pc, uint64_t generation)
{
    uint64_t address = pc - 1;
    const struct rec_place *p = bsearch(&address, r->places, r->nplaces, sizeof *p, by_place);
    if (!p)
        return NULL;
    const uint32_t *v = r->placed + p->first;
    size_t low = 0, high = p->n; /* those before low had been recorded then */
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (r->modules[v[mid]].generation <= generation)
            low = mid + 1;
        else
            high = mid;
    }
    for (size_t i = low; i-- > 0;)
        if (address - r->modules[v[i]].start < r->modules[v[i]].end - r->modules[v[i]].start)
            return &r->modules[v[i]];
    for (size_t i = low; i < p->n; i++)
        if (address - r->modules[v[i]].start < r->modules[v[i]].end - r->modules[v[i]].start)
            return &r->modules[v[i]];
    return NULL;
}

bool recording_add_modules(struct recording *r)
{
    /* Of several modules at an address the one that was added last counts. */
    return add_perf_map(r) && number_modules(r) && place_modules(r);
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
