/*
 * libgotrace: what a program that writes events has to know of the wire format: the ids of the events, for
 * gotrace_builder_event and gotrace_raw_writer_event, and the states that some of their arguments are.
 * gotrace/events.def says what else there is of each event: the version that it came with, and its arguments.
 *
 * Constants only, which cost nothing, cannot fail, and may be used by any thread and in a signal handler. Since: 0.1.
 */
#ifndef GOTRACE_EVENTS_H
#define GOTRACE_EVENTS_H

/* GOTRACE_EV_GoStart and so on: one for each line of gotrace/events.def. Since: 0.1. */
enum gotrace_event_id {
#define GOTRACE_EVENT(id, name, ...) GOTRACE_EV_##name = id,
#include <gotrace/events.def>
#undef GOTRACE_EVENT
};

/* The gstatus of GoStatus and GoStatusStack. Not enum gotrace_state, which the reader makes of it. Since: 0.1. */
enum gotrace_go_status {
    GOTRACE_GO_RUNNABLE = 1, /* m is GOTRACE_NONE */
    GOTRACE_GO_RUNNING = 2,  /* on the thread m, whose batch the event is in */
    GOTRACE_GO_SYSCALL = 3,  /* on the thread m, whatever thread's batch the event is in */
    GOTRACE_GO_WAITING = 4,  /* m is GOTRACE_NONE */
};

/* The pstatus of ProcStatus. Since: 0.1. */
enum gotrace_proc_status {
    GOTRACE_PROC_RUNNING = 1,           /* by the thread whose batch the event is in */
    GOTRACE_PROC_IDLE = 2,              /* nobody has it */
    GOTRACE_PROC_SYSCALL = 3,           /* as RUNNING, and its goroutine is in a system call */
    GOTRACE_PROC_SYSCALL_ABANDONED = 4, /* as SYSCALL, and about to be stolen by another thread */
};

#endif
