/*
 * The tasks and regions of a trace: how long they took, where the time of the threads that worked for them went, and
 * what decided when the slowest ended. A thread works for one task at a time:
 *
 * - the task that it has adopted, if it says so (thrace's programs do, by messages of the category "[thrace]");
 * - otherwise that of its innermost region;
 * - outside of its regions the one that its maker worked for when it made it.
 *
 * Memory is for the tasks and regions that are open, the threads, types of both, and the slowest tasks.
 */
#ifndef THRACE_PARSER_ANALYZE_TASKS_H
#define THRACE_PARSER_ANALYZE_TASKS_H

#include "parser/analyze/consumer.h"
#include "parser/analyze/critical.h"
#include "parser/analyze/tasks_work.h"

struct task_slow {
    uint64_t id;
    uint32_t type; /* text */
    int64_t begin, end;
    uint64_t time[GOTRACE_STATE_IDLE]; /* ns of the threads that worked for it, by state */
    struct critical_path path;
};

struct task_open {
    uint64_t id;
    uint32_t type;    /* number in types */
    uint32_t text;
    uint32_t workers; /* list of the threads that work for it: place + 1 */
    int64_t begin;
    uint64_t time[GOTRACE_STATE_IDLE];
};

struct task_region {
    uint64_t task;
    uint32_t type; /* text */
    int64_t begin;
};

/* What is known of a thread besides its states. */
struct task_thread {
    uint64_t task;    /* that it has adopted, or has from its maker */
    bool adopts;      /* it says which task it works for */
    uint32_t works;   /* for which open task: place + 1 */
    uint32_t next, previous; /* who works for the same one: place + 1 */
    int64_t charged;  /* its time is counted up to here */
    VEC(struct task_region) regions;
    struct critical_end way;
};

struct tasks {
    size_t rows; /* how many of the slowest are kept */
    struct spans spans;
    struct critical critical;
    struct task_types types, regions;
    struct stat_groups work; /* by task_work_key() */
    VEC(struct task_open) open;
    VEC(uint32_t) unused; /* places in open */
    struct idmap index;   /* task to its place + 1 */
    VEC(struct task_thread) threads; /* by their place in spans.live */
    VEC(struct task_slow) slowest;
    uint64_t slow_from; /* ns: a task has to be slower than this */
    uint64_t nopen, stray_ends; /* ends of tasks that were not open */
    int version;
    bool failed; /* memory is short */
};

/* rows tasks, those that took longest, are kept apart. */
void tasks_init(struct tasks *t, size_t rows);
void tasks_free(struct tasks *t);

/* At the end the slowest tasks are in order, the slowest first. False: memory is short. */
extern const struct event_consumer tasks_consumer;

#endif
