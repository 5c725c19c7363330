/* Strings that the program said: where they go in the trace. */
#include "tests/unit/recording-file.h"

#include <stdio.h>

#include "cmd/finish/recording_frames.h"
#include "cmd/finish/recording_read.h"
#include "gotrace/builder.h"

static void add_string(uint64_t generation, uint64_t id, const char *text)
{
    struct meta_record *r = begin_record(META_STRING);
    meta_int(r, id);
    meta_text(r, text, strlen(text));
    end_record(r, generation);
}

static const char *tables_of(const struct recording *r, uint64_t generation)
{
    static char found[256];
    size_t size, n = 0;
    struct gotrace_builder *b = gotrace_builder_new_memory(26);
    assert_int_equal(gotrace_builder_generation(b, generation), 0);
    assert_int_equal(recording_write_tables(r, b, generation), 0);
    assert_int_equal(gotrace_builder_finish(b), 0);
    const char *trace = gotrace_builder_bytes(b, &size);
    for (const char *p = trace; p < trace + size - 4; p++)
        if (!memcmp(p, "its:", 4))
            n += (size_t)snprintf(found + n, sizeof found - n, "%.5s ", p);
    found[n] = 0;
    gotrace_builder_free(b);
    return found;
}

/* Each once in its generation, even when two threads defined it; those that only a damaged spool has are not there. */
static void strings_of_the_program_are_in_their_generation(void **state)
{
    struct recording r;
    begin_file();
    add_string(2, PROGRAM_STRING_BASE + 1, "its:b");
    add_string(1, PROGRAM_STRING_BASE + 7, "its:c");
    add_string(1, PROGRAM_STRING_BASE, "its:a");
    add_string(1, PROGRAM_STRING_BASE, "its:a");
    add_string(1, PROGRAM_STRING_BASE - 1, "its:x");
    add_string(1, 1, "its:y");
    add_string(1, UINT64_MAX, "its:z");
    assert_null(recording_read(&r, &file));
    assert_string_equal(tables_of(&r, 1), "its:a its:c ");
    assert_string_equal(tables_of(&r, 2), "its:b ");
    assert_string_equal(tables_of(&r, 3), "");
    recording_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_of_the_program_are_in_their_generation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
