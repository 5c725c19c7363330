/* Perf events, which any user may have of his own threads (perf_event_paranoid up to 2). */
#ifndef THRACE_PRELOAD_PERF_H
#define THRACE_PRELOAD_PERF_H

#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <stdint.h>
#include <sys/prctl.h>

#include "lib/rawsys.h"

/* The end of it as of Linux 5.13, whatever the headers have: which are older than the kernel where it may run. */
union perf_attributes {
    struct perf_event_attr attr;
    struct {
        uint64_t before[5], flags, behind[9], sig_data;
    };
};

#define PERF_INHERIT_THREAD (1ULL << 35)
#define PERF_REMOVE_ON_EXEC (1ULL << 36)
#define PERF_SIGTRAP (1ULL << 37)

/*
 * An event of a thread (0: the calling one) on a CPU (-1: any): a descriptor, or a negative errno. Sandboxes may kill
 * for this call, as systemd's SystemCallFilter= does, so behind a filter it is not tried.
 */
static inline long perf_open(const struct perf_event_attr *attr, long tid, int cpu)
{
    if (raw_syscall(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0, 0) == SECCOMP_MODE_FILTER)
        return -EPERM;
    return raw_syscall(SYS_perf_event_open, (long)attr, tid, cpu, -1, PERF_FLAG_FD_CLOEXEC, 0);
}

#endif
