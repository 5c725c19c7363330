/* A ring buffer of perf records, which the kernel fills. One reader at a time. */
#ifndef THRACE_PRELOAD_SWITCHES_PERF_RING_H
#define THRACE_PRELOAD_SWITCHES_PERF_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

#include "lib/rawsys.h"

struct perf_ring {
    struct perf_event_mmap_page *page; /* the data follow it */
    uint64_t page_size, size;          /* size: of the data, a power of two */
};

/* Of that event, whose descriptor may be closed then: the mapping keeps the event. 0, or a negative errno. */
static inline int perf_ring_map(struct perf_ring *r, int fd, uint64_t page_size, uint64_t size)
{
    long at = sys_mmap(page_size + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (sys_failed(at))
        return (int)at;
    *r = (struct perf_ring){(struct perf_event_mmap_page *)at, page_size, size};
    return 0;
}

static inline void perf_ring_unmap(struct perf_ring *r) { sys_munmap(r->page, r->page_size + r->size); }

/* Records are of whole words, and go on at the beginning of the ring. */
static inline uint64_t perf_ring_word(const struct perf_ring *r, uint64_t at)
{
    const uint64_t *data = (const uint64_t *)((const char *)r->page + r->page_size);
    return data[(at & (r->size - 1)) / 8];
}

static inline uint64_t perf_ring_head(const struct perf_ring *r)
{
    return __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
}

/* Up to there its records are read, or count for nothing. */
static inline void perf_ring_free(struct perf_ring *r, uint64_t head)
{
    __atomic_store_n(&r->page->data_tail, head, __ATOMIC_RELEASE);
}

/* Hands over where each record begins, until one is left for later (false). Returns how many bytes there were. */
static inline uint64_t perf_ring_read(struct perf_ring *r, bool (*take)(void *arg, uint64_t at), void *arg)
{
    uint64_t head = perf_ring_head(r), at = r->page->data_tail, used = head - at;
    if (used > r->size) /* somebody has scribbled on it */
        at = head;
    for (uint64_t size; at < head; at += size) {
        size = perf_ring_word(r, at) >> 48;
        if (size < 8 || size % 8 || size > head - at) { /* likewise */
            at = head;
            break;
        }
        if (!take(arg, at))
            break;
    }
    perf_ring_free(r, at);
    return used;
}

/* The fields of a record's words. */
static inline uint32_t perf_record_type(uint64_t head) { return (uint32_t)head; }
static inline uint32_t perf_record_misc(uint64_t head) { return (uint32_t)(head >> 32) & 0xffff; }
static inline uint32_t perf_process_of(uint64_t ids) { return (uint32_t)ids; }
static inline uint32_t perf_thread_of(uint64_t ids) { return (uint32_t)(ids >> 32); }

#endif
