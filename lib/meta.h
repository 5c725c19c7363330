/*
 * Meta records: what a recording says beside its events, for `thrace finish` alone. They fill chunks from the end (see
 * lib/spool.h), so the newest record of a chunk comes first. A record is its tag and varints; text is its length and
 * its bytes. A reader skips nothing: an unknown tag means another spool version.
 */
#ifndef THRACE_LIB_META_H
#define THRACE_LIB_META_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/spool.h"
#include "lib/wire/varint.h"

enum { START_OF_MAIN = 0, START_NOT_KNOWN = 1 };

enum meta_tag {
    META_STACK = 1,  /* id, n, n return-address-like PCs, leaf first; the id holds in the chunk's generation */
    /* g, start PC (return-address-like; 0: main's, 1: not known), start stack id: made in the chunk's generation */
    META_THREAD = 2,
    META_NAME = 3,   /* g, time in ticks, text: pthread_setname_np */
    /* time in ticks, start, end, load bias, path text, build-id text: all that is mapped has that time */
    META_MODULE = 4,
    META_HOOK = 5,   /* PC, text: the PC stands for the function of that name */
    /* time in ticks, m, P + 1 (0: none), g, weight, n, n PCs: the first, then zigzag-encoded differences */
    META_SAMPLE = 7,
    /*
     * id, id of a META_STACK of the same generation (0: none), enum object_kind, address or number, text, n, n PCs, m: a
     * stack with what is waited for in front; the text is its name, the PCs are where it was made. If m is 3, it is on a
     * stack: the PC in the frame's function, how far it is below the CFA, and how far above the sp
     */
    META_WAIT_STACK = 9,
    META_STRING = 8, /* id, text: a string of the program's, whose id holds in the chunk's generation */
    META_HEAP_BLOCK = 20, /* number, time in ticks, bytes, stack id: a sampled block was allocated */
    META_HEAP_FREE = 21,  /* number: it was freed */
    /*
     * address (lib/lock_stats.h), enum object_kind, how often taken, of these after a wait, sum and longest of the times
     * held, the G of the longest, text, n, n PCs, n, n PCs, n, n numbers: how a lock was used, to be added to what else
     * there is of it. The text is its name, the PCs are where it was made, and where the longest hold ended; the numbers
     * are a bucket and how many holds are in it, and so on
     */
    META_LOCK = 22,
    META_CALLS = 6,  /* PC, calls, ticks: calls of the function (0: of others) too short to be emitted; their time */
    /*
     * g, m, string id of the reason, enum object_kind, address or number, text, n, n PCs as in META_STACK: how the
     * thread waited when the generation began, and for what
     */
    META_STATUS = 16,
    /*
     * CPU, n, n numbers, two for each switch there: the time in ticks, of the first from 0 and then from the one before,
     * zigzag-encoded; and the thread (of SWITCHES_LOST the number of them) << SWITCH_KIND_BITS | enum switch_kind
     */
    META_SWITCHES = 23,
    /*
     * time in ticks before they were read, enum delays_kind, n, n numbers, two for each thread: it, and for how many ns
     * it could run and had no processor since it was made
     */
    META_DELAYS = 24,
    /*
     * CPU, n, n numbers, three for each time that a thread was made runnable there: the time, as in META_SWITCHES; the
     * thread; and who did << WAKING_CONTEXT_BITS | enum waking_context
     */
    META_WAKINGS = 25,
    META_ASLEEP = 27, /* time in ticks after it was looked, n, n threads that waited then, as the kernel says */
    /*
     * m, time in ticks, address, enum lock_note: the thread is about to do that with the mutex or condition. Where the
     * kernel notes switches, and does not say who wakes whom
     */
    META_LOCK_NOTE = 28,
    META_WAKER = 26, /* thread, text: what a thread that is none of the program's is called, and woke one */
};

/*
 * The fields of each tag's record: i an integer, t a text, * a count and that many integers. A reader that wants the
 * oldest record first skips over the others with these.
 */
#define META_FORMATS                                                                                                   \
    {                                                                                                                  \
        [META_STACK] = "i*", [META_WAIT_STACK] = "iiiit**", [META_THREAD] = "iii", [META_NAME] = "iit",                \
        [META_MODULE] = "iiiitt", [META_HOOK] = "it", [META_SAMPLE] = "iiiii*", [META_CALLS] = "iii",                  \
        [META_STATUS] = "iiiiit*", [META_STRING] = "it", [META_HEAP_BLOCK] = "iiii", [META_HEAP_FREE] = "i",           \
        [META_LOCK] = "iiiiiiit***", [META_SWITCHES] = "i*", [META_DELAYS] = "ii*",                                    \
        [META_WAKINGS] = "i*", [META_WAKER] = "it", [META_ASLEEP] = "i*", [META_LOCK_NOTE] = "iiii"                    \
    }

/* The recording begins with it; or these threads are about to end, and get no processor any more that counts. */
enum delays_kind { DELAYS_NOW, DELAYS_BEGIN, DELAYS_LAST };

/* The most periods that one META_SAMPLE stands for. */
enum { SAMPLE_WEIGHT_MAX = 4096 };

/* In place of the last PC of a stack that had more frames than fit. */
enum { STACK_TRUNCATED_PC = 2 };

/* Stack ids of META_WAIT_STACK; those of META_STACK are below. */
enum { WAIT_STACK_BASE = 1 << 20, WAIT_STACK_END = 1 << 21 };

/* Stack ids from here on, plus the G's id, stand for the start of a thread. */
enum { START_STACK_BASE = 1 << 21 };

/* String ids of META_STRING. Those below are reasons, and what thrace finish adds. */
#define PROGRAM_STRING_BASE (UINT64_C(1) << 30)
#define PROGRAM_STRING_END (UINT64_C(1) << 62)

/* Stack ids from here on, plus the G's id, stand for where a thread waited when the recording began. */
#define STATUS_STACK_BASE (UINT64_C(1) << 40)

/* Stack ids from here on are those that thrace finish gives to the stacks of CPU samples. */
enum { SAMPLE_STACK_BASE = 1 << 30 };

/* A difference as an unsigned number, the small ones of both signs being small. */
static inline uint64_t zigzag_encode(int64_t v) { return (uint64_t)v << 1 ^ (uint64_t)(v >> 63); }
static inline int64_t zigzag_decode(uint64_t v) { return (int64_t)(v >> 1) ^ -(int64_t)(v & 1); }

/* A record being written: encoded into buf first, then put into the chunk as a whole. */
struct meta_record {
    uint8_t *p, *end;
    bool overflow;
};

static inline void meta_begin(struct meta_record *r, uint8_t *buf, size_t size, enum meta_tag tag)
{
    *r = (struct meta_record){buf, buf + size, false};
    *r->p++ = (uint8_t)tag;
}

static inline void meta_int(struct meta_record *r, uint64_t v)
{
    if (r->end - r->p >= VARINT_MAX)
        r->p = varint_put(r->p, v);
    else
        r->overflow = true;
}

/* How many, and each. */
static inline void meta_ints(struct meta_record *r, const uint64_t *v, size_t n)
{
    meta_int(r, n);
    for (size_t i = 0; i < n; i++)
        meta_int(r, v[i]);
}

/* text may be NULL when len is 0. */
static inline void meta_text(struct meta_record *r, const void *text, size_t len)
{
    meta_int(r, len);
    if (!len)
        return;
    if ((size_t)(r->end - r->p) >= len && !r->overflow) {
        memcpy(r->p, text, len);
        r->p += len;
    } else {
        r->overflow = true;
    }
}

/* Puts the record's bytes in front of the others. The caller made sure that they fit. */
static inline void chunk_meta_append(struct chunk *c, const uint8_t *record, size_t len)
{
    memcpy(c->data + CHUNK_CAPACITY - c->meta_used - len, record, len);
    __atomic_store_n(&c->meta_used, c->meta_used + (uint32_t)len, __ATOMIC_RELEASE);
}

#endif
