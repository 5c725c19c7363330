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

/* For as long as the thread is held. *before is for hurry_no_more, and for the library, whose threads begin as it is. */
void hurry(pid_t tid, struct attach_schedule *before);
void hurry_no_more(pid_t tid, const struct attach_schedule *before);

#endif
