/*
 * What is kept of the events, so that v1_next can make them: which proc's event comes next, again and again, and little
 * else. All other things follow from what the procs wrote, read once more side by side.
 */
#ifndef THRACE_PARSER_V1_KEPT_H
#define THRACE_PARSER_V1_KEPT_H

#include "parser/v1/trace.h"

/* Events of a proc that stand one behind the other, with nothing but CPU samples between them. */
struct v1_run {
    uint64_t at, end;
    int64_t ticks, seq; /* what the first one counts from */
    size_t next;        /* the next run of the proc, 0: none; runs count from 1 */
};

/* A proc that wrote events, as far as they are read; or one that stands for all events that are kept. */
struct v1_proc {
    const uint8_t *p, *end; /* what is left of this run */
    int64_t ticks, seq;
    size_t run; /* what comes next */
    uint32_t g; /* the index of what runs on it, 0: nothing */
    uint16_t p_index;
    bool keeps;
    size_t first_run, last_run;
};

/* An event that does not follow those before it on its proc: a CPU sample, and before 1.7 every one. */
struct v1_kept {
    int64_t ticks;
    uint64_t at : 40;
    uint64_t p : 16;
    uint32_t g;
};

/*
 * A system call that returned earlier than its event was written, by the time that is an argument. It is not in the
 * order, but where v1_next comes past its time.
 */
struct v1_exit {
    int64_t ticks;
    uint64_t at;
    size_t after; /* so many of the order came before it */
    size_t number;
};

/* What is known of an event of the order besides. What 1 and 2 mean depends on its kind. */
enum v1_mark {
    V1_MARK_NONE,
    V1_MARK_BLOCKS = 1,     /* of a GoSysCall */
    V1_MARK_BY_TIMER = 1,   /* of a GoUnblock: its proc is V1_AT_TIMER_P */
    V1_MARK_BY_NETWORK = 2, /* likewise */
    V1_MARK_GONE = 3,       /* it is left out */
};

enum { V1_MARKS_A_BYTE = 4 };

/* Sets the mark of the event at this place of the order, which has none. */
static inline void v1_set_mark(struct v1_trace *t, size_t place, enum v1_mark mark)
{
    t->marks[place / V1_MARKS_A_BYTE] |= (uint8_t)(mark << place % V1_MARKS_A_BYTE * 2);
}

static inline enum v1_mark v1_mark(const struct v1_trace *t, size_t place)
{
    return t->marks[place / V1_MARKS_A_BYTE] >> place % V1_MARKS_A_BYTE * 2 & 3;
}

/* The place in the order of the event that v1_next returned last, unless it was an exit. */
static inline size_t v1_place(const struct v1_trace *t) { return t->cursor.next - 1; }

/* The ticks of an event as Go on x86 makes a time of them, also where the outcome does not fit. */
static inline int64_t v1_nanoseconds(const struct v1_trace *t, int64_t ticks)
{
    double ns = (double)(int64_t)((uint64_t)ticks - t->first) * t->ns_per_tick;
    return ns >= -0x1p63 && ns < 0x1p63 ? (int64_t)ns : INT64_MIN;
}

#endif
