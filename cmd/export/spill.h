/*
 * Lists of records that are too many for memory: what a format of columns has to know before it can write the first
 * one. Memory is for the last records of each list, at most SPILL_BLOCK bytes; the others are in a file without a name.
 */
#ifndef THRACE_CMD_EXPORT_SPILL_H
#define THRACE_CMD_EXPORT_SPILL_H

#include <stdint.h>
#include <stdio.h>

#include "parser/vec.h"

enum { SPILL_BLOCK = 1 << 14 };

/* Bytes in the file. */
struct spill_block {
    uint64_t at, n;
};

/* Of records of `size` bytes, or of texts; else all fields begin as 0. */
struct spill_list {
    size_t size;
    uint64_t n;                     /* records */
    VEC(uint8_t) last;              /* bytes that are in memory */
    VEC(struct spill_block) blocks; /* the ones before */
};

/* All fields begin as 0. The file is made when there is something to put into it. */
struct spill {
    FILE *file;
    int fd;
    uint64_t end;
    int err;     /* errno of what failed first */
};

void spill_add(struct spill *s, struct spill_list *l, const void *record);

/* Shows all records in the order in which they came, one by one or the bytes of several. */
void spill_each(struct spill *s, const struct spill_list *l, void (*show)(void *arg, const void *record), void *arg);

void spill_each_piece(struct spill *s, const struct spill_list *l, void (*show)(void *arg, const char *bytes, size_t n),
                      void *arg);

/* Where n bytes have room in a list of bytes, SPILL_BLOCK at most; spill_put tells where they ended. NULL: it fails. */
char *spill_more_room(struct spill *s, struct spill_list *l, size_t n);

static inline char *spill_room(struct spill *s, struct spill_list *l, size_t n)
{
    size_t end = l->last.n + n;
    return end <= l->last.cap && end <= SPILL_BLOCK ? (char *)l->last.v + l->last.n : spill_more_room(s, l, n);
}

static inline void spill_put(struct spill_list *l, const char *end) { l->last.n = (size_t)(end - (char *)l->last.v); }

/* Bytes beside the lists, and where they are; they are read into memory of the caller's. */
uint64_t spill_bytes(struct spill *s, const void *bytes, size_t n);
void spill_read(struct spill *s, uint64_t at, void *bytes, size_t n);

void spill_list_free(struct spill_list *l);
void spill_free(struct spill *s);

#endif
