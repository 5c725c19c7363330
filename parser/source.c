#include "parser/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* As large as a huge page, where there are such: a trace is gone through once, so the price is that of the pages. */
enum { CHUNK_SIZE = 2 << 20 };

struct chunk {
    struct chunk *next;
    uint8_t bytes[CHUNK_SIZE - sizeof(struct chunk *)];
};

_Static_assert(sizeof((struct chunk *)0)->bytes >= 4 * SOURCE_MAX,
               "a chunk is mostly new bytes, not carried over ones");

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

/* Of a file not much more than is wanted, as the rest may be skipped. */
static ssize_t read_more(struct source *s, uint8_t *at, size_t want, size_t room)
{
    enum { AHEAD = 4096 };
    if (!s->is_file)
        return s->read(s->arg, at, room);
    size_t n = want < AHEAD ? AHEAD : want;
    return pread(s->fd, at, n < room ? n : room, (off_t)s->offset);
}

size_t source_need(struct source *s, size_t want)
{
    size_t have;
    while ((have = (size_t)(s->end - s->p)) < want && (s->read || s->is_file) && !s->ended && !s->error) {
        struct chunk *c = s->chunks;
        if ((!c || (size_t)(c->bytes + sizeof c->bytes - s->p) < want) && !next_chunk(s))
            break;
        c = s->chunks;
        uint8_t *at = c->bytes + (s->end - c->bytes);
        ssize_t n = read_more(s, at, want - have, (size_t)(c->bytes + sizeof c->bytes - at));
        if (n < 0) {
            if (errno != EINTR)
                s->error = errno ? errno : EIO;
        } else if (n == 0) {
            s->ended = true;
        } else {
            s->end += n;
            s->offset += (uint64_t)n;
            if (s->tell)
                s->tell(s->tell_arg, s->offset);
        }
    }
    return have;
}

bool source_skip(struct source *s, size_t n)
{
    size_t have = (size_t)(s->end - s->p);
    if (n > have) {
        /* All but the last byte, which tells whether the others exist. */
        s->p = s->end;
        s->offset += n - have - 1;
        n = 1;
        if (!source_need(s, n))
            return false;
    }
    s->p += n;
    return true;
}

/* The last piece that was read again, and what follows it. */
struct window {
    uint64_t offset;
    size_t n;
    uint8_t bytes[16 << 10];
};

/* All of it, or as much as there is, but `least` bytes. 0 or an errno. */
static int read_again(const struct source *s, uint64_t offset, uint8_t *buf, size_t least, size_t *n)
{
    size_t want = *n;
    for (*n = 0; *n < least;) {
        ssize_t got = pread(s->fd, buf + *n, want - *n, (off_t)(offset + *n));
        if (got == 0)
            return EIO; /* it was longer before */
        if (got > 0)
            *n += (size_t)got;
        else if (errno != EINTR)
            return errno ? errno : EIO;
    }
    return 0;
}

/*
 * A generation that is short has a small batch of each thread, one behind the other: a system call for each would cost
 * more than all that is in it.
 */
int source_again(struct source *s, uint64_t offset, void *buf, size_t n)
{
    enum { SMALL = 1 << 10 };
    if (n > SMALL || (!s->window && !(s->window = calloc(1, sizeof *s->window))))
        return read_again(s, offset, buf, n, &n);
    struct window *w = s->window;
    if (offset - w->offset > w->n || n > w->n - (offset - w->offset)) { /* one that is in front of it, too */
        w->offset = offset;
        w->n = sizeof w->bytes;
        int error = read_again(s, offset, w->bytes, n, &w->n);
        if (error) {
            w->n = 0;
            return error;
        }
    }
    memcpy(buf, w->bytes + (offset - w->offset), n);
    return 0;
}

void source_back(struct source *s, size_t n)
{
    if (!s->is_file) {
        s->p -= n;
        return;
    }
    s->offset = source_offset(s) - n;
    s->p = s->end;
    s->ended = false;
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
    free(s->window);
    s->chunks = s->spare = NULL;
    s->window = NULL;
}
