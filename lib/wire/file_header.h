/*
 * The header of a trace: "go 1.NN trace" and three NUL bytes. Go's reader accepts more: several blanks in place of one,
 * blanks other than a space, blanks before the number, and leading zeros. The first tracer's was "gotrace" and a NUL.
 */
#ifndef THRACE_LIB_WIRE_FILE_HEADER_H
#define THRACE_LIB_WIRE_FILE_HEADER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/wire/events.h"

/* Writes the usual form; version is the NN, of two digits. */
void file_header_put(uint8_t p[TRACE_HEADER_SIZE], unsigned version);

/* The NN of the usual form, or -1. */
int file_header_get(const uint8_t p[TRACE_HEADER_SIZE]);

/* Accepts all that Go does, a byte at a time, and so never asks for a byte that is not the header's. Starts zeroed. */
struct file_header {
    uint32_t version; /* WIRE_FIRST_TRACER: see is_first */
    bool is_first;    /* it is the first tracer's */
    uint8_t part, at; /* which part of it comes next, and how much of that was there */
    uint8_t rune_left;
    uint32_t rune;
};

enum file_header_step { FILE_HEADER_MORE, FILE_HEADER_DONE, FILE_HEADER_NONE };

enum file_header_step file_header_take(struct file_header *h, uint8_t byte);

#endif
