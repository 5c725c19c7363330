/* A registry with so many records of threads, none of which is active. The test has the registry and frees them. */
#ifndef THRACE_TESTS_UNIT_RECORDS_H
#define THRACE_TESTS_UNIT_RECORDS_H

#include <stdlib.h>
#include <string.h>

#include "preload/active.h"

/* NULL: there is no memory. */
static inline struct thread *make_records(uint32_t n)
{
    struct thread *records = calloc(n, sizeof *records);
    memset(active_slots, 0, sizeof active_slots);
    registry.nrecords = n;
    for (uint32_t slot = 0; records && slot < n; slot++) {
        records[slot].slot = slot;
        registry.records[slot] = &records[slot];
    }
    return records;
}

static inline int free_records(void **state)
{
    free(*state);
    return 0;
}

#endif
