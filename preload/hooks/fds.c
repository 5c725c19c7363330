#include "preload/hooks/fds.h"

#include <fcntl.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>

#include "lib/rawsys.h"
#include "preload/descriptors.h"
#include "preload/wrapper.h"

enum { NWATCHED = 1 << 12 };

struct fd_entry fd_table[NFDS];

/*
 * Who waits for what has this id, by the id of an epoll instance or a poll. The last one only, where two ids collide.
 */
static struct watch {
    uint64_t id, waiter;
} watched[NWATCHED], polled[NWATCHED];

static uint64_t last_id;
static unsigned nused; /* entries from here on were never filled */

/* Ids of pipes are made of inode numbers, so that both ends have the same. */
uint64_t fd_new_id(void) { return __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED) << 1; }
static uint64_t pipe_id(uint64_t inode) { return (inode & ((UINT64_C(1) << 50) - 1)) << 1 | 1; }

static bool in_table(int fd) { return (unsigned)fd < NFDS; }
static uint64_t load(int fd) { return __atomic_load_n(&fd_table[fd].word, __ATOMIC_ACQUIRE); }

static uint64_t make_word(enum fd_kind kind, bool nonblocking, uint64_t id)
{
    return id << FD_ID_SHIFT | (nonblocking ? FD_NONBLOCKING : 0) | kind;
}

static void store(int fd, uint64_t word, uint64_t peer)
{
    if (!in_table(fd) || self == THREAD_OFF)
        return;
    if (word && (unsigned)fd >= __atomic_load_n(&nused, __ATOMIC_RELAXED))
        __atomic_store_n(&nused, (unsigned)fd + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&fd_table[fd].peer, peer, __ATOMIC_RELAXED);
    __atomic_store_n(&fd_table[fd].word, word, __ATOMIC_RELEASE);
}

/* Eventfds and their kin share one inode; only the name tells which one it is. */
static enum fd_kind kind_by_name(int fd)
{
    static const struct {
        const char *name;
        enum fd_kind kind;
    } names[] = {{"anon_inode:[eventfd]", FD_EVENTFD}, {"anon_inode:[timerfd]", FD_TIMERFD},
                 {"anon_inode:[signalfd]", FD_SIGNALFD}, {"anon_inode:[eventpoll]", FD_EPOLL}};
    char link[32];
    descriptor_link(0, (uint32_t)fd, link, sizeof link);
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(link, names[i].name))
            return names[i].kind;
    return FD_OTHER;
}

static uint64_t ask_kernel(int fd)
{
    struct stat st;
    long flags = raw_syscall(SYS_fcntl, fd, F_GETFL, 0, 0, 0, 0);
    if (sys_failed(flags) || sys_failed(raw_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0)))
        return make_word(FD_UNKNOWN, false, 0);
    bool nonblocking = flags & O_NONBLOCK;
    if (S_ISFIFO(st.st_mode))
        return make_word(FD_PIPE, nonblocking, pipe_id(st.st_ino));
    if (S_ISSOCK(st.st_mode))
        return make_word(FD_SOCKET, nonblocking, fd_new_id());
    if (st.st_mode & S_IFMT)
        return make_word(FD_OTHER, nonblocking, 0);
    return make_word(kind_by_name(fd), nonblocking, fd_new_id());
}

struct fd_info fd_lookup(int fd)
{
    uint64_t word = 0, peer = 0;
    if (in_table(fd)) {
        word = load(fd);
        peer = __atomic_load_n(&fd_table[fd].peer, __ATOMIC_RELAXED);
        if (!word) {
            store(fd, word = ask_kernel(fd), 0);
            peer = 0;
        }
    }
    struct fd_info info = {(enum fd_kind)(word & FD_KIND_MASK), word & FD_NONBLOCKING, word >> FD_ID_SHIFT, peer};
    if (info.kind == FD_PIPE || info.kind == FD_EVENTFD || info.kind == FD_QUEUE)
        info.peer = info.id;
    return info;
}

void fd_opened(int fd, enum fd_kind kind, bool nonblocking)
{
    if (fd >= 0)
        store(fd, kind == FD_UNKNOWN ? 0 : make_word(kind, nonblocking, fd_new_id()), 0);
}

void fd_paired(int a, int b, bool nonblocking)
{
    uint64_t id = fd_new_id(), other = fd_new_id();
    store(a, make_word(FD_SOCKET, nonblocking, id), other);
    store(b, make_word(FD_SOCKET, nonblocking, other), id);
}

void fd_copied(int from, int to)
{
    if (to < 0)
        return;
    uint64_t word = in_table(from) ? load(from) : 0;
    if (!word || from == to) {
        store(to, word, word ? fd_table[from].peer : 0);
        return;
    }
    uint64_t peer = __atomic_load_n(&fd_table[from].peer, __ATOMIC_RELAXED);
    store(from, word | FD_COPIED, peer);
    store(to, word | FD_COPIED, peer);
}

void fd_closed(unsigned from, unsigned to)
{
    unsigned end = __atomic_load_n(&nused, __ATOMIC_RELAXED);
    for (unsigned fd = from; fd <= to && fd < end; fd++)
        store((int)fd, 0, 0);
}

static uint64_t with_flag(uint64_t word, bool nonblocking)
{
    return (word & ~(uint64_t)FD_NONBLOCKING) | (nonblocking ? FD_NONBLOCKING : 0);
}

/* Both ends of a pipe have one id, and flags of their own: its other copies are asked about again. */
static void set_copies(uint64_t word, bool nonblocking)
{
    unsigned end = __atomic_load_n(&nused, __ATOMIC_RELAXED);
    for (unsigned fd = 0; fd < end; fd++) {
        uint64_t other = load((int)fd);
        if (other >> FD_ID_SHIFT == word >> FD_ID_SHIFT && other & FD_COPIED)
            store((int)fd, (word & FD_KIND_MASK) == FD_PIPE ? 0 : with_flag(other, nonblocking), fd_table[fd].peer);
    }
}

void fd_set_nonblocking(int fd, bool nonblocking)
{
    uint64_t word = in_table(fd) ? load(fd) : 0;
    if (!word)
        return;
    if (word & FD_COPIED && word >> FD_ID_SHIFT)
        set_copies(word, nonblocking);
    store(fd, with_flag(word, nonblocking), fd_table[fd].peer);
}

static struct watch *find_watch(struct watch *all, uint64_t id)
{
    return &all[(unsigned)(id * UINT64_C(0x9e3779b97f4a7c15) >> 52) % NWATCHED];
}

static void set_watch(struct watch *w, uint64_t id, uint64_t waiter)
{
    __atomic_store_n(&w->waiter, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&w->id, id, __ATOMIC_RELEASE);
    __atomic_store_n(&w->waiter, waiter, __ATOMIC_RELEASE);
}

/* Of two threads that change it at once one may leave the waiter of the other: an arrow less, or one too many. */
static uint64_t waiter_of(const struct watch *w, uint64_t id)
{
    uint64_t waiter = __atomic_load_n(&w->waiter, __ATOMIC_ACQUIRE);
    return __atomic_load_n(&w->id, __ATOMIC_ACQUIRE) == id ? waiter : 0;
}

void fd_watched(int epoll, int fd, bool is_watched)
{
    struct fd_info instance = fd_lookup(epoll), info = fd_lookup(fd);
    if (!instance.id || !info.id || self == THREAD_OFF)
        return;
    struct watch *w = find_watch(watched, info.id);
    if (is_watched)
        set_watch(w, info.id, instance.id);
    else if (waiter_of(w, info.id) == instance.id)
        set_watch(w, 0, 0);
}

uint64_t fd_watcher(uint64_t id) { return waiter_of(find_watch(watched, id), id); }
void fd_polled(uint64_t id, uint64_t poll) { set_watch(find_watch(polled, id), id, poll); }
uint64_t fd_poller(uint64_t id) { return waiter_of(find_watch(polled, id), id); }
