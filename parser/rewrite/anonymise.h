/*
 * A trace that may be shown to strangers: the same events at the same times, but names, paths, addresses and messages
 * are replaced, the same by the same. docs/man/thrace-anonymise.1 says what stays.
 */
#ifndef THRACE_PARSER_REWRITE_ANONYMISE_H
#define THRACE_PARSER_REWRITE_ANONYMISE_H

#include <stdio.h>

#include "lib/wire/version.h"
#include "parser/failure.h"
#include "parser/source.h"

struct anonymised {
    uint64_t batches, events; /* of experiments, which are dropped: they have addresses */
    uint64_t notes;           /* of the recorder, such as heap profiles, likewise */
};

/*
 * Reads a trace of version, one of v2, from behind its header, and writes it to a file. False: f says why.
 */
bool anonymise_trace(struct source *s, const struct wire_version *version, FILE *to, struct anonymised *done,
                     struct failure *f);

#endif
