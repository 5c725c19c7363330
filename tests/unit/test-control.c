/* The name of a process's socket: both sides must make the same of the same process. */
#include "tests/unit/unit.h"

#include "lib/control.h"

static void assert_name(uint32_t pid, uint64_t start, const char *want)
{
    char name[CONTROL_NAME_MAX];
    memset(name, 0x7f, sizeof name);
    size_t len = control_name(name, pid, start);
    assert_int_equal(len, strlen(want));
    assert_memory_equal(name, want, len);
    assert_int_equal(name[len], 0x7f);
}

static void names_have_the_pid_and_its_start(void **state)
{
    assert_name(1, 0, "thrace-1-0");
    assert_name(120, 9, "thrace-120-9");
    assert_name(4194304, 10203, "thrace-4194304-10203");
    assert_name(UINT32_MAX, UINT64_MAX, "thrace-4294967295-18446744073709551615");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_the_pid_and_its_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
