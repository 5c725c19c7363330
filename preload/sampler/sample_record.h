/* Where a handler puts what it finds: slots, chunks of their own, records. */
#ifndef THRACE_PRELOAD_SAMPLER_SAMPLE_RECORD_H
#define THRACE_PRELOAD_SAMPLER_SAMPLE_RECORD_H

#include <ucontext.h>

#include "preload/thread.h"

/* The calling thread was interrupted there: a sample, or several that stand for so much. Async-signal-safe. */
void sample_take(struct thread *t, const ucontext_t *uc, uint64_t weight);

/* No handler is in the middle of a sample of an earlier session, whose chunks are forgotten. */
bool sample_is_idle(void);

/*
 * Notes which slots have no handler in them, which may capture a stack: as far as the newest snapshot of modules. The
 * result is how far all have come (snapshots.h).
 */
uint64_t samples_have_left(uint64_t newest);

/*
 * What was sampled so far belongs to the generation, or the recording, that ends. Returns how many handlers are in the
 * middle of a sample; they keep their chunks. The caller holds the registry lock.
 */
uint32_t sample_seal(void);

/* In the child of a fork. */
void sample_forget_slots(void);

#endif
