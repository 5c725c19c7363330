/*
 * A v1 trace, the form of Go 1.5 to 1.21 and of the first tracer: its events in order, and the tables that they refer
 * to.
 *
 * What bounds memory: the trace itself, which stays in memory as it is, and since 1.7 two bytes and a quarter for each
 * of its events. v1 has no generations, and an event that was written last may have happened first, so that nothing can
 * be told before all is there. But what a proc wrote is in order by itself: kept is only which proc comes next, and the
 * events are made anew of the records each time they are gone over. Frames and strings are decoded where they stand.
 * What else there is grows with the number of goroutines, procs, batches, stacks, strings, CPU samples and system calls
 * that blocked. Before 1.7 events are numbered, whatever their procs: 26 bytes each.
 */
#ifndef THRACE_PARSER_V1_TRACE_H
#define THRACE_PARSER_V1_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parser/idmap.h"
#include "parser/v1/events.h"
#include "parser/vec.h"

/* Procs that are none: they collect what happened outside of all procs. Proc -1 is a thread without a proc. */
enum {
    V1_TIMER_P = 1000001,   /* a timer made a goroutine runnable */
    V1_NETPOLL_P = 1000002, /* the network did */
    V1_SYSCALL_P = 1000003, /* a system call that had blocked returned */
    V1_GC_P = 1000004,      /* a collection began */
};

/* The index that each of them has, and proc -1, in the table of procs; others have a later one. */
enum { V1_AT_NO_P, V1_AT_TIMER_P, V1_AT_NETPOLL_P, V1_AT_SYSCALL_P, V1_AT_GC_P, V1_SPECIAL_PS };

/* A larger trace is refused, as what is kept of events has 40 bits for where in it they stand. */
#define V1_MAX_SIZE ((UINT64_C(1) << 40) - 1)

/* Goroutines and procs are indices. */
struct v1_event {
    int64_t time;               /* ns since the first event */
    uint64_t at;                /* the offset of its record in the trace */
    uint64_t args[V1_MAX_ARGS]; /* as v1_events names them; 0 where this version has none */
    uint32_t g;                 /* the goroutine that it happened to or on, which v1_g says; 0: none */
    uint32_t stack;             /* what v1_frames takes, 0: none */
    uint16_t p;                 /* the proc, which v1_p says */
    uint8_t id;                 /* enum v1_id, of class EVENT or SAMPLE, never one of the Local ones */
    bool blocks;                /* of a GoSysCall: the next event of its goroutine is GoSysBlock */
};

/* A string in the trace, without a NUL behind it. */
struct v1_text {
    const char *data;
    size_t size;
};

struct v1_stack {
    uint64_t id; /* as the trace has it */
    uint64_t at; /* the offset of its frames; if is_pc, its only PC */
    uint32_t nframes;
    bool is_pc; /* of where a goroutine started, before 1.7 */
};

struct v1_string {
    uint64_t id, at;
    uint32_t size;
};

/*
 * Before 1.7 a trace has PCs only: function, file and line are 0, and who has the program's binary can look pc - 1 up
 * in it. Later these are ids for v1_string; an id that no string has is an empty one to Go.
 */
struct v1_frame {
    uint64_t pc, function, file, line;
};

/*
 * Whose rules the events go by. Both readers of Go agree on what is broken and nearly on the order; they differ in
 * which of two events comes first that have the same time, and in futile wakeups.
 */
enum v1_view {
    V1_AS_GO_1_21, /* go tool trace of Go 1.21: wakeups after which a goroutine went back to sleep are left out */
    V1_AS_GO_1_22, /* the reader of Go 1.22 and later, that makes v2 events of them: all events are there */
};

enum v1_status {
    V1_OK,
    V1_BROKEN, /* the trace is none, or breaks a rule of the format */
    V1_NO_MEMORY,
};

struct v1_error {
    enum v1_status status;
    uint64_t offset;   /* in the trace, 0: nowhere in particular */
    const char *event; /* the name of the event that stands there, NULL: none */
    char message[200];
};

/* How far v1_next is. */
struct v1_cursor {
    size_t next, kept, exit;   /* in the order, among the kept events, and among the exits */
    int64_t ticks, exit_ticks; /* of ev, and of the next exit */
    bool has_next;             /* ev is still to come, as an exit came first */
    struct v1_event ev, exit_ev;
};

struct v1_trace {
    unsigned nn; /* of the version 1.nn, or WIRE_FIRST_TRACER */
    enum v1_view view;
    const uint8_t *data;
    size_t size;
    int64_t ticks_per_second;
    size_t nevents;
    size_t nsamples; /* CPU samples among them */
    VEC(uint64_t) gs; /* goroutines by index; 0 is goroutine 0, which is none */
    VEC(int32_t) ps;  /* procs by index */
    struct v1_stack *stacks; /* from 1 on */
    size_t nstacks;
    struct v1_string *strings; /* from 1 on */
    size_t nstrings;
    struct idmap stack_ids, string_ids; /* to the indices of both */
    struct v1_form form;

    /* What v1_next makes the events of; kept.h says more. */
    uint64_t first; /* the ticks of the first event */
    double ns_per_tick;
    uint16_t *order; /* whose event comes next, as an index of procs */
    size_t norder;
    uint8_t *marks;   /* two bits for each of them */
    uint32_t *starts; /* by the index of a goroutine that did not start yet: the stack that it starts with */
    VEC(struct v1_run) runs;
    VEC(struct v1_proc) procs; /* in the order in which they first wrote */
    VEC(struct v1_kept) kept;
    VEC(struct v1_exit) exits;
    struct idmap g_ids;     /* to indices of gs, but goroutine 0 */
    struct idmap start_pcs; /* before 1.7, to stacks */
    struct v1_cursor cursor;
};

/*
 * Reads a trace of `size` bytes at data, which have to stay as long as the trace is used. Fills in *t, which v1_free
 * frees. False: *e says why, and *t is as good as freed.
 */
bool v1_parse(struct v1_trace *t, const void *data, size_t size, enum v1_view view, struct v1_error *e);

void v1_free(struct v1_trace *t);

/*
 * The 1.NN of what begins with these bytes when it is a v1 trace, 0 when it is none. V1_HEADER_SIZE bytes tell; fewer
 * are no trace, but for that of the first tracer, which is WIRE_FIRST_TRACER.
 */
enum { V1_HEADER_SIZE = 16 };
unsigned v1_version(const uint8_t *data, size_t size);

/* The bytes before the first record. */
size_t v1_header_size(unsigned nn);

enum { V1_MAX_FRAMES = 1000 }; /* of a stack */

static inline uint64_t v1_g(const struct v1_trace *t, const struct v1_event *ev) { return t->gs.v[ev->g]; }
static inline int32_t v1_p(const struct v1_trace *t, const struct v1_event *ev) { return t->ps.v[ev->p]; }

/* The first event is the next one again. */
void v1_rewind(struct v1_trace *t);

/* The next event, valid until the next call; NULL: there is none. Behind v1_parse, that is the first one. */
const struct v1_event *v1_next(struct v1_trace *t);

/* Of a UserLog, what was logged. */
struct v1_text v1_message(const struct v1_trace *t, const struct v1_event *ev);

/* The string with this id; an empty one if there is none. */
struct v1_text v1_string(const struct v1_trace *t, uint64_t id);

/*
 * What an event says in words: the kind of a STWStart, the label of a GoStartLabel, the name of a task or region, the
 * category of a log; *is_there tells whether events of its kind say anything.
 */
struct v1_text v1_words(const struct v1_trace *t, const struct v1_event *ev, bool *is_there);

/* The frames of a stack, innermost first: starts with v1_frames, and each v1_next_frame gives one until it is false. */
struct v1_frames {
    const uint8_t *p, *end; /* p is NULL: pc is all there is */
    uint64_t pc;
    uint32_t left;
    bool names;
};
struct v1_frames v1_frames(const struct v1_trace *t, uint32_t stack);
bool v1_next_frame(struct v1_frames *f, struct v1_frame *frame);

#endif
