/* Names and lines are kept where only the user can change them: else others would choose what a trace says. */
#include "tests/unit/folder.h"

#include "cmd/finish/symbol_cache.h"

enum { SOMEBODY = 54321 };

static char found[4096];

static bool has_folder(const char *base)
{
    unsetenv("THRACE_SYMBOL_CACHE");
    unsetenv("HOME");
    setenv("XDG_CACHE_HOME", base, 1);
    found[0] = 0;
    return symbol_cache_folder(found, sizeof found);
}

static void it_is_made_for_the_user_alone(void **state)
{
    struct stat st;
    umask(0);
    assert_true(has_folder(in_folder("cache")));
    assert_string_equal(found, in_folder("cache/thrace"));
    assert_int_equal(stat(found, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_true(has_folder(in_folder("cache"))); /* the second time, too */
    unsetenv("XDG_CACHE_HOME");
    setenv("HOME", folder, 1);
    assert_true(symbol_cache_folder(found, sizeof found));
    assert_string_equal(found, in_folder(".cache/thrace"));
}

static void it_can_be_switched_off(void **state)
{
    assert_true(has_folder(in_folder("cache")));
    setenv("THRACE_SYMBOL_CACHE", "0", 1);
    assert_false(symbol_cache_folder(found, sizeof found));
    unsetenv("THRACE_SYMBOL_CACHE");
    unsetenv("XDG_CACHE_HOME");
    assert_false(symbol_cache_folder(found, sizeof found)); /* nowhere */
    setenv("XDG_CACHE_HOME", "relative", 1);
    assert_false(symbol_cache_folder(found, sizeof found));
    setenv("XDG_CACHE_HOME", in_folder("cache"), 1);
    assert_false(symbol_cache_folder(found, strlen(in_folder("cache")) + 4)); /* cut off, it would be another one */
}

static void what_others_may_write_to_is_not_used(void **state)
{
    static const mode_t open_to_others[] = {0701, 0702, 0704, 0710, 0720, 0740, 0777};
    assert_true(has_folder(folder));
    for (size_t i = 0; i < ARRAY_SIZE(open_to_others); i++) {
        assert_int_equal(chmod(in_folder("thrace"), open_to_others[i]), 0);
        assert_false(has_folder(folder));
    }
    assert_int_equal(chmod(in_folder("thrace"), 0700), 0);
    assert_true(has_folder(folder));
}

static void nothing_but_a_folder_is_used(void **state)
{
    assert_int_equal(mkdir(in_folder("elsewhere"), 0700), 0);
    assert_int_equal(symlink(in_folder("elsewhere"), in_folder("thrace")), 0);
    assert_false(has_folder(folder));
    assert_int_equal(unlink(in_folder("thrace")), 0);
    write_file(in_folder("thrace"), "", 0, 0700);
    assert_false(has_folder(folder));
    assert_int_equal(unlink(in_folder("thrace")), 0);
    assert_true(has_folder(folder));
}

static void another_users_folder_is_not_used(void **state)
{
    if (geteuid())
        SKIP("optional: not root");
    assert_int_equal(mkdir(in_folder("thrace"), 0700), 0);
    assert_int_equal(chown(in_folder("thrace"), SOMEBODY, SOMEBODY), 0);
    assert_false(has_folder(folder));
    /* Nor is anything made in one: sudo leaves HOME as it was. */
    assert_int_equal(mkdir(in_folder("home"), 0700), 0);
    assert_int_equal(chown(in_folder("home"), SOMEBODY, SOMEBODY), 0);
    assert_false(has_folder(in_folder("home")));
    assert_false(is_there(in_folder("home/thrace")));
    assert_false(has_folder(in_folder("home/.cache")));
    assert_false(is_there(in_folder("home/.cache")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(it_is_made_for_the_user_alone),
        FOLDER_TEST(it_can_be_switched_off),
        FOLDER_TEST(what_others_may_write_to_is_not_used),
        FOLDER_TEST(nothing_but_a_folder_is_used),
        FOLDER_TEST(another_users_folder_is_not_used),
    };
    return cmocka_run_group_tests_name("symbol cache", tests, NULL, NULL);
}
