/* The versions: those of v2 have names, and are distinguished from v1's and from numbers that never were one. */
#include "tests/unit/unit.h"

#include <stdio.h>

#include "lib/wire/events.h"
#include "lib/wire/version.h"

static void a_version_is_of_one_format(void **state)
{
    static const uint8_t old[] = {5, 7, 8, 9, 10, 11, 19, 21};
    int n = 0;
    for (unsigned nn = 0; nn < 300; nn++) {
        const struct wire_version *v = wire_version(nn);
        bool is_old = memchr(old, (int)nn, sizeof old) && nn < 22;
        assert_int_equal(wire_version_is_old(nn), is_old);
        assert_true(!v || !is_old);
        assert_true(!v || v->nn == nn);
        n += v != NULL;
    }
    assert_true(n >= 4);
    assert_non_null(wire_version(22));
    assert_null(wire_version(24));
    assert_null(wire_version(256 + 22));
    assert_null(wire_version(UINT64_MAX));
}

static void each_can_say_what_it_has_events_for(void **state)
{
    for (unsigned nn = 22; nn < 100; nn++) {
        const struct wire_version *v = wire_version(nn);
        if (!v)
            continue;
        assert_int_equal(v->coroutines, nn >= event_table[EV_GoSwitch].since);
        assert_int_equal(v->experiments, nn >= event_table[EV_ExperimentalBatch].since);
        assert_int_equal(v->clocks, nn >= event_table[EV_ClockSnapshot].since);
        assert_int_equal(v->ends, nn >= event_table[EV_EndOfGeneration].since);
    }
    assert_false(wire_version(22)->coroutines || wire_version(22)->experiments);
    assert_true(wire_version(23)->experiments && !wire_version(23)->clocks);
    assert_true(wire_version(25)->clocks && !wire_version(25)->ends);
    assert_true(wire_version(26)->ends);
    assert_ptr_equal(wire_version_first(), wire_version(22));
    assert_ptr_equal(wire_version_of_experiments(), wire_version(23));
}

/* No event is of a version that has no line. */
static void each_event_is_of_a_version(void **state)
{
    for (int id = 0; id < 256; id++)
        assert_true(!event_table[id].name || wire_version(event_table[id].since));
}

static void names_are_those_that_are_listed(void **state)
{
    char all[256] = "";
    size_t len = 0;
    for (unsigned nn = 0; nn < 100; nn++) {
        char name[16];
        snprintf(name, sizeof name, "1.%u", nn);
        assert_ptr_equal(wire_version_named(name), wire_version_of_any_format(nn));
        if (wire_version_of_any_format(nn))
            len += (size_t)snprintf(all + len, sizeof all - len, "%s%s", len ? ", " : "", name);
    }
    assert_string_equal(WIRE_VERSION_NAMES, all);
    static const char *const none[] = {"", "1", "1.", "22", "2.22", "1.022", "1.22 ", " 1.22", "1.2", "1.220", "1.22.1",
                                       "1.20", "1.0000000000000000000022", "1.18446744073709551638", "x.22", "1:22"};
    for (size_t i = 0; i < ARRAY_SIZE(none); i++)
        assert_null(wire_version_named(none[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_version_is_of_one_format),
        cmocka_unit_test(each_can_say_what_it_has_events_for),
        cmocka_unit_test(each_event_is_of_a_version),
        cmocka_unit_test(names_are_those_that_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
