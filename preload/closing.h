/*
 * How the gate comes to be closed with every thread outside of its sections, and all are held up as briefly as can be.
 * Where many threads are busy some have lost their processor inside, and get it back only after others had a turn.
 * Behind a closed gate all would wait for these. So the gate is narrow first: nobody waits, but each thread gives way
 * to others before it comes in, until all of them were seen outside. Only then it is shut.
 */
#ifndef THRACE_PRELOAD_CLOSING_H
#define THRACE_PRELOAD_CLOSING_H

#include <stdbool.h>
#include <stdint.h>

/* The gate is narrow: what is done for one thread after the other can be done now (gate_hold). False: it is open. */
bool narrow_gate(void);

/*
 * After that. True: the gate is closed, all active threads (active.h) are out, and the caller has the registry lock.
 * False: the gate is open. With the advance lock. urgent: not to succeed costs more than to hold up all for some time.
 */
bool close_gate_behind_all(bool urgent);

/* Opens it, and drops the registry lock. */
void open_gate_for_all(void);

#endif
