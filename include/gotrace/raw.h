/*
 * libgotrace, the raw level: a Go execution trace v2 as the plain sequence of its events, framing included, with no
 * interpretation and no check beyond "this is an event that the trace's version knows". It reads and writes the wire
 * format and a line-oriented text form of it, and what it reads it can write back: from bytes to bytes and from text to
 * text unchanged, from bytes to text and back unchanged but for the padding that a size field may have.
 *
 * Ownership: what a reader fills in belongs to it and lives until its next call; a writer reads what it is given during
 * the call only. The caller frees readers and writers. Files, and callbacks with their args, are used until then.
 *
 * Errors: functions that return int give -1 on an error, and from then on the reader or writer stays in error; what
 * went wrong is told by gotrace_raw_reader_error and gotrace_raw_writer_error. No function aborts.
 *
 * Threads: one reader or writer belongs to one thread at a time; different ones are independent. No function is for
 * signal handlers. Since: 0.1.
 */
#ifndef GOTRACE_RAW_H
#define GOTRACE_RAW_H

#include <stdio.h>

#include <gotrace/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The two forms of a trace. Since: 0.1. */
enum gotrace_raw_format {
    GOTRACE_RAW_BYTES, /* the wire format, "go 1.NN trace" */
    GOTRACE_RAW_TEXT,  /* "Trace Go1.NN", then a line an event */
};

/* No event has more arguments. Since: 0.1. */
enum { GOTRACE_RAW_MAX_ARGS = 5 };

/*
 * Limits beyond those of the format, so that a broken trace can be looked at too, within bounded memory.
 * Since: 0.1.
 */
enum {
    GOTRACE_RAW_MAX_DATA = 1 << 20,   /* bytes of data of one event */
    GOTRACE_RAW_MAX_FRAMES = 1 << 14, /* frames of one Stack */
};

/* One frame of a Stack; function and file are string ids. Since: 0.1. */
struct gotrace_raw_frame {
    uint64_t pc, function, file, line;
};

/* One event. Since: 0.1. */
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

struct gotrace_raw_reader;
struct gotrace_raw_writer;

/*
 * A reader of size bytes at data (which stay the caller's and must outlive it), of a file from its position on (which
 * stays open and the caller's), or of what read delivers. NULL only when memory is short. Nothing is read yet.
 * Since: 0.1.
 */
GOTRACE_API struct gotrace_raw_reader *gotrace_raw_reader_open_memory(enum gotrace_raw_format format, const void *data,
                                                                      size_t size);
GOTRACE_API struct gotrace_raw_reader *gotrace_raw_reader_open_file(enum gotrace_raw_format format, FILE *file);
GOTRACE_API struct gotrace_raw_reader *gotrace_raw_reader_open_callback(enum gotrace_raw_format format,
                                                                        gotrace_read_fn *read, void *arg);

/* The NN of the version 1.NN, or -1. Reads the header when that is still to do. Since: 0.1. */
GOTRACE_API int gotrace_raw_reader_version(struct gotrace_raw_reader *r);

/* Reads the next event into *ev: 1, or 0 at the end of the trace, or -1 on an error. Since: 0.1. */
GOTRACE_API int gotrace_raw_reader_next(struct gotrace_raw_reader *r, struct gotrace_raw_event *ev);

/* Where the last event read (or the error) begins: a byte offset from 0, or in text a line from 1. Since: 0.1. */
GOTRACE_API uint64_t gotrace_raw_reader_position(const struct gotrace_raw_reader *r);

/*
 * What went wrong, or NULL when nothing has. The message says where as well ("byte 17: …", "line 3: …"). Lives as long
 * as r. Since: 0.1.
 */
GOTRACE_API const struct gotrace_error *gotrace_raw_reader_error(const struct gotrace_raw_reader *r);

/* Frees r; NULL is fine. Since: 0.1. */
GOTRACE_API void gotrace_raw_reader_free(struct gotrace_raw_reader *r);

/*
 * A writer of a trace of version 1.NN (see gotrace_version_known) to a file (which stays open and the caller's) or to
 * write. NULL with errno EINVAL when there is no such version, ENOMEM when memory is short. Since: 0.1.
 */
GOTRACE_API struct gotrace_raw_writer *gotrace_raw_writer_new_file(enum gotrace_raw_format format, int version,
                                                                   FILE *file);
GOTRACE_API struct gotrace_raw_writer *gotrace_raw_writer_new_callback(enum gotrace_raw_format format, int version,
                                                                       gotrace_write_fn *write, void *arg);

/*
 * Writes one event: 0, or -1. Output is buffered. When the version has no such event, ev breaks a limit above, or the
 * trace is finished, the error is GOTRACE_EINVAL; then nothing is written, and the writer goes on. Since: 0.1.
 */
GOTRACE_API int gotrace_raw_writer_event(struct gotrace_raw_writer *w, const struct gotrace_raw_event *ev);

/*
 * Ends the trace: all of it is with the file, which is flushed, or with the callback on return. 0, or -1 when anything
 * could not be written. Nothing can be added any more. Since: 0.1.
 */
GOTRACE_API int gotrace_raw_writer_finish(struct gotrace_raw_writer *w);

/*
 * Why the last call failed: GOTRACE_EINVAL, GOTRACE_EWRITE or GOTRACE_ENOMEM; NULL when it did not. All but the first
 * stay. Lives until the next call. Since: 0.1.
 */
GOTRACE_API const struct gotrace_error *gotrace_raw_writer_error(const struct gotrace_raw_writer *w);

/* Frees w, finished or not: what is buffered still is lost in the latter case. NULL is fine. Since: 0.1. */
GOTRACE_API void gotrace_raw_writer_free(struct gotrace_raw_writer *w);

/*
 * The text form of one event, without the final newline, as a NUL-terminated string that the caller frees; *size,
 * unless size is NULL, is its length. NULL with errno EINVAL when gotrace_raw_writer_event would refuse the event,
 * ENOMEM when memory is short. May be called by any thread. Since: 0.1.
 */
GOTRACE_API char *gotrace_raw_event_text(int version, const struct gotrace_raw_event *ev, size_t *size);

#ifdef __cplusplus
}
#endif

#endif
