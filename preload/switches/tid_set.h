/* Thread IDs: a bit for each that the kernel gives. Zeroed memory is an empty set. */
#ifndef THRACE_PRELOAD_SWITCHES_TID_SET_H
#define THRACE_PRELOAD_SWITCHES_TID_SET_H

#include <stdbool.h>
#include <stdint.h>

enum { TID_SET_TIDS = 1 << 22 /* the kernel's limit */ };

struct tid_set {
    uint64_t words[TID_SET_TIDS / 64];
};

static inline uint64_t tid_set_bit(uint32_t tid) { return UINT64_C(1) << tid % 64; }

static inline bool tid_set_has(const struct tid_set *s, uint32_t tid)
{
    return s->words[tid % TID_SET_TIDS / 64] & tid_set_bit(tid);
}

static inline void tid_set_add(struct tid_set *s, uint32_t tid)
{
    s->words[tid % TID_SET_TIDS / 64] |= tid_set_bit(tid);
}

static inline void tid_set_remove(struct tid_set *s, uint32_t tid)
{
    s->words[tid % TID_SET_TIDS / 64] &= ~tid_set_bit(tid);
}

/* Pages that nothing was put into stay the kernel's. */
static inline void tid_set_empty(struct tid_set *s)
{
    for (uint32_t i = 0; i < TID_SET_TIDS / 64; i++)
        if (s->words[i])
            s->words[i] = 0;
}

#endif
