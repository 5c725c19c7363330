/* What the kernel says of a thread that has not come to a hook: the system call that it is in, and so why it waits. */
#ifndef THRACE_PRELOAD_CALL_SEEN_H
#define THRACE_PRELOAD_CALL_SEEN_H

#include <stdint.h>

#include "lib/sched.h"

enum { CALL_NONE = -1 /* it runs */, CALL_NOT_KNOWN = -2, CALL_NONE_EVER = -3 /* it has ended */ };

struct call_seen {
    long call;         /* a number, or one of the above */
    uint64_t argument; /* the first one */
    uint64_t sp, pc;
};

/* Of a thread of this process. System calls, no lock. */
struct call_seen call_seen_of(uint32_t tid);

/* Why it waits in that call; the first argument may be a descriptor. */
enum sched_reason reason_seen(uint32_t tid, long call, uint64_t argument);

#endif
