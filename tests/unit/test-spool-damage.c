/* What thrace finish says of files that are no spool, or not any more, and what it still finds in them. */
#include "tests/unit/spool-found.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/random.h"

static void nothing_else_is_taken_for_a_spool(void **state)
{
    struct spool_fixture *f = *state;
    char path[128];
    assert_refused(f->dir, "not a file");
    assert_refused("/dev/null", "not a file");
    snprintf(path, sizeof path, "%s/other", f->dir);
    assert_refused(path, "No such file");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(path, "not a file"); /* at once */
    unlink(path);
    FILE *file = fopen(path, "w");
    for (int i = 0; i < 20000; i++)
        fputs("thr", file);
    fclose(file);
    assert_refused(path, "not a spool");
    assert_int_equal(truncate(path, 5), 0);
    assert_refused(path, "not a spool");
    unlink(path);
}

static void an_empty_spool_says_so(void **state)
{
    struct spool_fixture *f = *state;
    memset(f->s.header->magic, 0, sizeof f->s.header->magic);
    assert_refused(f->path, SPOOL_EMPTY);
    char path[128];
    snprintf(path, sizeof path, "%s/empty", f->dir); /* created, and not a byte further */
    fclose(fopen(path, "w"));
    assert_refused(path, SPOOL_EMPTY);
    unlink(path);
}

static void another_version_is_refused(void **state)
{
    struct spool_fixture *f = *state;
    f->s.header->version++;
    assert_refused(f->path, "another version");
}

static void a_damaged_header_is_refused(void **state)
{
    struct spool_fixture *f = *state;
    struct spool_header *h = f->s.header, good = *h;
    h->max_chunks++;
    assert_refused(f->path, "damaged");
    *h = good;
    h->nchunks = h->max_chunks + 1;
    assert_refused(f->path, "damaged");
    *h = good;
    memset(h->out, 'x', sizeof h->out);
    assert_refused(f->path, "damaged");
    *h = good;
    memset(h->exe, 'x', sizeof h->exe);
    assert_refused(f->path, "damaged");
    *h = good;
    h->clock.shift = 64;
    assert_refused(f->path, "damaged");
    *h = good;
    h->clock.source = 9;
    assert_refused(f->path, "damaged");
    *h = good;
    assert_found(f, "", "");
    h->log_end = UINT64_MAX;
    assert_refused(f->path, "truncated");
}

static void what_comes_before_a_missing_end_is_read(void **state)
{
    struct spool_fixture *f = *state;
    struct spool_file file;
    struct stat st;
    for (uint64_t m = 1; m <= 3; m++)
        spool_seal_filled(&f->s, 1, m, LARGE);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    spool_seal_filled(&f->s, 1, 4, LARGE); /* in the pool: it may rest on what is missing */
    assert_int_equal(fstat(f->fd, &st), 0);
    assert_int_equal(pwrite(f->fd, (char[4]){0}, 4, st.st_size - 4), 4);
    assert_null(open_spool(&file, f->path));
    assert_int_equal(file.missing, 0); /* a loss that the headers do not show */
    assert_int_equal(file.events.n, 4);
    spool_file_close(&file);
    uint64_t third = (f->s.header->log_end - 1) / 3 * 2; /* before it */
    assert_int_equal(ftruncate(f->fd, st.st_size - 4), 0);
    assert_null(open_spool(&file, f->path));
    assert_in_range(file.missing, 4, third);
    assert_in_range(file.events.n, 1, 2); /* the last one may be torn */
    for (size_t i = 0; i < file.events.n; i++)
        assert_int_not_equal(file.events.v[i].time, 4);
    spool_file_close(&file);
    assert_int_equal(ftruncate(f->fd, st.st_size - (off_t)f->s.header->log_end + 8), 0);
    assert_refused(f->path, "damaged"); /* nothing is left */
}

static void a_truncated_file_is_refused_or_shorter(void **state)
{
    struct spool_fixture *f = *state;
    struct spool_file file;
    struct stat st;
    spool_seal_filled(&f->s, 1, 1, LARGE);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_int_equal(fstat(f->fd, &st), 0);
    assert_int_equal(ftruncate(f->fd, st.st_size - (off_t)f->s.header->log_end), 0);
    assert_refused(f->path, "truncated");
    f->s.header->log_end = 0;
    spool_seal_filled(&f->s, 1, 2, LARGE); /* the first chunk of the pool */
    const off_t sizes[] = {SPOOL_HEADER_SIZE + SPOOL_CHUNK_SIZE, SPOOL_HEADER_SIZE + SPOOL_CHUNK_SIZE - 1,
                           SPOOL_HEADER_SIZE, sizeof(struct spool_header), sizeof(struct spool_header) - 1, 8, 1};
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        assert_int_equal(ftruncate(f->fd, sizes[i]), 0);
        const char *said = open_spool(&file, f->path);
        assert_int_equal(!said, sizes[i] >= (off_t)sizeof(struct spool_header));
        if (!said)
            assert_int_equal(file.events.n, i == 0);
        spool_file_close(&file);
    }
}

static void a_damaged_log_is_refused(void **state)
{
    struct spool_fixture *f = *state;
    const off_t log = SPOOL_HEADER_SIZE + (off_t)SPOOL_MAX_CHUNKS * SPOOL_CHUNK_SIZE;
    spool_seal_filled(&f->s, 1, 1, LARGE);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    f->s.header->log_end--; /* its last batch is cut off */
    assert_refused(f->path, "damaged");
    f->s.header->log_end++;
    assert_int_equal(pwrite(f->fd, "\7", 1, log), 1); /* no kind of batch that we write */
    assert_refused(f->path, "damaged");
}

static void chunks_that_lie_are_left_out(void **state)
{
    struct spool_fixture *f = *state;
    struct chunk *a = spool_fill(&f->s, 1, 1, 30), *b = spool_fill(&f->s, 2, 2, 30), *c = spool_fill(&f->s, 3, 3, 30);
    spool_fill(&f->s, 4, 4, 30);
    a->used = CHUNK_CAPACITY + 1;
    b->meta_used = CHUNK_CAPACITY - 29;
    c->used = c->meta_used = UINT32_MAX;
    assert_found(f, "1:4/4", "");
}

/* Whatever was done to the file, it's read or refused. The sanitizers watch. */
static void no_damage_is_fatal(void **state)
{
    struct spool_fixture *f = *state;
    struct random random = random_seed(5);
    const off_t log = SPOOL_HEADER_SIZE + (off_t)SPOOL_MAX_CHUNKS * SPOOL_CHUNK_SIZE;
    int read = 0, refused = 0;
    for (uint64_t n = 0; n < 8; n++)
        spool_seal_filled(&f->s, n, n, n % 2 ? LARGE : SMALL);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    for (int i = 0; i < 3000; i++) {
        static const uint32_t spans[] = {128, CHUNK_HEADER_SIZE, SPOOL_CHUNK_SIZE, 64};
        const off_t starts[] = {0, SPOOL_HEADER_SIZE + (off_t)random_below(&random, 9) * SPOOL_CHUNK_SIZE,
                                SPOOL_HEADER_SIZE + (off_t)random_below(&random, 9) * SPOOL_CHUNK_SIZE, log};
        uint32_t where = random_below(&random, ARRAY_SIZE(starts));
        off_t at = starts[where] + random_below(&random, spans[where]);
        uint8_t old, new = (uint8_t)random_below(&random, 256);
        assert_int_equal(pread(f->fd, &old, 1, at), 1);
        assert_int_equal(pwrite(f->fd, &new, 1, at), 1);
        struct spool_file file;
        *(open_spool(&file, f->path) ? &refused : &read) += 1;
        spool_file_close(&file);
        if (where == 0 || where == 3 || random_below(&random, 4))
            assert_int_equal(pwrite(f->fd, &old, 1, at), 1);
    }
    assert_true(read > 100 && refused > 100);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, spool_set_up, spool_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(nothing_else_is_taken_for_a_spool),
        TEST(an_empty_spool_says_so),
        TEST(another_version_is_refused),
        TEST(a_damaged_header_is_refused),
        TEST(what_comes_before_a_missing_end_is_read),
        TEST(a_truncated_file_is_refused_or_shorter),
        TEST(a_damaged_log_is_refused),
        TEST(chunks_that_lie_are_left_out),
        TEST(no_damage_is_fatal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
