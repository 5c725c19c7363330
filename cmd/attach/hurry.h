/*
 * The command and the thread that it holds run in turns, and where all processors are busy each turn would wait for
 * one. So both come before others for so long.
 */
#ifndef THRACE_CMD_ATTACH_HURRY_H
#define THRACE_CMD_ATTACH_HURRY_H

#include <sys/types.h>

#include "lib/control.h"

/* Before the first thread is held, and after the last one was let go. */
void hurry_begin(void);
void hurry_end(void);

/* The command itself, from before a thread is held until it was let go. */
void hurry_command(void);
void hurry_rest(void);

/*
 * A thread that is held, and until it is let go. Not before: its turn would come as soon as it may have one, and be over
 * as soon. *before is for hurry_no_more, and for the library, whose threads begin as it is.
 */
void hurry(pid_t tid, struct attach_schedule *before);
void hurry_no_more(pid_t tid, const struct attach_schedule *before);

/* Has another thread do what takes long, before one is held: whoever has just computed waits longer for a processor. */
void hurry_spare(void (*work)(void *), void *arg);

#endif
