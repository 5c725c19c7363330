/* Writing to the log, and the log of a flight recorder: a ring of whole generations. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "lib/clock.h"
#include "lib/spool_file.h"

bool spool_exceeds_limit(uint64_t end)
{
    struct rlimit limit;
    return !sys_failed(raw_syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0, 0)) && end > limit.rlim_cur;
}

long spool_write_all(int fd, struct iovec *iov, int n, uint64_t offset)
{
    while (n) {
        long done = sys_pwritev(fd, iov, n, offset);
        if (done == -EINTR)
            continue;
        if (sys_failed(done))
            return done;
        offset += (uint64_t)done;
        for (; n && (size_t)done >= iov->iov_len; iov++, n--)
            done -= (long)iov->iov_len;
        if (n) {
            iov->iov_base = (uint8_t *)iov->iov_base + done;
            iov->iov_len -= (size_t)done;
        }
    }
    return 0;
}

/* --- the ring ----------------------------------------------------------------------------------------------------- */

void spool_make_ring(struct spool *s, uint64_t size, uint32_t generations)
{
    s->header->ring_size = size;
    s->max_marks = generations;
}

/* For a kill in between: what log_start excludes is not overwritten before. */
static void forget_oldest(struct spool *s)
{
    memmove(s->marks, s->marks + 1, --s->nmarks * sizeof *s->marks);
    __atomic_store_n(&s->header->first_generation, s->marks[0].generation, __ATOMIC_RELEASE);
    __atomic_store_n(&s->header->log_start, s->marks[0].pos, __ATOMIC_RELEASE);
}

uint64_t spool_begins_generation(struct spool *s, uint64_t generation)
{
    if (!s->header->ring_size)
        return UINT64_MAX;
    uint64_t newest = s->nmarks ? s->marks[s->nmarks - 1].generation : 0;
    if (generation <= newest)
        return newest;
    if (s->nmarks == s->max_marks)
        forget_oldest(s);
    s->marks[s->nmarks++] = (struct spool_mark){generation, s->header->log_end, clock_mono_ns()};
    return generation;
}

void spool_forget(struct spool *s, uint64_t mono_ns)
{
    lock_take(&s->drain_lock);
    while (s->nmarks > 2 && s->marks[1].mono_ns < mono_ns)
        forget_oldest(s);
    lock_drop(&s->drain_lock);
}

/* Chunks of it that are still to come are dropped by the drain. */
void spool_abandon_newest(struct spool *s)
{
    lock_take(&s->drain_lock);
    if (s->nmarks) {
        __atomic_store_n(&s->header->first_generation, s->marks[s->nmarks - 1].generation + 1, __ATOMIC_RELEASE);
        __atomic_store_n(&s->header->log_start, s->header->log_end, __ATOMIC_RELEASE);
        s->nmarks = 0;
    }
    lock_drop(&s->drain_lock);
}

uint64_t spool_newest_generation(const struct spool *s) { return s->nmarks ? s->marks[s->nmarks - 1].generation : 0; }

uint64_t spool_newest_bytes(const struct spool *s)
{
    uint32_t n = __atomic_load_n(&s->nmarks, __ATOMIC_RELAXED); /* another thread may drain */
    return n ? s->header->log_end - s->marks[n - 1].pos : 0;
}

void spool_generation_has_begun(struct spool *s, uint64_t seals)
{
    uint64_t now = __atomic_load_n(&s->header->seal_count, __ATOMIC_RELAXED);
    __atomic_store_n(&s->statuses_bytes, (now - seals) * SPOOL_CHUNK_SIZE, __ATOMIC_RELAXED);
    __atomic_store_n(&s->drained_seals, now, __ATOMIC_RELAXED);
}

bool spool_wants_generation(const struct spool *s)
{
    uint64_t statuses = __atomic_load_n(&s->statuses_bytes, __ATOMIC_RELAXED), part = s->header->ring_size / 8;
    return spool_newest_bytes(s) > statuses + (part > statuses ? part : statuses);
}

/* Those of iov that lie before the end of the ring, or the part of the first one that does. */
static long write_run(struct spool *s, int fd, struct iovec **iov, int *n, uint64_t offset, uint64_t room, uint64_t *done)
{
    struct iovec first = **iov;
    int k = 0;
    *done = 0;
    while (k < *n && *done + (*iov)[k].iov_len <= room)
        *done += (*iov)[k++].iov_len;
    if (k) {
        struct iovec *run = *iov;
        *iov += k;
        *n -= k;
        return spool_write(s, fd, run, k, offset);
    }
    (*iov)->iov_base = (uint8_t *)first.iov_base + room;
    (*iov)->iov_len = first.iov_len - room;
    first.iov_len = *done = room;
    return spool_write(s, fd, &first, 1, offset);
}

long spool_write_ring(struct spool *s, int fd, struct iovec *iov, int n, uint64_t end)
{
    uint64_t size = s->header->ring_size, pos = s->header->log_end, done;
    long err = 0;
    if (fd >= 0 && spool_exceeds_limit(SPOOL_LOG_OFFSET + size))
        return -EFBIG;
    while (end - s->header->log_start > size) {
        if (s->nmarks < 2)
            return -ENOBUFS;
        forget_oldest(s);
    }
    for (; n && !err; pos += done)
        err = write_run(s, fd, &iov, &n, SPOOL_LOG_OFFSET + pos % size, size - pos % size, &done);
    return err;
}

/* --- snapshots ---------------------------------------------------------------------------------------------------- */

enum { COPY_BUFFER = 256 << 10 };

static long copy_bytes(int from, uint64_t from_offset, int to, uint64_t to_offset, uint64_t len, void *buf)
{
    while (len) {
        long n = raw_syscall(SYS_pread64, from, (long)buf, (long)(len < COPY_BUFFER ? len : COPY_BUFFER),
                             (long)from_offset, 0, 0);
        if (n == -EINTR)
            continue;
        if (n <= 0)
            return n ? n : -EIO;
        struct iovec iov = {buf, (size_t)n};
        long err = spool_write_all(to, &iov, 1, to_offset);
        if (err)
            return err;
        from_offset += (uint64_t)n;
        to_offset += (uint64_t)n;
        len -= (uint64_t)n;
    }
    return 0;
}

static uint64_t position_of(const struct spool *s, uint64_t generation)
{
    for (uint32_t i = 0; i < s->nmarks; i++)
        if (s->marks[i].generation >= generation)
            return s->marks[i].pos;
    return s->header->log_end;
}

static long copy_log(const struct spool *s, int fd, int to, uint64_t start, uint64_t end, void *buf)
{
    uint64_t size = s->header->ring_size, at = start % size, len = end - start;
    uint64_t first = len < size - at ? len : size - at;
    if (spool_exceeds_limit(SPOOL_LOG_OFFSET + len))
        return -EFBIG;
    long err = copy_bytes(fd, SPOOL_LOG_OFFSET + at, to, SPOOL_LOG_OFFSET, first, buf);
    return err ? err : copy_bytes(fd, SPOOL_LOG_OFFSET, to, SPOOL_LOG_OFFSET + first, len - first, buf);
}

/* The magic comes last, as in any spool. */
static long write_copy(const struct spool *s, int fd, int to, uint64_t end, const char *out, void *buf)
{
    uint64_t start = s->header->log_start, stop = position_of(s, end);
    if (stop == start)
        return -ENOBUFS;
    long err = copy_log(s, fd, to, start, stop, buf);
    if (err)
        return err;
    struct spool_header *h = buf;
    memcpy(h, s->header, sizeof *h);
    strcpy(h->out, out);
    memset(h->magic, 0, sizeof h->magic);
    h->state = SPOOL_COMPLETE;
    h->nchunks = 0;
    h->ring_size = h->log_start = 0;
    h->log_end = stop - start;
    struct iovec iov = {h, sizeof *h}, magic = {(void *)(uintptr_t)SPOOL_MAGIC, sizeof h->magic};
    err = spool_write_all(to, &iov, 1, 0);
    return err ? err : spool_write_all(to, &magic, 1, 0);
}

int spool_copy_ring(const struct spool *s, int fd, uint64_t end, const char *path, const char *out)
{
    long buf = sys_mmap(COPY_BUFFER, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (sys_failed(buf))
        return (int)buf;
    long to = sys_openat(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600), err = to;
    if (!sys_failed(to)) {
        err = write_copy(s, fd, (int)to, end, out, (void *)buf);
        sys_close((int)to);
        if (err)
            sys_unlink(path);
    }
    sys_munmap((void *)buf, COPY_BUFFER);
    return (int)(err < 0 ? err : 0);
}
