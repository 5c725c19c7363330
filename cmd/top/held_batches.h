/* Batches of a recording that is followed, until their generation is given out. For one thread. */
#ifndef THRACE_CMD_TOP_HELD_BATCHES_H
#define THRACE_CMD_TOP_HELD_BATCHES_H

#include <stdbool.h>

#include "cmd/finish/spool_read.h"
#include "parser/idmap.h"
#include "parser/vec.h"

struct held_batch {
    struct spool_batch batch; /* its bytes are its own */
    bool records, of_pool;    /* of_pool: it was found there, and may be found again, in the log */
};

struct held_batches {
    VEC(struct held_batch) list; /* as they were found */
    struct idmap of_pool;        /* a hash of what those of the pool are, to their place + 1 */
};

/* The same batch, which was found in the pool before; NULL: it was not. */
struct held_batch *held_batches_find(const struct held_batches *h, const struct spool_batch *b, bool records);

/* Keeps a copy of it, if it was not found before. False: memory is short. */
bool held_batches_add(struct held_batches *h, const struct spool_batch *b, bool records, bool of_pool);

/* Those of that generation, and of all before. */
void held_batches_drop(struct held_batches *h, uint64_t until);
void held_batches_free(struct held_batches *h);

#endif
