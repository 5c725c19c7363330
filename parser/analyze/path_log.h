/*
 * What the threads of a trace did, in records that are kept in the order in which they came: each says which record was
 * the one before it on the way. So it can be asked, once the trace is over, what led to any moment of any thread.
 *
 * What memory has no room for goes to a file in TMPDIR, or /tmp, that has no name. It takes 24 bytes a record.
 */
#ifndef THRACE_PARSER_ANALYZE_PATH_LOG_H
#define THRACE_PARSER_ANALYZE_PATH_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PATH_LOG_MEMORY = 1 << 20 }; /* records; a power of two */

enum path_kind {
    PATH_STEP,  /* the thread was in a state, from the end of the record before on */
    /* A wait began, or the first of those for the same thing that it gave up and tried again. The next record says */
    PATH_WAIT,
    PATH_WOKEN, /* which thread ended it: the record before that is the waker's */
    PATH_MADE,  /* it came to be; the record before is its maker's, or none */
};

struct path_record {
    uint64_t before : 40; /* number of a record, from 1 on; 0: none */
    uint64_t kind : 2;    /* enum path_kind */
    uint64_t state : 3;   /* of a step: enum gotrace_state */
    uint64_t sampled : 1; /* of a step: a sample found it there */
    uint64_t outside : 1; /* of a step: a wait that something outside of the trace ended, and not the time */
    uint64_t object : 16; /* text: what was waited for, else why; 0 of a step that is no wait */
    int64_t end;
    uint32_t thread; /* number of the thread in the trace, from 0 on */
    union {
        uint32_t by; /* who woke or made it: thread */
        struct {
            uint16_t reason, what; /* of a step: texts */
        };
    };
};
_Static_assert(sizeof(struct path_record) == 24, "a record has no holes");

struct path_log {
    struct path_record *v, *block; /* the last ones; a block of the file, the last that was asked for */
    size_t n, cap, most;           /* of v */
    size_t block_n;
    uint64_t in_file, block_at;    /* records */
    int fd;
    int error; /* errno; 0: all is well */
};

/* With room for so many in memory, a power of two. */
void path_log_init(struct path_log *log, size_t most);
void path_log_free(struct path_log *log);

static inline uint64_t path_log_count(const struct path_log *log) { return log->in_file + log->n; }

/* Appends a copy; its number. After an error, 0. */
uint64_t path_log_add(struct path_log *log, const struct path_record *r);

/* The record with this number, of those that there are. After an error its fields are 0. */
struct path_record path_log_get(struct path_log *log, uint64_t number);

#endif
