/* The log of a flight recorder: whole generations, the newest ones, whatever ends the process at which moment. */
#include "tests/unit/spool-fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include "lib/rawsys.h"
#include "lib/spool_file.h"
#include "lib/wire/varint.h"
#include "tests/unit/filter.h"

enum { CHUNK = LARGE + 8 /* and its header */, SLOTS = 5, RING = SLOTS * CHUNK - 100 };

static const off_t log_offset = SPOOL_HEADER_SIZE + (off_t)SPOOL_MAX_CHUNKS * SPOOL_CHUNK_SIZE;

static int ring_of(void **state, uint64_t size, uint32_t generations)
{
    int err = spool_set_up(state);
    spool_make_ring(&((struct spool_fixture *)*state)->s, size, generations);
    return err;
}

static int set_up(void **state) { return ring_of(state, RING, SPOOL_MARKS); }
static int few_generations(void **state) { return ring_of(state, RING, 3); }

static void seal(struct spool_fixture *f, uint64_t generation, uint64_t n)
{
    struct chunk *c = spool_fill(&f->s, generation, n, LARGE);
    assert_non_null(c);
    c->generation = generation;
    spool_seal(&f->s, c);
}

static int drain(struct spool_fixture *f, uint64_t generation, uint64_t n)
{
    seal(f, generation, n);
    return spool_drain(&f->s, f->fd);
}

/* Reads a log of so many bytes that goes round at size, from the position start on. */
static const char *ring_text(int fd, uint64_t start, uint64_t end, uint64_t size)
{
    static char text[1024];
    static uint8_t log[2 * RING];
    size_t len = end - start, at = 0;
    assert_in_range(len, 0, sizeof log);
    for (size_t i = 0; i < len; i++)
        assert_int_equal(pread(fd, log + i, 1, log_offset + (off_t)((start + i) % size)), 1);
    text[0] = 0;
    for (const uint8_t *p = log; p < log + len;) {
        struct batch_header h;
        struct batch_header_fault fault;
        assert_non_null(p = batch_header_get(p, log + len, &h, &fault));
        assert_int_equal(h.generation, h.thread);
        assert_in_range(h.size, 1, (uintmax_t)(log + len - p));
        for (uint64_t i = 0; i < h.size; i++)
            assert_int_equal(p[i], p[0]);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%llu/%llu", at ? " " : "",
                               (unsigned long long)h.generation, (unsigned long long)h.time);
        p += h.size;
    }
    return text;
}

static const char *whole_ring(const struct spool_fixture *f)
{
    const struct spool_header *h = f->s.header;
    assert_true(h->log_end - h->log_start <= h->ring_size);
    return ring_text(f->fd, h->log_start, h->log_end, h->ring_size);
}

static void trimming_the_file_leaves_the_ring_its_room(void **state)
{
    struct spool_fixture *f = *state;
    struct stat st;
    spool_make_log_room(&f->s, f->fd);
    spool_trim(&f->s, f->fd);
    assert_int_equal(fstat(f->fd, &st), 0);
    assert_int_equal(st.st_size, log_offset + RING);
}

static void the_oldest_generations_make_room(void **state)
{
    struct spool_fixture *f = *state;
    static const char *const want[] = {"1/1", "1/1 2/2", "1/1 2/2 3/3", "1/1 2/2 3/3 4/4", "2/2 3/3 4/4 5/5",
                                       "3/3 4/4 5/5 6/6", "4/4 5/5 6/6 7/7"};
    for (uint64_t g = 1; g <= 7; g++) {
        assert_int_equal(drain(f, g, g), 0);
        assert_string_equal(whole_ring(f), want[g - 1]);
        assert_int_equal(f->s.header->first_generation, g > 4 ? g - 3 : 0);
        assert_int_equal(spool_newest_bytes(&f->s), f->s.header->log_end - f->s.marks[f->s.nmarks - 1].pos);
        assert_in_range(spool_newest_bytes(&f->s), LARGE, CHUNK);
    }
    assert_int_equal(f->s.nfree, SPOOL_EXTENT_CHUNKS);
}

/* Of any size, so that every kind of piece ends before, at and behind the ring's end by a byte. */
static void it_is_full_to_the_last_byte(void **state)
{
    enum { ENTRY = LARGE + 6 /* its header */ };
    for (uint64_t size = 4 * ENTRY - 9; size <= 4 * ENTRY + 9; size++) {
        void *inner;
        struct stat st;
        assert_int_equal(ring_of(&inner, size, SPOOL_MARKS), 0);
        struct spool_fixture *f = inner;
        for (uint64_t g = 1; g <= 12; g++) {
            char want[64] = "";
            uint64_t first = g < size / ENTRY ? 1 : g - size / ENTRY + 1;
            for (uint64_t n = first; n <= g; n++)
                sprintf(want + strlen(want), "%s%llu/%llu", n > first ? " " : "", (unsigned long long)n,
                        (unsigned long long)n);
            assert_int_equal(drain(f, g, g), 0);
            assert_string_equal(whole_ring(f), want);
        }
        assert_int_equal(fstat(f->fd, &st), 0);
        assert_int_equal(st.st_size, log_offset + (off_t)size); /* never beyond its end */
        spool_tear_down(&inner);
    }
}

/* Its pieces go out in one write each, cut where the ring ends: wherever that is. */
static void it_goes_round_at_any_byte(void **state)
{
    struct spool_fixture *f = *state;
    for (uint64_t g = 1; g <= 60; g++) {
        char want[64] = "";
        for (uint64_t n = 1; n <= 3; n++) {
            struct chunk *c = spool_fill(&f->s, g, n, LARGE / 2 + (uint32_t)(g * 37 + n) % 200);
            c->generation = g;
            spool_seal(&f->s, c);
        }
        assert_int_equal(spool_drain(&f->s, f->fd), 0);
        sprintf(want, "%llu/1 %llu/2 %llu/3", (unsigned long long)g, (unsigned long long)g, (unsigned long long)g);
        const char *text = whole_ring(f);
        assert_true(strlen(text) >= strlen(want));
        assert_string_equal(text + strlen(text) - strlen(want), want);
        assert_int_equal(strncmp(strchr(text, '/'), "/1 ", 3), 0); /* from the beginning of a generation */
    }
}

static void the_newest_generation_is_never_forgotten(void **state)
{
    struct spool_fixture *f = *state;
    assert_int_equal(drain(f, 1, 1), 0);
    for (uint64_t n = 1; n <= 4; n++)
        assert_int_equal(drain(f, 2, n), 0);
    assert_string_equal(whole_ring(f), "2/1 2/2 2/3 2/4");
    assert_int_equal(drain(f, 2, 5), -ENOBUFS);
    assert_string_equal(whole_ring(f), "2/1 2/2 2/3 2/4");
    assert_int_equal(f->s.nfree, SPOOL_EXTENT_CHUNKS - 1); /* what found no room stays in the pool … */
    assert_int_equal(drain(f, 3, 6), -ENOBUFS);            /* … and comes first */
    assert_int_equal(f->s.header->first_generation, 2);
}

static void what_outgrew_the_ring_makes_room_for_the_next(void **state)
{
    struct spool_fixture *f = *state;
    assert_int_equal(drain(f, 1, 1), 0);
    for (uint64_t n = 1; n <= 4; n++)
        assert_int_equal(drain(f, 2, n), 0);
    assert_int_equal(drain(f, 2, 5), -ENOBUFS);
    assert_int_equal(spool_newest_generation(&f->s), 2);
    seal(f, 2, 6);
    seal(f, 3, 1);
    spool_abandon_newest(&f->s);
    assert_string_equal(whole_ring(f), "");
    assert_int_equal(f->s.header->first_generation, 3);
    assert_int_equal(spool_newest_bytes(&f->s), 0);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_string_equal(whole_ring(f), "3/1");
    assert_int_equal(drain(f, 2, 7), 0); /* what comes late */
    assert_string_equal(whole_ring(f), "3/1");
    assert_int_equal(f->s.nfree, SPOOL_EXTENT_CHUNKS);
    assert_int_equal(drain(f, 3, 2), 0);
    assert_int_equal(drain(f, 4, 1), 0);
    assert_string_equal(whole_ring(f), "3/1 3/2 4/1");
    assert_int_equal(f->s.header->first_generation, 3);
}

static void no_more_generations_than_asked_are_kept(void **state)
{
    struct spool_fixture *f = *state;
    for (uint64_t g = 1; g <= 5; g++)
        assert_int_equal(drain(f, g, g), 0);
    assert_string_equal(whole_ring(f), "3/3 4/4 5/5");
    assert_int_equal(f->s.nmarks, 3);
}

/* A generation is older than the window once the one behind it began before that. */
static void what_is_older_than_the_window_goes(void **state)
{
    struct spool_fixture *f = *state;
    for (uint64_t g = 1; g <= 4; g++)
        assert_int_equal(drain(f, g, g), 0);
    for (uint32_t i = 0; i < 4; i++)
        f->s.marks[i].mono_ns = 1000 * (i + 1);
    spool_forget(&f->s, 2000);
    assert_string_equal(whole_ring(f), "1/1 2/2 3/3 4/4");
    spool_forget(&f->s, 2001);
    assert_string_equal(whole_ring(f), "2/2 3/3 4/4");
    spool_forget(&f->s, UINT64_MAX);
    assert_string_equal(whole_ring(f), "3/3 4/4"); /* one whole one, and the one that is being written */
    assert_int_equal(f->s.header->first_generation, 3);
}

static void late_chunks_of_an_older_generation_belong_to_the_newest(void **state)
{
    struct spool_fixture *f = *state;
    seal(f, 1, 1);
    seal(f, 2, 2);
    seal(f, 1, 3);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_string_equal(whole_ring(f), "1/1 2/2 1/3");
    assert_int_equal(f->s.nmarks, 2);
    assert_int_equal(drain(f, 1, 4), 0);
    assert_int_equal(f->s.nmarks, 2);
    assert_int_equal(drain(f, 3, 5), 0); /* 1 goes, and its latecomers stay with 2 */
    assert_string_equal(whole_ring(f), "2/2 1/3 1/4 3/5");
}

/* --- kills -------------------------------------------------------------------------------------------------------- */

enum { DISK = 701 };

static struct {
    struct spool_fixture *f;
    int writes;
    char before[64]; /* of the ring, as whoever finds the file at that moment reads it */
} killed;

/* No byte of what the header says is there may have been written over, now or by the write to come. */
static void on_ring_write(int sig, siginfo_t *info, void *context)
{
    ucontext_t *u = context;
#if defined(__x86_64__)
    greg_t *r = u->uc_mcontext.gregs;
    const struct iovec *iov = (const struct iovec *)r[REG_RSI];
    int n = (int)r[REG_RDX];
    off_t offset = (off_t)r[REG_R10];
    greg_t *result = &r[REG_RAX];
#elif defined(__aarch64__)
    unsigned long long *r = u->uc_mcontext.regs, *result = &r[0];
    const struct iovec *iov = (const struct iovec *)r[1];
    int n = (int)r[2];
    off_t offset = (off_t)r[3];
#endif
    struct spool_fixture *f = killed.f;
    ssize_t done = pwritev(f->fd, iov, n, offset);
    snprintf(killed.before, sizeof killed.before, "%s", whole_ring(f));
    killed.writes++;
    *result = done;
}

static bool have_disk;

static int make_disk(void **state)
{
    have_disk = filter_syscall(SYS_pwritev, DISK, SECCOMP_RET_TRAP);
    return 0;
}

static void a_kill_finds_whole_generations(void **state)
{
    if (!have_disk)
        SKIP("no system call filters here");
    struct sigaction sa = {.sa_sigaction = on_ring_write, .sa_flags = SA_SIGINFO};
    struct spool_fixture *f = *state;
    sigaction(SIGSYS, &sa, NULL);
    killed.f = f;
    static const char *const want[] = {"", "1/1", "1/1 2/2", "1/1 2/2 3/3", "2/2 3/3 4/4", "3/3 4/4 5/5", "4/4 5/5 6/6"};
    for (uint64_t g = 1; g <= 7; g++) {
        seal(f, g, g);
        killed.writes = 0;
        assert_int_equal(spool_drain(&f->s, DISK), 0);
        assert_string_equal(killed.before, want[g - 1]);
        assert_true(killed.writes > 0);
    }
}

/* --- snapshots ---------------------------------------------------------------------------------------------------- */

static void a_snapshot_is_a_spool_of_its_own(void **state)
{
    struct spool_fixture *f = *state;
    char path[128];
    struct stat st;
    struct spool_header h;
    snprintf(path, sizeof path, "%s.copy", f->path);
    for (uint64_t g = 1; g <= 7; g++)
        assert_int_equal(drain(f, g, g), 0);
    mode_t mask = umask(0);
    assert_int_equal(spool_copy_ring(&f->s, f->fd, 7, path, "/the/trace"), 0);
    umask(mask);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600); /* whoever reads it reads the program's stacks */
    int fd = open(path, O_RDONLY);
    assert_int_equal(pread(fd, &h, sizeof h, 0), sizeof h);
    assert_memory_equal(h.magic, SPOOL_MAGIC, sizeof h.magic);
    assert_int_equal(h.state, SPOOL_COMPLETE);
    assert_int_equal(h.nchunks, 0);
    assert_int_equal(h.ring_size, 0);
    assert_int_equal(h.log_start, 0);
    assert_int_equal(h.first_generation, 4);
    assert_string_equal(h.out, "/the/trace");
    assert_string_equal(ring_text(fd, 0, h.log_end, UINT64_MAX), "4/4 5/5 6/6"); /* before the open one */
    close(fd);
    assert_int_equal(spool_copy_ring(&f->s, f->fd, 7, path, "/the/trace"), -EEXIST);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(spool_copy_ring(&f->s, f->fd, 8, path, "/the/trace"), 0);
    fd = open(path, O_RDONLY);
    assert_int_equal(pread(fd, &h, sizeof h, 0), sizeof h);
    assert_string_equal(ring_text(fd, 0, h.log_end, UINT64_MAX), "4/4 5/5 6/6 7/7");
    close(fd);
    unlink(path);
    assert_int_equal(f->s.header->state, SPOOL_RECORDING); /* the recording goes on */
    assert_string_equal(whole_ring(f), "4/4 5/5 6/6 7/7");
}

static void a_snapshot_that_fails_leaves_nothing(void **state)
{
    struct spool_fixture *f = *state;
    char path[128];
    struct stat st;
    struct rlimit old, now;
    snprintf(path, sizeof path, "%s.copy", f->path);
    assert_int_equal(drain(f, 1, 1), 0);
    assert_int_equal(spool_copy_ring(&f->s, f->fd, 1, path, ""), -ENOBUFS); /* nothing before it */
    assert_int_equal(stat(path, &st), -1);
    assert_int_equal(drain(f, 2, 2), 0);
    assert_int_equal(spool_copy_ring(&f->s, -1, 2, path, ""), -EBADF);
    assert_int_equal(stat(path, &st), -1);
    getrlimit(RLIMIT_FSIZE, &old);
    now = old;
    now.rlim_cur = (rlim_t)log_offset + 100;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
    int copied = spool_copy_ring(&f->s, f->fd, 2, path, ""), drained = drain(f, 3, 3);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(copied, -EFBIG);
    assert_int_equal(stat(path, &st), -1);
    assert_int_equal(drained, -EFBIG);
    assert_string_equal(whole_ring(f), "1/1 2/2");
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_string_equal(whole_ring(f), "1/1 2/2 3/3");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, spool_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(trimming_the_file_leaves_the_ring_its_room),
        TEST(the_oldest_generations_make_room),
        TEST(it_is_full_to_the_last_byte),
        TEST(it_goes_round_at_any_byte),
        TEST(the_newest_generation_is_never_forgotten),
        TEST(what_outgrew_the_ring_makes_room_for_the_next),
        cmocka_unit_test_setup_teardown(no_more_generations_than_asked_are_kept, few_generations, spool_tear_down),
        TEST(what_is_older_than_the_window_goes),
        TEST(late_chunks_of_an_older_generation_belong_to_the_newest),
        TEST(a_kill_finds_whole_generations),
        TEST(a_snapshot_is_a_spool_of_its_own),
        TEST(a_snapshot_that_fails_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make_disk, NULL);
}
