/* What formats with a line for each event are written with: a buffer, numbers in it, and JSON. */
#include "tests/unit/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/export/json_line.h"

/* A stream that is read back. */
struct sink {
    FILE *file;
    char *text;
    size_t size;
};

static FILE *sink_open(struct sink *s) { return s->file = open_memstream(&s->text, &s->size); }

static const char *sink_text(struct sink *s)
{
    assert_int_equal(fflush(s->file), 0);
    return s->text;
}

static void sink_close(struct sink *s)
{
    fclose(s->file);
    free(s->text);
}

static char *repeated(char c, size_t n)
{
    char *text = malloc(n + 1);
    memset(text, c, n);
    text[n] = 0;
    return text;
}

/* A buffer that is full but for `left` bytes. */
static struct out *out_almost_full(struct sink *s, size_t left)
{
    struct out *o = malloc(sizeof *o);
    out_init(o, sink_open(s));
    for (size_t i = 0; i < OUT_BYTES - left; i++)
        out_text(o, "x");
    assert_int_equal(o->n, OUT_BYTES - left);
    return o;
}

static void assert_behind(struct sink *s, struct out *o, size_t before, const char *wanted)
{
    out_flush(o);
    assert_int_equal(o->n, 0);
    assert_true(strspn(sink_text(s), "x") == before);
    assert_string_equal(s->text + before, wanted);
    sink_close(s);
    free(o);
}

static void what_does_not_fit_comes_behind_what_is_there(void **state)
{
    for (size_t left = 0; left <= OUT_NUMBER + 1; left++) {
        struct sink s;
        struct out *o = out_almost_full(&s, left);
        out_number(o, UINT64_MAX);
        out_text(o, ",");
        out_number(o, 7);
        assert_behind(&s, o, OUT_BYTES - left, "18446744073709551615,7");
        o = out_almost_full(&s, left);
        out_text(o, "0123456789abcdefghijk");
        assert_behind(&s, o, OUT_BYTES - left, "0123456789abcdefghijk");
    }
}

static void texts_may_be_as_large_as_the_buffer_and_larger(void **state)
{
    for (size_t n = OUT_BYTES - 1; n <= OUT_BYTES + 1; n++) {
        struct sink s;
        char *text = repeated('y', n + 1);
        struct out *o = out_almost_full(&s, OUT_BYTES - 3);
        out_bytes(o, text, n);
        out_text(o, "z");
        text[n] = 'z';
        assert_behind(&s, o, 3, text);
        free(text);
    }
}

/* The stream is given whole pages, so that the kernel is given them. */
static ssize_t take_write(void *arg, const char *bytes, size_t n)
{
    size_t *other = arg;
    (void)bytes;
    *other += n % OUT_BYTES != 0;
    return (ssize_t)n;
}

static void writes_are_as_large_as_the_buffer(void **state)
{
    size_t other = 0;
    FILE *to = fopencookie(&other, "w", (cookie_io_functions_t){.write = take_write});
    out_alone(to);
    struct out *o = malloc(sizeof *o);
    out_init(o, to);
    for (uint64_t total = 0; total < 5 * OUT_BYTES + OUT_ROOM; total += 7) {
        assert_int_equal(out_total(o), total);
        out_text(o, "1234567");
    }
    assert_int_equal(other, 0);
    out_flush(o);
    assert_int_equal(fclose(to), 0);
    assert_int_not_equal(other, 0);
    free(o);
}

static void numbers_have_all_digits(void **state)
{
    static const uint64_t more[] = {UINT32_MAX, INT64_MAX, UINT64_MAX - 1, UINT64_MAX};
    char got[OUT_NUMBER + 1], wanted[OUT_NUMBER + 1];
    uint64_t power = 1;
    for (int i = 0; i < 20; i++, power *= 10)
        for (uint64_t n = power - 1; n <= power + 1; n++) {
            *out_digits(got, n) = 0;
            snprintf(wanted, sizeof wanted, "%" PRIu64, n);
            assert_string_equal(got, wanted);
        }
    for (size_t i = 0; i < ARRAY_SIZE(more); i++) {
        *out_digits(got, more[i]) = 0;
        snprintf(wanted, sizeof wanted, "%" PRIu64, more[i]);
        assert_string_equal(got, wanted);
    }
}

static void lines_have_commas_between_what_they_have(void **state)
{
    struct sink s;
    struct json_line *l = malloc(sizeof *l);
    out_init(&l->out, sink_open(&s));
    l->follows = false;
    line_open(l);
    line_us(l, "ts", 1234567089);
    line_us(l, "dur", 10);
    line_us(l, "most", UINT64_MAX);
    line_text(l, "a", "\"\n\xff");
    line_key(l, "0123456789abcdef");
    line_open(l);
    line_number(l, "n", 0);
    line_close(l);
    line_word(l, "w", "B");
    line_close(l);
    out_flush(&l->out);
    assert_string_equal(sink_text(&s), "{\"ts\":1234567.089,\"dur\":0.010,\"most\":18446744073709551.615,"
                                       "\"a\":\"\\\"\\n\xef\xbf\xbd\","
                                       "\"0123456789abcdef\":{\"n\":0},\"w\":\"B\"}");
    sink_close(&s);
    free(l);
}

/* Wherever the end of the buffer falls into what a line has. */
static void keys_fit_at_the_border(void **state)
{
    static const char wanted[] = ",\"0123456789abcdef\":18446744073709551.615";
    for (size_t left = 0; left <= sizeof wanted; left++) {
        struct sink s;
        struct out *o = out_almost_full(&s, left);
        struct json_line *l = malloc(sizeof *l);
        l->out = *o;
        l->follows = true;
        free(o);
        line_us(l, "0123456789abcdef", UINT64_MAX);
        out_flush(&l->out);
        assert_string_equal(sink_text(&s) + (OUT_BYTES - left), wanted);
        sink_close(&s);
        free(l);
    }
}

/* Who owns the stream may write behind a document, or close it. */
static void documents_are_all_there_when_they_are_closed(void **state)
{
    struct sink s;
    struct json *j = malloc(sizeof *j);
    char *large = repeated('"', OUT_BYTES), *escaped = malloc(2 * OUT_BYTES + 1);
    for (size_t i = 0; i < OUT_BYTES; i++)
        memcpy(escaped + 2 * i, "\\\"", 3);
    json_init(j, sink_open(&s), 1);
    json_open(j, '{');
    json_key(j, "a");
    json_text(j, large);
    json_key(j, "b");
    json_open(j, '[');
    json_number(j, 1);
    json_bool(j, true);
    json_close(j, ']');
    json_close(j, '}');
    const char *text = sink_text(&s);
    assert_memory_equal(text, "{\n  \"a\": \"", 10);
    assert_memory_equal(text + 10, escaped, 2 * OUT_BYTES);
    assert_string_equal(text + 10 + 2 * OUT_BYTES, "\",\n  \"b\": [1, true]\n}");
    sink_close(&s);
    for (int i = 0; i < 3; i++) {
        json_init(j, sink_open(&s), 0);
        if (i == 0)
            json_number(j, 42);
        else if (i == 1)
            json_null(j);
        else
            json_text(j, "t");
        assert_string_equal(sink_text(&s), i == 0 ? "42" : i == 1 ? "null" : "\"t\"");
        sink_close(&s);
    }
    free(large);
    free(escaped);
    free(j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_does_not_fit_comes_behind_what_is_there),
        cmocka_unit_test(texts_may_be_as_large_as_the_buffer_and_larger),
        cmocka_unit_test(writes_are_as_large_as_the_buffer),
        cmocka_unit_test(numbers_have_all_digits),
        cmocka_unit_test(lines_have_commas_between_what_they_have),
        cmocka_unit_test(keys_fit_at_the_border),
        cmocka_unit_test(documents_are_all_there_when_they_are_closed),
    };
    return cmocka_run_group_tests_name("out", tests, NULL, NULL);
}
