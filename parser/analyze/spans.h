/*
 * What the threads (goroutines) of a trace do, as stretches of time: each has a state, a reason, a place, and what
 * ended it. Analyses stand on this, so that their numbers agree. One pass; memory is for the threads that exist and for
 * texts.
 */
#ifndef THRACE_PARSER_ANALYZE_SPANS_H
#define THRACE_PARSER_ANALYZE_SPANS_H

#include "parser/analyze/span_filter.h"

enum { SPANS_NOBODY = UINT32_MAX, SPAN_WATCHERS = 2 };

/* A thread, and the stretch that it is in. */
struct span_thread {
    uint64_t id, tid; /* tid: the system's thread that it runs on, or GOTRACE_NONE; the first, if they change */
    uint32_t name; /* text: the function that it began with; 0: not known so far */
    enum gotrace_state state;
    int64_t since;
    uint32_t reason, what; /* texts: why it is in the state; the stack or function that it entered it with */
    struct stat_object object; /* that it waits for, if any */
    struct gotrace_stack stack; /* that it entered the state with */
    uint32_t place;        /* text: the same with the program's place only, of waits and system calls */
    uint32_t where;        /* text: the stack of a system call */
    uint32_t doing;        /* text: the call that it is in, and from where; 0: `what` begins with it */
    bool moves;            /* it has run on several */
    bool call;             /* state is SYSCALL because it made one */
    bool on_object;        /* the innermost frame of the stack is an object: also of a call on a descriptor */
    bool known;            /* the trace has the beginning of the stretch */
    bool counts;           /* it passes the filter */
    bool may_count;        /* it would, if its stack did: a sample in it has a stack of its own */
    uint64_t number;       /* with a filter: how many stretches began before */
};

/*
 * Who is told what happens to a thread, by its place in spans.live, which is used again when the thread is gone. A
 * maker and a waker are threads of the trace, or SPANS_NOBODY.
 */
struct span_watcher {
    void (*appears)(void *arg, uint32_t thread, uint32_t maker, int64_t now);
    void (*ends)(void *arg, uint32_t thread, int64_t now, const struct gotrace_event *by); /* NULL: the trace ends */
    void (*begins)(void *arg, uint32_t thread); /* the stretch that it is in from now on; may be NULL */
    void (*gone)(void *arg, uint32_t thread);
};

struct spans {
    struct stat_texts texts;
    VEC(struct span_thread) live;
    VEC(uint32_t) unused; /* places in live */
    struct idmap index;   /* goroutine to its place + 1 */
    uint64_t nthreads, nevents, nstretches;
    int64_t begin, end; /* of the trace, as far as it was shown */
    struct gotrace_transition transition; /* of the event that was shown last, if it is one */
    struct span_filter *filter; /* the caller's; NULL: all stretches count */
    int64_t from, to;   /* what is in between counts, without `to` itself */
    bool has_objects;   /* a thread has waited for one: the trace says what threads wait for */
    bool failed;        /* memory is short */
    struct {
        const struct span_watcher *is;
        void *arg;
    } watchers[SPAN_WATCHERS];
    unsigned nwatchers;
};

void spans_init(struct spans *s, const struct span_watcher *watcher, void *arg);

/* One more, who is told after those that are there; SPAN_WATCHERS in all. */
void spans_watch(struct spans *s, const struct span_watcher *watcher, void *arg);

void spans_free(struct spans *s);

/* The place of a goroutine, or SPANS_NOBODY. */
uint32_t spans_find(const struct spans *s, uint64_t goroutine);

/* Who ended the wait that the thread is in until this event; SPANS_NOBODY: it does not wait, or nobody else did. */
static inline uint32_t spans_waker(const struct spans *s, uint32_t thread, const struct gotrace_event *by)
{
    bool waits = by && s->live.v[thread].state == GOTRACE_STATE_WAITING;
    uint32_t waker = waits ? spans_find(s, gotrace_event_goroutine(by)) : SPANS_NOBODY;
    return waker == thread ? SPANS_NOBODY : waker;
}

/*
 * Text: what the kernel says ended a wait, and is no goroutine, such as "cat (thread 4711)" (docs/model.md); "" where it
 * does not say. by: what ended the wait, or NULL.
 */
uint32_t spans_outsider(struct spans *s, const struct gotrace_event *by);

/* The part that counts of a stretch which ends, or of what a thread did in it; false: none. It may have no length. */
static inline bool spans_part(const struct spans *s, int64_t *begin, int64_t *end)
{
    if (*begin >= *end) {
        *end = *begin;
        return *begin >= s->from && *begin < s->to;
    }
    *begin = *begin > s->from ? *begin : s->from;
    *end = *end < s->to ? *end : s->to;
    return *begin < *end;
}

/* The same for the stretch that the thread is in, if it passes the filter: how long that part is. */
static inline bool spans_counts(const struct spans *s, const struct span_thread *t, int64_t now, uint64_t *ns)
{
    int64_t begin = t->since;
    *ns = now > begin ? (uint64_t)now - (uint64_t)begin : 0;
    if (!s->filter)
        return true;
    bool counts = t->counts && spans_part(s, &begin, &now);
    *ns = counts ? (uint64_t)now - (uint64_t)begin : 0;
    return counts;
}

/* Whether a sample of what the thread executes counts. */
bool spans_sample_counts(const struct spans *s, uint32_t thread, const struct gotrace_event *ev);

/* Shows it the next event, or the end of the trace, which ends all stretches. False: memory is short. */
bool spans_event(struct spans *s, const struct gotrace_event *ev);
bool spans_end(struct spans *s);

#endif
