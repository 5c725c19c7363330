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

char *spill_more_room(struct spill *s, struct spill_list *l, size_t n)
{
    if (s->err)
        return NULL;
    if (l->last.n + n > SPILL_BLOCK) {
        if (!VEC_ROOM(&l->blocks)) {
            fails(s, ENOMEM);
            return NULL;
        }
        l->blocks.v[l->blocks.n++] = (struct spill_block){spill_bytes(s, l->last.v, l->last.n), l->last.n};
        l->last.n = 0;
    }
    while (l->last.cap < l->last.n + n)
        if (!vec_grow((void **)&l->last.v, &l->last.cap, 1)) {
            fails(s, ENOMEM);
            return NULL;
        }
    return (char *)l->last.v + l->last.n;
}

void spill_add(struct spill *s, struct spill_list *l, const void *record)
{
    char *to = s->err ? NULL : spill_room(s, l, l->size);
    if (!to)
        return;
    spill_put(l, mempcpy(to, record, l->size));
    l->n++;
}

void spill_each_piece(struct spill *s, const struct spill_list *l, void (*show)(void *arg, const char *bytes, size_t n),
                      void *arg)
{
    _Alignas(max_align_t) char block[SPILL_BLOCK];
    for (size_t i = 0; i < l->blocks.n && !s->err; i++) {
        spill_read(s, l->blocks.v[i].at, block, l->blocks.v[i].n);
        if (!s->err)
            show(arg, block, l->blocks.v[i].n);
    }
    if (l->last.n && !s->err)
        show(arg, (const char *)l->last.v, l->last.n);
}

struct records {
    struct spill *spill;
    size_t size;
    void (*show)(void *arg, const void *record);
    void *arg;
};

static void show_records(void *arg, const char *bytes, size_t n)
{
    const struct records *r = arg;
    for (size_t at = 0; at < n && !r->spill->err; at += r->size)
        r->show(r->arg, bytes + at);
}

void spill_each(struct spill *s, const struct spill_list *l, void (*show)(void *arg, const void *record), void *arg)
{
    struct records r = {s, l->size, show, arg};
    spill_each_piece(s, l, show_records, &r);
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
