#include "tests/unit/unit.h"
#include "lib/wire/varint.h"

static const uint64_t edges[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, INT64_MAX, UINT64_MAX - 1, UINT64_MAX};

static void round_trip_at_every_width(void **state)
{
    for (unsigned shift = 0; shift < 64; shift++) {
        for (int d = -1; d <= 1; d++) {
            uint64_t v = (UINT64_C(1) << shift) + (uint64_t)d, got = ~v;
            uint8_t buf[VARINT_MAX];
            uint8_t *end = varint_put(buf, v);
            assert_int_equal(end - buf, varint_size(v));
            assert_ptr_equal(varint_get(buf, end, &got), end);
            assert_int_equal(got, v);
        }
    }
}

static void a_cut_off_integer_is_refused(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(edges); i++) {
        uint8_t buf[VARINT_MAX];
        uint8_t *end = varint_put(buf, edges[i]);
        uint64_t got = 42;
        for (uint8_t *cut = buf; cut < end; cut++)
            assert_null(varint_get(buf, cut, &got));
        assert_int_equal(got, 42);
    }
}

static void more_than_64_bits_is_refused(void **state)
{
    static const uint8_t too_big[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    static const uint8_t too_long[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00};
    uint64_t got = 42;
    assert_null(varint_get(too_big, too_big + sizeof too_big, &got));
    assert_null(varint_get(too_long, too_long + sizeof too_long, &got));
    assert_int_equal(got, 42);
}

static void padding_keeps_the_value(void **state)
{
    static const uint64_t sizes[] = {0, 1, 127, 128, 16383, 65536};
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        uint8_t buf[5];
        uint64_t got;
        assert_ptr_equal(varint_put_padded(buf, sizes[i], 5), buf + 5);
        assert_ptr_equal(varint_get(buf, buf + 5, &got), buf + 5);
        assert_int_equal(got, sizes[i]);
    }
}

/* Of any three integers: those that end within 8 bytes are skipped, whatever stands behind them. */
static void integers_are_skipped_together(void **state)
{
    for (int a = 1; a <= 9; a++) {
        for (int b = 1; b <= 9; b++) {
            for (int c = 1; c <= 9; c++) {
                uint8_t buf[32];
                memset(buf, a % 2 ? 0xff : 0, sizeof buf);
                uint8_t *end[3], *p = buf;
                const int widths[] = {a, b, c};
                for (unsigned i = 0; i < 3; i++)
                    end[i] = p = varint_put_padded(p, 1, widths[i]);
                for (unsigned n = 1; n <= 3; n++)
                    assert_ptr_equal(varint_skip(buf, n), end[n - 1] - buf <= 8 ? end[n - 1] : NULL);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip_at_every_width),
        cmocka_unit_test(a_cut_off_integer_is_refused),
        cmocka_unit_test(more_than_64_bits_is_refused),
        cmocka_unit_test(padding_keeps_the_value),
        cmocka_unit_test(integers_are_skipped_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
