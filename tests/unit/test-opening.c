/* The generation in front of a recording that begins in mid-run: readers accept it, whatever the threads were doing. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include <gotrace/builder.h>
#include <gotrace/reader.h>

#include "cmd/finish/opening.h"
#include "lib/wire/events.h"

enum { PID = 100, REASON = 1 };

/* What a recording noted of goroutine 7, which waits; of the others nothing. */
static const struct rec_status waits_7 = {.g = 7, .m = PID + 7, .reason = REASON};

const struct rec_status *recording_status(const struct recording *r, uint64_t g)
{
    (void)r;
    return g == waits_7.g ? &waits_7 : NULL;
}

bool recording_has_start(const struct recording *r, uint64_t g)
{
    (void)r;
    (void)g;
    return false;
}

static void assert_accepted(const void *bytes, size_t size)
{
    struct gotrace_reader *r = gotrace_reader_open_memory(bytes, size);
    assert_non_null(r);
    while (gotrace_reader_next(r))
        ;
    const struct gotrace_error *err = gotrace_reader_error(r);
    if (err)
        fail_msg("thread %d: %s", (int)err->thread, err->message);
    gotrace_reader_free(r);
}

static void opens(struct first_status *statuses, size_t n)
{
    struct recording r = {.pid = PID, .seen = {.statuses = statuses, .nstatuses = n}};
    struct gotrace_builder *b = gotrace_builder_new_memory(22);
    uint64_t events = 0;
    size_t size;
    assert_int_equal(gotrace_builder_generation(b, 1), 0);
    assert_int_equal(gotrace_builder_string_as(b, REASON, "sync", 4), 0);
    assert_int_equal(opening_write(&r, b, 1000, &events), 0);
    assert_int_equal(gotrace_builder_finish(b), 0);
    const void *bytes = gotrace_builder_bytes(b, &size);
    assert_accepted(bytes, size);
    gotrace_builder_free(b);
}

/* Those that have no thread yet are made by the first one, which is in a system call when the recording begins. */
static void the_first_thread_is_in_a_call(void **state)
{
    (void)state;
    struct first_status s[] = {
        {1, PID, 0, GO_SYSCALL, false},
        {2, ID_NONE, 0, GO_RUNNABLE, false},
        {7, ID_NONE, 0, GO_WAITING, false},
        {8, PID + 8, 0, GO_RUNNING, true},
    };
    opens(s, ARRAY_SIZE(s));
}

/* Every way in which each of four can be found, the first thread among them. */
static void whatever_they_do(void **state)
{
    (void)state;
    enum { RUNNABLE, WAITING, CALL_WITHOUT_PROC, CALL, RUNNING, WAYS };
    for (int choice = 0; choice < WAYS * WAYS * WAYS * WAYS; choice++) {
        struct first_status s[4];
        for (uint64_t i = 0, rest = (uint64_t)choice, proc = 0; i < ARRAY_SIZE(s); i++, rest /= WAYS) {
            uint64_t m = i ? PID + 1 + i : PID;
            switch (rest % WAYS) {
            case RUNNABLE: s[i] = (struct first_status){i + 1, ID_NONE, 0, GO_RUNNABLE, false}; break;
            case WAITING: s[i] = (struct first_status){i + 1, ID_NONE, 0, GO_WAITING, false}; break;
            case CALL_WITHOUT_PROC: s[i] = (struct first_status){i + 1, m, 0, GO_SYSCALL, false}; break;
            case CALL: s[i] = (struct first_status){i + 1, m, proc++, GO_SYSCALL, true}; break;
            case RUNNING: s[i] = (struct first_status){i + 1, m, proc++, GO_RUNNING, true}; break;
            }
        }
        opens(s, ARRAY_SIZE(s));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_thread_is_in_a_call),
        cmocka_unit_test(whatever_they_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
