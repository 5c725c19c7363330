/* A file in memory says when it was closed that memory was short, and has all of the text if it does not. */
#include "tests/unit/unit.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/export/memory_file.h"

static unsigned long allowed = ~0ul;

static bool may_allocate(void) { return allowed && allowed--; }

void *__real_malloc(size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_malloc(size_t size) { return may_allocate() ? __real_malloc(size) : NULL; }
void *__wrap_realloc(void *p, size_t size) { return may_allocate() ? __real_realloc(p, size) : NULL; }

enum { LINES = 1000 };

/* Whether all is there, and said to be. */
static bool write_lines(char **text, size_t *size)
{
    FILE *f = memory_file(text, size);
    if (!f)
        return false;
    for (int i = 0; i < LINES; i++)
        fprintf(f, "line %d\n", i);
    return !fclose(f);
}

static void test_text_is_whole(void **state)
{
    (void)state;
    char *text;
    size_t size;
    assert_true(write_lines(&text, &size));
    assert_int_equal(strlen(text), size);
    assert_memory_equal(text, "line 0\nline 1\n", 14);
    assert_string_equal(text + size - 9, "line 999\n");
    free(text);
}

static void test_nothing_is_a_text(void **state)
{
    (void)state;
    char *text;
    size_t size;
    FILE *f = memory_file(&text, &size);
    assert_non_null(f);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(size, 0);
    assert_string_equal(text, "");
    free(text);
}

static void test_short_memory_is_said(void **state)
{
    (void)state;
    bool whole = false;
    for (unsigned long n = 0; !whole; n++) {
        char *text;
        size_t size;
        allowed = n;
        whole = write_lines(&text, &size);
        allowed = ~0ul;
        assert_true(whole || n < 20);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_is_whole),
        cmocka_unit_test(test_nothing_is_a_text),
        cmocka_unit_test(test_short_memory_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
