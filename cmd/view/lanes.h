/*
 * What a page shows of a trace: each thread's stretches of time in a lane, samples of the CPU, regions, tasks,
 * messages, memory. It goes out as it comes, in blocks, which docs/view.md describes. Memory is for the threads that
 * exist, and for what is different: stacks, texts, objects.
 */
#ifndef THRACE_CMD_VIEW_LANES_H
#define THRACE_CMD_VIEW_LANES_H

#include "cmd/view/lane.h"
#include "parser/analyze/consumer.h"

/* spans tells it of stretches from then on; whoever owns it shows it each event first. False: memory is short. */
bool lanes_init(struct lanes *l, struct spans *spans, struct pack *to);
void lanes_free(struct lanes *l);

/* lanes_free is due in any case. */
extern const struct event_consumer lanes_consumer;

#endif
