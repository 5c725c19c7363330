/* The spool's lists and its file from within: what a reader finds after a kill, and what must not be shared. */
#include "tests/unit/spool-fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define CAN_STEP 1
#else
#define CAN_STEP 0
#endif

/* --- a list that came back (ABA) ---------------------------------------------------------------------------------- */

static struct {
    struct spool *s;
    size_t at; /* instructions to go */
    struct chunk *kept;
} handler;

/* Between two instructions of a pop: the first chunk goes and comes back, the second one goes and stays. */
static void on_step(int sig, siginfo_t *info, void *context)
{
    if (!handler.at || --handler.at)
        return;
#if CAN_STEP
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100;
#endif
    struct chunk *first = spool_take(handler.s);
    handler.kept = spool_take(handler.s);
    spool_seal(handler.s, first);
}

static struct chunk *take_and_be_interrupted(struct spool *s)
{
#if CAN_STEP
    __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
#endif
    struct chunk *c = spool_take(s);
#if CAN_STEP
    __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
#endif
    return c;
}

static void a_list_that_came_back_is_another_one(void **state)
{
    if (!CAN_STEP)
        SKIP("optional: cannot step through instructions here");
    struct spool_fixture *f = *state;
    struct sigaction sa = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &sa, NULL);
    handler.s = &f->s;
    enum { POOL = 4 };
    struct chunk *all[SPOOL_EXTENT_CHUNKS], *v[POOL];
    for (int i = 0; i < SPOOL_EXTENT_CHUNKS; i++)
        assert_non_null(all[i] = spool_take(&f->s));
    for (size_t at = 1;; at++) {
        for (int i = 0; i < POOL; i++)
            spool_seal(&f->s, all[i]);
        handler.at = at;
        handler.kept = NULL;
        int n = 0;
        v[n++] = take_and_be_interrupted(&f->s);
        if (handler.kept)
            v[n++] = handler.kept;
        while (n < POOL && (v[n] = spool_take(&f->s)))
            n++;
        assert_int_equal(n, POOL);
        assert_null(spool_take(&f->s));
        for (int i = 0; i < POOL; i++)
            for (int j = 0; j < i; j++)
                assert_ptr_not_equal(v[i], v[j]);
        if (handler.at)
            break;
    }
    signal(SIGTRAP, SIG_DFL);
}

/* --- what a reader finds after a kill ----------------------------------------------------------------------------- */

static void a_sealed_chunk_says_so_and_when(void **state)
{
    struct spool_fixture *f = *state;
    struct chunk *c[3];
    for (uint64_t n = 0; n < 3; n++) {
        c[n] = spool_fill(&f->s, 1, n, LARGE);
        spool_seal(&f->s, c[n]);
        assert_int_equal(c[n]->state, CHUNK_FULL);
        assert_int_equal(c[n]->sealed, n + 1);
    }
    assert_int_equal(f->s.header->seal_count, 3);
}

/* It is in the log if and only if log_end is above log_pos. */
static void a_chunk_knows_where_in_the_log_it_is(void **state)
{
    struct spool_fixture *f = *state;
    struct chunk *c[2] = {spool_fill(&f->s, 1, 1, LARGE), spool_fill(&f->s, 1, 2, LARGE)};
    assert_int_equal(c[0]->log_pos, 0);
    spool_seal(&f->s, c[0]);
    spool_seal(&f->s, c[1]);
    int readonly = open(f->path, O_RDONLY);
    assert_int_equal(spool_drain(&f->s, readonly), -EBADF);
    close(readonly);
    assert_int_equal(c[0]->log_pos, 1); /* it was to go there, and log_end says that it did not */
    assert_int_equal(f->s.header->log_end, 0);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_int_equal(c[0]->log_pos, 1);
    assert_in_range(c[1]->log_pos, 1 + LARGE, f->s.header->log_end - LARGE);
}

static void a_chunk_of_records_alone_is_kept(void **state)
{
    struct spool_fixture *f = *state;
    static const uint32_t sizes[] = {10, LARGE};
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        struct chunk *c = spool_fill(&f->s, 1, i, 0);
        spool_fill_meta(c, sizes[i]);
        spool_seal(&f->s, c);
        spool_seal_packed(&f->s);
        assert_int_equal(spool_drain(&f->s, f->fd), 0);
    }
    assert_string_equal(spool_log_text(f), "1/0* 1/1*");
}

/* Until it is full to the last byte, and no further. */
static void a_shared_chunk_is_filled_to_its_end(void **state)
{
    struct spool_fixture *f = *state;
    for (uint64_t n = 0; n < 100; n++) {
        struct chunk *c = spool_fill(&f->s, 1, n, CHUNK_CAPACITY / 4 - BATCH_HEADER_MAX);
        memset((uint8_t *)c + SPOOL_CHUNK_SIZE - 32, 0x5a, 32);
        spool_seal(&f->s, c);
        assert_in_range(f->s.packing->used, 1, CHUNK_CAPACITY);
    }
    spool_seal_packed(&f->s);
    assert_null(f->s.packing);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    static struct log_batch v[100];
    assert_int_equal(spool_read_log(f, v, 100), 100);
}

/* What would end in the last bytes behind a chunk's own goes to the next one, with headers as long as they can be. */
static void a_shared_chunk_is_not_filled_beyond_its_end(void **state)
{
    struct spool_fixture *f = *state;
    for (uint32_t beyond = 1; beyond <= CHUNK_HEADER_SIZE; beyond += 7) {
        for (int i = 0; i < 4; i++)
            spool_seal_filled(&f->s, UINT64_MAX, UINT64_MAX, i ? CHUNK_CAPACITY / 4 - BATCH_HEADER_MAX : 2 * SMALL);
        uint32_t left = CHUNK_CAPACITY - f->s.packing->used;
        assert_in_range(left, BATCH_HEADER_MAX + SMALL, CHUNK_CAPACITY / 4 - CHUNK_HEADER_SIZE);
        spool_seal_filled(&f->s, UINT64_MAX, UINT64_MAX, left - BATCH_HEADER_MAX + beyond);
        assert_in_range(f->s.packing->used, 1, CHUNK_CAPACITY);
        spool_seal_packed(&f->s);
    }
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static void the_pool_has_a_bound_of_its_own(void **state)
{
    struct spool_fixture *f = *state;
    spool_bound_pool(&f->s, (2 * SPOOL_EXTENT_CHUNKS + 5) * SPOOL_CHUNK_SIZE);
    assert_int_equal(spool_grow(&f->s, f->fd), 0);
    assert_int_equal(spool_grow(&f->s, f->fd), -ENOSPC);
    assert_int_equal(f->s.header->nchunks, 2 * SPOOL_EXTENT_CHUNKS);
}

static void who_wants_many_chunks_at_once_has_the_pool_grow(void **state)
{
    struct spool_fixture *f = *state;
    assert_false(spool_wants_drain(&f->s));
    f->s.wanted = SPOOL_EXTENT_CHUNKS + 1;
    assert_true(spool_wants_drain(&f->s));
    assert_int_equal(spool_grow(&f->s, f->fd), 0);
    assert_false(spool_wants_drain(&f->s));
}

/* Of a pool that may have 256 chunks, 96 out are no crowd. */
static void many_that_are_out_are_a_crowd(void **state)
{
    struct spool_fixture *f = *state;
    spool_bound_pool(&f->s, 2 * SPOOL_EXTENT_CHUNKS * SPOOL_CHUNK_SIZE);
    for (int i = 0; i < 96; i++)
        assert_non_null(spool_take(&f->s));
    assert_false(spool_is_crowded(&f->s));
    assert_non_null(spool_take(&f->s));
    assert_true(spool_is_crowded(&f->s));
}

/* Of 128 chunks the last 32, and the last eight. */
static void the_end_of_the_pool_is_low_then_short(void **state)
{
    struct spool_fixture *f = *state;
    for (int i = 0; i < 96; i++)
        assert_non_null(spool_take(&f->s));
    assert_false(spool_is_low(&f->s));
    for (int i = 96; i < 120; i++) {
        assert_non_null(spool_take(&f->s));
        assert_true(spool_is_low(&f->s));
    }
    assert_false(spool_is_short(&f->s));
    assert_non_null(spool_take(&f->s));
    assert_true(spool_is_short(&f->s));
}

/* A store to a page that the disk has no room for would end the program. */
static void what_is_mapped_has_its_place_on_the_disk(void **state)
{
    struct spool_fixture *f = *state;
    for (uint64_t extents = 1; extents <= 3; extents++) {
        struct stat st;
        assert_int_equal(fstat(f->fd, &st), 0);
        assert_true((uint64_t)st.st_blocks * 512 >= extents * SPOOL_EXTENT_CHUNKS * SPOOL_CHUNK_SIZE);
        assert_int_equal(spool_grow(&f->s, f->fd), 0);
    }
}

static void a_link_in_its_place_is_not_opened(void **state)
{
    struct spool_fixture *f = *state;
    char moved[128];
    snprintf(moved, sizeof moved, "%s/moved", f->dir);
    assert_int_equal(rename(f->path, moved), 0);
    assert_int_equal(spool_open(&f->s), -ENOENT);
    assert_int_equal(symlink(moved, f->path), 0);
    assert_int_equal(spool_open(&f->s), -ELOOP);
    assert_int_equal(unlink(f->path), 0);
    assert_int_equal(rename(moved, f->path), 0);
}

/* "dc" in the flags of the mapping: a child of fork does not have it, and cannot write to its parent's recording. */
static void no_child_inherits_the_mapping(void **state)
{
    struct spool_fixture *f = *state;
    for (int detached = 0; detached < 2; detached++) {
        unsigned long start, end;
        bool inside = false, checked = false;
        char line[512];
        FILE *maps = fopen("/proc/self/smaps", "r");
        if (!maps)
            SKIP("no /proc/self/smaps here");
        while (fgets(line, sizeof line, maps)) {
            if (sscanf(line, "%lx-%lx ", &start, &end) == 2)
                inside = (uintptr_t)f->s.header >= start && (uintptr_t)f->s.header < end;
            if (inside && !strncmp(line, "VmFlags:", 8)) {
                assert_non_null(strstr(line, " dc"));
                checked = true;
            }
        }
        fclose(maps);
        assert_true(checked);
        spool_detach(&f->s, SPOOL_COMPLETE); /* nor what takes its place */
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, spool_set_up, spool_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_list_that_came_back_is_another_one),
        TEST(a_sealed_chunk_says_so_and_when),
        TEST(a_chunk_knows_where_in_the_log_it_is),
        TEST(a_chunk_of_records_alone_is_kept),
        TEST(a_shared_chunk_is_filled_to_its_end),
        TEST(a_shared_chunk_is_not_filled_beyond_its_end),
        TEST(the_pool_has_a_bound_of_its_own),
        TEST(who_wants_many_chunks_at_once_has_the_pool_grow),
        TEST(many_that_are_out_are_a_crowd),
        TEST(the_end_of_the_pool_is_low_then_short),
        TEST(what_is_mapped_has_its_place_on_the_disk),
        TEST(a_link_in_its_place_is_not_opened),
        TEST(no_child_inherits_the_mapping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
