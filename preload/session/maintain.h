/* What is to be done now and then while a session goes on: the spool's drain and growth, its size, generations. */
#ifndef THRACE_PRELOAD_SESSION_MAINTAIN_H
#define THRACE_PRELOAD_SESSION_MAINTAIN_H

#include <stdint.h>

/* The helper's descriptor of the spool; {-1, 0} to begin with. */
struct session_file {
    int fd;
    uint32_t session;
};

/* Drains and grows the spool, and begins a generation when that is due. Without a file it opens one when need be. */
void session_maintain(struct session_file *f);

/* Drains and grows the spool, if nobody is at it: from a signal handler, too, with tens of KiB of stack. */
void session_make_room(void);

/*
 * Moves what is full to the log and grows the pool as need be. fd: the spool's, or a negative errno when it cannot be
 * opened any more. 0, or a negative errno.
 */
int session_drain(int fd);

/* Forgets the generation that has outgrown the ring of a flight recorder, which a line says, and drains again. */
int session_make_way(int fd);

#endif
