#include "parser/v1/wire.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/wire/version.h"

bool v1_fail(struct v1_error *e, enum v1_status status, uint64_t offset, unsigned id, const char *fmt, ...)
{
    if (e->status)
        return false;
    *e = (struct v1_error){.status = status, .offset = offset, .event = v1_events[id % V1_IDS].name};
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(e->message, sizeof e->message, fmt, ap);
    va_end(ap);
    return false;
}

#define BROKEN(...) (v1_fail(e, V1_BROKEN, (uint64_t)(r->at - t->data), r->id, __VA_ARGS__), NULL)

unsigned v1_version(const uint8_t *data, size_t size)
{
    static const char tail[] = " trace\0\0\0\0";
    unsigned nn = 0;
    if (size >= WIRE_FIRST_HEADER_SIZE && !memcmp(data, WIRE_FIRST_HEADER, WIRE_FIRST_HEADER_SIZE))
        return WIRE_FIRST_TRACER;
    if (size < V1_HEADER_SIZE || memcmp(data, "go 1.", 5))
        return 0;
    size_t at = 5;
    for (; at < 7 && data[at] >= '0' && data[at] <= '9'; at++)
        nn = 10 * nn + data[at] - '0';
    if (data[5] == '0' || memcmp(data + at, tail, V1_HEADER_SIZE - at))
        return 0;
    return wire_version_is_old(nn) ? nn : 0;
}

size_t v1_header_size(unsigned nn) { return nn == WIRE_FIRST_TRACER ? WIRE_FIRST_HEADER_SIZE : V1_HEADER_SIZE; }

/* An integer before end; if there is none, says why. */
static const uint8_t *integer(const struct v1_trace *t, const uint8_t *p, const uint8_t *end, uint64_t *v,
                              const struct v1_record *r, struct v1_error *e)
{
    const uint8_t *next = varint_get(p, end, v);
    if (LIKELY(next))
        return next;
    while (p < end && *p >= 0x80 && p - r->at < VARINT_MAX)
        p++;
    if (p < end)
        return BROKEN("an integer does not fit 64 bits");
    return end == t->data + t->size ? BROKEN("the trace is cut off")
                                    : BROKEN("the size of the event ends within an integer");
}

static const uint8_t *bytes(const struct v1_trace *t, const uint8_t *p, struct v1_record *r, struct v1_error *e)
{
    const uint8_t *end = t->data + t->size;
    uint64_t size;
    if (!(p = integer(t, p, end, &size, r, e)))
        return NULL;
    if (size > V1_MAX_STRING)
        return BROKEN("a string of %" PRIu64 " bytes is too long", size);
    if (size > (size_t)(end - p))
        return BROKEN("the trace is cut off");
    r->data = (struct v1_text){(const char *)p, size};
    return p + size;
}

static const uint8_t *string(const struct v1_trace *t, const uint8_t *p, struct v1_record *r, struct v1_error *e)
{
    if (!(p = integer(t, p, t->data + t->size, &r->args[0], r, e)))
        return NULL;
    if (!r->args[0])
        return BROKEN("a string has the invalid ID 0");
    if (!(p = bytes(t, p, r, e)))
        return NULL;
    return r->data.size ? p : BROKEN("a string has the invalid length 0");
}

/* Of the arguments, which end at end, n were there. */
static const uint8_t *stack(const struct v1_trace *t, uint64_t n, const uint8_t *end, struct v1_record *r,
                            struct v1_error *e)
{
    uint64_t size = r->args[1], per_frame = v1_frame_args(&t->form);
    if (n < 2)
        return BROKEN("has %" PRIu64 " arguments, not at least 2", n);
    if (size > V1_MAX_FRAMES)
        return BROKEN("a stack of %" PRIu64 " frames is too deep", size);
    if (n != 2 + per_frame * size)
        return BROKEN("a stack of %" PRIu64 " frames has %" PRIu64 " arguments, not %" PRIu64, size, n,
                      2 + per_frame * size);
    r->nframes = (uint32_t)size;
    r->data.size = (size_t)((const char *)end - r->data.data);
    return end;
}

const uint8_t *v1_read(const struct v1_trace *t, const uint8_t *p, struct v1_record *r, struct v1_error *e)
{
    const uint8_t *end = t->data + t->size;
    unsigned n = *p >> 6;
    r->at = p;
    r->id = *p++ & (V1_IDS - 1);
    const struct v1_shape *shape = &t->form.shapes[r->id];
    if (UNLIKELY(shape->cls == V1_IS_NONE))
        return BROKEN("event type %u is unknown in version 1.%u", r->id, t->nn);
    if (shape->cls == V1_IS_STRING)
        return string(t, p, r, e);

    /* The first byte says how many arguments there are; those of many have their size in bytes in front. */
    uint64_t count, v;
    if (n < 3) {
        count = n + (t->form.sequences ? 2 : 1);
        for (unsigned i = 0; i < count; i++) {
            if (LIKELY(p < end && *p < 0x80))
                r->args[i] = *p++;
            else if (UNLIKELY(!(p = integer(t, p, end, &r->args[i], r, e))))
                return NULL;
            if (i == 1)
                r->data.data = (const char *)p;
        }
    } else {
        if (!(p = integer(t, p, end, &v, r, e)))
            return NULL;
        if (v > (size_t)(end - p))
            return BROKEN("the trace is cut off");
        const uint8_t *last = p + v;
        for (count = 0; p < last; count++) {
            const uint8_t *next = varint_get(p, last, &v);
            if (UNLIKELY(!next))
                return integer(t, p, last, &v, r, e);
            p = next;
            if (count < V1_WIRE_ARGS)
                r->args[count] = v;
            if (count == 1)
                r->data.data = (const char *)p;
        }
    }
    if (shape->cls == V1_IS_STACK)
        return stack(t, count, p, r, e);
    if (UNLIKELY(count != shape->nargs))
        return BROKEN("has %" PRIu64 " arguments, not %u", count, shape->nargs);
    return UNLIKELY(r->id == V1_UserLog) ? bytes(t, p, r, e) : p;
}

struct v1_integer v1_reread_long(const uint8_t *p)
{
    struct v1_integer i = {p, 0};
    unsigned shift = 0;
    do
        i.v |= (uint64_t)(*i.end & 0x7f) << shift;
    while (shift += 7, *i.end++ >= 0x80);
    return i;
}

void v1_reread_at(const struct v1_trace *t, uint64_t at, struct v1_said *r)
{
    v1_reread_event(&t->form, t->data + at, r);
}
