/* What the kernel says of the process's threads. System calls; no lock, and nothing of libc but memcpy. */
#ifndef THRACE_PRELOAD_TASKS_H
#define THRACE_PRELOAD_TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Calls each(arg, tid) for all that there are, until it returns false. */
void tasks_each(bool (*each)(void *arg, uint32_t tid), void *arg);

/* The beginning of /proc/self/task/TID/FILE, as text without its newline. False: the thread is gone. */
bool task_file(uint32_t tid, const char *file, char *into, size_t size);

/* Likewise of a thread of whatever process. */
bool any_task_file(uint32_t tid, const char *file, char *into, size_t size);

/* The inode of the PID namespace that their numbers are of; 0: it is not known. */
uint64_t pid_namespace(void);

/* The thread's name. False: it is gone, or the kernel's own, which works off io_uring and is listed with the others. */
enum { TASK_NAME_MAX = 17 };
bool task_name(uint32_t tid, char name[TASK_NAME_MAX]);

#endif
