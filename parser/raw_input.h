/*
 * Bytes from memory or a callback, as one range that grows at its end when more is asked for: what is there can be
 * looked at in place. Offsets count from the start of the stream.
 */
#ifndef THRACE_PARSER_RAW_INPUT_H
#define THRACE_PARSER_RAW_INPUT_H

#include <stdbool.h>

#include "gotrace/base.h"
#include "parser/raw_buffer.h"

struct raw_input {
    const uint8_t *p, *end;  /* there, and not consumed yet; the consumer advances p */
    uint64_t end_offset;     /* where in the stream end is */
    gotrace_read_fn *read;   /* NULL: all is there already */
    void *arg;
    struct raw_buffer buf;
    bool at_end;
    int error; /* errno of the read that failed, ENOMEM when memory ran out */
};

/* Appends to [p, end), which may move; false at the end of the stream and on an error. */
bool raw_input_more(struct raw_input *in);

/* Whether at least n bytes are there, after reading as many as that takes. n is at most a few MiB. */
static inline bool raw_input_need(struct raw_input *in, size_t n)
{
    while ((size_t)(in->end - in->p) < n)
        if (!raw_input_more(in))
            return false;
    return true;
}

static inline uint64_t raw_input_offset(const struct raw_input *in)
{
    return in->end_offset - (uint64_t)(in->end - in->p);
}

#endif
