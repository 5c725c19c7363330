/* Whether the process that a spool is of is still alive. */
#include "tests/unit/spool-fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/finish/process_life.h"

static uint64_t own_start_time(void)
{
    char buf[1024];
    FILE *file = fopen("/proc/self/stat", "r");
    assert_non_null(file);
    buf[fread(buf, 1, sizeof buf - 1, file)] = 0;
    fclose(file);
    char *p = strrchr(buf, ')');
    for (int field = 2; field < 22; field++)
        p = strchr(p + 1, ' ');
    return strtoull(p, NULL, 10);
}

static void assert_life(const struct spool_header *h, enum life life)
{
    assert_int_equal(process_life(h), life);
}

static void the_owner_is_told_from_a_process_with_its_pid(void **state)
{
    struct spool_fixture *f = *state;
    struct spool_header *h = f->s.header;
    h->pid = (uint32_t)getpid();
    h->pid_start = own_start_time();
    assert_life(h, LIFE_ON);
    h->pid_start++;
    assert_life(h, LIFE_OVER);
    h->pid_start--;
    h->state = SPOOL_COMPLETE;
    assert_life(h, LIFE_OVER);
    h->state = SPOOL_RECORDING;
    h->pid = UINT32_MAX;
    assert_life(h, LIFE_OVER);
}

static void a_pid_counts_in_its_namespace_and_its_boot(void **state)
{
    struct spool_fixture *f = *state;
    struct spool_header *h = f->s.header;
    struct stat here;
    assert_int_equal(stat("/proc/self/ns/pid", &here), 0);
    h->pid = (uint32_t)getpid();
    h->pid_start = own_start_time();
    h->pid_namespace = here.st_ino;
    assert_life(h, LIFE_ON);
    h->pid_namespace = here.st_ino - 100; /* of nobody: only a process that sees all others can know */
    assert_int_not_equal(process_life(h), LIFE_ON);
    h->pid_namespace = here.st_ino;
    memcpy(h->boot_id, "00000000-0000-4000-8000-000000000000", SPOOL_BOOT_ID_LEN);
    assert_life(h, LIFE_OVER);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, spool_set_up, spool_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_owner_is_told_from_a_process_with_its_pid),
        TEST(a_pid_counts_in_its_namespace_and_its_boot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
