/*
 * The language that the golden traces are written in: what happens, event by event, with the builder underneath; and,
 * for traces that are broken in their structure, changes to the events that the builder made.
 */
#ifndef THRACE_TESTS_GOLDEN_SCENARIO_H
#define THRACE_TESTS_GOLDEN_SCENARIO_H

#include <stdbool.h>

#include "gotrace/builder.h"
#include "lib/wire/events.h"

/* A trace being made. Each event happens one unit after the one before, unless the clock stands still. */
struct trace {
    struct gotrace_builder *b;
    int version;
    uint64_t now;
    bool still;
};

struct raw_list {
    struct gotrace_raw_event *at;
    size_t n;
};

struct scenario {
    const char *name;
    int version;
    void (*build)(struct trace *t);
    const char *failure;              /* what the reader's error shall match; NULL: it shall succeed */
    void (*edit)(struct raw_list *l); /* changes events; the sizes of batches are set right afterwards */
    void (*lie)(struct raw_list *l);  /* changes them after that */
};

#define GOOD(nn, name, build) {"v" #nn "-" name, nn, build, NULL, NULL, NULL}
#define BROKEN(nn, name, build, failure) {"v" #nn "-broken-" name, nn, build, failure, NULL, NULL}
#define EDITED(nn, name, build, failure, edit) {"v" #nn "-broken-" name, nn, build, failure, edit, NULL}
#define LIED(nn, name, build, failure, lie) {"v" #nn "-broken-" name, nn, build, failure, NULL, lie}
#define END {NULL, 0, NULL, NULL, NULL, NULL}

/* Each file of scenarios ends in a table of them. */
extern const struct scenario plain_scenarios[], steal_scenarios[], version_scenarios[], structure_scenarios[],
    order_scenarios[], range_scenarios[], invalid_scenarios[];

enum { NO_STACK = 0 };

void generation(struct trace *t, uint64_t gen);
void generation_without_clock(struct trace *t, uint64_t gen);
void thread(struct trace *t, uint64_t m);
void event(struct trace *t, unsigned id, const uint64_t *args, size_t n);
uint64_t text(struct trace *t, const char *s);
/* A stack of some frames, others for another seed. */
uint64_t stack(struct trace *t, unsigned seed, unsigned frames);
void sample(struct trace *t, uint64_t m, uint64_t p, uint64_t g, uint64_t stack_id);

/* What most traces begin with: proc p runs on the current thread, and goroutine g on it. */
void running(struct trace *t, uint64_t m, uint64_t p, uint64_t g);

#define EV(name, ...)                                                                                                  \
    event(t, EV_##name, (const uint64_t[]){0, ##__VA_ARGS__} + 1,                                                      \
          sizeof((const uint64_t[]){0, ##__VA_ARGS__}) / sizeof(uint64_t) - 1)

/* The n-th event, from 0, of an id. */
struct gotrace_raw_event *find(struct raw_list *l, unsigned id, unsigned n);
void drop(struct raw_list *l, unsigned id, unsigned n);
/* Puts an event behind another; returns it to be filled in. */
struct gotrace_raw_event *insert_after(struct raw_list *l, struct gotrace_raw_event *before, unsigned id);

#endif
