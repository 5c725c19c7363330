/* What the validator knows, for its two halves: states (validate.c) and all else that events say (validate_spans.c). */
#ifndef THRACE_PARSER_VALIDATE_H
#define THRACE_PARSER_VALIDATE_H

#include "gotrace/validate.h"

#include "parser/event.h"

typedef unsigned long long ull;

/* A goroutine or proc. Range keys are those of range_key. */
struct holder {
    uint64_t id;
    uint8_t state; /* enum gotrace_state */
    bool known;    /* a transition was seen */
    uint32_t on;   /* the thread that executes it, index + 1 */
    VEC(uint64_t) ranges;
};

/* Goroutines, or procs. */
struct holders {
    const char *name;
    struct idmap of; /* index + 1 */
    VEC(struct holder) all;
    VEC(uint32_t) free;
};

struct context {
    uint64_t id;
    uint64_t runs[2]; /* the goroutine and the proc, by struct gotrace_validator's index */
};

/* What v1 began with: names in frames, and one stop of the world for all procs, where each had its own before. */
enum { OLD_NAMES = 7, OLD_ONE_STOP = 10 };

enum { GOS, PROCS };
enum { RECENT = 64 };

struct gotrace_validator {
    int version;
    bool clocks; /* that version has them */
    int old;     /* NN of v1, whose events are shown as those of 1.22; 0: of v2 */
    gotrace_violation_fn *report;
    void *arg;
    int violations; /* of the current event */
    bool no_memory;
    int64_t last_time;
    struct gotrace_sync last_sync;
    struct holders holders[2];
    struct holder program; /* ranges of no resource */
    struct idmap thread_of; /* index + 1 */
    VEC(struct context) threads;
    uint32_t recent[RECENT]; /* index + 1 of a thread that was looked up, by its ID's low bits */
    struct idmap task_of; /* hash of the type, never 0 */
    struct idmap died;    /* goroutines of the first generation, later ones cannot come back */
    VEC(uint8_t) checked; /* stacks, by index; of the generation */
};

COLD __attribute__((format(printf, 3, 4))) void violation(struct gotrace_validator *v, const struct gotrace_event *ev,
                                                          const char *fmt, ...);

/* One more; NULL when memory ran out, which v says then. */
struct holder *validate_add(struct gotrace_validator *v, struct holders *h, uint64_t id);

static inline struct holder *find(struct holders *h, uint64_t id)
{
    uint32_t at = idmap_get(&h->of, id);
    return at ? &h->all.v[at - 1] : NULL;
}

static inline struct holder *find_or_add(struct gotrace_validator *v, struct holders *h, uint64_t id)
{
    struct holder *found = find(h, id);
    return LIKELY(found != NULL) ? found : validate_add(v, h, id);
}

/* Complains of the frames of a stack that lack something. */
void validate_frames(struct gotrace_validator *v, const struct gotrace_event *ev, struct gotrace_stack stack);

/* Each: what an event of that sort says, and what it complains of. */
void validate_span(struct gotrace_validator *v, const struct gotrace_event *ev);
void validate_label(struct gotrace_validator *v, const struct gotrace_event *ev);
void validate_sync(struct gotrace_validator *v, const struct gotrace_event *ev);

#endif
