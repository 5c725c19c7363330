/*
 * libgotrace: reads Go execution traces, event by event, in an order that respects who caused what, with the thread,
 * proc and goroutine that each event happened on. Those of Go 1.5 to 1.21 have another format, v1: their events are
 * shown as those that Go 1.22 has for the same, by the rules of Go's own reader.
 *
 *     struct gotrace_reader *r = gotrace_reader_open_path("trace.out");
 *     const struct gotrace_event *ev;
 *     while ((ev = gotrace_reader_next(r)))
 *         …gotrace_event_kind(ev)…
 *     const struct gotrace_error *err = gotrace_reader_error(r);
 *     …
 *     gotrace_reader_free(r);
 *
 * Units: times are nanoseconds of the clock that the trace was taken with. IDs are GOTRACE_NONE when there is none.
 *
 * Ownership: everything that is reached from an event belongs to the reader. An event is valid until the next call of
 * gotrace_reader_next; strings, stacks, frames and experimental batches until the call that returns the next Sync
 * event, or NULL. From then on the pointers dangle; a stack's handle is no danger: it just has no frames any more.
 * gotrace_event_copy keeps what is to live longer.
 *
 * Threads: a reader and what it returned may be used by one thread at a time; different readers are independent. No
 * function is for signal handlers, but for gotrace_kind_name and gotrace_state_name, which any thread may call as well.
 *
 * Errors: no function aborts. An accessor that is asked for what the event is not returns false and zeroes its result.
 * What ends the reading is told by gotrace_reader_error. Since: 0.1.
 */
#ifndef GOTRACE_READER_H
#define GOTRACE_READER_H

#include <stdio.h>

#include <gotrace/base.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gotrace_reader;
struct gotrace_event;

/* ---- opening, reading, closing --------------------------------------------------------------------------------- */

/*
 * Opens a trace. The result is NULL only when memory is short; a file that cannot be opened, or is no trace, is
 * reported by gotrace_reader_error at once. The caller frees the reader. Since: 0.1.
 */
GOTRACE_API struct gotrace_reader *gotrace_reader_open_path(const char *path);

/* Likewise for an open file descriptor, which stays the caller's and is read from where it stands. Since: 0.1. */
GOTRACE_API struct gotrace_reader *gotrace_reader_open_fd(int fd);

/* Likewise for size bytes at data, which must stay as they are until the reader is freed. Since: 0.1. */
GOTRACE_API struct gotrace_reader *gotrace_reader_open_memory(const void *data, size_t size);

/* Likewise for what read delivers, which is called until the reader is freed. Since: 0.1. */
GOTRACE_API struct gotrace_reader *gotrace_reader_open_callback(gotrace_read_fn *read, void *arg);

/*
 * The next event, or NULL at the end and after an error; NULL from then on. The first and the last event of a trace
 * are Sync events; so is the first of each generation. What could be read before a trace is cut off comes before the
 * error does. A trace of v1 is read whole by the first call, and needs memory for all of it; one that is broken or cut
 * off has no events. Since: 0.1.
 */
GOTRACE_API const struct gotrace_event *gotrace_reader_next(struct gotrace_reader *r);

/* What ended the reading, or NULL if nothing did so far or the trace ended well. Since: 0.1. */
GOTRACE_API const struct gotrace_error *gotrace_reader_error(const struct gotrace_reader *r);

/* NN of the header's "go 1.NN trace"; 4 if it was "gotrace", of 2014; 0 if there was no such header. Since: 0.1. */
GOTRACE_API int gotrace_reader_version(const struct gotrace_reader *r);

/*
 * Each time that more of the input has been read, tell is called with how many bytes from its start that is, on the
 * thread that uses the reader; at last with all of them. Of a trace in memory nothing is told. arg must live as long as
 * the reader. NULL ends that. Since: 0.1.
 */
typedef void gotrace_progress_fn(void *arg, uint64_t bytes);
GOTRACE_API void gotrace_reader_on_progress(struct gotrace_reader *r, gotrace_progress_fn *tell, void *arg);

/* Frees the reader and all that belongs to it; NULL is fine. Since: 0.1. */
GOTRACE_API void gotrace_reader_free(struct gotrace_reader *r);

/* ---- any event ------------------------------------------------------------------------------------------------- */

enum gotrace_kind {
    GOTRACE_KIND_BAD,
    GOTRACE_KIND_SYNC,          /* all threads, procs and goroutines that exist are known from here on */
    GOTRACE_KIND_METRIC,        /* the value of a metric */
    GOTRACE_KIND_LABEL,         /* a name for a resource */
    GOTRACE_KIND_STACK_SAMPLE,  /* what a thread was doing */
    GOTRACE_KIND_RANGE_BEGIN,   /* a stretch of time, of a resource or of the whole program */
    GOTRACE_KIND_RANGE_ACTIVE,  /* one that had begun before */
    GOTRACE_KIND_RANGE_END,
    GOTRACE_KIND_TASK_BEGIN,    /* a user's task */
    GOTRACE_KIND_TASK_END,
    GOTRACE_KIND_REGION_BEGIN,  /* a user's region */
    GOTRACE_KIND_REGION_END,
    GOTRACE_KIND_LOG,           /* a user's message */
    GOTRACE_KIND_TRANSITION,    /* a goroutine or proc changes its state */
    GOTRACE_KIND_EXPERIMENTAL,  /* one that only an experiment defines, or of which nothing but the name is known */
};

/* What kind of event it is; never GOTRACE_KIND_BAD of one that the reader returned. Since: 0.1. */
GOTRACE_API enum gotrace_kind gotrace_event_kind(const struct gotrace_event *ev);

/* "Metric", "StateTransition" …; never NULL. Since: 0.1. */
GOTRACE_API const char *gotrace_kind_name(enum gotrace_kind kind);

/* The event's name on the wire ("GoStart"), of v1 that of what it is shown as; or "Sync". Since: 0.1. */
GOTRACE_API const char *gotrace_event_name(const struct gotrace_event *ev);

/* Nanoseconds; each event's is greater than the one's before. Since: 0.1. */
GOTRACE_API int64_t gotrace_event_time(const struct gotrace_event *ev);

/*
 * Where the event happened: the state *before* it, if it is a transition, but of v1 what begins to run is there
 * already. GOTRACE_NONE for none. Procs of v1 from 1000001 on are none: timers, the network, system calls that return,
 * the garbage collector. Since: 0.1.
 */
GOTRACE_API uint64_t gotrace_event_thread(const struct gotrace_event *ev);
GOTRACE_API uint64_t gotrace_event_proc(const struct gotrace_event *ev);
GOTRACE_API uint64_t gotrace_event_goroutine(const struct gotrace_event *ev);

/*
 * Which generation the event is of, and at which byte of the trace it stands; a Sync event stands nowhere, which is
 * byte 0, and the events that the reader makes out of one (GoSwitch) all stand in the same place. Since: 0.1.
 */
GOTRACE_API uint64_t gotrace_event_generation(const struct gotrace_event *ev);
GOTRACE_API uint64_t gotrace_event_offset(const struct gotrace_event *ev);

/*
 * Appends the event to a stream as one or more lines, byte for byte as Go's own tools do (Event.String and a
 * newline). Returns 0, or -1 when the stream or memory failed. Since: 0.1.
 */
GOTRACE_API int gotrace_event_print(const struct gotrace_event *ev, FILE *out);

/*
 * A copy of the event, with its strings, its stacks and, of a Sync event, its experimental batches, that lives until
 * the caller frees it: beyond the next call, the generation and the reader. All functions take it as they take the
 * event. Handles of its stacks live as long as the copy and are equal to those of no other event or copy. It belongs to
 * no reader: any one thread at a time may use it. NULL when memory is short, and nothing else changes. Since: 0.1.
 */
GOTRACE_API struct gotrace_event *gotrace_event_copy(const struct gotrace_event *ev);

/* Frees what gotrace_event_copy returned, nothing else; NULL is fine. Since: 0.1. */
GOTRACE_API void gotrace_event_free(struct gotrace_event *ev);

/* ---- stacks ---------------------------------------------------------------------------------------------------- */

/*
 * A handle; its fields are the reader's. Equal handles are equal stacks, over the whole trace: a handle of one
 * generation equals none of another. Since: 0.1.
 */
struct gotrace_stack {
    const void *reader;
    uint64_t serial, id;
};

struct gotrace_frame {
    uint64_t pc;
    struct gotrace_str function, file;
    uint64_t line;
};

/* The stack of the goroutine or thread that the event happened on; without frames if it has none. Since: 0.1. */
GOTRACE_API struct gotrace_stack gotrace_event_stack(const struct gotrace_event *ev);

/* Whether the handles are equal; needs none of them to be valid still. Since: 0.1. */
GOTRACE_API bool gotrace_stack_equal(struct gotrace_stack a, struct gotrace_stack b);

/* How many frames; 0 of a handle that is not valid any more. Since: 0.1. */
GOTRACE_API size_t gotrace_stack_len(struct gotrace_stack stack);

/* Frame i, counted from the innermost; false if there is none, or the handle is not valid any more. Since: 0.1. */
GOTRACE_API bool gotrace_stack_frame(struct gotrace_stack stack, size_t i, struct gotrace_frame *frame);

/* ---- what the kinds of events say ------------------------------------------------------------------------------ */

enum gotrace_resource_kind { GOTRACE_RESOURCE_NONE, GOTRACE_RESOURCE_GOROUTINE, GOTRACE_RESOURCE_PROC };

/* Kind NONE means the whole program. Since: 0.1. */
struct gotrace_resource {
    enum gotrace_resource_kind kind;
    uint64_t id;
};

enum gotrace_state {
    GOTRACE_STATE_UNDETERMINED,
    GOTRACE_STATE_NOT_EXIST,
    GOTRACE_STATE_RUNNABLE, /* goroutines only */
    GOTRACE_STATE_RUNNING,
    GOTRACE_STATE_WAITING, /* goroutines only */
    GOTRACE_STATE_SYSCALL, /* goroutines only */
    GOTRACE_STATE_IDLE,    /* procs only */
};

/* "Running" …; never NULL. Since: 0.1. */
GOTRACE_API const char *gotrace_state_name(enum gotrace_state state);

struct gotrace_transition {
    struct gotrace_resource resource;
    enum gotrace_state from, to;
    struct gotrace_str reason;  /* empty if none is given */
    struct gotrace_stack stack; /* of the resource, which need not be the one the event happened on */
};

struct gotrace_metric {
    const char *name; /* as in Go's runtime/metrics */
    uint64_t value;
};

struct gotrace_label {
    struct gotrace_resource resource;
    struct gotrace_str label;
};

struct gotrace_attribute {
    const char *name;
    uint64_t value;
};

struct gotrace_range {
    const char *name;           /* "GC mark assist" …; for a stop of the world "stop-the-world" */
    struct gotrace_str detail;  /* why the world stops; else empty */
    struct gotrace_resource scope;
    size_t nattributes;         /* only at the end of a range */
    struct gotrace_attribute attributes[2];
};

struct gotrace_task {
    uint64_t id;
    uint64_t parent;         /* GOTRACE_NONE if there is none or it is not known */
    struct gotrace_str type; /* at the end of a task: empty if its begin was not seen */
};

struct gotrace_region {
    uint64_t task; /* 0: the background task */
    struct gotrace_str type;
};

struct gotrace_log {
    uint64_t task; /* 0: the background task */
    struct gotrace_str category, message;
};

struct gotrace_clock_snapshot {
    int64_t trace;  /* ns, on the scale of gotrace_event_time */
    uint64_t mono;  /* ns, the system's monotonic clock */
    int64_t sec;    /* the wall clock: seconds since 1970 */
    int64_t nsec;   /* and nanoseconds, 0 … 999,999,999 */
};

struct gotrace_sync {
    uint64_t n; /* counts from 1 */
    bool has_clock;
    struct gotrace_clock_snapshot clock;
    size_t nbatches; /* experimental batches of the generation that begins here: gotrace_event_sync_batch */
};

struct gotrace_experimental_batch {
    const char *experiment; /* "AllocFree", or "" for an experiment that is not known */
    uint64_t experiment_id;
    uint64_t thread;
    const void *data;
    size_t size;
};

struct gotrace_experimental {
    const char *name, *experiment;
    size_t nargs;
    const char *args[4]; /* names */
    uint64_t values[4];
};

/* Each returns false, and zeroes its result, when the event is of another kind. Since: 0.1. */
GOTRACE_API bool gotrace_event_transition(const struct gotrace_event *ev, struct gotrace_transition *out);
GOTRACE_API bool gotrace_event_metric(const struct gotrace_event *ev, struct gotrace_metric *out);
GOTRACE_API bool gotrace_event_label(const struct gotrace_event *ev, struct gotrace_label *out);
GOTRACE_API bool gotrace_event_range(const struct gotrace_event *ev, struct gotrace_range *out);
GOTRACE_API bool gotrace_event_task(const struct gotrace_event *ev, struct gotrace_task *out);
GOTRACE_API bool gotrace_event_region(const struct gotrace_event *ev, struct gotrace_region *out);
GOTRACE_API bool gotrace_event_log(const struct gotrace_event *ev, struct gotrace_log *out);
GOTRACE_API bool gotrace_event_sync(const struct gotrace_event *ev, struct gotrace_sync *out);
GOTRACE_API bool gotrace_event_experimental(const struct gotrace_event *ev, struct gotrace_experimental *out);

/* Experimental batch i of a Sync event; false, and zeroes, if there is none. Since: 0.1. */
GOTRACE_API bool gotrace_event_sync_batch(const struct gotrace_event *ev, size_t i,
                                          struct gotrace_experimental_batch *out);

/*
 * String i of the generation that a Sync event begins, also one that no event refers to; false, and zeroes, if there is
 * none. A copy of the event has none. Since: 0.1.
 */
GOTRACE_API bool gotrace_event_sync_string(const struct gotrace_event *ev, size_t i, struct gotrace_str *out);

/* ---- generations ----------------------------------------------------------------------------------------------- */

/*
 * A part of a trace that says all that is needed to read it without those before it. gotrace_reader_next_generation
 * fills it in; it refers to nothing, and may be copied and kept. A trace of v1 is one, number 1. Since: 0.1.
 */
struct gotrace_generation {
    uint64_t number; /* as gotrace_event_generation has it */
    uint64_t offset; /* in bytes from the start of the trace */
    uint64_t size;   /* in bytes */
    int64_t time;    /* ns: of the Sync event that it begins with, when reading starts there */
    bool has_clock;
    struct gotrace_clock_snapshot clock;
};

/*
 * Goes from one generation to the next: *gen, all zeros before the first call, becomes the one after it.
 *
 *     struct gotrace_generation gen = {0};
 *     while (gotrace_reader_next_generation(r, &gen) == 1)
 *         …
 *
 * 1: there is one; 0: there is none any more, and *gen stays as it is; -1 with errno, likewise: ESPIPE when the trace
 * can be read only once, as from a pipe, a descriptor or a callback; EBADMSG when what follows is broken or cut off
 * before it is complete (read there to learn why); EINVAL when r has no trace, or *gen is of none; ENOMEM; or that of a
 * failed read. Its tables are read and checked, its events are not, but for v1; the memory of one generation is needed
 * for the time of the call. Where r reads stays the same. To be called by the thread that uses r. Since: 0.1.
 */
GOTRACE_API int gotrace_reader_next_generation(const struct gotrace_reader *r, struct gotrace_generation *gen);

/*
 * Goes on with that generation, as if the trace began there: gotrace_reader_next returns its Sync event next, which
 * counts from 1, and goroutines, procs, tasks and ranges are known as far as the trace says from there on. It goes
 * forth and back, also after the end and after an error, which is forgotten. What was reached from events before is
 * no more valid than after the last; a validator has to be a new one.
 *
 * 0; or -1 with errno, and nothing has changed: ESPIPE and EINVAL as above, ENOMEM. That a generation is not where *gen
 * says is found by gotrace_reader_next. To be called by the thread that uses r. Since: 0.1.
 */
GOTRACE_API int gotrace_reader_seek(struct gotrace_reader *r, const struct gotrace_generation *gen);

#ifdef __cplusplus
}
#endif

#endif
