/*
 * What the descriptors of the program are, as far as a trace wants to know: whether a read or write may wait, for what,
 * and who is at the other end. A cache: an entry is filled at first sight, kept in step by the wrappers that open, copy
 * and change descriptors, and dropped when one is closed. Some closings nobody sees (libc's own, raw system calls); a
 * stale entry gives a wait the wrong reason and does no other harm. What the child of a vfork does to its own
 * descriptors does not count.
 */
#ifndef THRACE_PRELOAD_HOOKS_FDS_H
#define THRACE_PRELOAD_HOOKS_FDS_H

#include <stdbool.h>
#include <stdint.h>

enum fd_kind { FD_UNKNOWN, FD_OTHER, FD_PIPE, FD_SOCKET, FD_EVENTFD, FD_TIMERFD, FD_SIGNALFD, FD_QUEUE, FD_EPOLL };

struct fd_info {
    enum fd_kind kind;
    bool nonblocking;
    uint64_t id;   /* of what is open, the same for both ends of a pipe and for copies of a descriptor */
    uint64_t peer; /* the id under which the receiver at the other end waits; 0: not known */
};

/*
 * word: id << FD_ID_SHIFT | FD_NONBLOCKING | FD_COPIED | kind; 0: unknown. FD_COPIED: another descriptor shares the
 * flags. peer: as in struct fd_info.
 */
enum { NFDS = 1 << 16, FD_ID_SHIFT = 8, FD_NONBLOCKING = 1 << 7, FD_COPIED = 1 << 6, FD_KIND_MASK = 15 };
struct fd_entry {
    uint64_t word, peer;
};
extern struct fd_entry fd_table[NFDS];

/* A file or a device, as far as is known: nobody waits at its other end. A load and a branch. */
static inline bool fd_is_other(int fd)
{
    return (unsigned)fd < NFDS && (__atomic_load_n(&fd_table[fd].word, __ATOMIC_RELAXED) & FD_KIND_MASK) == FD_OTHER;
}

/* Asks the kernel at first sight, two or three system calls; a few nanoseconds after that. */
struct fd_info fd_lookup(int fd);

void fd_opened(int fd, enum fd_kind kind, bool nonblocking);
void fd_paired(int a, int b, bool nonblocking);
void fd_copied(int from, int to);
void fd_closed(unsigned from, unsigned to);
void fd_set_nonblocking(int fd, bool nonblocking);

/* An epoll instance watches fd from now on, or no more: a write to it may wake who waits for the instance. */
void fd_watched(int epoll, int fd, bool watched);

/* The id of the epoll instance that watches what has this id; 0: none known. Of several the last. */
uint64_t fd_watcher(uint64_t id);

/* An id that nothing else has, or will have. */
uint64_t fd_new_id(void);

/* The same as with epoll, for a poll or select that is about to begin and has an id of its own. */
void fd_polled(uint64_t id, uint64_t poll);
uint64_t fd_poller(uint64_t id);

/* Where the waiting threads are found (lib/waitq.h): no address of user space. */
static inline const void *fd_object(uint64_t id) { return (const void *)(uintptr_t)(id | UINT64_C(1) << 63); }

#endif
