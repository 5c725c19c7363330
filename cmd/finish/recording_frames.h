/* The frames that the stacks of a recording become, and the tables of a generation that have them. */
#ifndef THRACE_CMD_FINISH_RECORDING_FRAMES_H
#define THRACE_CMD_FINISH_RECORDING_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "cmd/finish/recording.h"
#include "gotrace/builder.h"

/* Writes the reasons, stacks, thread names and CPU samples of a generation. 0, or -1: the builder says why. */
int recording_write_tables(const struct recording *r, struct gotrace_builder *b, uint64_t generation);

/* The same for the generation in front of the first one (opening.h). */
int recording_write_opening_tables(const struct recording *r, struct gotrace_builder *b);

/* The frames of a stack, leaf first, as the trace has them: v has room for STACK_MAX_FRAMES. Their number. */
size_t recording_frames(const struct recording *r, uint64_t generation, uint64_t stack_id,
                        struct gotrace_builder_frame *v);

struct symbolize_frame;

/* The name that the program gave the thread, or NULL; *at is the function that it starts with. */
const char *recording_thread_start(const struct recording *r, uint64_t g, struct symbolize_frame *at);

/*
 * Of n PCs from stacks.pcs[first] on, the innermost frame that is the program's own, and not what a library of its
 * language put in; made: nor what makes locks for others. Where all are, the innermost. False: none is the program's.
 * *has_line: its file and line are known.
 */
bool recording_program_frame(const struct recording *r, size_t first, size_t n, bool made, struct symbolize_frame *at,
                             bool *has_line);

/*
 * Calls f for each frame of the same PCs, from that one to main or the thread's function. False: none is the program's,
 * or f said so.
 */
bool recording_frames_outwards(const struct recording *r, size_t first, size_t n,
                               bool (*f)(void *arg, const struct symbolize_frame *at, bool has_line), void *arg);

#endif
