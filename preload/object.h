/* What a thread waits for, as a hook has it. */
#ifndef THRACE_PRELOAD_OBJECT_H
#define THRACE_PRELOAD_OBJECT_H

#include <stdint.h>

#include "lib/objects.h"
#include "preload/object_origins.h"

struct object {
    enum object_kind kind; /* NO_OBJECT: the stack stays as it is */
    int fd;                /* of a descriptor, to ask the kernel about */
    uint64_t address;      /* or what else is its own; 0: any of its kind */
};

/* What is known of an object besides its address. */
struct object_details {
    struct object of;
    char text[OBJECT_TEXT_MAX]; /* not ended by a NUL */
    uint32_t len;
};

/* Bytes of meta records that object_stack may need. */
enum { OBJECT_RECORD_MAX = 1 + (10 + OBJECT_SITE_FRAMES) * 10 + OBJECT_TEXT_MAX };

#endif
