/* The event table of v1 as C: ids and, for each, what events.def says of it. */
#ifndef THRACE_PARSER_V1_EVENTS_H
#define THRACE_PARSER_V1_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum v1_id {
    V1_None = 0,
#define V1_EVENT(id, name, ...) V1_##name = id,
#include "parser/v1/events.def"
#undef V1_EVENT
};

enum v1_class {
    V1_IS_NONE,
    V1_IS_BATCH,
    V1_IS_CLOCK,
    V1_IS_TIMERS,
    V1_IS_STACK,
    V1_IS_STRING,
    V1_IS_EVENT,
    V1_IS_SAMPLE,
};

enum {
    V1_IDS = 64,      /* what six bits can say */
    V1_MAX_ARGS = 3,  /* named arguments of one event */
    V1_TEXT_NONE = -1
};

struct v1_info {
    const char *name; /* NULL: no event has this id */
    const char *const *args;
    const char *text_name;
    uint8_t nargs;
    uint8_t since; /* 1.NN */
    uint8_t cls;   /* enum v1_class */
    bool stack;
    uint8_t late, late_since;
    int8_t text; /* V1_TEXT_NONE: no argument says a string */
};

extern const struct v1_info v1_events[V1_IDS];

/* What a record of a version holds. */
struct v1_shape {
    uint8_t cls;    /* V1_IS_NONE: this version has no such record */
    uint8_t nargs;  /* integers of the record; of a Stack at least so many; of a String none */
    uint8_t before; /* so many of them stand before the named arguments: sequence, ticks */
    uint8_t named;  /* so many are named arguments */
    bool stack;     /* the last one is a stack's id */
};

/* What the versions differ in besides that. */
struct v1_form {
    struct v1_shape shapes[V1_IDS];
    bool sequences;    /* events are numbered, all in one row; else goroutines number what happens to them, */
    bool by_time;      /* or nothing is numbered */
    bool names;        /* frames have names; else they are PCs, and so is where a goroutine starts */
    bool stops_all;    /* a stop of the world is one; else each proc has its own */
    bool stop_reasons; /* it has one of Go's reasons; else one of the two kinds that a collection has */
    bool pads_stacks;  /* the size of a stack takes as many bytes as an integer can */
};

/* That of 1.nn, or of WIRE_FIRST_TRACER. */
struct v1_form v1_form(unsigned nn);

/*
 * The name in the raw text form of integer number i, of those that a record of the version has. Those of a Stack from
 * the third on are a frame each, or four.
 */
const char *v1_integer_name(const struct v1_form *form, unsigned id, size_t i);
enum { V1_STACK_ARGS = 2, V1_FRAME_ARGS = 4 };

/* Integers of a frame. */
static inline unsigned v1_frame_args(const struct v1_form *form) { return form->names ? V1_FRAME_ARGS : 1; }

#endif
