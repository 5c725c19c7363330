/*
 * libgotrace, the raw level: a Go execution trace v2 as the plain sequence of its events, framing included, with no
 * interpretation and no check beyond "this is an event that the trace's version knows". It reads and writes the wire
 * format and a line-oriented text form of it, and what it reads it can write back: from bytes to bytes and from text to
 * text unchanged, from bytes to text and back unchanged but for the padding that a size field may have.
 *
 * One reader or writer belongs to one thread at a time; different ones are independent. Functions that return int give
 * -1 on an error, and from then on the reader or writer stays in error. Since: 0.1.
 */
#ifndef GOTRACE_RAW_H
#define GOTRACE_RAW_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <gotrace/version.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gotrace_raw_format {
    GOTRACE_RAW_BYTES, /* the wire format, "go 1.NN trace" */
    GOTRACE_RAW_TEXT,  /* "Trace Go1.NN", then a line an event */
};

enum { GOTRACE_RAW_MAX_ARGS = 5 };

/* Limits beyond those of the format, so that a broken trace can be looked at too, within bounded memory. */
enum {
    GOTRACE_RAW_MAX_DATA = 1 << 20,   /* bytes of data of one event */
    GOTRACE_RAW_MAX_FRAMES = 1 << 14, /* frames of one Stack */
};

/* One frame of a Stack; func and file are string ids. Since: 0.1. */
struct gotrace_raw_frame {
    uint64_t pc, func, file, line;
};

/*
 * One event. What a reader fills in lives until its next call; a writer only reads it. Since: 0.1.
 */
struct gotrace_raw_event {
    uint8_t id;    /* the wire id, see gotrace/events.h */
    uint8_t nargs; /* how many of args the event has by its definition */
    /*
     * How many bytes the integer takes that says how much follows: the last argument of EventBatch, the length before
     * data. 0: as few as needed.
     */
    uint8_t size_width;
    uint64_t args[GOTRACE_RAW_MAX_ARGS];
    const struct gotrace_raw_frame *frames; /* of a Stack: args[1] of them; otherwise NULL */
    const uint8_t *data;                    /* of String and ExperimentalBatch; otherwise NULL */
    size_t size;                            /* bytes at data */
};

/*
 * Where a reader gets its bytes: stores up to size of them at buf and returns how many, 0 at the end, -1 on an error
 * with errno set. Since: 0.1.
 */
typedef ptrdiff_t gotrace_raw_read_fn(void *ctx, void *buf, size_t size);

/* Where a writer puts its bytes: takes all of them and returns 0, or -1 on an error with errno set. Since: 0.1. */
typedef int gotrace_raw_write_fn(void *ctx, const void *buf, size_t size);

struct gotrace_raw_reader;
struct gotrace_raw_writer;

/*
 * A reader of size bytes at data (which stay the caller's and must outlive it), of a file from its position on (which
 * stays open and the caller's), or of what fn delivers. NULL only when memory runs out. Nothing is read yet.
 * Since: 0.1.
 */
GOTRACE_API struct gotrace_raw_reader *gotrace_raw_reader_open_memory(enum gotrace_raw_format format, const void *data,
                                                          size_t size);
GOTRACE_API struct gotrace_raw_reader *gotrace_raw_reader_open_file(enum gotrace_raw_format format, FILE *file);
GOTRACE_API struct gotrace_raw_reader *gotrace_raw_reader_open_callback(enum gotrace_raw_format format, gotrace_raw_read_fn *fn,
                                                            void *ctx);

/* The NN of the version 1.NN, or -1. Reads the header when that is still to do. Since: 0.1. */
GOTRACE_API int gotrace_raw_reader_version(struct gotrace_raw_reader *r);

/* Reads the next event into *ev: 1, or 0 at the end of the trace, or -1 on an error. Since: 0.1. */
GOTRACE_API int gotrace_raw_reader_next(struct gotrace_raw_reader *r, struct gotrace_raw_event *ev);

/* Where the last event read (or the error) begins: a byte offset from 0, or in text a line from 1. Since: 0.1. */
GOTRACE_API uint64_t gotrace_raw_reader_position(const struct gotrace_raw_reader *r);

/* What went wrong, with where ("byte 17: …", "line 3: …"); "" when nothing has. Lives as long as r. Since: 0.1. */
GOTRACE_API const char *gotrace_raw_reader_error(const struct gotrace_raw_reader *r);

/* The errno of the failed read when the error is that the input could not be read, else 0. Since: 0.1. */
GOTRACE_API int gotrace_raw_reader_errno(const struct gotrace_raw_reader *r);

/* Frees r; NULL is fine. Since: 0.1. */
GOTRACE_API void gotrace_raw_reader_free(struct gotrace_raw_reader *r);

/*
 * A writer of a trace of version 1.NN (see gotrace_version_known) to a file (which stays open and the caller's) or
 * to fn. NULL with errno EINVAL when there is no such version, ENOMEM when memory runs out. Since: 0.1.
 */
GOTRACE_API struct gotrace_raw_writer *gotrace_raw_writer_new_file(enum gotrace_raw_format format, int version, FILE *file);
GOTRACE_API struct gotrace_raw_writer *gotrace_raw_writer_new_callback(enum gotrace_raw_format format, int version,
                                                            gotrace_raw_write_fn *fn, void *ctx);

/*
 * Writes one event: 0, or -1 with errno: EINVAL when the version has no such event or ev breaks a limit above (nothing
 * is written, and the writer goes on), else that of the output. Output is buffered. Since: 0.1.
 */
GOTRACE_API int gotrace_raw_writer_event(struct gotrace_raw_writer *w, const struct gotrace_raw_event *ev);

/* Writes what is buffered, and frees w: 0, or -1 with errno when anything could not be written. Since: 0.1. */
GOTRACE_API int gotrace_raw_writer_close(struct gotrace_raw_writer *w);

/*
 * The text form of one event, without the final newline, as a NUL-terminated string to be freed; *size, unless size is
 * NULL, is its length. NULL with errno as for gotrace_raw_writer_event. Since: 0.1.
 */
GOTRACE_API char *gotrace_raw_event_text(int version, const struct gotrace_raw_event *ev, size_t *size);

/* Whether there is a version 1.NN of the format that this library calls v2, which began with 1.22. Since: 0.1. */
GOTRACE_API int gotrace_version_known(int version);

#ifdef __cplusplus
}
#endif

#endif
