/* Files that the verbs write: whole under their name or not there, and in nobody else's hands. */
#include "tests/unit/folder.h"

#include <signal.h>
#include <sys/resource.h>

#include "cmd/finish/output.h"

enum { SOMEBODY = 54321 };

static const char *why;

static void assert_refused(const char *path, const char *wanted)
{
    struct output *o = output_open(path, 0600, &why);
    assert_null(o);
    assert_says(why, wanted);
}

static const char *text_of(const char *path)
{
    static char text[64];
    FILE *f = fopen(path, "r");
    text[f ? fread(text, 1, sizeof text - 1, f) : 0] = 0;
    if (f)
        fclose(f);
    return text;
}

static void a_file_appears_when_it_is_whole(void **state)
{
    char *path = in_folder("x"), temp[600];
    struct stat st;
    write_file(path, "old", 3, 0644);
    struct output *o = output_open(path, 0600, &why);
    assert_non_null(o);
    fputs("new", output_file(o));
    fflush(output_file(o));
    assert_string_equal(text_of(path), "old");
    assert_string_equal(text_of(output_temporary(o)), "new");
    snprintf(temp, sizeof temp, "%s", output_temporary(o));
    assert_int_equal(output_restart(o), 0);
    fputs("n", output_file(o));
    assert_null(output_close(o, true));
    assert_string_equal(text_of(path), "n");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_false(is_there(temp));
}

static void what_is_not_kept_leaves_what_was_there(void **state)
{
    char *path = in_folder("x"), temp[600];
    write_file(path, "old", 3, 0644);
    struct output *o = output_open(path, 0600, &why);
    fputs("new", output_file(o));
    snprintf(temp, sizeof temp, "%s", output_temporary(o));
    assert_null(output_close(o, false));
    assert_string_equal(text_of(path), "old");
    assert_false(is_there(temp));
}

/* Half a file helps nobody, and a limit on sizes must not kill the writer. */
static void what_does_not_fit_leaves_nothing(void **state)
{
    static char data[100000];
    char *path = in_folder("x"), temp[600];
    struct rlimit old, limit = {50000, RLIM_INFINITY};
    getrlimit(RLIMIT_FSIZE, &old);
    limit.rlim_max = old.rlim_max;
    struct output *o = output_open(path, 0600, &why);
    snprintf(temp, sizeof temp, "%s", output_temporary(o));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    fwrite(data, 1, sizeof data, output_file(o));
    const char *said = output_close(o, true);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_non_null(said);
    assert_false(is_there(path));
    assert_false(is_there(temp));
}

static void a_temporary_file_of_somebody_else_is_not_written_through(void **state)
{
    char temp[600];
    snprintf(temp, sizeof temp, "%s.%ld.tmp", in_folder("x"), (long)getpid());
    write_file(in_folder("precious"), "precious", 8, 0600);
    assert_int_equal(symlink(in_folder("precious"), temp), 0);
    struct output *o = output_open(in_folder("x"), 0600, &why);
    assert_non_null(o);
    fputs("new", output_file(o));
    assert_null(output_close(o, true));
    assert_string_equal(text_of(in_folder("precious")), "precious");
    assert_string_equal(text_of(in_folder("x")), "new");
    /* A folder under that name cannot be removed: that is said. */
    assert_int_equal(mkdir(temp, 0700), 0);
    assert_refused(in_folder("x"), "exists");
    assert_true(is_there(temp));
}

static void ones_own_links_are_followed_and_stay(void **state)
{
    struct stat st;
    assert_int_equal(mkdir(in_folder("folder"), 0700), 0);
    write_file(in_folder("folder/behind"), "old", 3, 0600);
    assert_int_equal(symlink(in_folder("folder/behind"), in_folder("link")), 0);
    struct output *o = output_open(in_folder("link"), 0600, &why);
    fputs("new", output_file(o));
    assert_null(output_close(o, true));
    assert_true(!lstat(in_folder("link"), &st) && S_ISLNK(st.st_mode));
    assert_string_equal(text_of(in_folder("folder/behind")), "new");
    assert_int_equal(symlink(in_folder("folder"), in_folder("to-folder")), 0);
    assert_refused(in_folder("to-folder"), "is a directory");
    assert_says(output_obstacle(in_folder("to-folder")), "is a directory");
    assert_null(output_obstacle(in_folder("link")));
    assert_null(output_obstacle(in_folder("none")));
}

static void another_users_links_and_pipes_are_refused(void **state)
{
    if (geteuid())
        SKIP("optional: not root");
    assert_int_equal(symlink(in_folder("behind"), in_folder("link")), 0);
    assert_int_equal(lchown(in_folder("link"), SOMEBODY, SOMEBODY), 0);
    assert_refused(in_folder("link"), "link of another user");
    assert_says(output_obstacle(in_folder("link")), "link of another user");
    assert_int_equal(mkfifo(in_folder("fifo"), 0666), 0);
    int reader = open(in_folder("fifo"), O_RDONLY | O_NONBLOCK);
    struct output *o = output_open(in_folder("fifo"), 0600, &why);
    assert_non_null(o); /* one's own that somebody reads */
    assert_null(output_temporary(o));
    assert_null(output_close(o, true));
    assert_int_equal(chown(in_folder("fifo"), SOMEBODY, SOMEBODY), 0);
    assert_refused(in_folder("fifo"), "FIFO of another user");
    close(reader);
}

static void nobody_is_waited_for(void **state)
{
    assert_int_equal(mkfifo(in_folder("fifo"), 0600), 0);
    assert_refused(in_folder("fifo"), "nobody reads");
    assert_says(output_obstacle(in_folder("fifo")), "is a FIFO");
    assert_says(output_obstacle("/dev/null"), "is a device");
    assert_true(output_is_straight("/dev/null"));
    assert_true(output_is_straight("-"));
    assert_true(output_is_straight("/dev/fd/7"));
    assert_false(output_is_straight("/dev/fd/7x"));
    assert_false(output_is_straight(in_folder("x")));
    int before = dup(0);
    close(before);
    assert_refused(in_folder("fifo"), "nobody reads");
    int after = dup(0);
    close(after);
    assert_int_equal(after, before); /* no descriptor is left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(a_file_appears_when_it_is_whole),
        FOLDER_TEST(what_is_not_kept_leaves_what_was_there),
        FOLDER_TEST(what_does_not_fit_leaves_nothing),
        FOLDER_TEST(a_temporary_file_of_somebody_else_is_not_written_through),
        FOLDER_TEST(ones_own_links_are_followed_and_stay),
        FOLDER_TEST(another_users_links_and_pipes_are_refused),
        FOLDER_TEST(nobody_is_waited_for),
    };
    return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
