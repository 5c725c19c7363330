/* Whether the process of a spool is alive, as far as this process can see. */
#ifndef THRACE_CMD_FINISH_PROCESS_LIFE_H
#define THRACE_CMD_FINISH_PROCESS_LIFE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/spool.h"

enum life {
    LIFE_OVER,
    LIFE_ON,
    LIFE_UNKNOWN, /* it belongs to a PID namespace that cannot be seen from here */
};

/* Or of a boot that is not known. A process of another one, or of another machine, cannot run here. */
bool process_is_of_this_boot(const struct spool_header *h);

/* LIFE_OVER also when it lives and records no more. */
enum life process_life(const struct spool_header *h);

/* What the kernel says of a process; pid is as /proc has it. */
struct process_stat {
    char state;           /* as in ps: R, S, T, Z … */
    uint64_t start;       /* field 22 of /proc/PID/stat */
    uint32_t innermost;   /* its pid in its own namespace */
};

/* 0, or -1 and errno: there is no such process by ENOENT and ESRCH, all else says why it cannot be looked at. */
int process_stat(pid_t pid, struct process_stat *s);

/* What errno means behind one of these: that text, or strerror's. */
const char *process_why(const char *not_found);

/*
 * "/proc/PID", or where its first thread has ended "/proc/PID/task/TID" of one that lives: root directory, namespaces
 * and mappings are told there only.
 */
enum { PROCESS_FOLDER = 48 };
void process_folder(char folder[PROCESS_FOLDER], pid_t pid);

/* Whether what /proc has of it there, its root directory or a namespace (ns/mnt), is ours; or nobody can tell. */
bool process_shares(const char *folder, const char *what);

/* As process_stat. NULL, or why not in words. */
const char *process_look(pid_t pid, struct process_stat *s);

/* Whether it has ended, and only waits to be waited for. Its first thread may have ended long before the others. */
bool process_has_ended(pid_t pid, const struct process_stat *s);

/* The process that began then has not ended. Also true where it cannot be looked at: too many files may be open. */
bool process_goes_on(pid_t pid, uint64_t start);

/* Calls each(arg, tid) for its threads until it returns false. False: it has ended, or as process_stat. */
bool process_each_thread(pid_t pid, bool (*each)(void *arg, pid_t tid), void *arg);

/*
 * All its threads are on their way out, by SIGKILL or by themselves; it may take them long. Or it has ended. False
 * where it cannot be looked at.
 */
bool process_is_ending(pid_t pid);

#endif
