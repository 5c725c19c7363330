#include "cmd/export/spill.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void fails(struct spill *s, int err) { s->err = s->err ? s->err : err; }

uint64_t spill_bytes(struct spill *s, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    uint64_t at = s->end;
    if (!s->file && !s->err) {
        s->file = tmpfile();
        s->fd = s->file ? fileno(s->file) : -1;
        if (!s->file)
            fails(s, errno);
    }
    while (n && !s->err) {
        ssize_t done = pwrite(s->fd, p, n, (off_t)s->end);
        if (done < 0 && errno != EINTR)
            fails(s, errno);
        if (done <= 0)
            continue;
        p += done;
        n -= (size_t)done;
        s->end += (uint64_t)done;
    }
    return at;
}

void spill_read(struct spill *s, uint64_t at, void *bytes, size_t n)
{
    uint8_t *p = bytes;
    while (n && !s->err) {
        ssize_t done = pread(s->fd, p, n, (off_t)at);
        if (done == 0 || (done < 0 && errno != EINTR))
            fails(s, done ? errno : EIO);
        if (done <= 0)
            continue;
        p += done;
        n -= (size_t)done;
        at += (uint64_t)done;
    }
    if (s->err)
        memset(p, 0, n);
}

void spill_add(struct spill *s, struct spill_list *l, const void *record)
{
    if (s->err)
        return;
    if (l->last.n + l->size > SPILL_BLOCK) {
        if (!VEC_ROOM(&l->blocks)) {
            fails(s, ENOMEM);
            return;
        }
        l->blocks.v[l->blocks.n++] = spill_bytes(s, l->last.v, l->last.n);
        l->last.n = 0;
    }
    while (l->last.cap < l->last.n + l->size)
        if (!vec_grow((void **)&l->last.v, &l->last.cap, 1)) {
            fails(s, ENOMEM);
            return;
        }
    memcpy(l->last.v + l->last.n, record, l->size);
    l->last.n += l->size;
    l->n++;
}

void spill_each(struct spill *s, const struct spill_list *l, void (*show)(void *arg, const void *record), void *arg)
{
    _Alignas(max_align_t) uint8_t block[SPILL_BLOCK];
    const size_t size = l->size, fit = SPILL_BLOCK / size * size;
    for (size_t i = 0; i < l->blocks.n && !s->err; i++) {
        spill_read(s, l->blocks.v[i], block, fit);
        for (size_t at = 0; at < fit && !s->err; at += size)
            show(arg, block + at);
    }
    for (size_t at = 0; at < l->last.n && !s->err; at += size)
        show(arg, l->last.v + at);
}

void spill_list_free(struct spill_list *l)
{
    VEC_FREE(&l->last);
    VEC_FREE(&l->blocks);
}

void spill_free(struct spill *s)
{
    if (s->file)
        fclose(s->file);
}
