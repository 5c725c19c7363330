/* Whether the process that a spool is of is still alive. */
#include "tests/unit/spool-fixture.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

static int told[2];

static void *waits(void *arg)
{
    (void)!write(told[1], "x", 1);
    pause();
    return arg;
}

/* Its first thread may be gone: only when all are does it end. Who could tell it so has not waited for it yet. */
static void a_process_ends_with_its_last_thread(void **state)
{
    char byte;
    pthread_t t;
    siginfo_t info;
    assert_false(process_is_ending(getpid()));
    assert_int_equal(pipe(told), 0);
    pid_t pid = fork();
    if (pid == 0) {
        pthread_create(&t, NULL, waits, NULL);
        pthread_exit(NULL);
    }
    assert_int_equal(read(told[0], &byte, 1), 1);
    struct process_stat s = {0};
    while (s.state != 'Z')
        assert_int_equal(process_stat(pid, &s), 0);
    assert_false(process_is_ending(pid));
    assert_false(process_has_ended(pid, &s));
    kill(pid, SIGKILL);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    assert_true(process_is_ending(pid));
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_true(process_is_ending(pid));
    pid = fork();
    if (pid == 0)
        _exit(0);
    assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    assert_true(process_is_ending(pid)); /* no signal was sent to it */
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    close(told[0]);
    close(told[1]);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, spool_set_up, spool_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_owner_is_told_from_a_process_with_its_pid),
        TEST(a_pid_counts_in_its_namespace_and_its_boot),
        TEST(a_process_ends_with_its_last_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
