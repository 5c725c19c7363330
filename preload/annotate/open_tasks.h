/*
 * Tasks of which the program knows a name of its own, by which it ends them: an identifier of ITT, a frame of a domain.
 * What begins again while it is open is open until it has ended as often, as the flow graphs of oneTBB mean it.
 * Lock-free, async-signal-safe, and bounded: a task that never ends keeps its place.
 */
#ifndef THRACE_PRELOAD_ANNOTATE_OPEN_TASKS_H
#define THRACE_PRELOAD_ANNOTATE_OPEN_TASKS_H

#include <stdbool.h>
#include <stdint.h>

/* How far from its own place a task may be, and how many there may be at once if they are spread well. */
enum { OPEN_TASKS_REACH = 64, OPEN_TASKS_MAX = 4096 };

struct task_key {
    uint64_t word[4];
};

/* True: a task with this key is open, and has begun once more. */
bool open_task_again(const struct task_key *key);

/* One that is not. False: there is no room. Two threads that do this at once make two tasks. */
bool open_task_put(const struct task_key *key, uint64_t task);

/* The task with this key, 0: there is none. */
uint64_t open_task_find(const struct task_key *key);

/* It ends once. Returns the task if that was the last time, and 0 otherwise. */
uint64_t open_task_end(const struct task_key *key);

#endif
