/* Objects that are local variables: the frame that holds one says, with the function's debug info, which. */
#ifndef THRACE_PRELOAD_OBJECT_FRAMES_H
#define THRACE_PRELOAD_OBJECT_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/unwind/unwind.h"

struct thread;

/*
 * The frame that holds the object: on the stack of the calling thread, which waits for it, or of the process's first
 * thread, while that waits, too. Others' stacks may be unmapped any time. False: there is none, or it is not known now.
 */
bool object_frame(struct thread *t, uint64_t address, struct unwind_frame *);

/*
 * What tells the variables apart that are in the same memory of the first thread's stack, one after the other: where it
 * waits. 0: the address is not there, or it does not wait now.
 */
uint64_t object_frame_phase(uint64_t address);

#endif
