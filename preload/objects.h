/*
 * What a thread waits for: the lock, the condition, the thread, the descriptor. It goes into the trace as the innermost
 * frame of the wait's stack, so that every reader tells waits for one lock from waits for another. A stack with an
 * object has an id of its own, and META_WAIT_STACK says of which stack and which object it is made.
 *
 * Cost: one look into a table for each wait, a record for each new pair of a stack and an object in a generation.
 */
#ifndef THRACE_PRELOAD_OBJECTS_H
#define THRACE_PRELOAD_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/object.h"

struct thread;

/*
 * Before the section: asks the kernel what a descriptor is, unless this generation knows that the stack with this id (0:
 * a new one) waited for it, or will not tell it from others. The thread remembers it.
 */
void object_describe(struct thread *t, const struct object *o, uint64_t stack);

/* The name of the object in a record, and its length; NULL: there is none. */
const char *object_text(const struct thread *t, const struct object *o, uint32_t *len);

/* Inside a section of t with OBJECT_RECORD_MAX extra: the id of the stack with the object in front. */
uint64_t object_stack(struct thread *t, const struct object *o, uint64_t stack);

/* When a generation begins, behind the closed gate: no pair of a stack and an object has an id any more. */
void objects_forget(void);

#endif
