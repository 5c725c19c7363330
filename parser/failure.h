/* The first thing that went wrong: what gotrace_reader_error and its like show. */
#ifndef THRACE_PARSER_FAILURE_H
#define THRACE_PARSER_FAILURE_H

#include "gotrace/base.h"
#include "parser/hints.h"

struct failure {
    struct gotrace_error error; /* status GOTRACE_OK: nothing did */
    char message[400];
};

/* Where: fields as in struct gotrace_error. */
struct place {
    uint64_t generation, thread, offset;
    const char *event;
};

/* Records the failure unless one is recorded already. */
COLD __attribute__((format(printf, 4, 5))) void fail(struct failure *f, enum gotrace_status status, struct place at,
                                                     const char *fmt, ...);

/*
 * Likewise for a call that failed with that errno: "what: why". Short memory is GOTRACE_ENOMEM, whatever status is.
 */
COLD void fail_system(struct failure *f, enum gotrace_status status, struct place at, int error, const char *what);

/* The error for the caller, NULL if there is none. */
static inline const struct gotrace_error *failure_error(const struct failure *f)
{
    return f->error.status ? &f->error : NULL;
}

#endif
