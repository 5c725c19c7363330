#include "lib/spool.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "lib/rawsys.h"
#include "lib/spool_file.h"
#include "lib/wire/events.h"
#include "lib/wire/varint.h"

static const size_t pool_offset = SPOOL_HEADER_SIZE;
static const uint64_t log_offset = SPOOL_LOG_OFFSET;
static const size_t extent_size = (size_t)SPOOL_EXTENT_CHUNKS * SPOOL_CHUNK_SIZE;

/* Atomic in all lists: a pop that comes too late still reads the link of a chunk that is in another one by now. */
static void set_next(struct chunk *c, uint32_t next) { __atomic_store_n(&c->next, next, __ATOMIC_RELAXED); }

/* The tag in the upper half changes with every push, so a pop cannot take a list that came back for its own (ABA). */
static void free_list_push(struct spool *s, struct chunk *c)
{
    uint64_t old = __atomic_load_n(&s->free_list, __ATOMIC_RELAXED), new;
    __atomic_store_n(&c->state, CHUNK_FREE, __ATOMIC_RELAXED);
    do {
        set_next(c, (uint32_t)old);
        new = ((old >> 32) + 1) << 32 | (spool_index(s, c) + 1);
    } while (!__atomic_compare_exchange_n(&s->free_list, &old, new, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
    __atomic_fetch_add(&s->nfree, 1, __ATOMIC_RELAXED);
}

static struct chunk *free_list_pop(struct spool *s)
{
    uint64_t old = __atomic_load_n(&s->free_list, __ATOMIC_ACQUIRE), new;
    struct chunk *c;
    do {
        if (!(uint32_t)old)
            return NULL;
        c = spool_chunk(s, (uint32_t)old - 1);
        new = (old >> 32) << 32 | __atomic_load_n(&c->next, __ATOMIC_RELAXED);
    } while (!__atomic_compare_exchange_n(&s->free_list, &old, new, true, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
    return c;
}

/* Chunks that were never used are on no list: their pages do not exist yet, and a link in them would make them. */
static struct chunk *take_fresh(struct spool *s)
{
    uint32_t i = __atomic_load_n(&s->nfresh, __ATOMIC_RELAXED);
    do {
        if (i >= __atomic_load_n(&s->header->nchunks, __ATOMIC_ACQUIRE))
            return NULL;
    } while (!__atomic_compare_exchange_n(&s->nfresh, &i, i + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return spool_chunk(s, i);
}

struct chunk *spool_take(struct spool *s)
{
    struct chunk *c = free_list_pop(s);
    if (!c && !(c = take_fresh(s)))
        return NULL;
    __atomic_fetch_sub(&s->nfree, 1, __ATOMIC_RELAXED);
    c->used = 0;
    c->meta_used = 0;
    c->packed = 0;
    c->log_pos = 0;
    return c;
}

static void full_list_push(struct spool *s, struct chunk *c)
{
    c->sealed = __atomic_add_fetch(&s->header->seal_count, 1, __ATOMIC_RELAXED);
    __atomic_store_n(&c->state, CHUNK_FULL, __ATOMIC_RELEASE);
    uint32_t old = __atomic_load_n(&s->full_list, __ATOMIC_RELAXED);
    do
        set_next(c, old);
    while (!__atomic_compare_exchange_n(&s->full_list, &old, spool_index(s, c) + 1, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
}

/* --- packing ------------------------------------------------------------------------------------------------------ */

enum { PACK_MAX = CHUNK_CAPACITY / 4 };

static size_t framed_size(const struct chunk *c)
{
    return (c->used ? c->used + BATCH_HEADER_MAX : 0) + (c->meta_used ? c->meta_used + BATCH_HEADER_MAX : 0);
}

static uint8_t *put_header(uint8_t *p, const struct chunk *c, uint8_t id, uint32_t size)
{
    return batch_header_put(p, &(struct batch_header){id, 0, c->generation, c->m, c->time, size});
}

static uint8_t *put_batch(uint8_t *p, const struct chunk *c, uint8_t id, const uint8_t *data, uint32_t size)
{
    if (!size)
        return p;
    p = put_header(p, c, id, size);
    memcpy(p, data, size);
    return p + size;
}

/* First it is nobody's: a thread that is torn out in between loses a chunk, but never puts it on the list twice. */
static void push_packing(struct spool *s)
{
    struct chunk *c = s->packing;
    s->packing = NULL;
    compiler_barrier();
    if (c)
        full_list_push(s, c);
}

/* The caller holds the pack lock. */
static bool pack(struct spool *s, const struct chunk *c)
{
    size_t need = framed_size(c);
    struct chunk *to = s->packing;
    if (to && (to->used + need > CHUNK_CAPACITY || to->generation != c->generation)) {
        push_packing(s);
        to = NULL;
    }
    if (!to) {
        if (!(to = spool_take(s)))
            return false;
        to->packed = 1;
        to->generation = c->generation;
        __atomic_store_n(&to->state, CHUNK_OPEN, __ATOMIC_RELEASE);
        s->packing = to;
    }
    uint8_t *p = to->data + to->used;
    p = put_batch(p, c, EV_EventBatch, c->data, c->used);
    p = put_batch(p, c, BATCH_META, c->data + CHUNK_CAPACITY - c->meta_used, c->meta_used);
    __atomic_store_n(&to->used, (uint32_t)(p - to->data), __ATOMIC_RELEASE);
    return true;
}

/* The holder of the lock may have been torn out for ever. The chunk then stays in the pool and is read there. */
void spool_seal_packed(struct spool *s)
{
    if (!lock_try(&s->pack_lock))
        return;
    push_packing(s);
    lock_drop(&s->pack_lock);
}

/* A kill between the packing and the freeing leaves a batch twice; generation, thread and time give it away. */
void spool_seal(struct spool *s, struct chunk *c)
{
    bool gone = !c->used && !c->meta_used;
    if (!gone && framed_size(c) <= PACK_MAX && lock_try(&s->pack_lock)) {
        gone = pack(s, c);
        lock_drop(&s->pack_lock);
    }
    if (gone)
        free_list_push(s, c);
    else
        full_list_push(s, c);
}

/* --- draining ----------------------------------------------------------------------------------------------------- */

enum { LOW = 4, RESERVE = 16, PARTS_OF_RING = 16 }; /* one part of so many */

bool spool_wants_chunks(const struct spool *s)
{
    uint32_t nfree = __atomic_load_n(&s->nfree, __ATOMIC_RELAXED);
    return nfree < s->header->nchunks / 2 || nfree < __atomic_load_n(&s->wanted, __ATOMIC_RELAXED);
}

/* Half of the pool may be more than the ring has room for. */
bool spool_wants_drain(const struct spool *s)
{
    uint64_t sealed = __atomic_load_n(&s->header->seal_count, __ATOMIC_RELAXED);
    uint64_t since = sealed - __atomic_load_n(&s->drained_seals, __ATOMIC_RELAXED);
    return spool_wants_chunks(s) ||
           (s->header->ring_size && since * SPOOL_CHUNK_SIZE > s->header->ring_size / PARTS_OF_RING);
}

bool spool_is_low(const struct spool *s)
{
    return __atomic_load_n(&s->nfree, __ATOMIC_RELAXED) < s->header->nchunks / LOW;
}

bool spool_is_short(const struct spool *s)
{
    return __atomic_load_n(&s->nfree, __ATOMIC_RELAXED) < s->header->nchunks / RESERVE;
}

static void add_extent(struct spool *s)
{
    __atomic_fetch_add(&s->nfree, SPOOL_EXTENT_CHUNKS, __ATOMIC_RELAXED);
    __atomic_store_n(&s->header->nchunks, s->header->nchunks + SPOOL_EXTENT_CHUNKS, __ATOMIC_RELEASE);
}

/* The pages are allocated before they are mapped for use: a store to a page that the disk has no room for is SIGBUS. */
static long allocate_extent(int fd, uint32_t first_chunk)
{
    if (spool_exceeds_limit(log_offset + extent_size))
        return -EFBIG;
    long err = sys_fallocate(fd, pool_offset + (uint64_t)first_chunk * SPOOL_CHUNK_SIZE, extent_size);
    return sys_failed(err) ? err : 0;
}

static long map_at(void *address, size_t len, int flags, int fd)
{
    return raw_syscall(SYS_mmap, (long)address, (long)len, PROT_READ | PROT_WRITE, flags | (address ? MAP_FIXED : 0),
                       fd, 0);
}

static int create_mapping(struct spool *s, int fd, void *place)
{
    if (spool_exceeds_limit(log_offset + extent_size))
        return -EFBIG;
    long err = sys_fallocate(fd, 0, SPOOL_HEADER_SIZE);
    if (sys_failed(err))
        return (int)err;
    if ((err = allocate_extent(fd, 0)))
        return (int)err;
    struct stat st;
    if (!sys_failed(raw_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0))) {
        s->device = st.st_dev;
        s->inode = st.st_ino;
    }
    s->mapped = (size_t)log_offset;
    long p = map_at(place, s->mapped, MAP_SHARED, fd);
    if (sys_failed(p))
        return (int)p;
    s->header = (struct spool_header *)p;
    s->chunks = (uint8_t *)p + pool_offset;
    raw_syscall(SYS_madvise, p, (long)s->mapped, 10 /* MADV_DONTFORK */, 0, 0, 0);
    spool_make_pages((void *)p, pool_offset + extent_size);
    /* From here on the file has a hole behind the chunks, into which the kernel would read ahead: milliseconds for each
       megabyte. No page has anything to read. */
    raw_syscall(SYS_madvise, p, (long)s->mapped, MADV_RANDOM, 0, 0, 0);
    spool_make_log_room(s, fd);
    return 0;
}

int spool_create(struct spool *s, const char *path) { return spool_create_at(s, path, NULL); }

int spool_create_at(struct spool *s, const char *path, void *place)
{
    size_t len = strlen(path);
    if (len >= sizeof s->path)
        return -ENAMETOOLONG;
    memset(s, 0, sizeof *s);
    memcpy(s->path, path, len + 1);
    long fd = sys_openat(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (sys_failed(fd))
        return (int)fd;
    int err = create_mapping(s, (int)fd, place);
    sys_close((int)fd);
    if (err) {
        sys_unlink(path);
        return err;
    }
    s->header->pid = (uint32_t)sys_getpid(); /* first: a spool that is not published belongs to somebody who lives */
    s->header->version = SPOOL_VERSION;
    s->header->header_size = SPOOL_HEADER_SIZE;
    s->header->chunk_size = SPOOL_CHUNK_SIZE;
    s->header->max_chunks = SPOOL_MAX_CHUNKS;
    s->header->state = SPOOL_RECORDING;
    spool_bound_pool(s, (uint64_t)SPOOL_MAX_CHUNKS * SPOOL_CHUNK_SIZE);
    add_extent(s);
    return 0;
}

/* Counted locks may take a quarter of the pool for good. */
void spool_bound_pool(struct spool *s, uint64_t bytes)
{
    uint64_t chunks = bytes / SPOOL_CHUNK_SIZE;
    s->max_chunks = chunks < SPOOL_MAX_CHUNKS ? (uint32_t)chunks : SPOOL_MAX_CHUNKS;
    s->crowd = s->max_chunks / 8 * 3;
}

void spool_publish(struct spool *s)
{
    full_fence();
    memcpy(s->header->magic, SPOOL_MAGIC, sizeof s->header->magic);
}

void spool_unmap(struct spool *s)
{
    if (s->header)
        sys_munmap(s->header, s->mapped);
    s->header = NULL;
}

static bool is_this_file(const struct spool *s, int fd)
{
    struct stat st;
    return !sys_failed(raw_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0)) && st.st_ino == s->inode &&
           st.st_dev == s->device;
}

int spool_open(const struct spool *s)
{
    long fd = sys_openat(s->path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
    if (sys_failed(fd) || is_this_file(s, (int)fd))
        return (int)fd;
    sys_close((int)fd);
    return -ESTALE;
}

enum { DRAIN_BATCH = 32 }; /* chunks of one pwritev */

/*
 * Order matters for a kill in between: log_pos is stored before the bytes are written, log_end after; so a chunk is in
 * the log if and only if log_end says so, whatever the chunk's state is.
 */
static long drain_some(struct spool *s, int fd, struct chunk **chunks, int n)
{
    uint8_t headers[2 * DRAIN_BATCH][BATCH_HEADER_MAX];
    struct iovec iov[4 * DRAIN_BATCH];
    int niov = 0;
    uint64_t pos = s->header->log_end;
    for (int i = 0; i < n; i++) {
        struct chunk *c = chunks[i];
        __atomic_store_n(&c->log_pos, pos + 1, __ATOMIC_RELEASE);
        for (int meta = 0; meta < 2; meta++) {
            uint32_t size = meta ? c->meta_used : c->used;
            if (!size)
                continue;
            if (!c->packed) {
                uint8_t *h = headers[2 * i + meta];
                size_t len = (size_t)(put_header(h, c, meta ? BATCH_META : EV_EventBatch, size) - h);
                iov[niov++] = (struct iovec){h, len};
                pos += len;
            }
            iov[niov++] = (struct iovec){meta ? c->data + CHUNK_CAPACITY - size : c->data, size};
            pos += size;
        }
    }
    long err = s->header->ring_size ? spool_write_ring(s, fd, iov, niov, pos)
               : fd >= 0 && spool_exceeds_limit(log_offset + pos) ? -EFBIG
               : spool_write(s, fd, iov, niov, log_offset + s->header->log_end);
    if (err)
        return err;
    __atomic_store_n(&s->header->log_end, pos, __ATOMIC_RELEASE);
    for (int i = 0; i < n; i++)
        free_list_push(s, chunks[i]);
    return 0;
}

/* Puts them back behind what was sealed meanwhile, which is newer. */
static void full_list_restore(struct spool *s, struct chunk *newest)
{
    uint32_t none = 0;
    while (!__atomic_compare_exchange_n(&s->full_list, &none, spool_index(s, newest) + 1, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
        uint32_t newer = __atomic_exchange_n(&s->full_list, 0, __ATOMIC_ACQUIRE);
        if (newer) {
            struct chunk *last = spool_chunk(s, newer - 1);
            while (last->next)
                last = spool_chunk(s, last->next - 1);
            set_next(last, spool_index(s, newest) + 1);
            newest = spool_chunk(s, newer - 1);
        }
        none = 0;
    }
}

static struct chunk *oldest_first(struct spool *s, uint32_t newest)
{
    struct chunk *list = NULL;
    while (newest) {
        struct chunk *c = spool_chunk(s, newest - 1);
        newest = c->next;
        set_next(c, list ? spool_index(s, list) + 1 : 0);
        list = c;
    }
    return list;
}

static struct chunk *next_chunk(struct spool *s, const struct chunk *c)
{
    return c->next ? spool_chunk(s, c->next - 1) : NULL;
}

int spool_drain(struct spool *s, int fd)
{
    long err = 0;
    lock_take(&s->drain_lock);
    uint64_t sealed = __atomic_load_n(&s->header->seal_count, __ATOMIC_RELAXED);
    __atomic_store_n(&s->drained_seals, sealed, __ATOMIC_RELAXED);
    struct chunk *c = oldest_first(s, __atomic_exchange_n(&s->full_list, 0, __ATOMIC_ACQUIRE));
    while (c && !err) {
        struct chunk *chunks[DRAIN_BATCH], *first = c;
        int n = 0;
        if (c->generation < s->header->first_generation) { /* of a ring that has forgotten it */
            c = next_chunk(s, first);
            free_list_push(s, first);
            continue;
        }
        uint64_t generation = spool_begins_generation(s, c->generation);
        for (; c && n < DRAIN_BATCH && c->generation <= generation; c = next_chunk(s, c))
            chunks[n++] = c;
        if ((err = drain_some(s, fd, chunks, n)))
            c = first;
    }
    if (c)
        full_list_restore(s, oldest_first(s, spool_index(s, c) + 1));
    lock_drop(&s->drain_lock);
    return (int)err;
}

int spool_grow(struct spool *s, int fd)
{
    long err = -ENOSPC;
    lock_take(&s->drain_lock);
    uint32_t n = s->header->nchunks;
    if (n + SPOOL_EXTENT_CHUNKS <= s->max_chunks)
        err = fd >= 0 ? allocate_extent(fd, n) : spool_make_pages(spool_chunk(s, n), extent_size);
    if (!err)
        add_extent(s);
    lock_drop(&s->drain_lock);
    return (int)err;
}
