#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/finish/progress.h"
#include "tests/unit/unit.h"

#define SECOND UINT64_C(1000000000)

/* The two ends of a terminal; what the program prints is read from the other. */
static FILE *open_terminal(int *other)
{
    *other = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    assert_true(*other >= 0 && !grantpt(*other) && !unlockpt(*other));
    int fd = open(ptsname(*other), O_RDWR | O_NOCTTY);
    assert_true(fd >= 0);
    return fdopen(fd, "w");
}

static const char *printed(int other, char *buf, size_t size)
{
    ssize_t n = read(other, buf, size - 1);
    buf[n > 0 ? n : 0] = 0;
    return buf;
}

static void a_terminal_gets_a_bar_after_a_second_and_no_rest_of_it(void **state)
{
    struct progress p;
    char buf[512];
    int other;
    FILE *f = open_terminal(&other);
    progress_start(&p, f, "busy", 5 * SECOND);
    progress_update(&p, 5 * SECOND + SECOND / 2, 1, 4);
    assert_string_equal(printed(other, buf, sizeof buf), "");
    progress_update(&p, 6 * SECOND, 1, 4);
    assert_string_equal(printed(other, buf, sizeof buf), "\rbusy [########......................] 25 %\033[K");
    progress_update(&p, 6 * SECOND + 1, 1, 4);
    assert_string_equal(printed(other, buf, sizeof buf), "");
    progress_update(&p, 7 * SECOND, 4, 4);
    assert_string_equal(printed(other, buf, sizeof buf), "\rbusy [##############################] 100 %\033[K");
    progress_end(&p);
    assert_string_equal(printed(other, buf, sizeof buf), "\r\033[K");
    progress_end(&p);
    assert_string_equal(printed(other, buf, sizeof buf), "");
    fclose(f);
    close(other);
}

static void short_work_leaves_a_terminal_alone(void **state)
{
    struct progress p;
    char buf[512];
    int other;
    FILE *f = open_terminal(&other);
    progress_start(&p, f, "busy", 0);
    progress_update(&p, SECOND - 1, 3, 4);
    progress_end(&p);
    assert_string_equal(printed(other, buf, sizeof buf), "");
    fclose(f);
    close(other);
}

static void a_file_gets_nothing(void **state)
{
    struct progress p;
    FILE *f = tmpfile();
    assert_non_null(f);
    progress_start(&p, f, "busy", 0);
    progress_update(&p, 9 * SECOND, 1, 0);
    progress_end(&p);
    assert_int_equal(ftell(f), 0);
    fclose(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terminal_gets_a_bar_after_a_second_and_no_rest_of_it),
        cmocka_unit_test(short_work_leaves_a_terminal_alone),
        cmocka_unit_test(a_file_gets_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
