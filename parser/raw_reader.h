/* What the raw readers of both formats share. */
#ifndef THRACE_PARSER_RAW_READER_H
#define THRACE_PARSER_RAW_READER_H

#include "gotrace/raw.h"
#include "lib/wire/events.h"
#include "lib/wire/version.h"
#include "parser/failure.h"
#include "parser/raw_input.h"

_Static_assert((int)GOTRACE_RAW_MAX_ARGS == (int)EVENT_MAX_ARGS, "the public limit is the table's");

struct gotrace_raw_reader {
    enum gotrace_raw_format format;
    int version; /* 0: the header is still to be read */
    bool ended;
    bool takes_v1; /* versions of v1 are taken, whose records parser/v1/raw.h reads */
    struct failure failure;
    struct raw_input in;
    uint64_t position;        /* of the event being read: a byte offset or a line */
    uint64_t line;            /* text: the line last read */
    struct raw_buffer frames; /* of the event last read, as is data */
    struct raw_buffer data;
};

/* Sets the reader's error to where it stands and the message; returns -1. */
__attribute__((format(printf, 3, 4))) int raw_fail(struct gotrace_raw_reader *r, enum gotrace_status status,
                                                   const char *fmt, ...);

/* Fails for an input that ended or could not be read while what was being read. */
int raw_fail_short(struct gotrace_raw_reader *r, const char *what);

/* Room for frame number i behind the others, or NULL having failed. */
struct gotrace_raw_frame *raw_reader_frame(struct gotrace_raw_reader *r, uint64_t i);

/* Whether traces of version 1.NN have an event of this id. */
static inline bool raw_event_known(int version, unsigned id)
{
    return event_table[id & 0xff].name && event_table[id & 0xff].since <= version;
}

static inline bool raw_event_has_data(unsigned id) { return id == EV_String || id == EV_ExperimentalBatch; }

/* The format's own functions: 1, 0 at the end (events only), or -1 having failed. */
int bytes_read_header(struct gotrace_raw_reader *r);
int bytes_read_event(struct gotrace_raw_reader *r, struct gotrace_raw_event *ev);
int text_read_header(struct gotrace_raw_reader *r);
int text_read_event(struct gotrace_raw_reader *r, struct gotrace_raw_event *ev);

/* The next integer of a trace, and how many bytes it took; 0 having failed. */
size_t bytes_read_integer(struct gotrace_raw_reader *r, const char *what, uint64_t *v);

/* A size, and so many bytes of data: 1, or -1 having failed. */
int bytes_read_data(struct gotrace_raw_reader *r, struct gotrace_raw_event *ev, const char *name);

#endif
