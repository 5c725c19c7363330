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

/* Of records of `size` bytes; else all fields begin as 0. */
struct spill_list {
    size_t size;
    uint64_t n;
    VEC(uint8_t) last;     /* bytes of records that are in memory */
    VEC(uint64_t) blocks;  /* where in the file the ones before are, so many in each as fit */
};

/* All fields begin as 0. The file is made when there is something to put into it. */
struct spill {
    FILE *file;
    int fd;
    uint64_t end;
    int err;     /* errno of what failed first */
};

void spill_add(struct spill *s, struct spill_list *l, const void *record);

/* Shows all records, in the order in which they came. */
void spill_each(struct spill *s, const struct spill_list *l, void (*show)(void *arg, const void *record), void *arg);

/* Bytes beside the lists, and where they are; they are read into memory of the caller's. */
uint64_t spill_bytes(struct spill *s, const void *bytes, size_t n);
void spill_read(struct spill *s, uint64_t at, void *bytes, size_t n);

void spill_list_free(struct spill_list *l);
void spill_free(struct spill *s);

#endif
