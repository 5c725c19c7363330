#include "parser/convert.h"

#include <string.h>

#include "lib/wire/batch_header.h"
#include "lib/wire/cursor.h"
#include "lib/wire/file_header.h"
#include "parser/batch.h"
#include "parser/clock_events.h"
#include "parser/convert_switch.h"

struct conversion {
    const struct wire_version *from, *to;
    struct source *source;
    convert_write *write;
    void *arg;
    struct converted *done;
    struct failure *f;
    VEC(struct batch) batches; /* of one generation; offset is that of the data */
    struct switches switches;
    struct raw_buffer body; /* of the batch being written */
    uint64_t generation;
    uint64_t made_time, made_mono; /* of the last snapshot that was made up */
};

static bool no_memory(struct conversion *c)
{
    fail(c->f, GOTRACE_ENOMEM, (struct place){.generation = c->generation, .thread = ID_NONE}, "out of memory");
    return false;
}

/* ---- output ---------------------------------------------------------------------------------------------------- */

static bool put_batch(struct conversion *c, const struct batch *b, uint64_t time, const void *data, size_t size)
{
    uint8_t header[BATCH_HEADER_MAX], id = b->experiment ? EV_ExperimentalBatch : EV_EventBatch;
    const struct batch_header h = {id, b->experiment, b->generation, b->thread, time, size};
    return c->write(c->arg, header, (size_t)(batch_header_put(header, &h) - header)) &&
           (!size || c->write(c->arg, data, size));
}

/* Events of one thread, which become one batch or, if they have grown, several. */
struct stream {
    struct conversion *c;
    const struct batch *b;
    uint64_t base, last, now; /* in timestamp units: the batch's time, its last event's and the next one's */
};

static bool flush(struct stream *s)
{
    bool ok = put_batch(s->c, s->b, s->base, s->c->body.at, s->c->body.size);
    s->c->body.size = 0;
    s->base = s->last = s->now;
    return ok;
}

/* args without dt. */
static bool put_event(struct stream *s, uint8_t id, const uint64_t *args)
{
    struct raw_buffer *body = &s->c->body;
    if (body->size + EVENT_SIZE_MAX > BATCH_MAX_SIZE && !flush(s))
        return false;
    uint8_t *p = raw_buffer_reserve(body, EVENT_SIZE_MAX);
    if (!p)
        return no_memory(s->c);
    body->size += (size_t)(event_put(p, id, s->now - s->last, args, timed_args[id] - 1u) - p);
    s->last = s->now;
    return true;
}

/* ---- events ---------------------------------------------------------------------------------------------------- */

static struct wire_cursor begin(const struct batch *b)
{
    return (struct wire_cursor){.p = b->data, .end = b->data + b->size, .time = b->time};
}

/* What ended the reading of b; false: an event that cannot be read. */
static bool ended(struct conversion *c, const struct batch *b, const struct wire_cursor *at, enum wire_result result)
{
    if (result == WIRE_BROKEN)
        fail_event(c->f, place_in(b, at->p), at->p, at->nread);
    return result == WIRE_END;
}

/* A switch is, in this order, a wake-up, a stop and a start; the first switch to a goroutine needs no wake-up. */
static bool put_switch(struct stream *s, uint8_t id, const uint64_t *args)
{
    bool first;
    uint64_t seq = switches_seq(&s->c->switches, args[0], args[1], &first);
    const uint64_t nothing[] = {0, 0}, wake[] = {args[0], seq, 0}, start[] = {args[0], seq + !first};
    return (first || put_event(s, EV_GoUnblock, wake)) &&
           put_event(s, id == EV_GoSwitch ? EV_GoBlock : EV_GoDestroy, nothing) && put_event(s, EV_GoStart, start);
}

static bool put_without_coroutines(struct stream *s, uint8_t id, uint64_t *args)
{
    bool first = false;
    switch (id) {
    case EV_GoSwitch:
    case EV_GoSwitchDestroy:
        return put_switch(s, id, args);
    case EV_GoCreateBlocked:
        return put_event(s, EV_GoCreate, args);
    case EV_GoStatus:
    case EV_GoStatusStack:
        s->c->done->status_stacks += id == EV_GoStatusStack && args[3];
        if (args[2] == GO_WAITING && switches_created_blocked(&s->c->switches, args[0]))
            args[2] = GO_RUNNABLE;
        return put_event(s, EV_GoStatus, args);
    case EV_GoUnblock:
        args[1] = switches_seq(&s->c->switches, args[0], args[1], &first);
        return first || put_event(s, id, args);
    case EV_GoStart:
        args[1] = switches_seq(&s->c->switches, args[0], args[1], &first);
        return put_event(s, id, args);
    default:
        return put_event(s, id, args);
    }
}

static bool put_unchanged(struct stream *s, uint8_t id, uint64_t *args)
{
    return put_event(s, id, args);
}

static bool expressible(const struct wire_version *version, uint8_t id)
{
    if (!version->coroutines && (id == EV_GoSwitch || id == EV_GoSwitchDestroy || id == EV_GoCreateBlocked ||
                         id == EV_GoStatusStack))
        return true;
    return event_table[id].since <= version->nn;
}

static bool convert_events(struct conversion *c, const struct batch *b)
{
    struct stream s = {.c = c, .b = b, .base = b->time, .last = b->time, .now = b->time};
    struct wire_cursor at = begin(b);
    struct wire_event ev;
    enum wire_result result;
    c->body.size = 0;
    while ((result = wire_next(&at, &ev)) == WIRE_EVENT) {
        s.now = ev.time;
        if (!expressible(c->to, ev.id))
            c->done->dropped[ev.id]++;
        else if (!(c->to->coroutines ? put_unchanged : put_without_coroutines)(&s, ev.id, ev.args))
            return false;
    }
    return ended(c, b, &at, result) && flush(&s);
}

/* ---- clocks ---------------------------------------------------------------------------------------------------- */

struct clocks {
    uint64_t frequency, snap[4]; /* snap: ClockSnapshot's arguments */
    bool has_frequency, has_snapshot;
};

static bool get_clocks(struct conversion *c, const struct batch *b, struct clocks *k)
{
    uint64_t args[EVENT_MAX_ARGS];
    bool clocks = c->from->clocks;
    for (const uint8_t *p = clock_events(b, clocks), *end = b->data + b->size; p < end;) {
        uint8_t id = *p;
        if (!(p = clock_event_get(b, clocks, p, args, c->f)))
            return false;
        if (id == EV_Frequency) {
            k->has_frequency = true;
            k->frequency = args[0];
        } else {
            k->has_snapshot = true;
            memcpy(k->snap, args, sizeof k->snap);
        }
    }
    return true;
}

/*
 * A version without snapshots does not say what time it was; a clock that started with the trace's is as good as any.
 * Each is later than the one before.
 */
static void make_snapshot(struct conversion *c, const struct batch *b, struct clocks *k)
{
    enum { BILLION = 1000000000 };
    uint64_t time = b->time > c->made_time ? b->time : c->made_time + 1;
    double ns = k->frequency ? (double)time * (1e9 / (double)k->frequency) : 0;
    uint64_t mono = ns < 0x1p62 ? (uint64_t)ns : 0;
    mono = mono > c->made_mono ? mono : c->made_mono + 1;
    c->made_time = time;
    c->made_mono = mono;
    k->snap[0] = time - b->time;
    k->snap[1] = mono;
    k->snap[2] = mono / BILLION;
    k->snap[3] = mono % BILLION;
    c->done->made_clocks++;
}

static bool convert_clocks(struct conversion *c, const struct batch *b)
{
    uint8_t out[1 + 2 * EVENT_SIZE_MAX], *p = out;
    struct clocks k = {0};
    if (!get_clocks(c, b, &k))
        return false;
    if (c->to->clocks)
        *p++ = EV_Sync;
    if (k.has_frequency) {
        *p++ = EV_Frequency;
        p = varint_put(p, k.frequency);
    }
    if (!c->to->clocks) {
        c->done->dropped[EV_ClockSnapshot] += k.has_snapshot;
    } else {
        if (!k.has_snapshot && !c->from->clocks)
            make_snapshot(c, b, &k);
        if (k.has_snapshot || !c->from->clocks) {
            p = event_put(p, EV_ClockSnapshot, k.snap[0], k.snap + 1, 3);
        }
    }
    return put_batch(c, b, b->time, out, (size_t)(p - out));
}

/* ---- generations ----------------------------------------------------------------------------------------------- */

static bool convert_batch(struct conversion *c, const struct batch *b)
{
    uint8_t first = b->size ? b->data[0] : EV_None;
    if (b->experiment && !c->to->experiments) {
        c->done->dropped[EV_ExperimentalBatch]++;
        return true;
    }
    if (is_clock_batch(b, c->from->clocks))
        return convert_clocks(c, b);
    if (b->experiment || first == EV_Strings || first == EV_Stacks || first == EV_CPUSamples)
        return put_batch(c, b, b->time, b->data, b->size);
    return convert_events(c, b);
}

static bool is_timed(const struct batch *b)
{
    return !b->experiment && b->size && event_table[b->data[0]].cls == EVENT_TIMED;
}

/* Which goroutines are switched to, so that their other events' sequence numbers can make room. */
static bool find_switches(struct conversion *c)
{
    switches_begin(&c->switches);
    for (size_t i = 0; i < c->batches.n; i++) {
        const struct batch *b = &c->batches.v[i];
        if (!is_timed(b))
            continue;
        struct wire_cursor at = begin(b);
        struct wire_event ev;
        enum wire_result result;
        while ((result = wire_next(&at, &ev)) == WIRE_EVENT)
            if (!switches_see(&c->switches, ev.id, ev.args))
                return no_memory(c);
        if (!ended(c, b, &at, result))
            return false;
    }
    switches_sort(&c->switches);
    return true;
}

static enum batch_result read_generation(struct conversion *c)
{
    c->batches.n = 0;
    c->generation = 0;
    source_forget(c->source);
    for (;;) {
        struct batch b;
        enum batch_result result = read_batch(c->source, c->generation, &b, c->f);
        if (result == BATCH_NONE && c->batches.n && c->from->ends) {
            fail(c->f, GOTRACE_EBROKEN, (struct place){c->generation, ID_NONE, source_offset(c->source), NULL},
                 "the trace is cut off: incomplete generation");
            return BATCH_BROKEN;
        }
        if (result == BATCH_NONE)
            return c->batches.n ? BATCH_OK : BATCH_NONE;
        if (result == BATCH_BROKEN || (b.end_of_generation && c->from->ends))
            return result;
        uint64_t length = source_offset(c->source) - b.offset;
        if (c->batches.n && b.generation != c->generation) {
            source_back(c->source, length);
            return BATCH_OK;
        }
        b.offset += length - b.size;
        c->generation = b.generation;
        if (!VEC_ROOM(&c->batches)) {
            no_memory(c);
            return BATCH_BROKEN;
        }
        c->batches.v[c->batches.n++] = b;
    }
}

static bool convert_generation(struct conversion *c)
{
    if (!c->to->coroutines && !find_switches(c))
        return false;
    for (size_t i = 0; i < c->batches.n; i++)
        if (!convert_batch(c, &c->batches.v[i]))
            return false;
    if (!c->to->coroutines && !switches_end(&c->switches))
        return no_memory(c);
    uint8_t end = EV_EndOfGeneration;
    return !c->to->ends || c->write(c->arg, &end, 1);
}

bool convert_trace(struct source *s, const struct wire_version *from, const struct wire_version *to,
                   convert_write *write, void *arg, struct converted *done, struct failure *f)
{
    struct conversion c = {.from = from, .to = to, .source = s, .write = write, .arg = arg, .done = done, .f = f};
    uint8_t header[TRACE_HEADER_SIZE];
    *done = (struct converted){0};
    file_header_put(header, to->nn);
    bool ok = write(arg, header, TRACE_HEADER_SIZE);
    enum batch_result result;
    while (ok && (result = read_generation(&c)) != BATCH_NONE)
        ok = result == BATCH_OK && convert_generation(&c);
    VEC_FREE(&c.batches);
    switches_free(&c.switches);
    raw_buffer_free(&c.body);
    return ok;
}
