/* The records of a v1 trace, one at a time, as bytes that anybody may have written. */
#ifndef THRACE_PARSER_V1_WIRE_H
#define THRACE_PARSER_V1_WIRE_H

#include "lib/wire/varint.h"
#include "parser/hints.h"
#include "parser/v1/trace.h"

enum {
    V1_WIRE_ARGS = 2 + V1_MAX_ARGS + 1, /* sequence and ticks, what is named, a stack */
    V1_MAX_STRING = 1000000,            /* bytes */
};

struct v1_record {
    const uint8_t *at;
    uint8_t id;
    uint32_t nframes;            /* of a Stack */
    uint64_t args[V1_WIRE_ARGS]; /* the first ones; of a String its id */
    struct v1_text data;         /* the bytes of a String, the frames of a Stack, what a UserLog says */
};

/*
 * Reads the record at p, which is before the end of the trace; only its data, size, nn and form are looked at. All
 * that a record can be wrong in by itself is checked. Returns the byte after it, or NULL, and *e says why.
 */
const uint8_t *v1_read(const struct v1_trace *t, const uint8_t *p, struct v1_record *r, struct v1_error *e);

/* Reads an integer once more, after v1_read has found nothing wrong with it. Returns the byte after it. */
static inline const uint8_t *v1_reread(const uint8_t *p, uint64_t *v)
{
    uint64_t byte = *p++, sum = byte & 0x7f;
    for (unsigned shift = 7; byte >= 0x80; shift += 7) {
        byte = *p++;
        sum |= (byte & 0x7f) << shift;
    }
    *v = sum;
    return p;
}

/* Likewise, the first integer of the event at p. */
static inline const uint8_t *v1_reread_first(const uint8_t *p, uint64_t *v)
{
    bool has_size = *p >> 6 == 3;
    p = v1_reread(p + 1, v);
    return has_size ? v1_reread(p, v) : p;
}

/* The first argument of an event, of one that has any. */
static inline uint64_t v1_first_arg(const struct v1_trace *t, const struct v1_event *ev)
{
    const uint8_t *p = t->data + ev->at;
    uint64_t v;
    unsigned before = t->form.shapes[*p & (V1_IDS - 1)].before;
    p = v1_reread_first(p, &v);
    for (; before; before--)
        p = v1_reread(p, &v);
    return v;
}

/* Records the error unless there is one already; false. offset and event are as in struct v1_error. */
COLD __attribute__((format(printf, 5, 6))) bool v1_fail(struct v1_error *e, enum v1_status status, uint64_t offset,
                                                        unsigned id, const char *fmt, ...);

#endif
