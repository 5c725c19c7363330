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

/*
 * Reads the arguments of the event at p once more, without its message, after v1_read has found nothing wrong with it.
 * Returns the byte after them.
 */
static inline const uint8_t *v1_reread(const struct v1_trace *t, const uint8_t *p, uint64_t args[V1_WIRE_ARGS])
{
    const uint8_t *end = t->data + t->size;
    unsigned n = t->form.shapes[*p & (V1_IDS - 1)].nargs;
    bool has_size = *p >> 6 == 3;
    p++;
    if (has_size) {
        uint64_t size;
        p = varint_get(p, end, &size);
    }
    for (unsigned i = 0; i < n; i++)
        p = varint_get(p, end, &args[i]);
    return p;
}

/* Records the error unless there is one already; false. offset and event are as in struct v1_error. */
COLD __attribute__((format(printf, 5, 6))) bool v1_fail(struct v1_error *e, enum v1_status status, uint64_t offset,
                                                        unsigned id, const char *fmt, ...);

#endif
