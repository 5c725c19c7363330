/* The frame of the file: a header and a run of batches, each of one generation and, mostly, of one thread. */
#ifndef THRACE_PARSER_BATCH_H
#define THRACE_PARSER_BATCH_H

#include "lib/wire/version.h"
#include "parser/failure.h"
#include "parser/source.h"

struct batch {
    uint64_t generation; /* 0: end_of_generation alone, or broken */
    uint64_t thread;
    uint64_t time; /* in timestamp units */
    const uint8_t *data; /* NULL: still in the file */
    uint32_t size;
    uint8_t experiment; /* 0: none */
    bool end_of_generation; /* the event alone, or a batch that begins with it */
    uint64_t offset;  /* of the batch in the trace */
};

enum batch_result { BATCH_OK, BATCH_NONE, BATCH_BROKEN };

/* Reads "go 1.NN trace" and returns which version that is; NULL: failed, and f says why. */
const struct wire_version *read_any_header(struct source *s, struct failure *f);

/*
 * Reads one batch and leaves its data where the source has them: of a batch of timed events in a file, that is the
 * file. generation is for messages only.
 */
enum batch_result read_batch(struct source *s, uint64_t generation, struct batch *b, struct failure *f);

/* Where the event at p is, in the data of b; b->offset is that of the data. */
struct place place_in(const struct batch *b, const uint8_t *p);

/* Fails as event_get did: the event at p is none that happens in a thread, or nread of its arguments were read. */
void fail_event(struct failure *f, struct place at, const uint8_t *p, unsigned nread);

/* The name of event id, or "invalid event". */
const char *event_name(unsigned id);

#endif
