/*
 * What threads waited for: locks, descriptors, threads. An object becomes the innermost frame of the waits' stacks, with
 * its name as the function: "mutex cache.shards[3].lock", where the variable is defined as the line, and a PC of its own.
 */
#ifndef THRACE_CMD_FINISH_RECORDING_OBJECTS_H
#define THRACE_CMD_FINISH_RECORDING_OBJECTS_H

#include <stdbool.h>

struct recording;

/* Once the stacks are sorted: gives stacks with an object the PCs of those that they are made of. */
void recording_link_objects(struct recording *r);

/* Before symbols are looked up: asks for those of the objects. False: out of memory. */
bool recording_ask_objects(struct recording *r);

/* And when they are known: finds out which records are of the same object, and how it is called. False: the same. */
bool recording_name_objects(struct recording *r);

#endif
