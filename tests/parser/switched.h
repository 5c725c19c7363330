/* Traces of a few events, what the kernel says of threads and processors, and what becomes of both. */
#ifndef THRACE_TESTS_PARSER_SWITCHED_H
#define THRACE_TESTS_PARSER_SWITCHED_H

#include "parser/rewrite/switches.h" /* before cmocka has a macro of a name that is in there */

#include "tests/parser/waits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "gotrace/validate.h"
#include "parser/event.h"

static inline struct gotrace_reader *reader_of(struct made *m)
{
    size_t size;
    const void *bytes = gotrace_builder_bytes(m->b, &size);
    return gotrace_reader_open_memory(bytes, size);
}

static inline void broken(void *arg, const struct gotrace_error *violation)
{
    (void)arg;
    fail_msg("%s", violation->message);
}

static inline const char *reason_of(const struct gotrace_event *ev)
{
    static char text[128];
    struct gotrace_str s = {"", 0};
    struct gotrace_frame frame = {0}, next;
    if (ev->type == EV_GoStop || ev->type == EV_GoBlock)
        s = generation_string(ev->tables, ev->args[0]);
    if (ev->type == EV_UserLog)
        s = generation_string(ev->tables, ev->args[2]);
    bool in = ev->type == EV_GoBlock && gotrace_stack_frame(event_stack(ev, ev->args[1]), 0, &frame);
    if (in && gotrace_stack_frame(event_stack(ev, ev->args[1]), 1, &next) && stat_str_is(frame.function, "[thrace] after")) {
        snprintf(text, sizeof text, "(%.*s after %.*s, %zu)", (int)s.len, s.data, (int)next.function.len,
                 next.function.data, gotrace_stack_len(event_stack(ev, ev->args[1])));
        return text;
    }
    if (ev->type == EV_GoUnblock && gotrace_stack_frame(event_stack(ev, ev->args[2]), 0, &frame)) {
        snprintf(text, sizeof text, "(by %.*s)", (int)frame.function.len, frame.function.data);
        return text;
    }
    snprintf(text, sizeof text, "(%.*s%s%.*s)", (int)s.len, s.data, in ? " in " : "", (int)frame.function.len,
             frame.function.data);
    return s.len ? text : "";
}

enum { ALL_HAVE_BEGUN = 100 };
static bool show_cpus;
static struct thread_delay delays_said[12]; /* up to the first of no thread */

static inline void write_notes(const struct gotrace_event *sync, FILE *out)
{
    struct gotrace_str s;
    for (size_t i = 0; gotrace_event_sync_string(sync, i, &s); i++)
        if (s.len > 7 && !memcmp(s.data, "thrace ", 7))
            fprintf(out, "%s%.*s", ftello(out) ? ", " : "", (int)s.len - 7, s.data + 7);
}

/* Statuses come first in it. */
static inline void second_generation(struct made *m, uint64_t at)
{
    assert_int_equal(gotrace_builder_generation(m->b, 2), 0);
    assert_int_equal(gotrace_builder_sync(m->b, 1000000000, at, 0, 0, 0), 0);
    memset(m->seq, 0, sizeof m->seq);
    memset(m->calls, 0, sizeof m->calls);
    m->on = 0;
}

/* The events "thread.time name" of a trace that must be valid, without statuses and how all begin to run. */
static inline char *written(const void *bytes, size_t size)
{
    struct gotrace_reader *r = gotrace_reader_open_memory(bytes, size);
    struct gotrace_validator *v = gotrace_validator_new(22, broken, NULL);
    const struct gotrace_event *ev;
    char *text;
    size_t len;
    FILE *out = open_memstream(&text, &len);
    while ((ev = gotrace_reader_next(r))) {
        assert_true(gotrace_validator_event(v, ev) >= 0);
        if (ev->type == EV_SYNC_POINT && show_cpus)
            write_notes(ev, out);
        if (ev->time < ALL_HAVE_BEGUN || ev->type == EV_SYNC_POINT || ev->type == EV_GoStatus ||
            ev->type == EV_ProcStatus)
            continue;
        fprintf(out, "%s%" PRId64 ".%" PRId64 " %s%s", ftello(out) ? ", " : "",
                ev->thread == ID_NONE ? -1 : (int64_t)ev->thread, ev->time, gotrace_event_name(ev), reason_of(ev));
    }
    if (gotrace_reader_error(r))
        fail_msg("%s", gotrace_reader_error(r)->message);
    fclose(out);
    gotrace_validator_free(v);
    gotrace_reader_free(r);
    return text;
}

static inline char *merged(struct made *m, uint64_t max_procs, struct thread_switch *v, size_t n)
{
    struct thread_switches switches = {v, n};
    struct switches_result result;
    struct failure f = {0};
    struct switches_known known = {.moves.lost = 5, .show_cpus = show_cpus, .delays.said = delays_said};
    known.wakers = (struct waker_name[]){{70, "sleep", 5}, {77, "catalogue", 3}};
    known.nwakers = 2;
    while (known.delays.n < ARRAY_SIZE(delays_said) && delays_said[known.delays.n].thread)
        known.delays.n++;
    char *bytes;
    size_t size;
    assert_int_equal(gotrace_builder_finish(m->b), 0);
    struct gotrace_reader *r = reader_of(m);
    assert_true(switches_learn(r, &switches, &known));
    known.max_procs = max_procs;
    gotrace_reader_free(r);
    FILE *out = open_memstream(&bytes, &size);
    r = reader_of(m);
    if (!switches_merge(r, &switches, &known, false, out, &result, &f))
        fail_msg("%s", f.message);
    gotrace_reader_free(r);
    fclose(out);
    switches_known_free(&known);
    gotrace_builder_free(m->b);
    char *text = written(bytes, size);
    free(bytes);
    return text;
}

/* More: fields that only some kinds have. */
#define NOTED(kind_, cpu_, thread_, at, ...)                                                                           \
    {.time = at, .thread = thread_, .cpu = cpu_, .kind = kind_, __VA_ARGS__}
#define IN_ON(cpu, thread, at) NOTED(SWITCH_IN, cpu, thread, at)
#define BLOCKS_ON(cpu, thread, at) NOTED(SWITCH_BLOCKS, cpu, thread, at)
#define PREEMPTED_ON(cpu, thread, at) NOTED(SWITCH_PREEMPTED, cpu, thread, at)
#define WAITED_AT_BEGIN(thread, at) NOTED(SWITCH_BLOCKS, 0, thread, at, .at_begin = true)
#define PREEMPTED_AT_BEGIN(thread, at) NOTED(SWITCH_PREEMPTED, 0, thread, at, .at_begin = true)
#define IN(thread, at) IN_ON(0, thread, at)
#define BLOCKS(thread, at) BLOCKS_ON(0, thread, at)
#define PREEMPTED(thread, at) PREEMPTED_ON(0, thread, at)
#define LOST(at) NOTED(SWITCHES_LOST, 0, 0, at)
#define WOKEN(by, how, thread, at) NOTED(SWITCH_WAKING, 3, thread, at, .waker = by, .context = how)
#define WOKEN_BY(waker, thread, at) WOKEN(waker, WAKING_BY_THREAD, thread, at)
#define WOKEN_IN(how, thread, at) WOKEN(2, how, thread, at)
#define WOKEN_IN_SOFTIRQ(number, thread, at) WOKEN(number, WAKING_IN_SOFTIRQ, thread, at)
#define NOTES(note, thread, object, at) NOTED(SWITCH_LOCK_NOTE, 0, thread, at, .waker = object, .context = note)

#define BECOMES(m, max_procs, expected, ...)                                                                           \
    do {                                                                                                               \
        struct thread_switch v[] = {__VA_ARGS__};                                                                      \
        char *text = merged(m, max_procs, v, ARRAY_SIZE(v));                                                           \
        assert_string_equal(text, expected);                                                                           \
        free(text);                                                                                                    \
    } while (0)

/* Goroutine g waits until another one, or itself, wakes it; and is back at the last time. */
static inline void wait_until(struct made *m, uint64_t g, uint64_t at, uint64_t by, uint64_t woken, uint64_t back)
{
    block(m, g, at, "sync", 0);
    EVENT(m, g, at + 1, ProcStop);
    wake(m, by, g, woken, 0);
    EVENT(m, g, back - 1, ProcStart, g, 1);
    start(m, g, back);
}

/* A wait of goroutine 1, which 2 ends, or nobody. */
static inline struct made wait_of_1(uint64_t woken, uint64_t back)
{
    struct made m = begin(2);
    wait_until(&m, 1, 1000, woken ? 2 : 1, woken ? woken : back - 2, back);
    return m;
}

#endif
