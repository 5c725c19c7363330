/* Meta records: every tag is written as META_FORMATS says it is read, whole or not at all. */
#include "tests/unit/unit.h"

#include "lib/meta.h"

/* As docs/spool.md has them. A reader skips nothing, so a field more or less garbles all that follows. */
static const struct {
    enum meta_tag tag;
    const char *fields;
} tags[] = {
    {META_STRING, "it"},
    {META_STACK, "i*"},   {META_THREAD, "iii"},      {META_NAME, "iit"},    {META_MODULE, "iiiitt"},
    {META_HOOK, "it"},    {META_SAMPLE, "iiiii*"},   {META_CALLS, "iii"},   {META_STATUS, "iiiiit*"},
    {META_WAIT_STACK, "iiiit**"}, {META_LOCK, "iiiiiiit***"}, {META_SWITCHES, "i*"},
    {META_DELAYS, "ii*"},
    {META_WAKINGS, "i*"},
    {META_WAKER, "it"},
    {META_ASLEEP, "i*"},
    {META_LOCK_NOTE, "iiii"},
    {META_HEAP_BLOCK, "iiii"}, {META_HEAP_FREE, "i"},
};

static void formats_are_those_of_the_documentation(void **state)
{
    static const char *const formats[] = META_FORMATS;
    size_t known = 0;
    for (size_t i = 0; i < ARRAY_SIZE(tags); i++)
        assert_string_equal(formats[tags[i].tag], tags[i].fields);
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++)
        known += formats[i] != NULL;
    assert_int_equal(known, ARRAY_SIZE(tags));
}

/* Exactly as large as the record may be; the byte behind it is not touched. */
static void a_record_that_does_not_fit_says_so(void **state)
{
    static const char text[] = "twelve bytes";
    for (size_t room = 1; room < 60; room++) {
        uint8_t buf[64];
        struct meta_record r;
        memset(buf, 0xee, sizeof buf);
        meta_begin(&r, buf, room, META_NAME);
        meta_int(&r, UINT64_MAX);
        meta_text(&r, text, sizeof text - 1);
        assert_int_equal(buf[room], 0xee);
        /* Any integer may take VARINT_MAX bytes, a text the rest: tag, number, length, text. */
        assert_int_equal(r.overflow, room < 1 + VARINT_MAX + VARINT_MAX || room < 1 + VARINT_MAX + 1 + sizeof text - 1);
        if (!r.overflow) {
            assert_int_equal(r.p - buf, 1 + VARINT_MAX + 1 + sizeof text - 1);
            assert_int_equal(buf[0], META_NAME);
            assert_memory_equal(r.p - (sizeof text - 1), text, sizeof text - 1);
        }
    }
}

static void a_text_fits_to_the_last_byte(void **state)
{
    uint8_t buf[101], text[90] = {1};
    struct meta_record r;
    for (size_t len = 80; len <= 90; len++) {
        buf[100] = 0xee;
        meta_begin(&r, buf, 100, META_HOOK);
        meta_int(&r, 1);
        meta_text(&r, text, len);
        assert_false(r.overflow);
        assert_int_equal(r.p - buf, 1 + 1 + 1 + len);
    }
    meta_begin(&r, buf, 1 + 1 + 1 + 90, META_HOOK);
    meta_int(&r, 1);
    meta_text(&r, text, 90);
    assert_false(r.overflow);
    meta_begin(&r, buf, 1 + 1 + 1 + 89, META_HOOK);
    meta_int(&r, 1);
    meta_text(&r, text, 90);
    assert_true(r.overflow);
    meta_text(&r, text, 1); /* and stays so */
    assert_true(r.overflow);
}

static void the_newest_record_of_a_chunk_comes_first(void **state)
{
    struct chunk *c = calloc(1, SPOOL_CHUNK_SIZE);
    chunk_meta_append(c, (const uint8_t *)"one", 3);
    chunk_meta_append(c, (const uint8_t *)"second", 6);
    chunk_meta_append(c, (const uint8_t *)"3", 1);
    assert_int_equal(c->meta_used, 10);
    assert_memory_equal(c->data + CHUNK_CAPACITY - 10, "3secondone", 10);
    assert_int_equal(c->data[CHUNK_CAPACITY - 11], 0);
    free(c);
}

static void small_differences_of_both_signs_are_small(void **state)
{
    static const int64_t v[] = {0, -1, 1, -2, 2};
    for (size_t i = 0; i < ARRAY_SIZE(v); i++)
        assert_int_equal(zigzag_encode(v[i]), i);
    static const int64_t far[] = {INT64_MIN, INT64_MIN + 1, -4096, 4096, INT64_MAX};
    for (size_t i = 0; i < ARRAY_SIZE(far); i++)
        assert_true(zigzag_decode(zigzag_encode(far[i])) == far[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_are_those_of_the_documentation),
        cmocka_unit_test(a_record_that_does_not_fit_says_so),
        cmocka_unit_test(a_text_fits_to_the_last_byte),
        cmocka_unit_test(the_newest_record_of_a_chunk_comes_first),
        cmocka_unit_test(small_differences_of_both_signs_are_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
