/* Counters of ITT: the program adds to them, and a trace shows what they come to. */
#ifndef THRACE_PRELOAD_ANNOTATE_ITT_COUNTERS_H
#define THRACE_PRELOAD_ANNOTATE_ITT_COUNTERS_H

#include <stdint.h>

#include "preload/annotate/itt_abi.h"
#include "preload/annotate/names.h"

enum { ITT_COUNTERS_MAX = 256 };

struct itt_counter {
    struct name *name;
    uint64_t value;
    enum itt_type type; /* of the values that it is set to */
};

/* The counter of that name; NULL: it has no name, or there are too many. Lock-free. */
struct itt_counter *itt_counter_named(struct name *name, enum itt_type type);

/* A number of the program's as an integer: what lies outside of 64 bits is the nearest that does not. */
int64_t itt_number(const void *value, enum itt_type type);

#endif
