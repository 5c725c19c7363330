/* Whether the heap is counted and sampled: found out at the first call, decided in the constructor. */
#ifndef THRACE_PRELOAD_HEAP_HEAP_SETUP_H
#define THRACE_PRELOAD_HEAP_HEAP_SETUP_H

#include <stdbool.h>
#include <stdint.h>

/* The library's own malloc and malloc_usable_size, whichever the program's are (wrap_heap.c). */
struct heap_own {
    const void *malloc, *malloc_usable_size;
};
extern const struct heap_own heap_own;

/* For the slow halves. False: the arena has to serve the call. */
bool heap_ready(void);

/*
 * In the constructor: whether to go on counting, and how many bytes lie between samples, 0: no samples; whether each is
 * an event.
 */
void heap_begin(bool count, uint64_t interval, bool events);

/*
 * In a program that was attached to, before slots lead to us: samples of what is allocated from now on, 0: none. How
 * much of the heap is in use nobody knows. NULL, or why there will be none.
 */
const char *heap_begin_late(uint64_t interval);

/* Slots lead to us no more, or will not soon. */
void heap_rest(void);

struct spool_header;

/* A recording begins: says in the spool whether the heap is counted. */
void heap_fill(struct spool_header *h);

/* At the end of the recording: the last HeapAlloc, and what the spool's header says of the heap. */
void heap_end(void);

#endif
