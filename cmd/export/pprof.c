/*
 * A profile for pprof and `go tool pprof`: each stack once for each kind and each of its labels. -sample_index chooses
 * the kind, -tagfocus and -tagroot go by the labels.
 */
#include "config.h"

#include "cmd/export/format.h"

#if HAVE_PPROF

#include <errno.h>
#include <stdlib.h>

#include "cmd/export/gzip.h"
#include "cmd/export/profile.pb-c.h"

enum { VALUES = 2 * PROFILE_KINDS }; /* how often, and ns */
static const char *const names[VALUES] = {"samples",  "cpu",     "waits",     "wait",
                                          "syscalls", "syscall", "runnables", "runnable"};

/* Messages point to one another, so all of a kind are in one array that is never moved. */
struct making {
    const struct profile *from;
    Thrace__Pprof__Profile profile;
    Thrace__Pprof__ValueType types[VALUES], *type_pointers[VALUES];
    Thrace__Pprof__Sample *samples;
    Thrace__Pprof__Label *labels, **label_pointers;
    Thrace__Pprof__Location *locations;
    Thrace__Pprof__Line *lines, **line_pointers;
    Thrace__Pprof__Function *functions;
    int64_t *values;
    uint64_t *ids;
    size_t nids, nlabels;
    bool failed;
};

static void *some(struct making *m, size_t n, size_t size)
{
    void *p = calloc(n + 1, size);
    m->failed |= !p;
    return p;
}

static void allocate(struct making *m, size_t nids)
{
    const struct profile *p = m->from;
    size_t nframes = p->stacks->frames.n, nrows = p->rows.n;
    m->profile.string_table =
        some(m, VALUES + 2 + PROFILE_LABELS + p->stacks->texts.n + p->spans.texts.list.n, sizeof(char *));
    m->profile.function = some(m, nframes, sizeof(void *));
    m->profile.location = some(m, nframes, sizeof(void *));
    m->profile.sample = some(m, nrows, sizeof(void *));
    m->samples = some(m, nrows, sizeof *m->samples);
    m->labels = some(m, nrows * PROFILE_LABELS, sizeof *m->labels);
    m->label_pointers = some(m, nrows * PROFILE_LABELS, sizeof *m->label_pointers);
    m->locations = some(m, nframes, sizeof *m->locations);
    m->lines = some(m, nframes, sizeof *m->lines);
    m->line_pointers = some(m, nframes, sizeof *m->line_pointers);
    m->functions = some(m, nframes, sizeof *m->functions);
    m->values = some(m, nrows * VALUES, sizeof *m->values);
    m->ids = some(m, nids, sizeof *m->ids);
}

static void release(struct making *m)
{
    free(m->profile.string_table);
    free(m->profile.function);
    free(m->profile.location);
    free(m->profile.sample);
    free(m->samples);
    free(m->labels);
    free(m->label_pointers);
    free(m->locations);
    free(m->lines);
    free(m->line_pointers);
    free(m->functions);
    free(m->values);
    free(m->ids);
}

/* ---- strings: those of the format, then the labels', then those of the frames ---------------------------------- */

static int64_t string(struct making *m, const char *text)
{
    m->profile.string_table[m->profile.n_string_table] = (char *)(uintptr_t)text;
    return (int64_t)m->profile.n_string_table++;
}

enum { KEY = 1 + VALUES + 2, LABEL = KEY + PROFILE_LABELS };

static int64_t string_of_label(uint32_t text) { return LABEL + (int64_t)text; }
static int64_t string_of_frame(const struct making *m, uint32_t text)
{
    return LABEL + (int64_t)m->from->spans.texts.list.n + (int64_t)text;
}

static void add_strings(struct making *m)
{
    static const char *const units[] = {"count", "nanoseconds"};
    const struct profile *p = m->from;
    string(m, "");
    int64_t unit = string(m, units[0]);
    string(m, units[1]);
    for (int i = 0; i < VALUES; i++) {
        thrace__pprof__value_type__init(&m->types[i]);
        m->types[i].type = string(m, names[i]);
        m->types[i].unit = unit + i % 2;
        m->type_pointers[i] = &m->types[i];
    }
    for (int i = 0; i < PROFILE_LABELS; i++)
        string(m, profile_label_names[i]);
    for (size_t i = 0; i < p->spans.texts.list.n; i++)
        string(m, p->spans.texts.list.v[i]);
    for (size_t i = 0; i < p->stacks->texts.n; i++)
        string(m, stack_store_text_of(p->stacks, (uint32_t)i));
}

/* ---- frames and samples ----------------------------------------------------------------------------------------- */

/* A function is a frame's: readers tell functions apart by their names and files. */
static void add_frame(struct making *m, size_t i)
{
    const struct stored_frame *f = &m->from->stacks->frames.v[i];
    thrace__pprof__function__init(&m->functions[i]);
    m->functions[i].id = i + 1;
    m->functions[i].name = m->functions[i].system_name = string_of_frame(m, f->function);
    m->functions[i].filename = string_of_frame(m, f->file);
    thrace__pprof__line__init(&m->lines[i]);
    m->lines[i].function_id = i + 1;
    m->lines[i].line = f->line <= INT32_MAX ? (int64_t)f->line : 0;
    m->line_pointers[i] = &m->lines[i];
    thrace__pprof__location__init(&m->locations[i]);
    m->locations[i].id = i + 1;
    m->locations[i].address = f->pc;
    m->locations[i].n_line = 1;
    m->locations[i].line = &m->line_pointers[i];
    m->profile.location[i] = &m->locations[i];
    m->profile.function[i] = &m->functions[i];
}

static void add_labels(struct making *m, Thrace__Pprof__Sample *s, const struct profile_row *row)
{
    s->label = m->label_pointers + m->nlabels;
    for (int i = 0; i < PROFILE_LABELS; i++) {
        if (!*stat_text_of(&m->from->spans.texts, row->labels[i]))
            continue;
        Thrace__Pprof__Label *l = &m->labels[m->nlabels];
        thrace__pprof__label__init(l);
        l->key = KEY + i;
        l->str = string_of_label(row->labels[i]);
        m->label_pointers[m->nlabels++] = l;
        s->n_label++;
    }
}

static void add_row(struct making *m, size_t n)
{
    const struct profile_row *row = &m->from->rows.v[n];
    const struct stored_stack *stack = &m->from->stacks->stacks.v[row->stack];
    Thrace__Pprof__Sample *s = m->profile.sample[n] = &m->samples[n];
    thrace__pprof__sample__init(s);
    s->location_id = m->ids + m->nids;
    s->n_location_id = stack->n;
    for (size_t i = 0; i < stack->n; i++)
        m->ids[m->nids++] = stack_store_frame(m->from->stacks, stack, i) + 1;
    s->value = m->values + n * VALUES;
    s->n_value = VALUES;
    s->value[2 * row->kind] = (int64_t)row->count;
    s->value[2 * row->kind + 1] = (int64_t)row->ns;
    add_labels(m, s, row);
}

static void add_all(struct making *m)
{
    const struct profile *p = m->from;
    uint64_t count[PROFILE_KINDS] = {0};
    add_strings(m);
    for (size_t i = 0; i < p->stacks->frames.n; i++)
        add_frame(m, i);
    for (size_t i = 0; i < p->rows.n; i++) {
        add_row(m, i);
        count[p->rows.v[i].kind]++;
    }
    m->profile.n_location = m->profile.n_function = p->stacks->frames.n;
    m->profile.n_sample = p->rows.n;
    m->profile.sample_type = m->type_pointers;
    m->profile.n_sample_type = VALUES;
    m->profile.period_type = &m->types[2 * PROFILE_CPU + 1];
    m->profile.period = (int64_t)(1000000000 / p->hz);
    m->profile.duration_nanos = p->spans.end - p->spans.begin;
    m->profile.default_sample_type = m->types[2 * (count[PROFILE_CPU] ? PROFILE_CPU : PROFILE_WAIT) + 1].type;
}

static enum export_result write_gzip(struct export_job *job, Thrace__Pprof__Profile *profile)
{
    size_t size = thrace__pprof__profile__get_packed_size(profile), file_size = 0;
    uint8_t *data = malloc(size + 1);
    void *file = NULL;
    job->why = "out of memory";
    if (data) {
        thrace__pprof__profile__pack(profile, data);
        job->why = gzip_all(data, size, &file, &file_size);
    }
    free(data);
    if (job->why)
        return EXPORT_UNREAD;
    bool done = fwrite(file, 1, file_size, job->to) == file_size;
    int number = errno;
    free(file);
    errno = number;
    return done ? export_written(job->to) : EXPORT_UNWRITTEN;
}

enum export_result export_pprof(struct export_job *job)
{
    struct profile p;
    struct making m = {.from = &p};
    size_t nids = 0;
    enum export_result result = export_profile(job, &p);
    if (result != EXPORT_DONE)
        return result;
    for (size_t i = 0; i < p.rows.n; i++)
        nids += p.stacks->stacks.v[p.rows.v[i].stack].n;
    thrace__pprof__profile__init(&m.profile);
    allocate(&m, nids);
    if (m.failed) {
        job->why = "out of memory";
        result = EXPORT_UNREAD;
    } else {
        add_all(&m);
        result = p.rows.n ? write_gzip(job, &m.profile) : export_nothing(job);
    }
    release(&m);
    profile_free(&p);
    return result;
}

#else

enum export_result export_pprof(struct export_job *job)
{
    job->why = "this thrace was built without protobuf-c, so there is no pprof";
    return EXPORT_UNREAD;
}

#endif
