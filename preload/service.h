/* What is written by no thread of the program: statuses, modules, names of functions. */
#ifndef THRACE_PRELOAD_SERVICE_H
#define THRACE_PRELOAD_SERVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Adds a meta record that belongs to no thread. Takes the advance lock. False: there was no room, or no recording. */
bool service_record(const uint8_t *record, size_t len);

/* Room for one more status, or a record of extra bytes, in the chunk that belongs to no thread. With the advance lock. */
bool service_room(size_t extra, uint64_t time);

/* What ends there has been written. */
void service_commit(uint8_t *end, uint64_t time);

#endif
