#include "config.h"

#include "cmd/finish/recording_modules.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "lib/symbolize/symbolize.h"
#include "parser/vec.h"

/* --- records ------------------------------------------------------------------------------------------------------ */

bool rec_modules_add(struct rec_modules *ms, const struct rec_module *m)
{
    if (!VEC_ROOM(ms) || !VEC_ROOM(&ms->refreshes))
        return false;
    ms->v[ms->n++] = *m;
    if (!ms->refreshes.n || ms->refreshes.v[ms->refreshes.n - 1] != m->time)
        ms->refreshes.v[ms->refreshes.n++] = m->time;
    return true;
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

void rec_modules_end(struct rec_modules *ms)
{
    size_t n = 0;
    if (ms->refreshes.n)
        qsort(ms->refreshes.v, ms->refreshes.n, sizeof *ms->refreshes.v, by_value);
    for (size_t i = 0; i < ms->refreshes.n; i++)
        if (!n || ms->refreshes.v[n - 1] != ms->refreshes.v[i])
            ms->refreshes.v[n++] = ms->refreshes.v[i];
    ms->refreshes.n = n;
}

size_t rec_modules_epoch(const struct rec_modules *ms, uint64_t time)
{
    size_t lo = 0, hi = ms->refreshes.n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (ms->refreshes.v[mid] <= time)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo + 1;
}

/* --- what the symbolizer is told ---------------------------------------------------------------------------------- */

static bool same_module(const struct rec_module *a, const struct rec_module *b)
{
    return a->start == b->start && a->end == b->end && a->bias == b->bias && !strcmp(a->path, b->path) &&
           a->build_id_len == b->build_id_len && !memcmp(a->build_id, b->build_id, a->build_id_len);
}

static bool is_vdso(const struct rec_module *m)
{
    return !strncmp(m->path, "linux-vdso", 10) || !strcmp(m->path, "[vdso]");
}

/* The recording kernel is mostly the one that we run on; its build-id decides. */
static void take_own_vdso(struct symbolize_module *m)
{
    const Elf64_Ehdr *eh = (const Elf64_Ehdr *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
    m->kind = SYMBOLIZE_IMAGE;
    m->image = eh;
    m->image_len = eh ? eh->e_shoff + (size_t)eh->e_shnum * eh->e_shentsize : 0;
}

static int map_module(struct symbolizer *symbolizer, const struct process_root *root, const struct rec_module *m)
{
    char path[PROCESS_ROOT_PATH];
    const struct symbolize_range range = {m->start, m->end, 0};
    struct symbolize_module module = {.kind = SYMBOLIZE_FILE,
                                      .path = process_root_find(root, m->path, path),
                                      .name = m->path,
                                      .build_id = m->build_id,
                                      .build_id_len = m->build_id_len,
                                      .bias = m->bias,
                                      .ranges = &range,
                                      .nranges = 1};
    if (is_vdso(m))
        take_own_vdso(&module);
    return symbolize_add_module(symbolizer, &module);
}

/* --- mappings ----------------------------------------------------------------------------------------------------- */

static uint64_t hash(const struct rec_module *m)
{
    return (m->start * UINT64_C(0x9e3779b97f4a7c15)) ^ (m->end * UINT64_C(0xc2b2ae3d27d4eb4f)) ^ m->bias;
}

/* Numbers the distinct modules, in the order of their first records. A program may load the same one all the time. */
static size_t find_mappings(struct rec_modules *ms, size_t *table, size_t size)
{
    size_t n = 0;
    memset(table, 0, size * sizeof *table);
    for (size_t i = 0; i < ms->n; i++) {
        struct rec_module *m = &ms->v[i];
        size_t at = (hash(m) >> 20) & (size - 1);
        while (table[at] && !same_module(m, &ms->v[table[at] - 1]))
            at = (at + 1) & (size - 1);
        if (!table[at]) {
            table[at] = i + 1;
            m->mapping = n++;
        } else {
            m->mapping = ms->v[table[at] - 1].mapping;
        }
    }
    return n;
}

static int by_start(const void *a, const void *b)
{
    const struct rec_mapping *x = a, *y = b;
    return x->start < y->start ? -1 : x->start > y->start;
}

static void fill_mappings(struct rec_modules *ms)
{
    size_t at = 0;
    for (size_t i = 0; i < ms->n; i++)
        ms->mappings[ms->v[i].mapping].n++;
    for (size_t i = 0; i < ms->nmappings; i++) {
        ms->mappings[i].first = at;
        at += ms->mappings[i].n;
        ms->mappings[i].n = 0;
    }
    for (size_t i = 0; i < ms->n; i++) {
        const struct rec_module *m = &ms->v[i];
        struct rec_mapping *mapping = &ms->mappings[m->mapping];
        mapping->start = m->start;
        mapping->end = m->end;
        ms->records[mapping->first + mapping->n++] = i;
        if (m->end - m->start > ms->longest_mapping)
            ms->longest_mapping = m->end - m->start;
    }
}

static bool make_mappings(struct rec_modules *ms)
{
    size_t size = 64;
    while (size < 2 * ms->n)
        size *= 2;
    size_t *table = malloc(size * sizeof *table);
    if (!table)
        return false;
    ms->nmappings = find_mappings(ms, table, size);
    free(table);
    ms->mappings = calloc(ms->nmappings + 1, sizeof *ms->mappings);
    ms->records = calloc(ms->n + 1, sizeof *ms->records);
    if (!ms->mappings || !ms->records)
        return false;
    fill_mappings(ms);
    return true;
}

static void sort_mappings(struct rec_modules *ms)
{
    qsort(ms->mappings, ms->nmappings, sizeof *ms->mappings, by_start);
    for (size_t i = 0; i < ms->nmappings; i++)
        for (size_t k = 0; k < ms->mappings[i].n; k++)
            ms->v[ms->records[ms->mappings[i].first + k]].mapping = i;
}

/* Mappings that share addresses get different numbers. */
static void number_overlays(struct rec_modules *ms)
{
    for (size_t i = 0; i < ms->nmappings; i++) {
        struct rec_mapping *m = &ms->mappings[i];
        for (size_t k = i; k-- && i - k <= OVERLAYS && m->start - ms->mappings[k].start < ms->longest_mapping;)
            if (ms->mappings[k].end > m->start && ms->mappings[k].overlay + 1 > m->overlay)
                m->overlay = ms->mappings[k].overlay + 1;
        m->overlay %= OVERLAYS;
    }
}

bool rec_modules_map(struct rec_modules *ms, struct symbolizer *symbolizer, const struct process_root *root,
                     unsigned pid)
{
    const uid_t user = root->path ? root->user : geteuid();
    if (!symbolize_add_perf_map(symbolizer, root->path ? root->path : "", pid, user) || !make_mappings(ms))
        return false;
    /* Of several modules at an address the one that was added last counts. */
    for (size_t i = 0; i < ms->nmappings; i++) {
        struct rec_mapping *mapping = &ms->mappings[i];
        mapping->symbol_module = map_module(symbolizer, root, &ms->v[ms->records[mapping->first]]);
        if (mapping->symbol_module < 0)
            return false;
    }
    sort_mappings(ms);
    number_overlays(ms);
    return true;
}

/* The mapping's record that holds in the generation; *after: there is only a later one. */
static size_t record_of(const struct rec_modules *ms, const struct rec_mapping *mapping, uint64_t generation, bool *after)
{
    const size_t *records = ms->records + mapping->first;
    size_t lo = 0, hi = mapping->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (ms->v[records[mid]].generation <= generation)
            lo = mid + 1;
        else
            hi = mid;
    }
    *after = !lo;
    return records[lo ? lo - 1 : 0];
}

/* The mapping's record of that time, or NULL. */
static const struct rec_module *record_at(const struct rec_modules *ms, const struct rec_mapping *mapping,
                                          uint64_t time)
{
    const size_t *records = ms->records + mapping->first;
    size_t lo = 0, hi = mapping->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (ms->v[records[mid]].time < time)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < mapping->n && ms->v[records[lo]].time == time ? &ms->v[records[lo]] : NULL;
}

/* A module mapped before and after an epoch, or loaded or unloaded in it. dlclose is seen at once, dlopen later. */
static const struct rec_module *module_in_epoch(const struct rec_modules *ms, size_t end, uint64_t address, size_t epoch)
{
    const struct rec_module *coming = NULL;
    size_t past = epoch - 1;
    while (end-- && address - ms->mappings[end].start < ms->longest_mapping) {
        const struct rec_mapping *mapping = &ms->mappings[end];
        const struct rec_module *m =
            past && address < mapping->end ? record_at(ms, mapping, ms->refreshes.v[past - 1]) : NULL;
        if (m)
            return m;
        if (address < mapping->end && past < ms->refreshes.n && (m = record_at(ms, mapping, ms->refreshes.v[past])))
            coming = m;
    }
    return coming;
}

const struct rec_module *rec_modules_find(const struct rec_modules *ms, uint64_t pc, uint64_t generation,
                                          size_t epoch)
{
    size_t lo = 0, hi = ms->nmappings, found = 0;
    uint64_t address = pc - 1;
    bool any = false, found_after = true;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (ms->mappings[mid].start <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    const struct rec_module *then = epoch ? module_in_epoch(ms, lo, address, epoch) : NULL;
    if (then)
        return then;
    while (lo-- && address - ms->mappings[lo].start < ms->longest_mapping) {
        bool after;
        if (address >= ms->mappings[lo].end)
            continue;
        size_t record = record_of(ms, &ms->mappings[lo], generation, &after);
        if (!any || (found_after && !after) || (after == found_after && (after ? record < found : record > found))) {
            found = record;
            found_after = after;
        }
        any = true;
    }
    return any ? &ms->v[found] : NULL;
}

/*
 * A library without debug info still has its functions, which is enough for most. The program itself is another matter.
 */
bool rec_modules_worth_reporting(const struct rec_modules *ms, const char *exe, const struct symbolize_message *said)
{
    const struct rec_module *m = NULL;
    for (size_t i = 0; i < ms->n && !m; i++)
        if (ms->mappings[ms->v[i].mapping].symbol_module == said->module)
            m = &ms->v[i];
    if (!m || is_vdso(m) || m->ours)
        return false;
    return said->advice != SYMBOLIZE_NO_DEBUG_INFO || !strcmp(m->path, exe);
}

void rec_modules_free(struct rec_modules *ms)
{
    for (size_t i = 0; i < ms->n; i++)
        free(ms->v[i].path);
    free(ms->v);
    free(ms->mappings);
    free(ms->records);
    free(ms->refreshes.v);
}
