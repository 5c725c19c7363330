/* The processor time of a process's threads, as the kernel counts it. */
#ifndef THRACE_CMD_TOP_CPU_TIMES_H
#define THRACE_CMD_TOP_CPU_TIMES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "parser/vec.h"

struct cpu_time {
    pid_t tid;
    uint64_t ns;
};

struct cpu_times {
    VEC(struct cpu_time) list; /* by tid */
    uint64_t at;               /* CLOCK_MONOTONIC, in ns */
};

/* Takes them now. False: memory is short, or there is no such process. To be freed in either case. */
bool cpu_times_take(struct cpu_times *t, pid_t pid);
void cpu_times_free(struct cpu_times *t);

/* What the thread used between the two. False: it was not there at both. */
bool cpu_times_used(const struct cpu_times *before, const struct cpu_times *now, pid_t tid, uint64_t *ns);

/* All that were there at both, together. */
uint64_t cpu_times_all(const struct cpu_times *before, const struct cpu_times *now);

#endif
