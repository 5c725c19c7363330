/*
 * What the descriptors of the program are, as far as a trace wants to know: whether a read or write may wait, for what,
 * and who is at the other end. A cache: an entry is filled at first sight, kept in step by the wrappers that open, copy
 * and change descriptors, and dropped when one is closed. Some closings nobody sees (libc's own, raw system calls); a
 * stale entry gives a wait the wrong reason and does no other harm. What the child of a vfork does to its own descriptors
 * does not count.
 */
#ifndef THRACE_PRELOAD_FDS_H
#define THRACE_PRELOAD_FDS_H

#include <stdbool.h>
#include <stdint.h>

enum fd_kind { FD_UNKNOWN, FD_OTHER, FD_PIPE, FD_SOCKET, FD_EVENTFD, FD_TIMERFD, FD_SIGNALFD, FD_QUEUE, FD_EPOLL };

struct fd_info {
    enum fd_kind kind;
    bool nonblocking;
    uint64_t id;   /* of what is open, the same for both ends of a pipe and for copies of a descriptor */
    uint64_t peer; /* the id under which the receiver at the other end waits; 0: not known */
};

/* Asks the kernel at first sight, two or three system calls; a few nanoseconds after that. */
struct fd_info fd_look(int fd);

void fd_opened(int fd, enum fd_kind kind, bool nonblocking);
void fd_paired(int a, int b, bool nonblocking);
void fd_copied(int from, int to);
void fd_closed(unsigned from, unsigned to);
void fd_set_nonblocking(int fd, bool nonblocking);

/* Asks the kernel: somebody may have set O_NONBLOCK for another descriptor of the same file, or in another process. */
bool fd_turned_nonblocking(int fd);

/* An epoll instance watches fd from now on, or no more: a write to it may wake who waits for the instance. */
void fd_watched(int epoll, int fd, bool watched);

/* The id of the epoll instance that watches what has this id; 0: none known. Of several the last. */
uint64_t fd_watcher(uint64_t id);

/* The same with a poll or select that is about to begin. */
uint64_t fd_new_id(void);
void fd_polled(uint64_t id, uint64_t poll);
uint64_t fd_poller(uint64_t id);

/* Where the waiting threads are found (lib/waitq.h): no address of user space. */
static inline const void *fd_object(uint64_t id) { return (const void *)(uintptr_t)(id | UINT64_C(1) << 63); }

#endif
