/*
 * The log without a descriptor. A process that has given up its privileges, its root directory or its descriptors
 * cannot open its spool any more. But a shared mapping reaches the whole file: mremap of no bytes of it maps the same
 * pages once more, and what follows them. So the file is made longer than it is while it can be, and the log is written
 * through a window that moves along.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "lib/spool_file.h"

enum { PAGE = 4096, WINDOW = 1 << 20, POPULATE_WRITE = 23 };

static const uint64_t log_room = UINT64_C(2) << 30;

/* A hole, which takes no room. Where the file cannot be so long, what is there has to do. */
void spool_make_log_room(struct spool *s, int fd)
{
    struct rlimit limit;
    uint64_t end = SPOOL_LOG_OFFSET + log_room;
    if (sys_failed(raw_syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit, 0, 0)))
        return;
    end = end < limit.rlim_cur ? end : limit.rlim_cur;
    if (end > SPOOL_LOG_OFFSET && !sys_failed(raw_syscall(SYS_ftruncate, fd, (long)end, 0, 0, 0, 0)))
        s->file_end = end;
}

void spool_trim(struct spool *s, int fd)
{
    uint64_t ring = s->header->ring_size, end = ring ? ring : s->header->log_end;
    if (!s->file_end)
        return;
    raw_syscall(SYS_ftruncate, fd, (long)(SPOOL_LOG_OFFSET + end), 0, 0, 0, 0);
    s->file_end = 0;
}

long spool_make_pages(void *p, uint64_t len)
{
    long err = raw_syscall(SYS_madvise, (long)p & -PAGE, (long)(((uintptr_t)p & (PAGE - 1)) + len), POPULATE_WRITE, 0, 0,
                           0);
    return err == -EFAULT ? -ENOSPC : err; /* a store would be a SIGBUS */
}

static void drop_window(struct spool *s)
{
    if (s->window)
        sys_munmap(s->window, WINDOW);
    s->window = NULL;
}

/* From a page that is mapped on; what lies between that and the window is unmapped again. */
static long map_window(struct spool *s, uint64_t at)
{
    uint8_t *page = (uint8_t *)s->header + s->mapped - PAGE;
    uint64_t page_at = SPOOL_LOG_OFFSET - PAGE;
    if (s->window && at >= s->window_at + WINDOW) {
        page = s->window + WINDOW - PAGE;
        page_at = s->window_at + WINDOW - PAGE;
    }
    long p = raw_syscall(SYS_mremap, (long)page, 0, (long)(at - page_at + WINDOW), MREMAP_MAYMOVE, 0, 0);
    if (sys_failed(p))
        return p;
    sys_munmap((void *)p, at - page_at);
    drop_window(s);
    s->window = (uint8_t *)p + (at - page_at);
    s->window_at = at;
    return 0;
}

static long write_mapped(struct spool *s, const uint8_t *from, uint64_t len, uint64_t offset)
{
    while (len) {
        long err = 0;
        if (!s->window || offset < s->window_at || offset >= s->window_at + WINDOW)
            err = map_window(s, offset & -(uint64_t)PAGE);
        if (err)
            return err;
        uint64_t at = offset - s->window_at, n = len < WINDOW - at ? len : WINDOW - at;
        if ((err = spool_make_pages(s->window + at, n)))
            return err;
        memcpy(s->window + at, from, n);
        from += n;
        offset += n;
        len -= n;
    }
    return 0;
}

long spool_write(struct spool *s, int fd, struct iovec *iov, int n, uint64_t offset)
{
    if (fd >= 0)
        return spool_write_all(fd, iov, n, offset);
    for (; n; offset += iov->iov_len, iov++, n--) {
        long err = offset + iov->iov_len > s->file_end ? -EOVERFLOW : write_mapped(s, iov->iov_base, iov->iov_len, offset);
        if (err)
            return err;
    }
    return 0;
}

void spool_close_log(struct spool *s) { drop_window(s); }

/* --- the end of the mapping --------------------------------------------------------------------------------------- */

static void stand_in(void *p, size_t len)
{
    enum { FLAGS = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED };
    long at = raw_syscall(SYS_mmap, (long)p, (long)len, PROT_READ | PROT_WRITE, FLAGS, -1, 0);
    if (!sys_failed(at))
        raw_syscall(SYS_madvise, at, (long)len, 10 /* MADV_DONTFORK */, 0, 0, 0);
}

/*
 * The kernel exchanges a mapping in one go: a thread writes to the one or to the other. First the chunks, so that a
 * reader that finds the state finds them as they stay.
 */
void spool_detach(struct spool *s, enum spool_state state)
{
    if (!s->header)
        return;
    stand_in(s->chunks, s->mapped - SPOOL_HEADER_SIZE);
    __atomic_store_n(&s->header->state, state, __ATOMIC_RELEASE);
    stand_in(s->header, SPOOL_HEADER_SIZE);
}

void spool_stand_in(const struct spool *s)
{
    if (s->header)
        stand_in(s->header, s->mapped);
}
