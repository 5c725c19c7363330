/* A v1 trace, from its bytes to where its first event is due. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "parser/as_v2/as_v2.h"
#include "parser/source.h"

static const struct place nowhere = {.thread = ID_NONE};

static bool fail_memory(struct failure *f)
{
    fail(f, GOTRACE_ENOMEM, nowhere, "out of memory");
    return false;
}

/* A byte more than a file has: there the end is seen. */
static bool make_room(const struct source *s, struct raw_buffer *b)
{
    struct stat st;
    if (!s->is_file || fstat(s->fd, &st))
        return true;
    return raw_buffer_reserve(b, (size_t)st.st_size + 1);
}

/* All bytes of the trace, the header included: the caller's own ones, or a copy. */
static bool load(struct source *s, struct raw_buffer *b, const uint8_t **data, size_t *size, struct failure *f)
{
    if (!s->read && !s->is_file) {
        *data = s->end - s->offset;
        *size = s->offset;
        s->p = s->end;
        return true;
    }
    source_back(s, source_offset(s));
    if (!make_room(s, b))
        return fail_memory(f);
    for (size_t n; (n = source_need(s, SOURCE_MAX)) > 0; source_forget(s)) {
        n = n < SOURCE_MAX ? n : SOURCE_MAX;
        raw_buffer_add(b, s->p, n);
        if (b->failed)
            return fail_memory(f);
        s->p += n;
    }
    if (s->error) {
        fail_system(f, GOTRACE_EREAD, nowhere, s->error, "cannot read");
        return false;
    }
    *data = b->at;
    *size = b->size;
    return true;
}

static bool parse(struct as_v2 *v, const uint8_t *data, size_t size, struct failure *f)
{
    struct v1_error e;
    if (v1_parse(&v->trace, data, size, V1_AS_GO_1_22, &e))
        return true;
    fail(f, e.status == V1_NO_MEMORY ? GOTRACE_ENOMEM : GOTRACE_EBROKEN,
         (struct place){.thread = ID_NONE, .offset = e.offset, .event = e.event}, "%s", e.message);
    return false;
}

static bool add_procs(struct as_v2 *v, struct failure *f)
{
    v->procs = calloc(v->trace.ps.n, sizeof *v->procs);
    return v->procs || fail_memory(f);
}

struct as_v2 *as_v2_open(struct source *s, struct generation *g, struct failure *f)
{
    const uint8_t *data = NULL;
    size_t size = 0;
    struct as_v2 *v = calloc(1, sizeof *v);
    if (!v) {
        fail_memory(f);
        return NULL;
    }
    v->tables = g;
    v->last = AS_V2_SYNC_TIME;
    if (load(s, &v->bytes, &data, &size, f) && parse(v, data, size, f) && add_procs(v, f) &&
        as_v2_tables(g, &v->trace, &v->ids, f))
        return v;
    as_v2_free(v);
    return NULL;
}

void as_v2_again(struct as_v2 *v)
{
    v1_rewind(&v->trace);
    v->told = v->created.n = v->tasks.n = 0;
    v->syncs = v->stop_reason = 0;
    v->last = AS_V2_SYNC_TIME;
    v->ended = v->begun = v->has_second = false;
    idmap_clear(&v->unheard);
    memset(v->procs, 0, v->trace.ps.n * sizeof *v->procs);
    idmap_clear(&v->task_of);
}

void as_v2_free(struct as_v2 *v)
{
    if (!v)
        return;
    v1_free(&v->trace);
    raw_buffer_free(&v->bytes);
    idmap_free(&v->ids.start_pcs);
    VEC_FREE(&v->created);
    idmap_free(&v->unheard);
    free(v->procs);
    idmap_free(&v->task_of);
    VEC_FREE(&v->tasks);
    free(v);
}
