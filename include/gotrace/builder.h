/*
 * libgotrace, the builder: writes Go execution traces v2. The caller says what happened, thread by thread; the builder
 * makes batches, string and stack tables and generations of it and keeps to the format's limits: a batch that would
 * pass 64 KiB is continued in another, a string is cut to 1024 bytes (between characters), a stack to its 128 innermost
 * frames. Whether the events make sense together is not its business: gotrace/validate.h tells.
 *
 * Units: times are in units of the generation's frequency, and absolute. Threads, procs and goroutines are numbers of
 * the caller's.
 *
 * Ownership: what a function takes is read during the call only, but for the file, or the callback and its arg, which
 * the builder uses until it is finished. The caller frees the builder.
 *
 * Errors: a function that fails returns -1 (or the id 0), and from then on everything does; gotrace_builder_error tells
 * why. No function aborts.
 *
 * Threads: a builder belongs to one thread at a time; different ones are independent. No function is for signal
 * handlers. Since: 0.1.
 */
#ifndef GOTRACE_BUILDER_H
#define GOTRACE_BUILDER_H

#include <stdio.h>

#include <gotrace/base.h>
#include <gotrace/raw.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gotrace_builder;

/*
 * One frame of a stack. function and file are NUL-terminated, NULL is as good as "". Readers know one function, file
 * and line for a pc: frames that differ in them must differ in pc. Since: 0.1.
 */
struct gotrace_builder_frame {
    uint64_t pc;
    const char *function, *file;
    uint64_t line;
};

/*
 * A builder of a trace of version 1.NN (see gotrace_version_known) that goes to a file (which stays open and the
 * caller's), to write, or to memory. NULL with errno EINVAL when there is no such version, ENOMEM when memory is short.
 * Since: 0.1.
 */
GOTRACE_API struct gotrace_builder *gotrace_builder_new_file(int version, FILE *file);
GOTRACE_API struct gotrace_builder *gotrace_builder_new_callback(int version, gotrace_write_fn *write, void *arg);
GOTRACE_API struct gotrace_builder *gotrace_builder_new_memory(int version);

/*
 * Begins generation gen, having ended the one before. The first may have any number but 0, each further one has the
 * next number. String and stack ids are of one generation only. Since: 0.1.
 */
GOTRACE_API int gotrace_builder_generation(struct gotrace_builder *b, uint64_t gen);

/*
 * How the generation's clock relates to the world: frequency is its units per second, and at time the monotonic clock
 * showed mono nanoseconds and the wall clock sec and nsec since 1970 (the last three are written from 1.25 on). At most
 * once a generation; without it the frequency is that of the generation before, or 10^9, and the clocks show 0,
 * which readers take and gotrace_reader_validate objects to. Since: 0.1.
 */
GOTRACE_API int gotrace_builder_sync(struct gotrace_builder *b, uint64_t frequency, uint64_t time, uint64_t mono,
                                     uint64_t sec, uint64_t nsec);

/*
 * The events that follow are those of thread m, from time on; GOTRACE_NONE: of no thread. A thread may have any
 * number of batches, in the order of time. Since: 0.1.
 */
GOTRACE_API int gotrace_builder_batch(struct gotrace_builder *b, uint64_t m, uint64_t time);

/*
 * Adds a timed event (an id of gotrace/events.h) to the batch: not before the one before it. args are those of the
 * event without dt, nargs says how many. Since: 0.1.
 */
GOTRACE_API int gotrace_builder_event(struct gotrace_builder *b, uint64_t time, unsigned id, const uint64_t *args,
                                      size_t nargs);

/* Adds a CPU sample; p may be GOTRACE_NONE, and g 0 is no goroutine. Needs no batch. Since: 0.1. */
GOTRACE_API int gotrace_builder_cpu_sample(struct gotrace_builder *b, uint64_t time, uint64_t m, uint64_t p, uint64_t g,
                                           uint64_t stack);

/*
 * Adds a batch of raw data of an experiment (1 to 127, beyond which Go's readers disagree), from 1.23 on; size is at
 * most 64 KiB. Needs no batch. Since: 0.1.
 */
GOTRACE_API int gotrace_builder_experimental(struct gotrace_builder *b, uint64_t experiment, uint64_t m, uint64_t time,
                                             const void *data, size_t size);

/*
 * The generation's id of a string of size bytes, or of a stack of n frames, innermost first. The same contents get the
 * same id; no bytes, or no frames, get 0. Since: 0.1.
 */
GOTRACE_API uint64_t gotrace_builder_string(struct gotrace_builder *b, const char *s, size_t size);
GOTRACE_API uint64_t gotrace_builder_stack(struct gotrace_builder *b, const struct gotrace_builder_frame *frames,
                                           size_t n);

/* gotrace_builder_stack for frames whose function and file already are string ids of the generation. Since: 0.1. */
GOTRACE_API uint64_t gotrace_builder_stack_of_ids(struct gotrace_builder *b, const struct gotrace_raw_frame *frames,
                                                  size_t n);

/*
 * Puts a string or a stack into the generation under an id of the caller's, who sees to it that ids are not used twice;
 * those that the builder gives out later are higher. Nothing is kept in memory. Since: 0.1.
 */
GOTRACE_API int gotrace_builder_string_as(struct gotrace_builder *b, uint64_t id, const char *s, size_t size);
GOTRACE_API int gotrace_builder_stack_as(struct gotrace_builder *b, uint64_t id, const struct gotrace_raw_frame *frames,
                                         size_t n);

/*
 * Copies whole batches, headers included, into the generation as they are; that they are well formed and of this
 * generation is the caller's word. latest is a time not before their last event. Since: 0.1.
 */
GOTRACE_API int gotrace_builder_copy(struct gotrace_builder *b, const void *batches, size_t size, uint64_t latest);

/*
 * Ends the trace: all of it is with the file, which is flushed, or with the callback on return. Nothing can be added
 * any more. Since: 0.1.
 */
GOTRACE_API int gotrace_builder_finish(struct gotrace_builder *b);

/* A finished trace made in memory, and its size in bytes; lives as long as b. NULL otherwise. Since: 0.1. */
GOTRACE_API const void *gotrace_builder_bytes(const struct gotrace_builder *b, size_t *size);

/* Why b fails: GOTRACE_EINVAL, GOTRACE_EWRITE or GOTRACE_ENOMEM; NULL when it does not. Since: 0.1. */
GOTRACE_API const struct gotrace_error *gotrace_builder_error(const struct gotrace_builder *b);

/* Frees b, finished or not; NULL is fine. Since: 0.1. */
GOTRACE_API void gotrace_builder_free(struct gotrace_builder *b);

#ifdef __cplusplus
}
#endif

#endif
