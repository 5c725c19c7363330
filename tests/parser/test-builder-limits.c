/* The builder at the format's limits: batches are continued, strings and stacks are cut, and nothing is lost. */
#include "tests/parser/raw-events.h"

#include "gotrace/builder.h"
#include "lib/wire/events.h"

/* Walks the batches of a finished trace and sums up what they hold. */
struct tally {
    unsigned batches, events, strings, stacks;
    uint64_t last_time, largest_batch, longest_string, most_frames;
};

static struct tally tally(struct gotrace_builder *b)
{
    struct tally t = {0};
    size_t size;
    assert_int_equal(gotrace_builder_finish(b), 0);
    const void *bytes = gotrace_builder_bytes(b, &size);
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_memory(GOTRACE_RAW_BYTES, bytes, size);
    struct gotrace_raw_event ev;
    uint64_t batch_end = 0;
    int rc;
    while ((rc = gotrace_raw_reader_next(r, &ev)) > 0) {
        if (ev.id == EV_EventBatch) {
            assert_true(!batch_end || gotrace_raw_reader_position(r) == batch_end);
            size_t header = 1;
            for (int i = 0; i < 4; i++)
                for (uint64_t v = ev.args[i]; header++, v >= 0x80;)
                    v >>= 7;
            batch_end = gotrace_raw_reader_position(r) + header + ev.args[3];
            t.batches++;
            t.last_time = ev.args[2];
            t.largest_batch = ev.args[3] > t.largest_batch ? ev.args[3] : t.largest_batch;
        } else if (event_table[ev.id].cls == EVENT_TIMED) {
            t.events++;
            t.last_time += ev.args[0];
        }
        t.strings += ev.id == EV_String;
        t.stacks += ev.id == EV_Stack;
        t.longest_string = ev.size > t.longest_string ? ev.size : t.longest_string;
        if (ev.id == EV_Stack && ev.args[1] > t.most_frames)
            t.most_frames = ev.args[1];
        if (ev.id == EV_UserLog)
            assert_int_equal(t.last_time, ev.args[1]);
    }
    assert_int_equal(rc, 0);
    assert_int_equal(batch_end, size);
    gotrace_raw_reader_free(r);
    gotrace_builder_free(b);
    return t;
}

static void a_full_batch_is_continued(void **state)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(23);
    gotrace_builder_generation(b, 1);
    gotrace_builder_batch(b, 1, 1000);
    for (uint64_t i = 0; i < 50000; i++)
        assert_int_equal(gotrace_builder_event(b, 1000 + i * i, EV_UserLog, (uint64_t[]){1000 + i * i, 1, 1, 0}, 4), 0);
    struct tally t = tally(b);
    assert_int_equal(t.events, 50000);
    assert_true(t.batches > 8);
    assert_true(t.largest_batch <= 65536 && t.largest_batch > 65500);
}

static void full_tables_are_continued(void **state)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(22);
    gotrace_builder_generation(b, 1);
    for (unsigned i = 0; i < 20000; i++) {
        char name[32];
        snprintf(name, sizeof name, "function number %u", i);
        const struct gotrace_builder_frame frame = {i, name, "file.c", i};
        assert_int_equal(gotrace_builder_stack(b, &frame, 1), i + 1);
        assert_int_equal(gotrace_builder_cpu_sample(b, i, 1, 1, 1, i + 1), 0);
    }
    for (unsigned i = 0; i < 20000; i++) {
        char name[32];
        int n = snprintf(name, sizeof name, "function number %u", i);
        assert_int_equal(gotrace_builder_string(b, name, (size_t)n), i ? i + 2 : 1);
    }
    struct tally t = tally(b);
    assert_int_equal(t.strings, 20001);
    assert_int_equal(t.stacks, 20000);
    assert_true(t.largest_batch <= 65536);
}

static void strings_and_stacks_are_cut_to_the_limits(void **state)
{
    static char text[3000];
    static struct gotrace_builder_frame frames[200];
    struct gotrace_builder *b = gotrace_builder_new_memory(22);
    gotrace_builder_generation(b, 1);
    memset(text, 'x', sizeof text);
    assert_int_equal(gotrace_builder_string(b, text, 3000), 1);
    assert_int_equal(gotrace_builder_string(b, text, 1024), 1);
    memcpy(text + 1023, "\xc3\xa9", 2);
    assert_int_equal(gotrace_builder_string(b, text, 3000), 2);
    assert_int_equal(gotrace_builder_string(b, text, 1023), 2);
    memcpy(text + 1022, "\xf0\x9f\x98\x80", 4);
    assert_int_equal(gotrace_builder_string(b, text, 3000), 3);
    assert_int_equal(gotrace_builder_string(b, text, 1022), 3);
    memset(text, 0x80, sizeof text); /* not characters at all: nothing to keep whole */
    assert_int_equal(gotrace_builder_string(b, text, 3000), 4);
    assert_int_equal(gotrace_builder_string(b, text, 1024), 4);
    for (uint64_t i = 0; i < 200; i++)
        frames[i].pc = UINT64_MAX - i;
    assert_int_equal(gotrace_builder_stack(b, frames, 200), 1);
    assert_int_equal(gotrace_builder_stack(b, frames, 128), 1);
    assert_int_equal(gotrace_builder_stack(b, frames, 127), 2);
    struct tally t = tally(b);
    assert_int_equal(t.strings, 4);
    assert_int_equal(t.stacks, 2);
    assert_int_equal(t.longest_string, 1024);
    assert_int_equal(t.most_frames, 128);
}

static struct gotrace_builder *begin(int version)
{
    struct gotrace_builder *b = gotrace_builder_new_memory(version);
    assert_int_equal(gotrace_builder_generation(b, 1), 0);
    assert_int_equal(gotrace_builder_batch(b, 1, 10), 0);
    return b;
}

static void add_stop(struct gotrace_builder *b, uint64_t time)
{
    assert_int_equal(gotrace_builder_event(b, time, EV_ProcStop, NULL, 0), 0);
}

/* One batch, besides the one with the frequency, of exactly as many bytes as fit. */
static void expect_full(struct gotrace_builder *b)
{
    struct tally t = tally(b);
    assert_int_equal(t.batches, 2);
    assert_int_equal(t.largest_batch, 65536);
}

static void a_batch_is_filled_to_the_last_byte(void **state)
{
    static char text[65536];
    struct gotrace_builder *b = begin(22);
    for (unsigned i = 0; i < 32768; i++)
        add_stop(b, 10);
    expect_full(b);

    b = begin(22);
    for (int i = 0; i < 64; i++) {
        text[0] = (char)i; /* 63 entries of 1028 bytes and one of 771, behind the batch's first byte */
        assert_int_equal(gotrace_builder_string(b, text, i < 63 ? 1024 : 767), i + 1);
    }
    expect_full(b);

    b = begin(23);
    assert_int_equal(gotrace_builder_experimental(b, 1, 1, 10, text, sizeof text), 0);
    assert_int_equal(tally(b).longest_string, sizeof text);
}

static void what_does_not_fit_by_one_byte_goes_to_the_next_batch(void **state)
{
    struct gotrace_builder *b = begin(22);
    add_stop(b, 10 + 128); /* three bytes: one is left in the end */
    for (unsigned i = 0; i < 32767; i++)
        add_stop(b, 10 + 128);
    struct tally t = tally(b);
    assert_int_equal(t.events, 32768);
    assert_int_equal(t.batches, 3);
    assert_int_equal(t.largest_batch, 65535);
}

static void what_the_caller_numbers_is_cut_too(void **state)
{
    static char text[3000];
    static struct gotrace_raw_frame frames[200];
    struct gotrace_builder *b = begin(22);
    for (uint64_t i = 0; i < 200; i++)
        frames[i].pc = UINT64_MAX - i;
    assert_int_equal(gotrace_builder_string_as(b, 5, text, sizeof text), 0);
    assert_int_equal(gotrace_builder_stack_as(b, 5, frames, 200), 0);
    assert_int_equal(gotrace_builder_stack_of_ids(b, frames, 200), 6);
    assert_int_equal(gotrace_builder_stack_of_ids(b, frames, 128), 6);
    struct tally t = tally(b);
    assert_int_equal(t.longest_string, 1024);
    assert_int_equal(t.stacks, 2);
    assert_int_equal(t.most_frames, 128);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_full_batch_is_continued),
        cmocka_unit_test(full_tables_are_continued),
        cmocka_unit_test(strings_and_stacks_are_cut_to_the_limits),
        cmocka_unit_test(a_batch_is_filled_to_the_last_byte),
        cmocka_unit_test(what_does_not_fit_by_one_byte_goes_to_the_next_batch),
        cmocka_unit_test(what_the_caller_numbers_is_cut_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
