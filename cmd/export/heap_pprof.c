#include "config.h"

#include "cmd/export/heap_pprof.h"

#if HAVE_PPROF

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/export/gzip.h"
#include "cmd/export/profile.pb-c.h"
#include "parser/analyze/place.h"

enum { VALUES = 4 };
static const char *const names[VALUES] = {"alloc_objects", "alloc_space", "inuse_objects", "inuse_space"};
static const char *const units[VALUES] = {"count", "bytes", "count", "bytes"};

/* Messages point to one another, so all of a kind are in one array that is never moved. */
struct making {
    Thrace__Pprof__Profile profile;
    Thrace__Pprof__ValueType types[VALUES], *type_pointers[VALUES];
    Thrace__Pprof__Sample *samples;
    Thrace__Pprof__Location *locations;
    Thrace__Pprof__Line *lines, **line_pointers;
    Thrace__Pprof__Function *functions;
    int64_t *values;
    uint64_t *ids;
    size_t *table; /* by hash of the pc: number of a location + 1 */
    size_t table_size, nids;
    bool failed;
};

static void *some(struct making *m, size_t n, size_t size)
{
    void *p = calloc(n + 1, size);
    m->failed |= !p;
    return p;
}

static int64_t string(struct making *m, const char *text)
{
    m->profile.string_table[m->profile.n_string_table] = (char *)(uintptr_t)text;
    return (int64_t)m->profile.n_string_table++;
}

/* The recording gives every frame a PC of its own. */
static uint64_t location(struct making *m, const struct gotrace_builder_frame *f)
{
    size_t i = (f->pc * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (m->table_size - 1);
    for (; m->table[i]; i = (i + 1) & (m->table_size - 1))
        if (m->locations[m->table[i] - 1].address == f->pc)
            return m->table[i];
    size_t n = m->profile.n_location++;
    m->table[i] = n + 1;
    thrace__pprof__function__init(&m->functions[n]);
    m->functions[n].id = n + 1;
    m->functions[n].name = m->functions[n].system_name = string(m, f->function);
    m->functions[n].filename = string(m, f->file);
    thrace__pprof__line__init(&m->lines[n]);
    m->lines[n].function_id = n + 1;
    const char *slash = strrchr(f->file, '/'), *name = slash ? slash + 1 : f->file;
    m->lines[n].line = place_has_line(name, strlen(name), f->line) ? (int64_t)f->line : 0;
    m->line_pointers[n] = &m->lines[n];
    thrace__pprof__location__init(&m->locations[n]);
    m->locations[n].id = n + 1;
    m->locations[n].address = f->pc;
    m->locations[n].n_line = 1;
    m->locations[n].line = &m->line_pointers[n];
    m->profile.location[n] = &m->locations[n];
    m->profile.function[n] = &m->functions[n];
    m->profile.n_function = n + 1;
    return n + 1;
}

static void allocate(struct making *m, size_t nsites, size_t nframes)
{
    for (m->table_size = 64; m->table_size < 2 * nframes; m->table_size *= 2)
        ;
    m->samples = some(m, nsites, sizeof *m->samples);
    m->values = some(m, nsites * VALUES, sizeof *m->values);
    m->profile.sample = some(m, nsites, sizeof *m->profile.sample);
    m->ids = some(m, nframes, sizeof *m->ids);
    m->locations = some(m, nframes, sizeof *m->locations);
    m->lines = some(m, nframes, sizeof *m->lines);
    m->line_pointers = some(m, nframes, sizeof *m->line_pointers);
    m->functions = some(m, nframes, sizeof *m->functions);
    m->profile.location = some(m, nframes, sizeof *m->profile.location);
    m->profile.function = some(m, nframes, sizeof *m->profile.function);
    m->profile.string_table = some(m, 2 * nframes + 1 + 2 * VALUES, sizeof *m->profile.string_table);
    m->table = some(m, m->table_size, sizeof *m->table);
}

static void release(struct making *m)
{
    free(m->samples);
    free(m->values);
    free(m->profile.sample);
    free(m->ids);
    free(m->locations);
    free(m->lines);
    free(m->line_pointers);
    free(m->functions);
    free(m->profile.location);
    free(m->profile.function);
    free(m->profile.string_table);
    free(m->table);
}

static void add_types(struct making *m)
{
    string(m, "");
    for (int i = 0; i < VALUES; i++) {
        thrace__pprof__value_type__init(&m->types[i]);
        m->types[i].type = string(m, names[i]);
        m->types[i].unit = string(m, units[i]);
        m->type_pointers[i] = &m->types[i];
    }
    m->profile.sample_type = m->type_pointers;
    m->profile.n_sample_type = VALUES;
    m->profile.period_type = &m->types[VALUES - 1];
    m->profile.default_sample_type = m->types[VALUES - 1].type;
}

static void add_site(struct making *m, const struct heap_site *site)
{
    size_t n = m->profile.n_sample++;
    Thrace__Pprof__Sample *s = m->profile.sample[n] = &m->samples[n];
    const double v[VALUES] = {site->objects, site->bytes, site->live_objects, site->live_bytes};
    thrace__pprof__sample__init(s);
    s->location_id = m->ids + m->nids;
    s->n_location_id = site->nframes;
    for (size_t i = 0; i < site->nframes; i++)
        m->ids[m->nids++] = location(m, &site->frames[i]);
    s->value = m->values + n * VALUES;
    s->n_value = VALUES;
    for (int i = 0; i < VALUES; i++)
        s->value[i] = llround(v[i]);
}

const char *heap_pprof_make(const struct heap_site *sites, size_t n, uint64_t interval, uint64_t start_ns,
                            uint64_t duration_ns, void **file, size_t *file_size)
{
    struct making m = {.failed = false};
    size_t nframes = 0;
    const char *err = "out of memory";
    for (size_t i = 0; i < n; i++)
        nframes += sites[i].nframes;
    thrace__pprof__profile__init(&m.profile);
    allocate(&m, n, nframes);
    if (!m.failed) {
        add_types(&m);
        for (size_t i = 0; i < n; i++)
            add_site(&m, &sites[i]);
        m.profile.time_nanos = (int64_t)start_ns;
        m.profile.duration_nanos = (int64_t)duration_ns;
        m.profile.period = (int64_t)interval;
        size_t size = thrace__pprof__profile__get_packed_size(&m.profile);
        uint8_t *data = malloc(size + 1);
        if (data) {
            thrace__pprof__profile__pack(&m.profile, data);
            err = gzip_all(data, size, file, file_size);
        }
        free(data);
    }
    release(&m);
    return err;
}

#else

const char *heap_pprof_make(const struct heap_site *sites, size_t n, uint64_t interval, uint64_t start_ns,
                            uint64_t duration_ns, void **file, size_t *file_size)
{
    return "this thrace was built without protobuf-c, so there is no heap profile";
}

#endif
