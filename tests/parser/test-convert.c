/* Conversion where it has to keep count: batches that outgrow 64 KiB, goroutines that have not run yet. */
#include <stdlib.h>

#include "gotrace/gotrace.h"
#include "lib/wire/events.h"
#include "parser/batch.h"
#include "parser/convert.h"
#include "parser/raw_buffer.h"
#include "tests/unit/unit.h" /* after the parser: cmocka has a macro named fail */

#define ADD(time, id, ...)                                                                                             \
    assert_int_equal(gotrace_builder_event(b, time, EV_##id, (const uint64_t[]){__VA_ARGS__},                          \
                                           sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)),                \
                     0)

static bool take(void *arg, const void *data, size_t size)
{
    raw_buffer_add(arg, data, size);
    return true;
}

/* When each goroutine starts to run, and how many times in all; the reader has to accept the trace. */
struct starts {
    struct {
        int64_t time;
        uint64_t goroutine;
    } *at;
    size_t n;
};

static struct starts starts(const void *trace, size_t size)
{
    struct starts s = {.at = calloc(size + 1, sizeof *s.at)};
    struct gotrace_reader *r = gotrace_reader_open_memory(trace, size);
    const struct gotrace_event *ev;
    struct gotrace_transition t;
    while ((ev = gotrace_reader_next(r))) {
        if (!gotrace_event_transition(ev, &t) || t.from != GOTRACE_STATE_RUNNABLE || t.to != GOTRACE_STATE_RUNNING)
            continue;
        s.at[s.n].time = gotrace_event_time(ev);
        s.at[s.n++].goroutine = t.resource.id;
    }
    if (gotrace_reader_error(r))
        fail_msg("%s", gotrace_reader_error(r)->message);
    gotrace_reader_free(r);
    return s;
}

/* As 1.22 the same goroutines start at the same times. */
static void starts_stay(struct gotrace_builder *b)
{
    size_t size;
    assert_int_equal(gotrace_builder_finish(b), 0);
    const uint8_t *trace = gotrace_builder_bytes(b, &size);
    struct source s = {.p = trace, .end = trace + size, .offset = size};
    struct raw_buffer out = {0};
    struct failure f = {0};
    struct converted done;
    const struct wire_version *from = read_any_header(&s, &f);
    assert_ptr_equal(from, wire_version(23));
    assert_true(convert_trace(&s, from, wire_version(22), take, &out, &done, &f));
    struct starts before = starts(trace, size), after = starts(out.at, out.size);
    assert_int_equal(before.n, after.n);
    for (size_t i = 0; i < before.n; i++) {
        assert_int_equal(before.at[i].goroutine, after.at[i].goroutine);
        /* A goroutine that is not blocked from the start needs no wake-up the first time, which is a nanosecond. */
        assert_in_range(before.at[i].time - after.at[i].time, 0, 1);
    }
    free(before.at);
    free(after.at);
    raw_buffer_free(&out);
    gotrace_builder_free(b);
}

/* Each switch is three events there, so that one batch becomes two or three. */
static void times_go_on_in_the_next_batch(void **state)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(23);
    uint64_t now = 1000;
    gotrace_builder_generation(b, 1);
    gotrace_builder_batch(b, 5, now);
    ADD(now += 100, ProcStatus, 0, PROC_RUNNING);
    ADD(now += 100, GoStatus, 1, 5, GO_RUNNING);
    ADD(now += 100, GoCreateBlocked, 2, 0, 0);
    for (uint64_t i = 0; i < 10000; i++)
        ADD(now += 100, GoSwitch, 2 - i % 2, i / 2 + 1);
    starts_stay(b);
}

/* Which of the goroutines that were created blocked run first, in which generation, changes nothing for the others. */
static void those_created_blocked_are_told_apart(void **state)
{
    enum { BLOCKED = 5 };
    static const uint64_t orders[][BLOCKED] = {{2, 3, 4, 5, 6}, {6, 5, 4, 3, 2}, {3, 6, 2, 5, 4}, {4, 2, 6, 3, 5}};
    for (size_t k = 0; k < ARRAY_SIZE(orders); k++) {
        struct gotrace_builder *b = gotrace_builder_new_memory(23);
        uint64_t now = 1000, seen[BLOCKED + 2] = {0};
        for (uint64_t gen = 1; gen <= BLOCKED + 2; gen++) {
            gotrace_builder_generation(b, gen);
            gotrace_builder_batch(b, 5, now += 100);
            ADD(now += 100, ProcStatus, 0, PROC_RUNNING);
            ADD(now += 100, GoStatus, 1, 5, GO_RUNNING);
            for (uint64_t g = 2; g < 2 + BLOCKED; g++) {
                if (gen == 1)
                    ADD(now += 100, GoCreateBlocked, g, 0, 0);
                else
                    ADD(now += 100, GoStatus, g, ID_NONE, GO_WAITING);
            }
            /* One more in each generation, and back to the first goroutine. */
            uint64_t main_seq = 0;
            for (uint64_t i = 0; gen > 1 && i < gen - 1 && i < BLOCKED; i++) {
                ADD(now += 100, GoSwitch, orders[k][i], 1);
                ADD(now += 100, GoSwitch, 1, ++main_seq);
                seen[orders[k][i] - 2]++;
            }
        }
        assert_int_equal(seen[orders[k][0] - 2], BLOCKED + 1);
        starts_stay(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_go_on_in_the_next_batch),
        cmocka_unit_test(those_created_blocked_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
