#include "cmd/view/blocks.h"

#include <string.h>

void blocks_free(struct blocks *b) { VEC_FREE(&b->rows); }

void blocks_text(struct blocks *b, struct gotrace_str text)
{
    blocks_put(b, text.len);
    if (!text.len || !blocks_room(b, &b->rows, text.len))
        return;
    memcpy(b->rows.v + b->rows.n, text.data, text.len);
    b->rows.n += text.len;
}

void blocks_end(struct blocks *b, char kind) { blocks_end_columns(b, kind, NULL, 0); }

void blocks_end_columns(struct blocks *b, char kind, byte_vec *columns, size_t ncolumns)
{
    uint8_t head[1 + VARINT_MAX] = {(uint8_t)kind};
    for (size_t i = 0; i < ncolumns; i++)
        blocks_put(b, columns[i].n);
    size_t size = b->rows.n;
    for (size_t i = 0; i < ncolumns; i++)
        size += columns[i].n;
    if (!b->failed) {
        pack_put(b->to, head, (size_t)(varint_put(head + 1, size) - head));
        pack_put(b->to, b->rows.v, b->rows.n);
    }
    for (size_t i = 0; i < ncolumns; i++) {
        if (!b->failed)
            pack_put(b->to, columns[i].v, columns[i].n);
        columns[i].n = 0;
    }
    b->rows.n = 0;
}
