/* The first stack that each goroutine of a recording was seen with. */
#ifndef THRACE_CMD_FINISH_FIRST_STACKS_H
#define THRACE_CMD_FINISH_FIRST_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/finish/heap_types.h"
#include "cmd/finish/spool_read.h"

struct first_stack {
    uint64_t generation, id; /* id 0: none was seen */
};

/* What a goroutine did when the first generation began. */
struct first_status {
    uint64_t g, m, p, status;
    bool has_proc; /* p holds */
};

struct events_seen {
    struct first_stack *first; /* by goroutine */
    size_t ngoroutines;
    struct first_status *statuses; /* by g, of the first generation; none when all goroutines come to life in it */
    size_t nstatuses, cap_statuses;
    uint64_t events;
    uint64_t of_heap; /* the events among these that say how much of the heap is in use */
    struct heap_types types; /* of the blocks whose allocations were recorded */
    uint64_t last; /* time of the last event, in ticks */
};

/* Goes through all events once. NULL, or one line that says what is wrong. */
const char *events_see(struct events_seen *seen, const struct spool_file *f);

#endif
