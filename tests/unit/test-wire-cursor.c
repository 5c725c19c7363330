/* Events as bytes, both ways: what is put is got, and what is cut off, too long or no event is refused. */
#include "tests/unit/unit.h"

#include "lib/wire/cursor.h"

static const uint64_t values[] = {0, 1, 0x7f, 0x80, 0x3fff, 0x4000, UINT64_C(1) << 55, UINT64_C(1) << 56, UINT64_MAX};

static void bytes_are_those_of_the_format(void **state)
{
    static const uint8_t want[] = {EV_GoBlock, 0x80, 1, 7, 0xff, 0x7f};
    const uint64_t args[] = {7, 0x3fff};
    uint8_t buf[EVENT_SIZE_MAX];
    assert_ptr_equal(event_put(buf, EV_GoBlock, 0x80, args, 2), buf + sizeof want);
    assert_memory_equal(buf, want, sizeof want);
}

static void each_event_comes_back(void **state)
{
    int timed = 0;
    for (unsigned id = 0; id < 256; id++) {
        unsigned n = timed_args[id];
        assert_int_equal(n, event_table[id].cls == EVENT_TIMED ? event_table[id].nargs : 0);
        timed += n > 0;
        for (size_t v = 0; n && v < ARRAY_SIZE(values); v++) {
            uint64_t args[EVENT_MAX_ARGS - 1], got[EVENT_MAX_ARGS - 1], dt;
            uint8_t buf[EVENT_SIZE_MAX + 1];
            unsigned nread;
            for (unsigned i = 0; i < n - 1; i++)
                args[i] = values[(v + i) % ARRAY_SIZE(values)];
            uint8_t *end = event_put(buf, (uint8_t)id, values[v], args, n - 1);
            assert_in_range(end - buf, 1 + n, EVENT_SIZE_MAX);
            *end = 0;
            assert_ptr_equal(event_get(buf, end + 1, &dt, got, &nread), end);
            assert_int_equal(nread, n);
            assert_int_equal(dt, values[v]);
            if (n > 1)
                assert_memory_equal(got, args, (n - 1) * sizeof *got);
            for (const uint8_t *cut = end - 1; cut > buf; cut--) {
                assert_null(event_get(buf, cut, &dt, got, &nread));
                assert_true(nread < n);
            }
            assert_int_equal(nread, 0);
        }
    }
    assert_true(timed > 40);
}

static void what_is_no_timed_event_is_none(void **state)
{
    static const uint8_t ids[] = {EV_None, EV_EventBatch, EV_Strings, EV_String, EV_CPUSample, EV_Frequency, EV_Sync,
                                  EV_ExperimentalBatch, EV_EndOfGeneration, 127, 255};
    for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
        const uint8_t bytes[] = {ids[i], 1, 1, 1, 1, 1};
        uint64_t dt, args[EVENT_MAX_ARGS - 1];
        unsigned nread;
        assert_null(event_get(bytes, bytes + sizeof bytes, &dt, args, &nread));
        assert_int_equal(nread, 0);
    }
}

static void a_cursor_stops_at_what_is_broken(void **state)
{
    uint8_t buf[3 * EVENT_SIZE_MAX], *p = buf, *last;
    p = event_put(p, EV_GoStart, 10, (const uint64_t[]){5, 6}, 2);
    last = p = event_put(p, EV_ProcStop, 20, NULL, 0);
    p = event_put(p, EV_GoUnblock, 30, (const uint64_t[]){7, 300, 9}, 3);
    for (int cut = 0; cut <= 3; cut++) {
        struct wire_cursor c = {.p = buf, .end = p - cut, .time = 1000};
        struct wire_event ev = {0};
        assert_int_equal(wire_next(&c, &ev), WIRE_EVENT);
        assert_int_equal(ev.id, EV_GoStart);
        assert_ptr_equal(ev.at, buf);
        assert_int_equal(ev.time, 1010);
        assert_int_equal(ev.args[0], 5);
        assert_int_equal(ev.args[1], 6);
        assert_int_equal(wire_next(&c, &ev), WIRE_EVENT);
        assert_int_equal(ev.id, EV_ProcStop);
        assert_int_equal(ev.time, 1030);
        assert_ptr_equal(c.p, last);
        if (!cut) {
            assert_int_equal(wire_next(&c, &ev), WIRE_EVENT);
            assert_int_equal(ev.time, 1060);
            assert_int_equal(ev.args[2], 9);
            assert_int_equal(wire_next(&c, &ev), WIRE_END);
            assert_int_equal(wire_next(&c, &ev), WIRE_END);
            continue;
        }
        for (int again = 0; again < 2; again++) {
            assert_int_equal(wire_next(&c, &ev), WIRE_BROKEN);
            assert_ptr_equal(c.p, last);
            assert_int_equal(c.time, 1030);
            assert_int_equal(c.nread, cut == 1 ? 3 : 2);
        }
    }
    uint8_t large[1 + 2 * VARINT_MAX] = {EV_ProcStart, 1};
    memset(large + 2, 0xff, sizeof large - 2);
    struct wire_cursor c = {.p = large, .end = large + sizeof large};
    struct wire_event ev = {0};
    assert_int_equal(wire_next(&c, &ev), WIRE_BROKEN);
    assert_int_equal(c.nread, 1);
}

/* The quick way to an integer and the one that checks every byte agree, also where the integer is longer than it is. */
static void in_a_hurry_integers_are_the_same(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
        for (int width = 2; width <= 8; width++) {
            for (int behind = 0; behind < 256; behind += 85) {
                uint8_t buf[16];
                uint64_t v = values[i] & ((UINT64_C(1) << (7 * width)) - 1), want = 0, got;
                memset(buf, behind, sizeof buf);
                uint8_t *end = varint_put_padded(buf, v, width);
                got = buf[0];
                assert_ptr_equal(varint_get(buf, buf + sizeof buf, &want), end);
                assert_ptr_equal(varint_more(buf, &got), end);
                assert_int_equal(got, want);
            }
        }
    }
    uint8_t nine[16] = {0};
    varint_put_padded(nine, 1, 9);
    uint64_t v = nine[0];
    assert_null(varint_more(nine, &v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_those_of_the_format),
        cmocka_unit_test(each_event_comes_back),
        cmocka_unit_test(what_is_no_timed_event_is_none),
        cmocka_unit_test(a_cursor_stops_at_what_is_broken),
        cmocka_unit_test(in_a_hurry_integers_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
