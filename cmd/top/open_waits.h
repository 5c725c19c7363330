/*
 * The waits and system calls that threads are in when a generation ends. What comes after it only says that they are,
 * so these are told to it as a flight recorder tells them to each generation: by records (META_STATUS). What threads
 * were in when the recording began is known by such a record only.
 */
#ifndef THRACE_CMD_TOP_OPEN_WAITS_H
#define THRACE_CMD_TOP_OPEN_WAITS_H

#include <stdbool.h>

#include "cmd/finish/spool_read.h"
#include "parser/idmap.h"
#include "parser/vec.h"

struct open_wait {
    uint64_t g, m;
    uint64_t reason; /* its string's ID; 0: a system call */
    uint64_t time;   /* when it began, in ticks of the recording */
    uint64_t generation, stack; /* where the stack is told */
    bool older;                 /* it began before that: a status says that it goes on */
    uint8_t *record; /* of this wait, once it is made */
    size_t size;
};

struct wanted_stack;

struct open_waits {
    VEC(struct open_wait) list;
    struct idmap index;   /* goroutine to its place in the list + 1 */
    struct idmap running; /* thread to the goroutine that it runs */
    struct idmap ended;   /* goroutines */
    VEC(struct wanted_stack) wanted;
    struct idmap wanted_index; /* key to the place + 1 */
};

void open_waits_free(struct open_waits *w);

/* The one that the goroutine is in, or NULL. */
const struct open_wait *open_waits_find(const struct open_waits *w, uint64_t g);

/* Goes through a batch of events. A thread's batches come in their order. False: memory is short. */
bool open_waits_events(struct open_waits *w, const struct spool_batch *b);

/*
 * Where its waits have no record yet: asks for their stacks, is offered batches of records, all of them twice, and
 * makes the records. False: memory is short.
 */
bool open_waits_want(struct open_waits *w);
bool open_waits_offer(struct open_waits *w, const struct spool_batch *b);
bool open_waits_settle(struct open_waits *w);

/* Appends batches with the records, as if they were of that generation. Their bytes live as long as *bytes. */
bool open_waits_put(const struct open_waits *w, uint64_t generation, struct spool_batches *to, uint8_t **bytes);

#endif
