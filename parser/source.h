/*
 * The bytes of a trace, in order. What was handed out stays where it is until source_forget, so that batches need no
 * copy: the bytes live in chunks that are recycled from one generation to the next, or in the caller's memory.
 */
#ifndef THRACE_PARSER_SOURCE_H
#define THRACE_PARSER_SOURCE_H

#include <stdbool.h>

#include "gotrace/reader.h"

struct chunk;

struct source {
    const uint8_t *p, *end; /* bytes that are read but not yet consumed */
    uint64_t offset;        /* of end, from the start of the trace */
    gotrace_read_fn *read;  /* NULL: [p, end) is all there is, unless it is a file */
    void *arg;
    gotrace_progress_fn *tell; /* how far it has come; NULL: nobody asks */
    void *tell_arg;
    bool is_file; /* a regular file, which is read by offset: what is skipped can be read later */
    int fd;       /* of the file */
    struct chunk *chunks; /* the one with p and, behind it, those that were handed out before it */
    struct chunk *spare;
    struct window *window; /* what was read again last, with what is behind it */
    int error; /* errno of a read that failed, ENOMEM included */
    bool ended;
};

/*
 * Makes want bytes, at most SOURCE_MAX, available at p, or as many as there are; returns how many there are.
 */
enum { SOURCE_MAX = 128 << 10 };
size_t source_need(struct source *s, size_t want);

/* The offset of p in the trace. */
static inline uint64_t source_offset(const struct source *s)
{
    return s->offset - (uint64_t)(s->end - s->p);
}

/*
 * Consumes n bytes of a file without reading all of them. False: there are not as many. source_again reads what was
 * skipped, at any time; 0 or an errno. Small pieces that lie together are read together.
 */
bool source_skip(struct source *s, size_t n);
int source_again(struct source *s, uint64_t offset, void *buf, size_t n);

/* Gives back the last n bytes consumed, if they were not forgotten. */
void source_back(struct source *s, size_t n);

/* Recycles everything that is consumed. */
void source_forget(struct source *s);

void source_free(struct source *s);

#endif
