/*
 * Reads and writes a thread's events, which most batches consist of: the id, the time since the event before (dt), and
 * the other arguments. All code that goes over event bytes uses these functions.
 */
#ifndef THRACE_LIB_WIRE_CURSOR_H
#define THRACE_LIB_WIRE_CURSOR_H

#include "lib/wire/events.h"
#include "lib/wire/varint.h"

enum { EVENT_SIZE_MAX = 1 + EVENT_MAX_ARGS * VARINT_MAX };

/* Arguments, dt included, of a timed event; 0: the id is of none. */
extern const uint8_t timed_args[256] __attribute__((visibility("hidden")));

/* Writes an event of nargs arguments besides dt to p, which has room for EVENT_SIZE_MAX; returns the byte after it. */
__attribute__((always_inline)) static inline uint8_t *event_put(uint8_t *p, uint8_t id, uint64_t dt,
                                                                const uint64_t *args, unsigned nargs)
{
    *p++ = id;
    p = varint_put(p, dt);
    for (unsigned i = 0; i < nargs; i++)
        p = varint_put(p, args[i]);
    return p;
}

/*
 * Reads the event that begins at p, before end; args are those besides dt. Returns the byte after it, or NULL: then it
 * is no timed event, or its argument number *nread, counted from dt, is cut off by end or does not fit 64 bits.
 */
__attribute__((always_inline)) static inline const uint8_t *event_get(const uint8_t *p, const uint8_t *end,
                                                                      uint64_t *dt, uint64_t *args, unsigned *nread)
{
    unsigned n = timed_args[*p++];
    for (*nread = 0; *nread < n; ++*nread)
        if (!(p = varint_get(p, end, *nread ? &args[*nread - 1] : dt)))
            return NULL;
    return n ? p : NULL;
}

struct wire_event {
    const uint8_t *at; /* its first byte */
    uint64_t time;     /* in timestamp units */
    uint64_t args[EVENT_MAX_ARGS - 1];
    uint8_t id;
};

/* Starts with the bytes of a batch and its time. */
struct wire_cursor {
    const uint8_t *p, *end; /* what was not read yet */
    uint64_t time;          /* of the event read last */
    unsigned nread;         /* as of event_get */
};

enum wire_result { WIRE_EVENT, WIRE_END, WIRE_BROKEN };

/* Reads the next event. The cursor stays at one that is broken. */
static inline enum wire_result wire_next(struct wire_cursor *c, struct wire_event *ev)
{
    uint64_t dt;
    if (c->p == c->end)
        return WIRE_END;
    const uint8_t *next = event_get(c->p, c->end, &dt, ev->args, &c->nread);
    if (!next)
        return WIRE_BROKEN;
    ev->at = c->p;
    ev->id = *c->p;
    ev->time = c->time += dt;
    c->p = next;
    return WIRE_EVENT;
}

#endif
