/*
 * Patterns of waits that have a name and a cause: a convoy at a lock, a lock that is held over a blocking call, a
 * straggler. Each is found by a rule, and what is not sure is no finding. What an owner computed counts only as far as
 * CPU samples found it there: a thread that the kernel took the processor from looks the same otherwise.
 *
 * It watches the stretches of threads beside blame.h, in the same pass, and judges at the end. Memory is bounded as it
 * is there.
 */
#ifndef THRACE_PARSER_ANALYZE_FINDINGS_H
#define THRACE_PARSER_ANALYZE_FINDINGS_H

#include "parser/analyze/findings_state.h"

void findings_init(struct findings *f, struct blame *b);
void findings_free(struct findings *f);

/* Before the spans are shown the event. */
static inline void findings_event(struct findings *f, const struct gotrace_event *ev) { f->event = ev; }

/* What the event says, if it is a metric. */
void findings_metric(struct findings *f, const struct gotrace_metric *m);

/* What the watcher of spans is told: after blame, but before it of an end. */
void findings_appears(struct findings *f, uint32_t thread, uint32_t maker, int64_t now);
void findings_begins(struct findings *f, uint32_t thread);
void findings_ends(struct findings *f, uint32_t thread, int64_t now, const struct gotrace_event *by);
void findings_gone(struct findings *f, uint32_t thread);
void findings_sample(struct findings *f, const struct gotrace_event *ev);

/* The trace ends: what goes on ends with it. */
void findings_end(struct findings *f);

bool findings_are_fine(const struct findings *f);

#endif
