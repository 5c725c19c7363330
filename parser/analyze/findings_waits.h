/* What findings.h notes of waits, of who ends them, and of calls that block. */
#ifndef THRACE_PARSER_ANALYZE_FINDINGS_WAITS_H
#define THRACE_PARSER_ANALYZE_FINDINGS_WAITS_H

#include "parser/analyze/findings_state.h"

void findings_wait_begins(struct findings *f, uint32_t thread);
void findings_wait_ends(struct findings *f, uint32_t thread, int64_t now, const struct gotrace_event *by);
void findings_wait_is_over(struct findings *f, uint32_t thread); /* it executes again */

/* By the waker, who has that stack, for the thread, who is on the way to it from now on. */
void findings_lock_is_released(struct findings *f, uint32_t number, uint32_t waker, uint32_t thread, int64_t now,
                               struct gotrace_stack stack);

/* It is there, or never will be. */
void findings_arrives(struct findings *f, struct finding_thread *t, int64_t now);

/* Of threads: how many have a processor, and how many would. */
void findings_run_begins(struct findings *f, int64_t now);
void findings_run_ends(struct findings *f, int64_t now);
void findings_queue_begins(struct findings *f, uint32_t thread);
void findings_queue_ends(struct findings *f, uint32_t thread, int64_t now);

void findings_call_begins(struct findings *f, uint32_t thread);
void findings_call_ends(struct findings *f, uint32_t thread, int64_t now);

/* It sleeps, called by that. */
void findings_nap(struct findings *f, uint32_t thread, uint32_t what);

/* It has slept for the last time; found: and had something to do then, so that the sleeps before were in vain. */
void findings_naps_end(struct findings *f, uint32_t thread, bool found);

/* What was added up of an object is in the groups. */
void findings_pair_ends(struct findings *f, uint32_t number);

/* No thread is added to those that are woken together. */
void findings_batch_ends(struct finding_object *o);

#endif
