/* For how long threads waited for a processor by the kernel's own account, told by their goroutines as in moves. */
#ifndef THRACE_PARSER_REWRITE_SWITCHES_DELAYS_H
#define THRACE_PARSER_REWRITE_SWITCHES_DELAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/idmap.h"
#include "parser/rewrite/thread_switch.h"
#include "parser/vec.h"

struct rewriter;

/* What the kernel had counted of a thread of the system's at a time of the trace. */
struct thread_delay {
    int64_t time;
    uint64_t ns; /* since it was made */
    uint32_t thread;
    bool begins; /* the recording began then */
    bool ends;   /* it was about to end */
};

struct delay_of {
    uint64_t go, ns;
};

struct delays_thread {
    uint64_t go;          /* on it now, or ID_NONE */
    uint64_t first, last; /* what was counted: when the recording began, and when it was read last */
    int64_t read;         /* when that was */
    int64_t ran, out;     /* when it got a processor last, and lost one */
    uint8_t out_kind;     /* what its last switch was */
    bool known;           /* last is */
    bool begins;          /* first is */
    bool ends;            /* nothing is counted any more */
    bool made;            /* since the trace began, so first is 0 */
};

struct delays {
    const struct thread_delay *said; /* the caller's, by time */
    size_t n, next;
    int64_t lost; /* when switches were missing last */
    struct idmap thread_of;  /* index + 1 */
    struct idmap made;       /* goroutines: 1 made since the trace began, 2 before */
    VEC(struct delays_thread) threads;
    VEC(struct delay_of) list;
};

/* Each returns false where there is no memory. */
bool delays_until(struct delays *d, int64_t time);                   /* takes in what was said before */
bool delays_switch(struct delays *d, const struct thread_switch *s);
bool delays_know(struct delays *d, uint64_t go, bool made);          /* the trace says that there is one */
bool delays_begin(struct delays *d, uint64_t thread, uint64_t go);   /* it is on that thread */
bool delays_leave(struct delays *d, uint64_t thread, uint64_t go);   /* it has ended */
bool delays_end(struct delays *d);                                   /* all have */

/* Says it in strings that no event refers to, in the first generation. False: the rewriter says why. */
bool delays_write(const struct delays *d, struct rewriter *w);

void delays_free(struct delays *d);

#endif
