#include "tests/unit/spool-fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/wire/events.h"
#include "lib/wire/varint.h"

int spool_set_up(void **state)
{
    struct spool_fixture *f = calloc(1, sizeof *f);
    const char *tmp = getenv("TMPDIR");
    snprintf(f->dir, sizeof f->dir, "%s/thrace-spool-XXXXXX", tmp && strlen(tmp) < 32 ? tmp : "/tmp");
    assert_non_null(mkdtemp(f->dir));
    snprintf(f->path, sizeof f->path, "%s/spool", f->dir);
    assert_int_equal(spool_create(&f->s, f->path), 0);
    spool_publish(&f->s);
    f->fd = spool_open(&f->s);
    spool_trim(&f->s, f->fd);
    assert_true(f->fd >= 0);
    *state = f;
    return 0;
}

int spool_tear_down(void **state)
{
    struct spool_fixture *f = *state;
    spool_unmap(&f->s);
    close(f->fd);
    unlink(f->path);
    rmdir(f->dir);
    free(f);
    return 0;
}

static uint8_t pattern(uint64_t m, uint64_t n) { return (uint8_t)(m * 31 + n * 7); }

struct chunk *spool_fill(struct spool *s, uint64_t m, uint64_t n, uint32_t size)
{
    struct chunk *c = spool_take(s);
    if (!c)
        return NULL;
    c->generation = 1;
    c->m = m;
    c->time = n;
    __atomic_store_n(&c->state, CHUNK_OPEN, __ATOMIC_RELEASE);
    memset(c->data, pattern(m, n), size);
    __atomic_store_n(&c->used, size, __ATOMIC_RELEASE);
    return c;
}

void spool_fill_meta(struct chunk *c, uint32_t size)
{
    memset(c->data + CHUNK_CAPACITY - size, pattern(c->m, c->time), size);
    c->meta_used = size;
}

void spool_seal_filled(struct spool *s, uint64_t m, uint64_t n, uint32_t size)
{
    struct chunk *c = spool_fill(s, m, n, size);
    assert_non_null(c);
    spool_seal(s, c);
}

uint32_t spool_take_all(struct spool *s, struct chunk **v)
{
    uint32_t n = 0;
    for (struct chunk *c; (c = spool_take(s)); n++) {
        assert_in_range((uintptr_t)c, (uintptr_t)s->chunks,
                        (uintptr_t)s->chunks + ((uintptr_t)s->header->nchunks - 1) * SPOOL_CHUNK_SIZE);
        v[n] = c;
    }
    return n;
}

static uint8_t *read_log(const struct spool_fixture *f, size_t *size)
{
    off_t start = SPOOL_HEADER_SIZE + (off_t)SPOOL_MAX_CHUNKS * SPOOL_CHUNK_SIZE;
    *size = f->s.header->log_end;
    uint8_t *log = malloc(*size + 1);
    assert_non_null(log);
    size_t got = 0;
    while (got < *size) {
        ssize_t n = pread(f->fd, log + got, *size - got, start + (off_t)got);
        assert_true(n > 0);
        got += (size_t)n;
    }
    return log;
}

size_t spool_read_log(const struct spool_fixture *f, struct log_batch *v, size_t max)
{
    size_t size, n = 0;
    uint8_t *log = read_log(f, &size);
    for (const uint8_t *p = log, *end = log + size; p < end;) {
        assert_true(n < max);
        struct log_batch *b = &v[n++];
        b->id = *p++;
        assert_true(b->id == EV_EventBatch || b->id == BATCH_META);
        assert_non_null(p = varint_get(p, end, &b->generation));
        assert_non_null(p = varint_get(p, end, &b->m));
        assert_non_null(p = varint_get(p, end, &b->time));
        assert_non_null(p = varint_get(p, end, &b->size));
        assert_true(b->size > 0 && b->size <= (uint64_t)(end - p));
        b->first = *p;
        assert_int_equal(b->first, pattern(b->m, b->time));
        for (uint64_t i = 0; i < b->size; i++)
            assert_int_equal(p[i], b->first);
        p += b->size;
    }
    free(log);
    return n;
}

const char *spool_log_text(const struct spool_fixture *f)
{
    static struct log_batch v[1024];
    static char text[16 << 10];
    size_t n = spool_read_log(f, v, 1024), at = 0;
    text[0] = 0;
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%llu/%llu%s", i ? " " : "", (unsigned long long)v[i].m,
                               (unsigned long long)v[i].time, v[i].id == BATCH_META ? "*" : "");
    return text;
}
