/* Where a handler puts what it finds: slots, chunks of their own, records. */
#ifndef THRACE_PRELOAD_SAMPLER_SAMPLE_RECORD_H
#define THRACE_PRELOAD_SAMPLER_SAMPLE_RECORD_H

#include <ucontext.h>

#include "preload/thread.h"

/* The calling thread was interrupted there: a sample, or several that stand for so much. Async-signal-safe. */
void sample_take(struct thread *t, const ucontext_t *uc, uint64_t weight);

/* No handler is in the middle of a sample of an earlier session, whose chunks are forgotten. */
bool sample_is_idle(void);

/* Whether a handler is in a slot, and may capture a stack. */
bool sample_any_in_slots(void);

/*
 * What was sampled so far belongs to the generation, or the recording, that ends. Returns how many handlers are in the
 * middle of a sample; they keep their chunks. The caller holds the registry lock.
 */
uint32_t sample_seal(void);

/* In the child of a fork. */
void sample_forget_slots(void);

#endif
