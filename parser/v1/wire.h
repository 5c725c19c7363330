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

/* An integer and the byte after it: returned in registers, as what has an address is kept in memory. */
struct v1_integer {
    const uint8_t *end;
    uint64_t v;
};

/* The integer at p, of more than two bytes; see v1_reread. */
struct v1_integer v1_reread_long(const uint8_t *p);

/* Reads an integer once more, after v1_read has found nothing wrong with it. Returns the byte after it. */
static inline const uint8_t *v1_reread(const uint8_t *p, uint64_t *v)
{
    if (LIKELY(p[0] < 0x80)) {
        *v = p[0];
        return p + 1;
    }
    if (LIKELY(p[1] < 0x80)) {
        *v = (p[0] & 0x7f) | (uint64_t)p[1] << 7;
        return p + 2;
    }
    struct v1_integer i = v1_reread_long(p);
    *v = i.v;
    return i.end;
}

/* Likewise, the first integer of the event at p. */
static inline const uint8_t *v1_reread_first(const uint8_t *p, uint64_t *v)
{
    bool has_size = *p >> 6 == 3;
    p = v1_reread(p + 1, v);
    return has_size ? v1_reread(p, v) : p;
}

/* What the record of an event says; arguments that its version does not have are 0. */
struct v1_said {
    unsigned id;
    uint64_t seq, ticks; /* since the event before; seq is 0 where there is none */
    uint64_t args[V1_MAX_ARGS];
    uint64_t stack;
    struct v1_text message; /* of UserLog only */
};

/*
 * Likewise, the event at p. Where all events are gone over, this is what takes time: it is inlined, and *r stays in
 * registers. Others call v1_reread_at.
 */
static inline __attribute__((always_inline)) const uint8_t *v1_reread_event(const struct v1_form *form,
                                                                            const uint8_t *p, struct v1_said *r)
{
    unsigned id = *p & (V1_IDS - 1);
    const struct v1_shape shape = form->shapes[id];
    r->id = id;
    r->seq = r->stack = 0;
    r->args[0] = r->args[1] = r->args[2] = 0;
    p = v1_reread_first(p, &r->ticks);
    if (UNLIKELY(shape.before == 2)) {
        r->seq = r->ticks;
        p = v1_reread(p, &r->ticks);
    }
    if (shape.named) {
        p = v1_reread(p, &r->args[0]);
        if (shape.named > 1)
            p = v1_reread(p, &r->args[1]);
        if (UNLIKELY(shape.named > 2))
            p = v1_reread(p, &r->args[2]);
    }
    if (shape.stack)
        p = v1_reread(p, &r->stack);
    if (UNLIKELY(id == V1_UserLog)) {
        uint64_t size;
        p = v1_reread(p, &size);
        r->message = (struct v1_text){(const char *)p, size};
        p += size;
    }
    return p;
}

_Static_assert(V1_MAX_ARGS == 3, "all are read");

void v1_reread_at(const struct v1_trace *t, uint64_t at, struct v1_said *r);

/* Records the error unless there is one already; false. offset and event are as in struct v1_error. */
COLD __attribute__((format(printf, 5, 6))) bool v1_fail(struct v1_error *e, enum v1_status status, uint64_t offset,
                                                        unsigned id, const char *fmt, ...);

#endif
