/*
 * Lists of modules for the unwinder, which are swapped in as a whole, and used again: a program that loads and unloads
 * for days does not grow. One list is made at a time: under modules.c's lock.
 */
#ifndef THRACE_PRELOAD_SNAPSHOTS_H
#define THRACE_PRELOAD_SNAPSHOTS_H

#include <stdint.h>

struct unwind_modules;

/* An empty one, for the caller to fill; NULL: no memory. */
struct unwind_modules *snapshot_new(void);

/* It takes the place of the current one, if there is any. The lock of the registry is taken. */
void snapshot_publish(struct unwind_modules *fresh, const struct unwind_modules **current);

/* How many were ever made. Any thread. */
uint64_t snapshots_made(void);

/* In the child of a fork: another thread of the parent may have been in the middle of it. */
void snapshots_forget(void);

#endif
