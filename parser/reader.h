/*
 * The reader's state. A generation at a time is loaded whole; then the earliest event of all threads that may happen is
 * the next one, and CPU samples are merged in by their time.
 */
#ifndef THRACE_PARSER_READER_H
#define THRACE_PARSER_READER_H

#include "parser/as_v2/names.h"
#include "parser/frontier.h"
#include "parser/order.h"

enum reader_state {
    READING,
    CUT_SHORT, /* the generation is the last that could be read; later says why */
    /* What comes from here on comes from no thread's events. */
    FAIL_NEXT, /* the last event before an error is out */
    ENDED,
    READING_V1, /* a trace of v1: events are made of those of as_v2, which is NULL until the first is asked for */
};

enum { NO_PENDING = -1 };

struct gotrace_reader {
    struct failure failure, later;
    struct source source;
    int fd;
    bool owns_fd;
    bool fast; /* the event returned last is heap entry 0's, that alone, and on its own thread: see reader_next.c */
    const struct wire_version *version; /* NULL: the header is none that can be read */
    enum reader_state state;
    bool loaded; /* there is a generation */
    bool stuck;  /* none of its threads may go on */
    struct generation generation;
    struct order order;
    struct frontier frontier;
    ssize_t pending; /* the heap entry whose event was returned last and must be moved on, or NO_PENDING */
    unsigned nth;    /* of order.several, the next to return */
    size_t sample;
    int64_t sample_time; /* of generation.samples[sample]; INT64_MAX: none */
    int64_t last;
    uint64_t syncs;
    struct gotrace_event made;
    struct as_v2 *as_v2;
    as_v2_name_fn *name; /* of frames without names; NULL: nobody knows any */
    void *name_arg;
};

/* gotrace_reader_next for everything; */
const struct gotrace_event *reader_next_slow(struct gotrace_reader *r);

/* and from where heap entry 0 is the earliest event again. */
const struct gotrace_event *reader_decide(struct gotrace_reader *r);

#endif
