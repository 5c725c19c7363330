#include "parser/v1/builder.h"

#include <stdio.h>
#include <string.h>

#include "lib/wire/varint.h"
#include "parser/v1/wire.h"

static bool ok(const struct v1_builder *b)
{
    return !b->write_failed && !b->no_memory;
}

static bool no_memory(struct v1_builder *b)
{
    b->no_memory = true;
    return false;
}

static bool put(struct v1_builder *b, const void *data, size_t size)
{
    if (ok(b) && size && !b->write(b->arg, data, size))
        b->write_failed = true;
    return ok(b);
}

/*
 * A record without the data behind its integers. The first byte says how many there are, as one less than that, before
 * 1.7 two less; of more than it can say, it says that their size comes first.
 */
enum { RECORD_MAX = 1 + VARINT_MAX + V1_WIRE_ARGS * VARINT_MAX };

static uint8_t *record(const struct v1_builder *b, uint8_t *p, uint8_t id, const uint64_t *v, unsigned n)
{
    uint8_t integers[V1_WIRE_ARGS * VARINT_MAX], *end = integers;
    unsigned count = n - (b->form.sequences ? 2 : 1);
    for (unsigned i = 0; i < n; i++)
        end = varint_put(end, v[i]);
    size_t size = (size_t)(end - integers);
    *p++ = (uint8_t)(id | (count < 3 ? count : 3) << 6);
    if (count >= 3)
        p = varint_put(p, size);
    memcpy(p, integers, size);
    return p + size;
}

/* ---- batches ----------------------------------------------------------------------------------------------------- */

static bool put_tables(struct v1_builder *b)
{
    bool done = put(b, b->tables.at, b->tables.size);
    b->tables.size = 0;
    return done;
}

static bool put_batch_header(struct v1_builder *b, int32_t p, uint64_t ticks, uint64_t seq)
{
    uint8_t header[RECORD_MAX];
    const uint64_t numbered[] = {(uint64_t)(int64_t)p, seq, ticks}, plain[] = {(uint64_t)(int64_t)p, ticks};
    b->has_batch = true;
    uint8_t *end = b->form.sequences ? record(b, header, V1_Batch, numbered, 3) : record(b, header, V1_Batch, plain, 2);
    return put(b, header, (size_t)(end - header));
}

static bool flush(struct v1_builder *b, struct v1_open_batch *o)
{
    if (!o->events.size)
        return ok(b);
    bool done = put_batch_header(b, o->p, o->ticks, o->seq) && put(b, o->events.at, o->events.size);
    o->events.size = 0;
    return done;
}

/*
 * CPU samples have batches of their own, as those of Go do: whether their ticks count for the events behind them is one
 * thing to Go 1.21, and another to Go 1.22.
 */
static struct v1_open_batch *batch_of(struct v1_builder *b, int32_t p, bool samples)
{
    uint64_t key = (uint64_t)((int64_t)p + 1) | (uint64_t)samples << 32;
    uint32_t at = idmap_get(&b->open_of, key);
    if (at)
        return &b->open.v[at - 1];
    if (!VEC_ROOM(&b->open) || !idmap_add(&b->open_of, key, (uint32_t)b->open.n + 1)) {
        no_memory(b);
        return NULL;
    }
    b->open.v[b->open.n] = (struct v1_open_batch){.p = p};
    return &b->open.v[b->open.n++];
}

bool v1_builder_event(struct v1_builder *b, const struct v1_made *ev)
{
    const struct v1_shape *shape = &b->form.shapes[ev->id];
    struct v1_open_batch *o = ok(b) ? batch_of(b, ev->p, shape->cls == V1_IS_SAMPLE) : NULL;
    if (!o)
        return false;
    if (o->events.size + RECORD_MAX > V1_BATCH_MAX && !flush(b, o))
        return false;
    if (!o->events.size) {
        o->ticks = o->last_ticks = ev->ticks;
        o->seq = o->last_seq = ev->seq;
    }
    uint64_t v[V1_WIRE_ARGS];
    unsigned n = 0;
    if (shape->before == 2)
        v[n++] = ev->seq - o->last_seq;
    v[n++] = ev->ticks - o->last_ticks;
    for (unsigned i = 0; i < shape->named; i++)
        v[n++] = ev->args[i];
    if (shape->stack)
        v[n++] = ev->stack;
    size_t size = ev->message.size < V1_MAX_STRING ? ev->message.size : V1_MAX_STRING;
    uint8_t *p = raw_buffer_reserve(&o->events, RECORD_MAX + VARINT_MAX + size);
    if (!p)
        return no_memory(b);
    uint8_t *end = record(b, p, ev->id, v, n);
    if (ev->id == V1_UserLog) {
        end = varint_put(end, size);
        if (size)
            memcpy(end, ev->message.data, size);
        end += size;
    }
    o->events.size += (size_t)(end - p);
    o->last_ticks = ev->ticks;
    o->last_seq = ev->seq;
    return true;
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* They may stand anywhere but in front of the first batch. */
static bool limit_tables(struct v1_builder *b)
{
    if (b->tables.failed)
        return no_memory(b);
    if (b->tables.size < V1_BATCH_MAX)
        return true;
    return (b->has_batch || put_batch_header(b, -1, 0, 0)) && put_tables(b);
}

uint64_t v1_builder_string(struct v1_builder *b, const char *data, size_t size)
{
    uint8_t head[1 + 2 * VARINT_MAX] = {V1_String};
    bool fresh;
    if (!ok(b) || !size)
        return 0;
    if (size > V1_MAX_STRING)
        size = V1_MAX_STRING;
    uint64_t id = intern(&b->strings, data, size, &fresh);
    if (!id)
        no_memory(b);
    if (!fresh)
        return id;
    const uint8_t *end = varint_put(varint_put(head + 1, id), size);
    raw_buffer_add(&b->tables, head, (size_t)(end - head));
    raw_buffer_add(&b->tables, data, size);
    return limit_tables(b) ? id : 0;
}

uint64_t v1_builder_stack(struct v1_builder *b, const struct v1_frame *frames, size_t n)
{
    bool fresh;
    if (!ok(b) || !n)
        return 0;
    if (n > V1_MAX_FRAMES)
        n = V1_MAX_FRAMES;
    uint64_t v[V1_MAX_FRAMES * V1_FRAME_ARGS];
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        v[count++] = frames[i].pc;
        if (!b->form.names)
            continue;
        v[count++] = frames[i].function;
        v[count++] = frames[i].file;
        v[count++] = frames[i].line;
    }
    uint64_t id = intern(&b->stacks, v, count * sizeof *v, &fresh);
    if (!id)
        no_memory(b);
    if (!fresh)
        return id;
    uint8_t integers[(2 + V1_MAX_FRAMES * V1_FRAME_ARGS) * VARINT_MAX];
    uint8_t head[1 + VARINT_MAX] = {V1_Stack | 3 << 6};
    uint8_t *end = varint_put(varint_put(integers, id), n);
    for (size_t i = 0; i < count; i++)
        end = varint_put(end, v[i]);
    const uint8_t *head_end = varint_put(head + 1, (uint64_t)(end - integers));
    raw_buffer_add(&b->tables, head, (size_t)(head_end - head));
    raw_buffer_add(&b->tables, integers, (size_t)(end - integers));
    return limit_tables(b) ? id : 0;
}

/* Frequency and TimerGoroutine; before 1.7 they have an argument more, which says nothing. */
static bool add_one(struct v1_builder *b, uint8_t id, uint64_t value)
{
    uint8_t out[RECORD_MAX];
    const uint64_t v[] = {value, 0};
    const uint8_t *end = record(b, out, id, v, b->form.shapes[id].nargs);
    raw_buffer_add(&b->tables, out, (size_t)(end - out));
    return limit_tables(b);
}

bool v1_builder_timers(struct v1_builder *b, uint64_t g)
{
    return ok(b) && add_one(b, V1_TimerGoroutine, g);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

bool v1_builder_begin(struct v1_builder *b, unsigned nn, v1_write *write, void *arg)
{
    char header[V1_HEADER_SIZE + 1] = {0};
    *b = (struct v1_builder){.nn = nn, .form = v1_form(nn), .write = write, .arg = arg};
    snprintf(header, sizeof header, "go 1.%u trace", nn);
    return put(b, header, V1_HEADER_SIZE);
}

bool v1_builder_end(struct v1_builder *b, uint64_t ticks_per_second)
{
    for (size_t i = 0; i < b->open.n; i++)
        if (!flush(b, &b->open.v[i]))
            return false;
    return ok(b) && add_one(b, V1_Frequency, ticks_per_second) && put_tables(b);
}

void v1_builder_free(struct v1_builder *b)
{
    for (size_t i = 0; i < b->open.n; i++)
        raw_buffer_free(&b->open.v[i].events);
    VEC_FREE(&b->open);
    idmap_free(&b->open_of);
    raw_buffer_free(&b->tables);
    intern_free(&b->strings);
    intern_free(&b->stacks);
}
