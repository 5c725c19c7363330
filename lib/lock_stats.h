/*
 * How locks were used, as a thread counts it: one entry for each lock that it takes, in chunks of the spool that stay
 * where they are until the recording ends. So nothing has to be written, and a kill leaves what was counted.
 */
#ifndef THRACE_LIB_LOCK_STATS_H
#define THRACE_LIB_LOCK_STATS_H

#include <stdint.h>

enum { LOCK_BUCKETS = 64, LOCK_FRAMES = 6, LOCK_FIRST_BITS = 4 };

/* An entry of a readers-writer lock counts those who read, or those who write: bit 0 of the address tells. */
enum { LOCK_TO_READ = 1 };

/* Times are counts of the clock's source, which a tick has several of (struct trace_clock). */
struct lock_entry {
    /* What each use of the lock touches: one line of the cache. */
    uint64_t address; /* stored last when an entry is made */
    uint64_t since;   /* it is held since then; 0: it is not */
    uint64_t taken;
    uint64_t contended; /* of these, after a wait */
    uint64_t held;      /* sum of all that have ended */
    uint64_t longest;
    uint32_t what;  /* enum object_kind, and above its 8 bits a number that changes when the lock is made anew */
    uint32_t depth; /* how often its thread holds it to read */
    uint64_t pad;

    uint64_t generation;
    uint64_t longest_g; /* the goroutine that held it longest */
    uint8_t nsite, nlongest;
    uint8_t replaced; /* 1: another entry counts for this address from now on */
    uint8_t pad2[5];
    uint64_t pad3;
    uint64_t site[LOCK_FRAMES];    /* PCs of the stack that made the lock, the innermost first */
    uint64_t where[LOCK_FRAMES];   /* … and of the one that ended the longest hold */
    uint32_t holds[LOCK_BUCKETS]; /* by their length: lock_bucket */
};

_Static_assert(sizeof(struct lock_entry) % 64 == 0, "entries begin lines of the cache");

static inline uint32_t lock_what(uint32_t kind, uint32_t life) { return life << 8 | kind; }

/* Two buckets for each power of two, from 2^LOCK_FIRST_BITS on; the first is for what is shorter, the last is open. */
static inline unsigned lock_bucket(uint64_t held)
{
    if (held < 1u << LOCK_FIRST_BITS)
        return 0;
    unsigned bits = 63 - (unsigned)__builtin_clzll(held);
    unsigned bucket = 1 + 2 * (bits - LOCK_FIRST_BITS) + (held >> (bits - 1) & 1);
    return bucket < LOCK_BUCKETS ? bucket : LOCK_BUCKETS - 1;
}

/* The shortest time that is in the bucket. */
static inline uint64_t lock_bucket_begin(unsigned bucket)
{
    unsigned half = bucket ? bucket - 1 : 0;
    uint64_t power = UINT64_C(1) << (LOCK_FIRST_BITS + half / 2);
    return bucket ? power + half % 2 * (power / 2) : 0;
}

#endif
