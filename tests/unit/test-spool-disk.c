/* A disk that is full, writes little at a time or is interrupted: the spool loses nothing. */
#include "tests/unit/spool-fixture.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>
#include <unistd.h>

#include "tests/unit/filter.h"

/* System calls on this descriptor end in the handler below, which does them, or not, as `disk` says. */
enum { DISK = 700 };

static struct {
    struct spool_fixture *f;
    int error;              /* what a call fails with */
    int fail_after;         /* so many calls succeed first */
    size_t most;            /* bytes that one call writes */
    bool interrupts;        /* every other call is interrupted first */
    uint64_t seal_meanwhile; /* while a call runs, thread 1 seals this and the next one */
    int calls;
} disk;

static long disk_write(const struct iovec *iov, int n, off_t offset)
{
    size_t left = disk.most, done = 0;
    for (int i = 0; i < n && left; i++) {
        size_t len = iov[i].iov_len < left ? iov[i].iov_len : left;
        if (pwrite(disk.f->fd, iov[i].iov_base, len, offset + (off_t)done) != (ssize_t)len)
            return -EIO;
        done += len;
        left -= len;
    }
    return (long)done;
}

static long disk_call(long nr, const struct iovec *iov, int n, off_t offset)
{
    disk.calls++;
    for (int i = 0; i < 2 && disk.seal_meanwhile; i++)
        spool_seal_filled(&disk.f->s, 1, disk.seal_meanwhile++, LARGE);
    if (disk.interrupts && disk.calls % 2)
        return -EINTR;
    if (disk.calls > disk.fail_after)
        return -disk.error;
    return nr == SYS_pwritev ? disk_write(iov, n, offset) : 0;
}

static void on_disk_call(int sig, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
#if defined(__x86_64__)
    greg_t *r = u->uc_mcontext.gregs;
    r[REG_RAX] = disk_call(info->si_syscall, (const struct iovec *)r[REG_RSI], (int)r[REG_RDX], (off_t)r[REG_R10]);
#elif defined(__aarch64__)
    unsigned long long *r = u->uc_mcontext.regs;
    r[0] = (unsigned long long)disk_call(info->si_syscall, (const struct iovec *)r[1], (int)r[2], (off_t)r[3]);
#endif
}

static bool have_disk;

static int make_disk(void **state)
{
    have_disk =
        filter_syscall(SYS_pwritev, DISK, SECCOMP_RET_TRAP) && filter_syscall(SYS_fallocate, DISK, SECCOMP_RET_TRAP);
    return 0;
}

static struct spool_fixture *use_disk(void **state)
{
    struct sigaction sa = {.sa_sigaction = on_disk_call, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &sa, NULL); /* cmocka sets its own for every test */
    memset(&disk, 0, sizeof disk);
    disk.f = *state;
    disk.most = SIZE_MAX;
    disk.fail_after = INT32_MAX;
    return disk.f;
}

static void a_full_disk_loses_nothing(void **state)
{
    if (!have_disk)
        SKIP("no system call filters here");
    struct spool_fixture *f = use_disk(state);
    char want[1024] = "";
    size_t at = 0;
    disk.error = ENOSPC;
    disk.fail_after = 1;
    for (uint64_t n = 1; n <= 70; n++) {
        spool_seal_filled(&f->s, 1, n, LARGE);
        at += (size_t)sprintf(want + at, "%s1/%llu", n > 1 ? " " : "", (unsigned long long)n);
    }
    assert_int_equal(spool_drain(&f->s, DISK), -ENOSPC);
    assert_int_equal(disk.calls, 2);
    const char *text = spool_log_text(f); /* the first write's worth */
    assert_int_equal(strncmp(text, want, strlen(text)), 0);
    assert_true(strlen(text) > 0 && strlen(text) < strlen(want));
    assert_int_equal(spool_grow(&f->s, DISK), -ENOSPC);
    assert_int_equal(f->s.header->nchunks, SPOOL_EXTENT_CHUNKS);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_string_equal(spool_log_text(f), want);
}

static void short_and_interrupted_writes_go_on(void **state)
{
    if (!have_disk)
        SKIP("no system call filters here");
    struct spool_fixture *f = use_disk(state);
    static const size_t sizes[] = {1000, LARGE, LARGE + 5, 3 * LARGE};
    disk.interrupts = true;
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        disk.most = sizes[i];
        for (uint64_t n = 0; n < 5; n++)
            spool_seal_filled(&f->s, i, n, LARGE);
        assert_int_equal(spool_drain(&f->s, DISK), 0);
    }
    assert_string_equal(spool_log_text(f), "0/0 0/1 0/2 0/3 0/4 1/0 1/1 1/2 1/3 1/4 2/0 2/1 2/2 2/3 2/4 "
                                           "3/0 3/1 3/2 3/3 3/4");
}

static void what_is_sealed_during_a_failing_drain_comes_later(void **state)
{
    if (!have_disk)
        SKIP("no system call filters here");
    struct spool_fixture *f = use_disk(state);
    disk.error = ENOSPC;
    disk.fail_after = 0;
    spool_seal_filled(&f->s, 1, 1, LARGE);
    spool_seal_filled(&f->s, 1, 2, LARGE);
    disk.seal_meanwhile = 3;
    assert_int_equal(spool_drain(&f->s, DISK), -ENOSPC);
    assert_int_equal(spool_drain(&f->s, DISK), -ENOSPC);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_string_equal(spool_log_text(f), "1/1 1/2 1/3 1/4 1/5 1/6");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, spool_set_up, spool_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_full_disk_loses_nothing),
        TEST(short_and_interrupted_writes_go_on),
        TEST(what_is_sealed_during_a_failing_drain_comes_later),
    };
    return cmocka_run_group_tests(tests, make_disk, NULL);
}
