/* What was mapped: where the symbolizer finds the code of each address. */
#include "config.h"

#include "cmd/finish/recording.h"

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
 * Code that is in no module may be a JIT compiler's, which tells in a file what it made. Anybody can make a file of
 * that name in /tmp, so it must be the user's own.
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

/* --- mappings ----------------------------------------------------------------------------------------------------- */

static uint64_t hash(const struct rec_module *m)
{
    return (m->start * UINT64_C(0x9e3779b97f4a7c15)) ^ (m->end * UINT64_C(0xc2b2ae3d27d4eb4f)) ^ m->bias;
}

/* Numbers the distinct modules, in the order of their first records. A program may load the same one all the time. */
static size_t find_mappings(struct recording *r, size_t *table, size_t size)
{
    size_t n = 0;
    memset(table, 0, size * sizeof *table);
    for (size_t i = 0; i < r->nmodules; i++) {
        struct rec_module *m = &r->modules[i];
        size_t at = (hash(m) >> 20) & (size - 1);
        while (table[at] && !same_module(m, &r->modules[table[at] - 1]))
            at = (at + 1) & (size - 1);
        if (!table[at]) {
            table[at] = i + 1;
            m->mapping = n++;
        } else {
            m->mapping = r->modules[table[at] - 1].mapping;
        }
    }
    return n;
}

static int by_start(const void *a, const void *b)
{
    const struct rec_mapping *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static void fill_mappings(struct recording *r)
{
    size_t at = 0;
    for (size_t i = 0; i < r->nmodules; i++)
        r->mappings[r->modules[i].mapping].n++;
    for (size_t i = 0; i < r->nmappings; i++) {
        r->mappings[i].first = at;
        at += r->mappings[i].n;
        r->mappings[i].n = 0;
    }
    for (size_t i = 0; i < r->nmodules; i++) {
        const struct rec_module *m = &r->modules[i];
        struct rec_mapping *mapping = &r->mappings[m->mapping];
        mapping->start = m->start;
        mapping->end = m->end;
        r->records[mapping->first + mapping->n++] = i;
        if (m->end - m->start > r->longest_mapping)
            r->longest_mapping = m->end - m->start;
    }
}

static bool make_mappings(struct recording *r)
{
    size_t size = 64;
    while (size < 2 * r->nmodules)
        size *= 2;
    size_t *table = malloc(size * sizeof *table);
    if (!table)
        return false;
    r->nmappings = find_mappings(r, table, size);
    free(table);
    r->mappings = calloc(r->nmappings + 1, sizeof *r->mappings);
    r->records = calloc(r->nmodules + 1, sizeof *r->records);
    if (!r->mappings || !r->records)
        return false;
    fill_mappings(r);
    return true;
}

static void sort_mappings(struct recording *r)
{
    qsort(r->mappings, r->nmappings, sizeof *r->mappings, by_start);
    for (size_t i = 0; i < r->nmappings; i++)
        for (size_t k = 0; k < r->mappings[i].n; k++)
            r->modules[r->records[r->mappings[i].first + k]].mapping = i;
}

/* Mappings that share addresses get different numbers. */
static void number_overlays(struct recording *r)
{
    for (size_t i = 0; i < r->nmappings; i++) {
        struct rec_mapping *m = &r->mappings[i];
        for (size_t k = i; k-- && i - k <= OVERLAYS && m->start - r->mappings[k].start < r->longest_mapping;)
            if (r->mappings[k].end > m->start && r->mappings[k].overlay + 1 > m->overlay)
                m->overlay = r->mappings[k].overlay + 1;
        m->overlay %= OVERLAYS;
    }
}

bool recording_add_modules(struct recording *r)
{
    if (!add_perf_map(r) || !make_mappings(r))
        return false;
    /* Of several modules at an address the one that was added last counts. */
    for (size_t i = 0; i < r->nmappings; i++) {
        struct rec_mapping *mapping = &r->mappings[i];
        mapping->symbol_module = add_module(r, &r->modules[r->records[mapping->first]]);
        if (mapping->symbol_module < 0)
            return false;
    }
    sort_mappings(r);
    number_overlays(r);
    return true;
}

/* The mapping's record that holds in the generation; *after: there is only a later one. */
static size_t record_of(const struct recording *r, const struct rec_mapping *mapping, uint64_t generation, bool *after)
{
    const size_t *records = r->records + mapping->first;
    size_t lo = 0, hi = mapping->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (r->modules[records[mid]].generation <= generation)
            lo = mid + 1;
        else
            hi = mid;
    }
    *after = !lo;
    return records[lo ? lo - 1 : 0];
}

/* The mapping's record of that time, or NULL. */
static const struct rec_module *record_at(const struct recording *r, const struct rec_mapping *mapping, uint64_t time)
{
    const size_t *records = r->records + mapping->first;
    size_t lo = 0, hi = mapping->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (r->modules[records[mid]].time < time)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < mapping->n && r->modules[records[lo]].time == time ? &r->modules[records[lo]] : NULL;
}

/* What was mapped both before and after an epoch, or came in it, or went: dlclose is seen at once, dlopen later. */
static const struct rec_module *module_in_epoch(const struct recording *r, size_t end, uint64_t address, size_t epoch)
{
    const struct rec_module *coming = NULL;
    size_t past = epoch - 1;
    while (end-- && address - r->mappings[end].start < r->longest_mapping) {
        const struct rec_mapping *mapping = &r->mappings[end];
        const struct rec_module *m =
            past && address < mapping->end ? record_at(r, mapping, r->refreshes[past - 1]) : NULL;
        if (m)
            return m;
        if (address < mapping->end && past < r->nrefreshes && (m = record_at(r, mapping, r->refreshes[past])))
            coming = m;
    }
    return coming;
}

const struct rec_module *recording_module_of(const struct recording *r, uint64_t pc, uint64_t generation, size_t epoch)
{
    size_t lo = 0, hi = r->nmappings, found = 0;
    uint64_t address = pc - 1;
    bool any = false, found_after = true;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (r->mappings[mid].start <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    const struct rec_module *then = epoch ? module_in_epoch(r, lo, address, epoch) : NULL;
    if (then)
        return then;
    while (lo-- && address - r->mappings[lo].start < r->longest_mapping) {
        bool after;
        if (address >= r->mappings[lo].end)
            continue;
        size_t record = record_of(r, &r->mappings[lo], generation, &after);
        if (!any || (found_after && !after) || (after == found_after && (after ? record < found : record > found))) {
            found = record;
            found_after = after;
        }
        any = true;
    }
    return any ? &r->modules[found] : NULL;
}

/*
 * Of a library without debug info one sees the functions, which is all that one wants of most. The program itself is
 * another matter.
 */
bool recording_worth_telling(const struct recording *r, const struct symbolize_message *said)
{
    const struct rec_module *m = NULL;
    for (size_t i = 0; i < r->nmodules && !m; i++)
        if (r->mappings[r->modules[i].mapping].symbol_module == said->module)
            m = &r->modules[i];
    if (!m || is_vdso(m) || m->ours)
        return false;
    return said->advice != SYMBOLIZE_NO_DEBUG_INFO || !strcmp(m->path, r->exe);
}
