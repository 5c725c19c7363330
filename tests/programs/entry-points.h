/*
 * Calls entry points of libc by name, as rows of tables: once for each way that a call can go. Each row prints what it
 * did, and what the trace must show of it as an expectation.
 */
#ifndef THRACE_TESTS_ENTRY_POINTS_H
#define THRACE_TESTS_ENTRY_POINTS_H

#include "program.h"

enum result { INT, LONG, POINTER, NEW_FD, PID, NO_RESULT };

enum { MAX_ARGS = 8 };

/* A call that fails, but whose descriptor is not ready for it either, so that a wait of no length may be shown. */
#define EITHER ""

/* A call that is over at once, or after a timeout. Pointers are passed as numbers. */
struct at_once {
    const char *function;
    enum result result;
    const char *reason; /* of the wait it is shown as; NULL: a system call; or EITHER */
    long args[MAX_ARGS];
};

/*
 * A call that waits. It is made four times: ended by another thread, by a signal with and without SA_RESTART (the
 * latter goes on, where the call does), by cancellation, and by another thread after a cancellation, where it is no
 * point of it.
 */
struct waiting {
    const char *function;
    enum result result;
    const char *reason; /* NULL: a system call */
    const char *waker;  /* who woke it according to the trace: main, or the thread itself */
    void (*prepare)(void);
    void (*wake)(void);
    long args[MAX_ARGS];
};

struct group {
    const char *name;
    void (*set_up)(void);
    const struct at_once *calls;
    const struct waiting *waits;
};

extern const struct group io_group, net_group, poll_group, file_group, mem_group, proc_group, sleep_group, ipc_group,
    stdio_group, syscall_group;

/* The descriptors that rows name, by numbers that nothing else has. */
enum {
    ZERO = 100,     /* /dev/zero */
    FILE_FD,        /* a file of 16 bytes, at its beginning */
    READY_IN,       /* a pipe with bytes in it */
    READY_OUT,
    PIPE_IN,        /* a pipe that prepare functions fill and empty */
    PIPE_OUT,
    OTHER_IN,       /* one with room */
    OTHER_OUT,
    SIDE_A,         /* a pair of sockets */
    SIDE_B,
    LISTENER,
    CLIENT,
    COUNTER,        /* an eventfd */
    EPOLL,
    LOCK_A,         /* the same file, opened twice */
    LOCK_B,
    SCRATCH_FD,
    NO_FD = 900,
};
#define BAD_ADDRESS 8L

/* As an argument: a stream on the pipe that prepare functions fill and empty, or on a file, made anew for each call. */
enum { STREAM_IN = -70001, STREAM_OUT = -70002, STREAM_FILE = -70003 };

/* Puts the descriptor at that number, for rows to name it. */
void place(int fd, int number);

/* A file of this name in a folder of the program's own; a literal of MAX_PATH bytes that is filled in. */
extern char path_of_file[64], path_of_fifo[64], path_of_other[64], path_of_none[64], path_of_socket[64];
extern char path_of_folder[64];

extern char buffer[1 << 18];
extern struct timespec in_20_ms, in_an_hour; /* as durations */

void set_nonblocking(int fd, bool nonblocking);
void empty(int fd);
void fill(int fd);

#endif
