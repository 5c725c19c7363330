/* Events as text by those who print many: numbers, and the texts of stacks that are kept. */
#include <inttypes.h>
#include <stdio.h>

#include "gotrace/gotrace.h"
#include "lib/wire/events.h"
#include "parser/decimal.h"
#include "parser/event_print.h"
#include "tests/unit/unit.h" /* after the parser: cmocka has a macro named fail */
#include "tests/parser/made.h"

static void assert_decimal(uint64_t v)
{
    char got[1 + DECIMAL_ROOM], want[32];
    *decimal_put(got, v) = 0;
    snprintf(want, sizeof want, "%" PRIu64, v);
    assert_string_equal(got, want);
    *decimal_put_signed(got, (int64_t)v) = 0;
    snprintf(want, sizeof want, "%" PRId64, (int64_t)v);
    assert_string_equal(got, want);
}

static void numbers_of_every_length(void **state)
{
    for (uint64_t power = 1, last = 0; power > last; last = power, power *= 10) {
        for (uint64_t digit = 1; digit < 10; digit++)
            for (int64_t i = -2; i <= 2; i++)
                assert_decimal(digit * power + (uint64_t)i);
        if (power > UINT64_MAX / 10)
            break;
    }
    for (uint64_t v = 1, i = 0; i < 100000; i++) {
        v = v * UINT64_C(6364136223846793005) + 1442695040888963407;
        assert_decimal(v >> i % 64);
    }
    assert_decimal(0);
    assert_decimal(INT64_MAX);
    assert_decimal((uint64_t)INT64_MIN);
    assert_decimal(UINT64_MAX);
}

/* The whole trace with texts kept in t, and with none, event by event. Returns how many have a stack. */
static unsigned assert_same_text(struct gotrace_builder *b, struct stack_texts *t)
{
    struct gotrace_reader *r = finish_and_open(b);
    struct raw_buffer kept = {0}, anew = {0};
    const struct gotrace_event *ev;
    unsigned n = 0;
    while ((ev = gotrace_reader_next(r))) {
        kept.size = anew.size = 0;
        event_print(&kept, ev, t);
        event_print(&anew, ev, NULL);
        assert_int_equal(kept.size, anew.size);
        assert_memory_equal(kept.at, anew.at, anew.size);
        n += gotrace_event_stack(ev).reader != NULL;
    }
    assert_null(gotrace_reader_error(r));
    raw_buffer_free(&kept);
    raw_buffer_free(&anew);
    gotrace_reader_free(r);
    gotrace_builder_free(b);
    return n;
}

/* Begins a generation in which goroutine 1 runs on thread 5. */
static uint64_t begin(struct gotrace_builder *b, uint64_t gen, uint64_t now)
{
    gotrace_builder_generation(b, gen);
    gotrace_builder_batch(b, 5, now);
    ADD(ProcStatus, 0, PROC_RUNNING);
    ADD(GoStatus, 1, 5, GO_RUNNING);
    return now;
}

/* The same ID and the same place in the table, but another stack each time; and some are met again. */
static void texts_are_of_one_generation(void **state)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(26);
    struct stack_texts t = {0};
    uint64_t now = 1;
    for (uint64_t gen = 1; gen <= 3; gen++) {
        char name[] = {'f', (char)('0' + gen), '\0'};
        struct gotrace_builder_frame frames[] = {{16, name, "file", gen}, {UINT64_MAX, "main", "", UINT64_MAX}};
        now = begin(b, gen, now);
        for (int i = 0; i < 2; i++) {
            ADD(ProcsChange, 1, gotrace_builder_stack(b, frames, 1));
            ADD(ProcsChange, 2, gotrace_builder_stack(b, frames, 2));
            ADD(ProcsChange, 3, gotrace_builder_stack(b, frames + 1, 1));
        }
    }
    assert_int_equal(assert_same_text(b, &t), 3 * 6);
    assert_int_equal(t.known.n, 4); /* the first is that without frames */
    stack_texts_free(&t);
}

enum { FRAMES = 128, LONG = 1000, STACKS = 1 + STACK_TEXTS_KEPT / (FRAMES * LONG) };

/* More text than is kept: what comes late is made each time, and what was kept stays. */
static void little_text_is_kept(void **state)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(26);
    struct stack_texts t = {0};
    uint64_t now = begin(b, 1, 1);
    static char name[LONG];
    memset(name, 'x', sizeof name - 1);
    for (unsigned n = 0; n < 2 * STACKS; n++) {
        struct gotrace_builder_frame frames[FRAMES];
        for (unsigned i = 0; i < FRAMES; i++)
            frames[i] = (struct gotrace_builder_frame){1 + n % STACKS * FRAMES + i, name, "file", 1};
        ADD(ProcsChange, 1, gotrace_builder_stack(b, frames, FRAMES));
    }
    assert_int_equal(assert_same_text(b, &t), 2 * STACKS);
    assert_in_range(t.text.size, STACK_TEXTS_KEPT / 2, STACK_TEXTS_KEPT);
    stack_texts_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_every_length),
        cmocka_unit_test(texts_are_of_one_generation),
        cmocka_unit_test(little_text_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
