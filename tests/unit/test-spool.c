/* The spool: its file, its pool, and what was sealed comes out whole and in order. */
#include "lib/spool_file.h"
#include "tests/unit/spool-fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- the file ----------------------------------------------------------------------------------------------------- */

static void a_new_spool_says_what_it_is(void **state)
{
    struct spool_fixture *f = *state;
    struct stat st;
    assert_int_equal(stat(f->path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    struct spool_header h;
    assert_int_equal(pread(f->fd, &h, sizeof h, 0), sizeof h);
    assert_memory_equal(h.magic, SPOOL_MAGIC, 8);
    assert_int_equal(h.version, SPOOL_VERSION);
    assert_int_equal(h.nchunks, SPOOL_EXTENT_CHUNKS);
    assert_int_equal(h.state, SPOOL_RECORDING);
    assert_int_equal(h.log_end, 0);
}

static void it_is_no_spool_before_it_is_published(void **state)
{
    static const char none[8];
    struct spool_fixture *f = *state;
    struct spool s;
    char path[128];
    snprintf(path, sizeof path, "%s.other", f->path);
    assert_int_equal(spool_create(&s, path), 0);
    assert_memory_equal(s.header->magic, none, sizeof none);
    spool_publish(&s);
    assert_memory_equal(s.header->magic, SPOOL_MAGIC, 8);
    spool_unmap(&s);
    assert_null(s.header);
    spool_unmap(&s);
    unlink(path);
}

static void nothing_that_exists_is_touched(void **state)
{
    struct spool_fixture *f = *state;
    struct spool s;
    struct stat st;
    char link[128], target[128], missing[128], *longest = malloc(SPOOL_PATH_MAX + 1);
    assert_int_equal(spool_create(&s, f->path), -EEXIST);
    snprintf(link, sizeof link, "%s/link", f->dir);
    snprintf(target, sizeof target, "%s/target", f->dir);
    snprintf(missing, sizeof missing, "%s/no/such", f->dir);
    assert_int_equal(symlink(target, link), 0);
    assert_int_equal(spool_create(&s, link), -EEXIST);
    assert_int_equal(stat(target, &st), -1);
    unlink(link);
    assert_int_equal(spool_create(&s, missing), -ENOENT);
    memset(longest, 'x', SPOOL_PATH_MAX);
    longest[SPOOL_PATH_MAX] = 0;
    assert_int_equal(spool_create(&s, longest), -ENAMETOOLONG);
    free(longest);
}

static void limit_file_size(rlim_t bytes, struct rlimit *old)
{
    struct rlimit now;
    getrlimit(RLIMIT_FSIZE, old);
    now = *old;
    now.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
}

/* The signal that a write beyond the limit raises would end this program. */
static void the_limit_of_file_sizes_is_kept_to(void **state)
{
    struct spool_fixture *f = *state;
    struct rlimit old;
    struct spool s;
    struct stat st;
    char path[128];
    snprintf(path, sizeof path, "%s.other", f->path);
    spool_seal_filled(&f->s, 1, 1, LARGE);
    limit_file_size(1 << 20, &old);
    spool_make_log_room(&f->s, f->fd);
    int created = spool_create(&s, path), grown = spool_grow(&f->s, f->fd), drained = spool_drain(&f->s, f->fd);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(created, -EFBIG);
    assert_int_equal(stat(path, &st), -1);
    assert_int_equal(grown, -EFBIG);
    assert_int_equal(drained, -EFBIG);
    assert_string_equal(spool_log_text(f), "");
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_string_equal(spool_log_text(f), "1/1");
}

/* --- the pool ----------------------------------------------------------------------------------------------------- */

static void every_chunk_has_one_owner(void **state)
{
    struct spool_fixture *f = *state;
    struct chunk *v[SPOOL_EXTENT_CHUNKS];
    for (int round = 0; round < 3; round++) {
        assert_int_equal(spool_take_all(&f->s, v), SPOOL_EXTENT_CHUNKS);
        for (int i = 0; i < SPOOL_EXTENT_CHUNKS; i++) {
            assert_int_equal(v[i]->state, CHUNK_FREE);
            v[i]->state = CHUNK_OPEN;
        }
        for (int i = 0; i < SPOOL_EXTENT_CHUNKS; i++)
            spool_seal(&f->s, v[(i * 37) % SPOOL_EXTENT_CHUNKS]);
    }
    assert_int_equal(f->s.nfree, SPOOL_EXTENT_CHUNKS);
}

static void a_chunk_that_comes_back_is_empty(void **state)
{
    struct spool_fixture *f = *state;
    struct chunk *c = spool_fill(&f->s, 1, 1, LARGE);
    spool_fill_meta(c, 10);
    spool_seal(&f->s, c);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_ptr_equal(spool_take(&f->s), c);
    assert_int_equal(c->used, 0);
    assert_int_equal(c->meta_used, 0);
    assert_int_equal(c->packed, 0);
    assert_int_equal(c->log_pos, 0);
}

static void the_pool_grows_to_its_bound(void **state)
{
    struct spool_fixture *f = *state;
    static struct chunk *v[SPOOL_MAX_CHUNKS];
    assert_false(spool_wants_drain(&f->s));
    assert_int_equal(spool_take_all(&f->s, v), SPOOL_EXTENT_CHUNKS);
    assert_true(spool_wants_drain(&f->s));
    assert_int_equal(spool_grow(&f->s, f->fd), 0);
    assert_int_equal(spool_take_all(&f->s, v), SPOOL_EXTENT_CHUNKS);
    for (int n = 2; n < SPOOL_MAX_CHUNKS / SPOOL_EXTENT_CHUNKS; n++)
        assert_int_equal(spool_grow(&f->s, f->fd), 0);
    assert_int_equal(spool_grow(&f->s, f->fd), -ENOSPC);
    assert_int_equal(f->s.header->nchunks, SPOOL_MAX_CHUNKS);
    assert_int_equal(spool_take_all(&f->s, v), SPOOL_MAX_CHUNKS - 2 * SPOOL_EXTENT_CHUNKS);
    assert_false(v[0] == v[1]);
}

/* --- draining ----------------------------------------------------------------------------------------------------- */

static void what_was_sealed_comes_out_in_order(void **state)
{
    struct spool_fixture *f = *state;
    char want[1024] = "";
    size_t at = 0;
    for (uint64_t n = 0; n < 75; n++) { /* more than one pwritev has room for */
        struct chunk *c = spool_fill(&f->s, n % 3, n, n % 5 ? LARGE : CHUNK_CAPACITY - 20);
        if (n % 4 == 0)
            spool_fill_meta(c, 20);
        spool_seal(&f->s, c);
        at += (size_t)sprintf(want + at, "%s%llu/%llu", n ? " " : "", (unsigned long long)n % 3, (unsigned long long)n);
        if (n % 4 == 0)
            at += (size_t)sprintf(want + at, " %llu/%llu*", (unsigned long long)n % 3, (unsigned long long)n);
    }
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_string_equal(spool_log_text(f), want);
    assert_int_equal(f->s.nfree, SPOOL_EXTENT_CHUNKS);
    uint64_t end = f->s.header->log_end;
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_int_equal(f->s.header->log_end, end);
}

static void what_cannot_be_written_stays(void **state)
{
    struct spool_fixture *f = *state;
    int readonly = open(f->path, O_RDONLY);
    spool_seal_filled(&f->s, 1, 1, LARGE);
    spool_seal_filled(&f->s, 1, 2, LARGE);
    assert_int_equal(spool_drain(&f->s, readonly), -EBADF);
    assert_int_equal(f->s.header->log_end, 0);
    spool_seal_filled(&f->s, 1, 3, LARGE);
    assert_int_equal(spool_drain(&f->s, -1), -EOVERFLOW);
    assert_int_equal(spool_grow(&f->s, readonly), -EBADF);
    close(readonly);
    assert_int_equal(f->s.nfree, SPOOL_EXTENT_CHUNKS - 3);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_string_equal(spool_log_text(f), "1/1 1/2 1/3");
}

static void without_a_descriptor_the_mapping_reaches_the_log(void **state)
{
    enum { ROUNDS = 6, EACH = 100 }; /* more than a window */
    struct spool_fixture *f = *state;
    char wanted[16 << 10];
    size_t at = 0;
    unsigned n = 0;
    spool_make_log_room(&f->s, f->fd);
    for (int i = 0; i < ROUNDS; i++) {
        for (int k = 0; k < EACH; k++) {
            spool_seal_filled(&f->s, 1, ++n, LARGE);
            at += (size_t)snprintf(wanted + at, sizeof wanted - at, "%s1/%u", at ? " " : "", n);
        }
        assert_int_equal(spool_drain(&f->s, i % 3 == 1 ? f->fd : -1), 0);
        assert_int_equal(spool_grow(&f->s, -1), 0);
    }
    assert_non_null(f->s.window);
    spool_close_log(&f->s);
    assert_string_equal(spool_log_text(f), wanted);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, spool_set_up, spool_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_spool_says_what_it_is),
        TEST(it_is_no_spool_before_it_is_published),
        TEST(nothing_that_exists_is_touched),
        TEST(the_limit_of_file_sizes_is_kept_to),
        TEST(every_chunk_has_one_owner),
        TEST(a_chunk_that_comes_back_is_empty),
        TEST(the_pool_grows_to_its_bound),
        TEST(what_was_sealed_comes_out_in_order),
        TEST(what_cannot_be_written_stays),
        TEST(without_a_descriptor_the_mapping_reaches_the_log),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
