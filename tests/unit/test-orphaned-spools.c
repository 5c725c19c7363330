/* Which spools and traces are of the program that was run, and in which order. */
#include "tests/unit/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "cmd/finish/orphaned_spools.h"
#include "cmd/finish/process_life.h"
#include "lib/spool.h"

enum { LAUNCHED = 1000, SINCE = 500, SOMEBODY = 54321 };

static struct spool_header header_of(uint32_t pid, uint64_t start)
{
    struct spool_header h = {.version = SPOOL_VERSION, .launcher = LAUNCHED, .pid = pid, .state = SPOOL_COMPLETE,
                             .start_realtime_ns = start};
    memcpy(h.magic, SPOOL_MAGIC, sizeof h.magic);
    return h;
}

static void leave(const char *name, const struct spool_header *h) { write_file(in_folder(name), h, sizeof *h, 0600); }

static void leave_one(const char *name, uint32_t pid, uint64_t start)
{
    struct spool_header h = header_of(pid, start);
    leave(name, &h);
}

static struct orphaned_spools orphans;
static const struct since since = {.wall_ns = SINCE};

/* Their names, with a blank between. */
static const char *found(const char *out)
{
    static char names[1024];
    orphaned_spools_free(&orphans);
    orphaned_spools_find(&orphans, in_folder(out), LAUNCHED, since);
    names[0] = 0;
    for (size_t i = 0; i < orphans.n; i++) {
        strcat(names, i ? " " : "");
        strcat(names, orphans.v[i].path + strlen(folder) + 1);
    }
    return names;
}

static int tear_down(void **state)
{
    orphaned_spools_free(&orphans);
    return folder_tear_down(state);
}

static void the_programs_own_come_first_then_by_time(void **state)
{
    leave_one("x.30.spool", 30, 1100);
    leave_one("x.10.spool", 10, 1300);
    leave_one("x.20.spool", 20, 1200);
    leave_one("x.spool", LAUNCHED, 1400);
    leave_one("x.1.spool", LAUNCHED, 1350);
    leave_one("x.15.spool", 15, 1200); /* at the same time: by name */
    assert_string_equal(found("x"), "x.1.spool x.spool x.30.spool x.15.spool x.20.spool x.10.spool");
    assert_true(orphans.v[0].main && orphans.v[1].main && !orphans.v[2].main);
    assert_int_equal(orphans.v[2].pid, 30);
    assert_int_equal(orphans.v[2].kind, ORPHAN_READY);
}

/* Left by another run: by an earlier process of the same pid, by another launch, or another version. */
static void what_others_left_is_not_taken(void **state)
{
    struct spool_header h = header_of(10, SINCE - 1);
    leave("x.1.spool", &h);
    h = header_of(10, SINCE);
    leave("x.2.spool", &h);
    h.launcher++;
    leave("x.3.spool", &h);
    h = header_of(10, SINCE);
    h.version++;
    leave("x.4.spool", &h);
    h = header_of(10, SINCE);
    h.magic[7]++;
    leave("x.5.spool", &h);
    h = header_of(10, SINCE);
    write_file(in_folder("x.6.spool"), &h, sizeof h - 1, 0600);
    assert_string_equal(found("x"), "x.2.spool");
}

static void only_the_patterns_names_are_looked_at(void **state)
{
    static const char *const names[] = {"x.spool", "x.1.2.spool", "y.spool", "xx.spool", "x.1.spool.spool", "x.a.spool",
                                        "x..spool", "x.1", "x.spool.1", "x1.spool", "x.1a.spool"};
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        leave_one(names[i], 10, SINCE + 1 + i);
    assert_string_equal(found("x"), "x.spool x.1.2.spool");
    leave_one("p.17.t.spool", 17, SINCE + 1);
    leave_one("p.17.t.2.spool", 17, SINCE + 2);
    leave_one("p.17%t.spool", 17, SINCE + 3);
    leave_one("p..t.spool", 17, SINCE + 4);
    assert_string_equal(found("p.%p.t"), "p.17.t.spool p.17.t.2.spool");
    assert_string_equal(found("p.%n.t"), "p.17.t.spool p.17.t.2.spool");
    assert_string_equal(found("p.%p%%t"), "p.17%t.spool");
}

/* Users who can write to the folder must choose neither what is read, nor the name of its trace. */
static void links_and_other_kinds_of_files_are_left_alone(void **state)
{
    leave_one("elsewhere", 10, SINCE);
    assert_int_equal(symlink(in_folder("elsewhere"), in_folder("x.1.spool")), 0);
    leave_one("twice", 10, SINCE);
    assert_int_equal(link(in_folder("twice"), in_folder("x.2.spool")), 0);
    assert_int_equal(mkfifo(in_folder("x.3.spool"), 0600), 0);
    assert_int_equal(mkdir(in_folder("x.4.spool"), 0700), 0);
    leave_one("x.5.spool", 10, SINCE);
    assert_string_equal(found("x"), "x.5.spool");
}

static void another_users_is_root_s_to_tell_of_only(void **state)
{
    if (geteuid())
        SKIP("optional: not root");
    leave_one("x.1.spool", 10, SINCE);
    assert_int_equal(chown(in_folder("x.1.spool"), SOMEBODY, SOMEBODY), 0);
    assert_int_equal(chmod(in_folder("x.1.spool"), 0644), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_string_equal(found("x"), "x.1.spool");
    assert_int_equal(orphans.v[0].kind, ORPHAN_FOREIGN);
    assert_int_equal(seteuid(SOMEBODY + 1), 0);
    found("x");
    size_t n = orphans.n;
    assert_int_equal(seteuid(0), 0);
    assert_int_equal(n, 0);
}

static void one_that_is_recorded_to_is_in_use(void **state)
{
    struct spool_header h = header_of(INT32_MAX, SINCE);
    h.state = SPOOL_RECORDING;
    leave("x.1.spool", &h);
    assert_string_equal(found("x"), "x.1.spool");
    assert_int_equal(orphans.v[0].kind, ORPHAN_READY); /* its process is gone */
    h.pid = (uint32_t)getpid();
    leave("x.1.spool", &h);
    assert_string_equal(found("x"), "x.1.spool");
    assert_int_equal(orphans.v[0].kind, ORPHAN_UNKNOWN); /* nobody has written down when that began */
    h.pid_start = 1;
    leave("x.1.spool", &h);
    assert_string_equal(found("x"), "x.1.spool");
    assert_int_equal(orphans.v[0].kind, ORPHAN_READY); /* another process has the pid now */
}

static void a_process_that_nobody_has_waited_for_is_over(void **state)
{
    struct spool_header h = header_of((uint32_t)fork(), SINCE);
    struct process_stat s;
    siginfo_t info;
    if (!h.pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (;;)
            pause();
    }
    assert_int_equal(process_stat((pid_t)h.pid, &s), 0);
    h.state = SPOOL_RECORDING;
    h.pid_start = s.start;
    leave("x.1.spool", &h);
    assert_string_equal(found("x"), "x.1.spool");
    assert_int_equal(orphans.v[0].kind, ORPHAN_IN_USE);
    kill((pid_t)h.pid, SIGKILL);
    assert_int_equal(waitid(P_PID, h.pid, &info, WEXITED | WNOWAIT), 0);
    assert_string_equal(found("x"), "x.1.spool");
    assert_int_equal(orphans.v[0].kind, ORPHAN_READY);
    waitpid((pid_t)h.pid, NULL, 0);
}

static void traces_are_found_by_what_they_begin_with(void **state)
{
    write_file(in_folder("x"), "go 1.22 trace\0\0", TRACE_HEADER_SIZE, 0600);
    write_file(in_folder("x.7"), "go 2.22 trace\0\0", TRACE_HEADER_SIZE, 0600);
    write_file(in_folder("x.8"), "go 1", 4, 0600);
    write_file(in_folder("x.9"), "go 1.26 trace\0\0", TRACE_HEADER_SIZE, 0600);
    write_file(in_folder("x.spool"), "go 1.26 trace\0\0", TRACE_HEADER_SIZE, 0600);
    finished_traces_find(&orphans, in_folder("x"), since);
    assert_int_equal(orphans.n, 2);
    assert_string_equal(orphans.v[0].path, in_folder("x"));
    assert_string_equal(orphans.v[1].path, in_folder("x.9"));
    assert_int_equal(orphans.v[0].kind, ORPHAN_FINISHED);
    uint64_t newer = orphans.v[1].start_ns;
    orphaned_spools_free(&orphans);
    finished_traces_find(&orphans, in_folder("x"), (struct since){.wall_ns = newer + 1});
    assert_int_equal(orphans.n, 0);
}

/* Times of files, and the one in the header, are then before the beginning. */
static void nothing_is_missed_when_the_clock_is_set_back(void **state)
{
    enum { HOUR = 3600 };
    const uint64_t hour_ns = HOUR * UINT64_C(1000000000);
    const struct since now = since_now(), later = {now.wall_ns + hour_ns, now.boot_ns, now.mono_ns};
    struct spool_header h = header_of(10, now.wall_ns + 1);
    h.first.mono_ns = now.mono_ns + 1;
    leave("x.1.spool", &h);
    h.first.mono_ns = now.mono_ns - 1;
    leave("x.2.spool", &h);
    write_file(in_folder("x.3"), "go 1.22 trace\0\0", TRACE_HEADER_SIZE, 0600);
    orphaned_spools_find(&orphans, in_folder("x"), LAUNCHED, later);
    assert_int_equal(orphans.n, 1);
    assert_string_equal(orphans.v[0].path, in_folder("x.1.spool"));
    orphaned_spools_free(&orphans);
    finished_traces_find(&orphans, in_folder("x"), later);
    assert_int_equal(orphans.n, 1);
    orphaned_spools_free(&orphans);
    const struct since after = {later.wall_ns + 2 * hour_ns, now.boot_ns + 2 * hour_ns, now.mono_ns + 2 * hour_ns};
    finished_traces_find(&orphans, in_folder("x"), after);
    assert_int_equal(orphans.n, 0); /* it was made two hours before that */
    orphaned_spools_free(&orphans);
    const struct timespec newer[2] = {{.tv_sec = (time_t)(now.wall_ns / 1000000000) + HOUR / 2},
                                      {.tv_sec = (time_t)(now.wall_ns / 1000000000) + HOUR / 2}};
    assert_int_equal(utimensat(AT_FDCWD, in_folder("x.3"), newer, 0), 0);
    finished_traces_find(&orphans, in_folder("x"), later);
    assert_int_equal(orphans.n, 0); /* and this before the clock was set back */
}

static void it_is_said_what_could_not_be_looked_at(void **state)
{
    assert_string_equal(found("x"), "");
    assert_int_equal(orphans.error, 0);
    assert_string_equal(found("none/x"), "");
    assert_int_equal(orphans.error, ENOENT);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, folder_set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_programs_own_come_first_then_by_time),
        TEST(what_others_left_is_not_taken),
        TEST(only_the_patterns_names_are_looked_at),
        TEST(links_and_other_kinds_of_files_are_left_alone),
        TEST(another_users_is_root_s_to_tell_of_only),
        TEST(one_that_is_recorded_to_is_in_use),
        TEST(a_process_that_nobody_has_waited_for_is_over),
        TEST(traces_are_found_by_what_they_begin_with),
        TEST(nothing_is_missed_when_the_clock_is_set_back),
        TEST(it_is_said_what_could_not_be_looked_at),
    };
    return cmocka_run_group_tests_name("orphaned spools", tests, NULL, NULL);
}
