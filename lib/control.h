/*
 * How `thrace start` and its like talk to a recorded process: a request and a reply over an abstract unix socket
 * (SOCK_SEQPACKET), one of each per connection. Both sides check their peer first: the process obeys its own user and
 * root, and the command talks to no process but the one that it was asked for.
 *
 * An abstract name leaves nothing behind when the process is killed, needs no writable directory, and outlives chroot
 * and setuid. It contains the start time of the process, so a later process with the same pid has another name.
 */
#ifndef THRACE_LIB_CONTROL_H
#define THRACE_LIB_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#include "lib/spool.h"

enum { CONTROL_MAGIC = 0x63726874, CONTROL_VERSION = 1, CONTROL_NAME_MAX = 64 };

enum control_verb { CONTROL_STATUS = 1, CONTROL_START, CONTROL_STOP, CONTROL_SNAPSHOT };

struct control_request {
    uint32_t magic, version;
    uint32_t verb; /* enum control_verb */
    uint32_t pad;
};

struct control_reply {
    uint32_t magic, version;
    int32_t error;      /* a negative errno: the verb was not carried out */
    uint32_t recording; /* afterwards */
    uint32_t session;   /* number of the one under way, or of the last one; 0: there was none */
    uint32_t threads;   /* alive */
    uint64_t log_bytes;
    uint64_t lost;              /* events, so far */
    uint64_t start_realtime_ns; /* of the session under way */
    uint64_t generation;
    char spool[SPOOL_PATH_MAX]; /* of that session; "" when there is none. After a snapshot: of the snapshot */
};

/* The socket's name, without the NUL that makes it an abstract one. Returns its length. */
size_t control_name(char name[CONTROL_NAME_MAX], uint32_t pid, uint64_t start_time);

#endif
