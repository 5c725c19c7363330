/*
 * What a generation says of threads that do not execute, tens of thousands maybe. It is written before the generation
 * begins, while all others go on, to chunks that nobody reads until then. Who comes back meanwhile is taken out again,
 * behind the closed gate. So the gate is closed for as long as it takes to look at those that executed.
 *
 * All of it with the advance lock.
 */
#ifndef THRACE_PRELOAD_RESTING_H
#define THRACE_PRELOAD_RESTING_H

#include <stdbool.h>
#include <stdint.h>

/* The gate is open. How many chunks resting_prepare may take; false: it found less. What is there is kept. */
uint32_t resting_room(void);
bool resting_prepare(void);

/*
 * The gate is narrow: whoever waits is put to rest, one after the other, so that the closed gate finds few that are
 * active.
 */
void put_to_rest(void);

/* --- behind the closed gate ---------------------------------------------------------------------------------------- */

/* From the next generation on that slot's G has this status, GO_WAITING or GO_RUNNABLE, until its thread is active. */
void resting_begins(uint32_t slot, uint64_t g, uint32_t status);

/* Its thread is active, and says itself what it is. */
void resting_ends(uint32_t slot);

/* What was prepared is of the generation that has just begun, at that time. */
void resting_publish(uint64_t time);

/* A recording begins, with a pool of its own: nothing was said of anybody. */
void resting_forget(void);

#endif
