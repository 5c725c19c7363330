/*
 * What each thread of tally did, in a file that is mapped shared: the file outlives any end of the process, and says
 * what a recording must have.
 */
#ifndef THRACE_TESTS_TALLY_H
#define THRACE_TESTS_TALLY_H

#include <stdatomic.h>

enum { TALLY_SLOTS = 16384, TALLY_KINDS = 7 };

/* A thread's operations are of the kinds op_0, op_1, … op_6, op_0 … in turn. */
struct tally_slot {
    atomic_int pid, tid;
    atomic_ulong begun, done;
    char pad[40];
};

struct tally {
    atomic_uint used;
    char pad[60];
    struct tally_slot slots[TALLY_SLOTS];
};

#endif
