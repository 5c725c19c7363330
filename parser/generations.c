/* Going over the generations of a trace that can be read again, and reading from any of them on. */
#include <errno.h>

#include "parser/reader.h"

/* A way of its own through the same bytes, from offset on; false: they are only read once. */
static bool look_at(const struct gotrace_reader *r, uint64_t offset, struct source *s)
{
    *s = (struct source){.is_file = r->source.is_file, .fd = r->source.fd, .offset = offset};
    if (s->is_file)
        return true;
    if (r->source.read || offset > r->source.offset)
        return false;
    s->end = r->source.end;
    s->p = s->end - (r->source.offset - offset);
    s->offset = r->source.offset;
    return true;
}

static int error_of(const struct failure *f, const struct source *s)
{
    return f->error.status == GOTRACE_ENOMEM ? ENOMEM : s->error ? s->error : EBADMSG;
}

static void describe(const struct generation *g, uint64_t offset, uint64_t end, struct gotrace_generation *out)
{
    const struct gotrace_event ev = {.type = EV_SYNC_POINT, .tables = g};
    struct gotrace_sync sync;
    gotrace_event_sync(&ev, &sync);
    *out = (struct gotrace_generation){.number = g->number,
                                       .offset = offset,
                                       .size = end - offset,
                                       .time = clock_ns(&g->clock, g->min_time),
                                       .has_clock = sync.has_clock,
                                       .clock = sync.clock};
}

/* A trace of v1 is one generation, behind its header. */
static int next_of_v1(const struct gotrace_reader *r, struct gotrace_generation *gen)
{
    struct source s;
    struct failure f = {0};
    struct generation g = {0};
    if (gen->offset) {
        errno = gen->offset == v1_header_size(r->version->nn) ? errno : EINVAL;
        return gen->offset == v1_header_size(r->version->nn) ? 0 : -1;
    }
    if (!look_at(r, 0, &s)) {
        errno = ESPIPE;
        return -1;
    }
    struct as_v2 *v = read_any_header(&s, &f) ? as_v2_open(&s, &g, &f) : NULL;
    int error = v ? errno : error_of(&f, &s), result = v ? 1 : -1;
    if (v)
        *gen = (struct gotrace_generation){.number = g.number,
                                           .offset = v1_header_size(v->trace.nn),
                                           .size = v->trace.size - v1_header_size(v->trace.nn),
                                           .time = AS_V2_SYNC_TIME};
    as_v2_free(v);
    generation_free(&g);
    source_free(&s);
    errno = error;
    return result;
}

int gotrace_reader_next_generation(const struct gotrace_reader *r, struct gotrace_generation *gen)
{
    struct source s;
    struct failure f = {0};
    struct generation g = {0};
    uint64_t offset = gen->offset + gen->size;
    if (!r->version || (r->source.read == NULL && !r->source.is_file && offset > r->source.offset)) {
        errno = EINVAL;
        return -1;
    }
    if (r->version->old)
        return next_of_v1(r, gen);
    if (!look_at(r, offset, &s)) {
        errno = ESPIPE;
        return -1;
    }
    int result = 1;
    if (!offset && read_any_header(&s, &f))
        offset = source_offset(&s);
    if (!f.error.status && !source_need(&s, 1) && !s.error) {
        result = 0;
    } else if (!f.error.status) {
        switch (generation_read(&g, &s, r->version, &f)) {
        case GENERATION_OK:
            describe(&g, offset, source_offset(&s), gen);
            break;
        case GENERATION_CUT: /* up to the batch that is broken */
            describe(&g, offset, f.error.offset, gen);
            break;
        case GENERATION_NONE:
            result = 0;
            break;
        case GENERATION_BROKEN:
            result = -1;
        }
    } else {
        result = -1;
    }
    int error = result < 0 ? error_of(&f, &s) : errno;
    generation_free(&g);
    source_free(&s);
    errno = error;
    return result;
}

/* As if the trace began where the source stands. */
static void start_over(struct gotrace_reader *r)
{
    r->failure = r->later = (struct failure){0};
    r->fast = r->loaded = r->stuck = false;
    r->state = r->version->old ? READING_V1 : READING;
    r->generation.serial++;
    as_v2_free(r->as_v2);
    r->as_v2 = NULL;
    r->frontier.n = 0;
    r->pending = NO_PENDING;
    r->nth = 0;
    r->sample = 0;
    r->sample_time = INT64_MAX;
    r->last = 0;
    r->syncs = 0;
}

int gotrace_reader_seek(struct gotrace_reader *r, const struct gotrace_generation *gen)
{
    struct source *s = &r->source;
    struct order order;
    int error = 0;
    if (!r->version || !gen->size || (r->version->old && gen->offset != v1_header_size(r->version->nn)))
        error = EINVAL;
    else if (s->read)
        error = ESPIPE;
    else if (!s->is_file && gen->offset > s->offset)
        error = EINVAL;
    else if (!order_init(&order, &r->failure))
        error = ENOMEM;
    if (error) {
        errno = error;
        return -1;
    }
    order_free(&r->order);
    r->order = order;
    if (s->is_file) {
        s->p = s->end;
        s->offset = gen->offset;
    } else {
        s->p = s->end - (s->offset - gen->offset);
    }
    s->ended = false;
    s->error = 0;
    start_over(r);
    return 0;
}
