/* Other names for texts, the same for the same, and other numbers for addresses. */
#ifndef THRACE_PARSER_REWRITE_PSEUDONYMS_H
#define THRACE_PARSER_REWRITE_PSEUDONYMS_H

#include "gotrace/base.h"
#include "parser/builder_intern.h"
#include "parser/vec.h"

/* What a text is: the first thing that it is seen as says what it is called. */
enum pseudonym {
    PSEUDONYM_KEPT, /* it stays as it is */
    PSEUDONYM_THREAD,
    PSEUDONYM_OBJECT,
    PSEUDONYM_FUNCTION,
    PSEUDONYM_FILE,
    PSEUDONYM_LIBRARY, /* a file that is called as it is, without the folders that it is in */
    PSEUDONYM_LABEL,
    PSEUDONYM_TASK,
    PSEUDONYM_REGION,
    PSEUDONYM_KEY,
    PSEUDONYM_MESSAGE,
    PSEUDONYM_REASON,
    PSEUDONYMS
};

struct pseudonym_bytes {
    size_t offset, size; /* in out */
};

struct pseudonyms {
    struct intern texts, addresses;
    struct raw_buffer out;
    VEC(struct pseudonym_bytes) of; /* by the numbers of texts, from 1 */
    uint64_t counts[PSEUDONYMS];
    bool failed; /* memory is short */
};

/* What the text is called; it lives until the next one is asked for. */
struct gotrace_str pseudonym_of(struct pseudonyms *p, struct gotrace_str text, enum pseudonym as);

/* 0 stays 0. */
uint64_t pseudonym_of_address(struct pseudonyms *p, uint64_t address);

void pseudonyms_free(struct pseudonyms *p);

#endif
