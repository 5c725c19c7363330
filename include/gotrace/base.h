/*
 * libgotrace: what all its parts share: the constant for "none", strings, errors, and the callbacks that bytes come
 * from and go to. Since: 0.1.
 */
#ifndef GOTRACE_BASE_H
#define GOTRACE_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifndef GOTRACE_API
#define GOTRACE_API __attribute__((visibility("default")))
#endif

/* No thread, proc, goroutine or task. Since: 0.1. */
#define GOTRACE_NONE UINT64_MAX

/* Bytes of the trace, not terminated by NUL; mostly UTF-8, but that is up to who wrote them. Since: 0.1. */
struct gotrace_str {
    const char *data;
    size_t len;
};

/* What kind of error. Since: 0.1. */
enum gotrace_status {
    GOTRACE_OK = 0,
    GOTRACE_EREAD,    /* the input cannot be opened or read */
    GOTRACE_EFORMAT,  /* not a Go execution trace */
    GOTRACE_EVERSION, /* a Go execution trace, but of a version that the library does not know */
    GOTRACE_EBROKEN,  /* the trace breaks a rule of the format, or is cut off */
    GOTRACE_ENOMEM,   /* memory is short */
    GOTRACE_EWRITE,   /* the output cannot be written */
    GOTRACE_EINVAL,   /* the caller asked for what cannot be: the format does not have it, or a limit is passed */
};

/*
 * What went wrong and where. message names the rule that was broken and is one line of text; the other fields are
 * 0, GOTRACE_NONE (thread) and NULL (event) where they do not apply. It belongs to what reported it, the reader,
 * writer, builder or validator, and lives until that is used again or freed. Since: 0.1.
 */
struct gotrace_error {
    enum gotrace_status status;
    int sys_errno; /* the errno of the call that failed; 0: none did */
    const char *message;
    uint64_t generation;
    uint64_t thread;
    uint64_t offset;   /* in bytes from the start of the trace; in the text form: the line, counted from 1 */
    const char *event; /* the event's name on the wire */
};

/*
 * Where a reader gets its bytes: stores up to size of them at buf and returns how many, 0 at the end, or -1 on an error
 * with errno set. It is called by the thread that uses the reader, with the arg that came with it. Since: 0.1.
 */
typedef ssize_t gotrace_read_fn(void *arg, void *buf, size_t size);

/*
 * Where a writer or builder puts its bytes: takes all of them and returns 0, or another value on an error with errno
 * set. It is called by the thread that uses the writer, with the arg that came with it. Since: 0.1.
 */
typedef int gotrace_write_fn(void *arg, const void *buf, size_t size);

/*
 * Whether there is a version 1.NN of the format that this library calls v2, which began with 1.22. It cannot fail, and
 * may be called by any thread and in a signal handler. Since: 0.1.
 */
GOTRACE_API bool gotrace_version_known(int version);

#ifdef __cplusplus
}
#endif

#endif
