/*
 * The command and the thread that it holds run in turns, and where all processors are busy each turn would wait for
 * one. So both come before others for so long.
 */
#ifndef THRACE_CMD_ATTACH_HURRY_H
#define THRACE_CMD_ATTACH_HURRY_H

#include <sys/types.h>

#include "lib/control.h"

/* The command hurries from the one to the other; what it holds by then, it lets go of before. */
void hurry_begin(void);
void hurry_end(void);

/* A thread of the process, in between. *before is for hurry_no_more. */
void hurry(pid_t tid, struct attach_schedule *before);
void hurry_no_more(pid_t tid, const struct attach_schedule *before);

#endif
