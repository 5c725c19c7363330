#include "parser/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct chunk {
    struct chunk *next;
    uint8_t bytes[(1 << 20) - sizeof(struct chunk *)];
};

_Static_assert(sizeof((struct chunk *)0)->bytes >= 4 * SOURCE_MAX, "a chunk is mostly new bytes, not carried over ones");

/* Starts a chunk with the bytes that are not consumed yet. */
static bool next_chunk(struct source *s)
{
    struct chunk *c = s->spare;
    if (c)
        s->spare = c->next;
    else if (!(c = malloc(sizeof *c))) {
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
