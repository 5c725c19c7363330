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

#include "lib/objects.h"
#include "preload/object_origins.h"

struct thread;

struct object {
    enum object_kind kind; /* NO_OBJECT: the stack stays as it is */
    int fd;                /* of a descriptor, to ask the kernel about */
    uint64_t address;      /* or what else is its own; 0: any of its kind */
};

/* What is known of an object besides its address. */
struct object_details {
    char text[OBJECT_TEXT_MAX]; /* not ended by a NUL */
    uint32_t len;
};

/* Bytes of meta records that object_stack may need. */
enum { OBJECT_RECORD_MAX = 1 + (6 + OBJECT_SITE_FRAMES) * 10 + OBJECT_TEXT_MAX };

/*
 * Before the section: asks the kernel what a descriptor is, if this generation does not know yet that the stack with this
 * id (0: a new one) waited for it. False: *d says nothing.
 */
bool object_describe(const struct object *o, uint64_t stack, struct object_details *d);

/*
 * Inside a section of t with OBJECT_RECORD_MAX extra: the id of the stack with the object in front. d may be NULL: nothing
 * more is known of it.
 */
uint64_t object_stack(struct thread *t, const struct object *o, const struct object_details *d, uint64_t stack);

#endif
