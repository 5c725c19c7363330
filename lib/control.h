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

enum { CONTROL_MAGIC = 0x63726874, CONTROL_VERSION = 2, CONTROL_NAME_MAX = 64 };

enum control_verb { CONTROL_STATUS = 1, CONTROL_START, CONTROL_STOP, CONTROL_SNAPSHOT,
                    CONTROL_DETACH /* what `thrace attach` began ends, and its threads do */ };

/* Of what the library has to say, where it was attached, the last line is asked for. */
#define CONTROL_SAID_LAST UINT32_MAX

struct control_request {
    uint32_t magic, version;
    uint32_t verb; /* enum control_verb */
    uint32_t said_number; /* of the last line that was told already, 0: none was; or CONTROL_SAID_LAST */
};

struct control_reply {
    uint32_t magic, version;
    int32_t error;      /* a negative errno: the verb was not carried out */
    uint32_t recording; /* afterwards */
    uint32_t session;   /* number of the one under way, or of the last one; 0: there was none */
    uint32_t threads;   /* alive */
    uint64_t log_bytes;
    uint64_t lost;              /* events, so far */
    uint64_t recorded_ns;       /* since the session under way began */
    uint64_t generation;
    char spool[SPOOL_PATH_MAX]; /* of that session; "" when there is none. After a snapshot: of the snapshot */
    uint32_t said_number;       /* of the line below; 0: there is none */
    uint32_t pad;
    char said[SPOOL_PATH_MAX];
};

/*
 * Where a thread of a process that is attached to waits, as seen from outside a moment before: its stack, if by then it
 * has not gone on. Innermost first, as return addresses.
 */
enum { ATTACH_FRAMES_MAX = 28 };
struct attach_wait {
    uint32_t tid, npcs; /* as the process sees it */
    int64_t call;       /* the system call that it is in */
    uint64_t sp, pc;    /* as the kernel has them in /proc/TID/syscall */
    uint64_t object;    /* that it waits for, of that kind (lib/objects.h) */
    uint64_t kind;      /* 0: it is not known */
    uint64_t pcs[ATTACH_FRAMES_MAX];
};

/* struct sched_attr of the kernel, the first version; size 0: it was left as it was. */
struct attach_schedule {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period; /* ns */
};

/*
 * What the library's function thrace_attach answers, in the memory of the process: it takes the environment's entries,
 * each with its NUL, and their size, and waits, by tid, and how many; these stand in a mapping of their own, which is
 * then the library's; where to put the address of this; and how the thread was scheduled before the command changed
 * that. It has a thread of the library's own do the work. That begins when the command has let go of the process, and
 * says so there.
 */
enum { ATTACH_TEXT_MAX = 16384, ATTACH_SAID_MAX = 512 };
enum attach_word {
    ATTACH_GO = 1,
    ATTACH_GO_APART, /* and leave it to the command to make the trace: it knows where that is to be */
};
struct attach_reply {
    uint64_t started; /* by the command: when the process began, as its socket's name has it (/proc/PID/stat) */
    uint32_t let_go; /* by the command, after that: an attach_word */
    uint32_t over;   /* by the library: what follows is there */
    int32_t error;       /* a negative errno: nothing is recorded */
    uint32_t unwritable; /* places of functions' addresses that could not be written to */
    char said[ATTACH_SAID_MAX]; /* what is to be told, or "" */
};

/* The socket's name, without the NUL that makes it an abstract one. Returns its length. */
size_t control_name(char name[CONTROL_NAME_MAX], uint32_t pid, uint64_t start_time);

#endif
