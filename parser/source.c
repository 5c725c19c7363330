#include "parser/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* As large as a huge page, where there are such: a trace is gone through once, so the price is that of the pages. */
enum { CHUNK_SIZE = 2 << 20 };

struct chunk {
    struct chunk *next;
    uint8_t bytes[CHUNK_SIZE - sizeof(struct chunk *)];
};

_Static_assert(sizeof((struct chunk *)0)->bytes >= 4 * SOURCE_MAX, "a chunk is mostly new bytes, not carried over ones");

/* The first chunk is not made a huge page of: most traces are smaller than that. */
static struct chunk *new_chunk(bool first)
{
    if (first)
        return malloc(sizeof(struct chunk));
    struct chunk *c = aligned_alloc(CHUNK_SIZE, sizeof *c);
    if (c)
        madvise(c, sizeof *c, MADV_HUGEPAGE); /* or not */
    return c;
}

/* Starts a chunk with the bytes that are not consumed yet. */
static bool next_chunk(struct source *s)
{
    struct chunk *c = s->spare;
    if (c)
        s->spare = c->next;
    else if (!(c = new_chunk(!s->chunks))) {
        s->error = ENOMEM;
        return false;
    }
    size_t left = (size_t)(s->end - s->p);
    if (left)
        memcpy(c->bytes, s->p, left);
    c->next = s->chunks;
    s->chunks = c;
    s->p = c->bytes;
    s->end = c->bytes + left;
    return true;
}

size_t source_need(struct source *s, size_t want)
{
    while ((size_t)(s->end - s->p) < want && s->read && !s->ended && !s->error) {
        struct chunk *c = s->chunks;
        if ((!c || (size_t)(c->bytes + sizeof c->bytes - s->p) < want) && !next_chunk(s))
            break;
        c = s->chunks;
        uint8_t *at = c->bytes + (s->end - c->bytes);
        ssize_t n = s->read(s->arg, at, (size_t)(c->bytes + sizeof c->bytes - at));
        if (n < 0) {
            if (errno != EINTR)
                s->error = errno ? errno : EIO;
        } else if (n == 0) {
            s->ended = true;
        } else {
            s->end += n;
            s->offset += (uint64_t)n;
        }
    }
    return (size_t)(s->end - s->p);
}

void source_forget(struct source *s)
{
    struct chunk *current = s->chunks;
    if (!current)
        return;
    while (current->next) {
        struct chunk *c = current->next;
        current->next = c->next;
        c->next = s->spare;
        s->spare = c;
    }
}

static void free_chunks(struct chunk *c)
{
    while (c) {
        struct chunk *next = c->next;
        free(c);
        c = next;
    }
}

void source_free(struct source *s)
{
    free_chunks(s->chunks);
    free_chunks(s->spare);
    s->chunks = s->spare = NULL;
}
