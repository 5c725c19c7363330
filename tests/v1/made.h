/* v1 traces by hand: records one by one, and what comes of reading them in a form that fits a line an event. */
#ifndef THRACE_TESTS_V1_MADE_H
#define THRACE_TESTS_V1_MADE_H

#include "tests/unit/unit.h"

#include "parser/raw_buffer.h"
#include "parser/v1/trace.h"

struct made {
    unsigned nn;
    struct raw_buffer b;
};

/* A trace of 1.nn, or of WIRE_FIRST_TRACER, that has its header and its frequency: a tick is a nanosecond. */
struct made made(unsigned nn);

/* Appends a record: RECORD(&m, GoStart, 5, 7, 1), with sequence and ticks as they stand in the bytes. */
#define RECORD(m, name, ...)                                                                                           \
    made_record(m, V1_##name, (const uint64_t[]){0, ##__VA_ARGS__} + 1,                                                \
                sizeof((uint64_t[]){0, ##__VA_ARGS__}) / sizeof(uint64_t) - 1)
void made_record(struct made *m, unsigned id, const uint64_t *args, size_t n);

/* Likewise with the size in front, whatever it is. */
void made_sized(struct made *m, unsigned id, const uint64_t *args, size_t n);

void made_string(struct made *m, uint64_t id, const char *text);
void made_log(struct made *m, uint64_t ticks, uint64_t task, uint64_t key, uint64_t stack, const char *message);
void made_bytes(struct made *m, const void *data, size_t n);

/* What was there is told: goroutine 1 runs on proc 0, thread 7. The next event is at 10. */
struct made made_running(unsigned nn);

/* Go on, on this proc, at that time. */
#define PROC(m, p, ticks) RECORD(m, Batch, p, ticks)

/*
 * What comes of it: "TIME NAME pP gG ARGUMENT…" with what the event says behind, and a newline, for each event; or
 * "NAME: MESSAGE" of the error. Frees the trace.
 */
char *outcome(struct made *m, enum v1_view view);

/* Wants this outcome, in one view, or in both. */
void gives_in(struct made *m, enum v1_view view, const char *wanted);
void gives(struct made *m, const char *wanted);

/* Wants this error in both views. */
void fails(struct made *m, const char *wanted);

#endif
