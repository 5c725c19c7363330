/*
 * How a thread comes back by itself from a call that it was made to do: what the kernel leaves on the stack of a thread
 * that runs a handler of a signal, with all that the thread was before. The call returns to where handlers return to,
 * and what was is again, whatever became of the command.
 */
#ifndef THRACE_CMD_ATTACH_RETURN_FRAME_H
#define THRACE_CMD_ATTACH_RETURN_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <sys/user.h>

/* RETURN_FRAME_MAX: of such a frame, its return address included. */
enum { RETURN_VECTORS_MAX = 16 << 10, RETURN_FRAME_MAX = 20 << 10 };

/* What the thread is to be: its vector registers are as ptrace has them. */
struct return_state {
    const struct user_regs_struct *regs;
    const uint8_t *vectors;
    size_t vectors_size; /* at most RETURN_VECTORS_MAX */
    uint64_t mask;
};

/*
 * What has to be at the address `at`, which is 8 below a multiple of 64: the return address `restorer`, and the rest.
 * Returns its size.
 */
size_t return_frame(uint8_t into[RETURN_FRAME_MAX], uint64_t at, uint64_t restorer, const struct return_state *state);

#endif
