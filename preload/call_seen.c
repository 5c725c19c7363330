#include "preload/call_seen.h"

#include <string.h>

#include "lib/rawsys.h"
#include "preload/descriptors.h"
#include "preload/tasks.h"

static uint64_t hexadecimal(const char *text)
{
    uint64_t v = 0;
    for (const char *c = text + 2; *c && *c != ' '; c++)
        v = v << 4 | (uint64_t)(*c <= '9' ? *c - '0' : *c - 'a' + 10);
    return v;
}

/* 'S', 'D' and so on; 0: the thread is gone. */
static char state_of(uint32_t tid)
{
    char line[256];
    const char *name_end = task_file(tid, "stat", line, sizeof line) ? strrchr(line, ')') : NULL;
    return name_end && name_end[1] ? name_end[2] : 0;
}

/*
 * Where it says nothing. Of a process that gave up being root it is root's, but not the file that says whether a thread
 * sleeps. A first thread that has ended before the others is a zombie.
 */
static long call_by_state(uint32_t tid)
{
    char state = state_of(tid);
    return state == 'Z' ? CALL_NONE_EVER : state == 'S' || state == 'D' ? CALL_NOT_KNOWN : CALL_NONE;
}

/* The kernel says "running", or the call's number, arguments, stack pointer and pc: "202 0x7f… 0xSP 0xPC". */
struct call_seen call_seen_of(uint32_t tid)
{
    char line[256];
    struct call_seen l = {.call = CALL_NONE};
    if (!task_file(tid, "syscall", line, sizeof line) || !strcmp(line, "-1 0x0 0x0")) {
        l.call = call_by_state(tid);
        return l;
    }
    if (*line < '0' || *line > '9')
        return l;
    const char *c = line;
    for (l.call = 0; *c >= '0' && *c <= '9'; c++)
        l.call = l.call * 10 + (*c - '0');
    l.argument = *c ? hexadecimal(c + 1) : 0;
    char *pc = strrchr(line, ' ');
    if (!pc)
        return l;
    *pc = 0;
    const char *sp = strrchr(line, ' ');
    l.pc = hexadecimal(pc + 1);
    l.sp = sp ? hexadecimal(sp + 1) : 0;
    return l;
}

/*
 * By what the descriptor is called, which asks no file system. It is that thread's: who asks may have a file table of
 * its own. SYNC: a file, or a FIFO that has a name.
 */
static enum sched_reason reason_of_descriptor(uint32_t tid, uint64_t fd, enum sched_reason at_pipe)
{
    static const struct {
        const char *begins;
        enum sched_reason reason;
    } others[] = {{"socket:", REASON_NETWORK}, {"anon_inode:[timerfd]", REASON_SLEEP},
                  {"anon_inode:[signalfd]", REASON_SELECT}, {"anon_inode:[io_uring]", REASON_SELECT}};
    char link[32];
    descriptor_link(tid, (uint32_t)fd, link, sizeof link);
    for (unsigned i = 0; i < sizeof others / sizeof *others; i++)
        if (!strncmp(link, others[i].begins, strlen(others[i].begins)))
            return others[i].reason;
    return !strncmp(link, "pipe:", 5) || !strcmp(link, "anon_inode:[eventfd]") ? at_pipe : REASON_SYNC;
}

enum sched_reason reason_seen(uint32_t tid, long call, uint64_t argument)
{
    switch (call) {
    case CALL_NONE_EVER: return REASON_FOREVER;
    case SYS_nanosleep:
    case SYS_clock_nanosleep: return REASON_SLEEP;
#ifdef SYS_poll
    case SYS_pause:
    case SYS_poll:
    case SYS_select:
    case SYS_epoll_wait:
#endif
    case SYS_ppoll:
    case SYS_pselect6:
    case SYS_epoll_pwait:
#ifdef SYS_epoll_pwait2
    case SYS_epoll_pwait2:
#endif
    case SYS_io_uring_enter:
    case SYS_rt_sigtimedwait:
    case SYS_rt_sigsuspend: return REASON_SELECT;
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_connect:
    case SYS_accept:
    case SYS_accept4: return REASON_NETWORK;
    case SYS_mq_timedreceive:
    case SYS_msgrcv: return REASON_CHAN_RECEIVE;
    case SYS_mq_timedsend:
    case SYS_msgsnd: return REASON_CHAN_SEND;
    case SYS_splice:
    case SYS_preadv2:
    case SYS_read:
    case SYS_readv: return reason_of_descriptor(tid, argument, REASON_CHAN_RECEIVE);
    case SYS_vmsplice:
    case SYS_sendfile:
    case SYS_pwritev2:
    case SYS_write:
    case SYS_writev: return reason_of_descriptor(tid, argument, REASON_CHAN_SEND);
    default: return REASON_SYNC;
    }
}
