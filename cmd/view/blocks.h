/* The blocks of a page's data, which docs/view.md describes: rows, which are put one by one, and columns behind them.
 */
#ifndef THRACE_CMD_VIEW_BLOCKS_H
#define THRACE_CMD_VIEW_BLOCKS_H

#include "cmd/view/pack.h"
#include "gotrace/reader.h"
#include "lib/wire/varint.h"
#include "parser/vec.h"

typedef VEC(uint8_t) byte_vec;

struct blocks {
    struct pack *to;
    byte_vec rows; /* of the block that is being made */
    bool failed;   /* memory is short */
};

void blocks_free(struct blocks *b);

/* Room for n bytes more; false: memory is short, and failed says so. */
static inline bool blocks_room(struct blocks *b, byte_vec *to, size_t n)
{
    while (__builtin_expect(to->cap - to->n < n, 0))
        if (!vec_grow((void **)&to->v, &to->cap, 1)) {
            b->failed = true;
            return false;
        }
    return true;
}

/* A number, into a column. */
static inline void blocks_add(struct blocks *b, byte_vec *column, uint64_t n)
{
    if (blocks_room(b, column, VARINT_MAX))
        column->n = (size_t)(varint_put(column->v + column->n, n) - column->v);
}

static inline void blocks_put(struct blocks *b, uint64_t n) { blocks_add(b, &b->rows, n); }

/* A text as it is in the trace: the page makes UTF-8 of it. */
void blocks_text(struct blocks *b, struct gotrace_str text);

/* The block is complete, with the columns behind its rows; both are empty then. */
void blocks_end(struct blocks *b, char kind);
void blocks_end_columns(struct blocks *b, char kind, byte_vec *columns, size_t ncolumns);

#endif
