/* A thread and a processor, in the time of a trace. */
#ifndef THRACE_PARSER_REWRITE_THREAD_SWITCH_H
#define THRACE_PARSER_REWRITE_THREAD_SWITCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/switch_kind.h"

struct thread_switch {
    int64_t time; /* ns */
    uint32_t thread;
    uint16_t cpu;
    uint8_t kind;         /* enum switch_kind */
    bool begins_wait : 1; /* with this one the thread went to sleep for what it waits for by the trace */
    bool ends_wait : 1;   /* with this one it came back from that, or was woken for it */
    uint32_t waker;       /* of SWITCH_WAKING: the thread that did, or was interrupted for it, or the softirq … */
    uint8_t context;      /* … by enum waking_context; of SWITCH_LOCK_NOTE an object's number and enum lock_note */
    bool at_begin;        /* nobody noted it: so it was when the recording began */
    uint64_t stack;       /* of SWITCH_WAKING: where the waker was, in the trace that is read; 0: it is not known */
};

/* What a thread that is none of the program's is called. */
struct waker_name {
    uint32_t thread;
    const char *text; /* of len bytes, without an end */
    size_t len;
};

/* For qsort and bsearch. */
static inline int waker_name_compare(const void *a, const void *b)
{
    const struct waker_name *x = a, *y = b;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* By time. */
struct thread_switches {
    struct thread_switch *v;
    size_t n;
};

#endif
