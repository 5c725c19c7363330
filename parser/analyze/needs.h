/*
 * Which waits held work up, and which were idle.
 *
 * Who waits for a lock, a barrier, or room in a pipe has work to do. So has who waits for the answer of a thread that it
 * has made or woken before. Any other wait is idle, unless somebody needs the thread meanwhile: one that waits as above,
 * or the main thread in a join, whose wait this thread ends later; or one that such a thread needs, and so on. Back to
 * what comes from outside of the program, of which nobody is to blame: it is idle, however many wait for it.
 *
 * One pass: the last NEEDS_KEPT waits are remembered, each with what its waker did last before. When a wait ends that
 * somebody has work in, those of its waker are looked at, and of who woke that; later ones of the same kind go on where
 * that ended.
 */
#ifndef THRACE_PARSER_ANALYZE_NEEDS_H
#define THRACE_PARSER_ANALYZE_NEEDS_H

#include <stdbool.h>
#include <stdint.h>

#include "parser/analyze/frames.h"
#include "parser/vec.h"

enum { NEEDS_KEPT = 1 << 16, NEEDS_WAKERS = 4 };
_Static_assert((NEEDS_KEPT & (NEEDS_KEPT - 1)) == 0, "a wait's place is its number's low bits");

/* For each place, or object, by its number. */
struct need_sum {
    uint64_t count, ns; /* of the waits that held work up, and how long they did */
    uint64_t busy;      /* ns of all in which the waker was not idle, or the one that it waited for, whoever needed it */
};
struct need_sums {
    VEC(struct need_sum) list;
};

struct need_thread {
    uint64_t id, last;              /* last: the number of its last wait */
    uint64_t wakers[NEEDS_WAKERS];  /* goroutines: its maker, and who has ended its last waits; 0: nobody */
    unsigned turn;                  /* which of them is the next to be replaced */
    uint64_t waited, needed;        /* ns of its waits that may be idle, and of those that were not */
};

struct need_wait; /* one that is remembered */

struct needs {
    struct need_wait *kept; /* number n is in kept[n % NEEDS_KEPT] */
    uint64_t n;
    uint64_t looks, glances; /* at how many it may still look, so that it takes no longer than the trace is */
    struct need_sums places, objects;
    VEC(struct need_thread) threads; /* by their place in spans.live */
    bool failed;                     /* memory is short */
};

enum { NEEDS_NOBODY = UINT32_MAX };

struct need_end {
    uint32_t thread, waker; /* waker: NEEDS_NOBODY if it is no other thread of the trace */
    int64_t begin, end;
    uint64_t counted;       /* so many ns of it are summed up */
    int64_t since;          /* since when the waker has had what is waited for, as far as that is known */
    enum wait_need kind;
    uint32_t place, object; /* numbers; object + 1, or 0 */
};

void needs_init(struct needs *n);
void needs_free(struct needs *n);

/* A thread is there, made by the other goroutine, or by 0, nobody. */
void needs_appears(struct needs *n, uint32_t thread, uint64_t id, uint64_t maker);

/* A wait ends. */
void needs_ends(struct needs *n, const struct need_end *e);

/* How long the thread was idle. */
uint64_t needs_idle(const struct needs *n, uint32_t thread);

/* What is summed up for a place or an object. */
struct need_sum needs_of(const struct need_sums *sums, uint32_t number);

#endif
