/* The first thing that went wrong while reading: what gotrace_reader_error shows. */
#ifndef THRACE_PARSER_FAILURE_H
#define THRACE_PARSER_FAILURE_H

#include "gotrace/reader.h"
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

#endif
