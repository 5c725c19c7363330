/* What makes a flight recorder write by itself: a wait that took too long. */
#ifndef THRACE_PRELOAD_FLIGHT_H
#define THRACE_PRELOAD_FLIGHT_H

struct options;

/* Once, in the constructor. */
void flight_init(const struct options *o);

#endif
