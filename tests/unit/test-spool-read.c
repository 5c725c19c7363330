/*
 * What thrace finish finds in a spool: everything that was committed, in order; and what it says of files that are not
 * spools.
 */
#include "tests/unit/spool-fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/finish/process_life.h"
#include "cmd/finish/spool_claim.h"
#include "cmd/finish/spool_read.h"
#include "lib/meta.h"
#include "tests/unit/random.h"

/* As those who finish spools do. */
static const char *open_spool(struct spool_file *f, const char *path)
{
    struct spool_claim c;
    memset(f, 0, sizeof *f);
    const char *err = spool_claim_open(&c, path, false);
    if (!err)
        err = spool_file_open(f, c.fd);
    spool_claim_end(&c, path, false);
    return err;
}

/* The batches as "generation:m/time" in the order in which they are found. */
static const char *text(const struct spool_batches *b)
{
    static char buf[16 << 10];
    size_t at = 0;
    buf[0] = 0;
    for (size_t i = 0; i < b->n; i++)
        at += (size_t)snprintf(buf + at, sizeof buf - at, "%s%llu:%llu/%llu", i ? " " : "",
                               (unsigned long long)b->v[i].generation, (unsigned long long)b->v[i].m,
                               (unsigned long long)b->v[i].time);
    return buf;
}

static void assert_found(const struct spool_fixture *f, const char *events, const char *meta)
{
    struct spool_file file;
    assert_null(open_spool(&file, f->path));
    assert_string_equal(text(&file.events), events);
    assert_string_equal(text(&file.meta), meta);
    spool_file_close(&file);
}

static void assert_refused(const char *path, const char *why)
{
    struct spool_file file;
    const char *said = open_spool(&file, path);
    assert_non_null(said);
    if (!strstr(said, why))
        fail_msg("said \"%s\", not \"%s\"", said, why);
    assert_null(file.map);
}

static void an_empty_spool_has_nothing(void **state) { assert_found(*state, "", ""); }

static void log_and_pool_are_found_in_order(void **state)
{
    struct spool_fixture *f = *state;
    struct chunk *c;
    for (uint64_t n = 1; n <= 3; n++) {
        c = spool_fill(&f->s, 7, n, LARGE);
        spool_fill_meta(c, 9);
        spool_seal(&f->s, c);
    }
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    spool_seal_filled(&f->s, 7, 4, LARGE); /* full, not drained */
    spool_seal_filled(&f->s, 8, 4, LARGE);
    c = spool_fill(&f->s, 7, 5, 20); /* open */
    spool_fill_meta(c, 5);
    spool_fill(&f->s, 9, 6, 0); /* open, and nothing in it */
    assert_found(f, "1:7/1 1:7/2 1:7/3 1:7/4 1:8/4 1:7/5", "1:7/1 1:7/2 1:7/3 1:7/5");
}

static void the_contents_are_what_was_written(void **state)
{
    struct spool_fixture *f = *state;
    struct spool_file file;
    struct chunk *c = spool_fill(&f->s, 7, 1, 0);
    memcpy(c->data, "abc", 3);
    c->used = 3;
    chunk_meta_append(c, (const uint8_t *)"one", 3);
    chunk_meta_append(c, (const uint8_t *)"two.", 4);
    assert_null(open_spool(&file, f->path));
    assert_int_equal(file.events.n, 1);
    assert_int_equal(file.events.v[0].size, 3);
    assert_memory_equal(file.events.v[0].data, "abc", 3);
    assert_int_equal(file.meta.n, 1);
    assert_int_equal(file.meta.v[0].size, 7);
    assert_memory_equal(file.meta.v[0].data, "two.one", 7);
    spool_file_close(&file);
}

static void generations_are_kept_apart(void **state)
{
    struct spool_fixture *f = *state;
    for (uint64_t n = 1; n <= 6; n++) {
        struct chunk *c = spool_fill(&f->s, n, 10 - n, n % 2 ? LARGE : SMALL);
        c->generation = 1 + n / 3;
        spool_seal(&f->s, c);
        if (n == 4)
            assert_int_equal(spool_drain(&f->s, f->fd), 0);
    }
    assert_found(f, "1:2/8 1:1/9 2:5/5 2:4/6 2:3/7 3:6/4", "");
}

/* Two chunks of a thread may begin at the same time: then it's the order of filling that counts. */
static void order_does_not_hang_on_the_time(void **state)
{
    struct spool_fixture *f = *state;
    struct spool_file file;
    for (uint8_t n = 0; n < 10; n++) {
        struct chunk *c = spool_fill(&f->s, 7, 5, LARGE);
        c->data[0] = n;
        spool_seal(&f->s, c);
        if (n == 4)
            assert_int_equal(spool_drain(&f->s, f->fd), 0);
    }
    spool_fill(&f->s, 7, 5, SMALL)->data[0] = 10;
    assert_null(open_spool(&file, f->path));
    assert_int_equal(file.events.n, 11);
    for (uint8_t n = 0; n < 11; n++)
        assert_int_equal(file.events.v[n].data[0], n);
    spool_file_close(&file);
}

static void shared_chunks_are_taken_apart(void **state)
{
    struct spool_fixture *f = *state;
    for (uint64_t n = 1; n <= 3; n++)
        spool_seal_filled(&f->s, n, n, SMALL); /* in a shared chunk that stays open */
    assert_found(f, "1:1/1 1:2/2 1:3/3", "");
    spool_seal_packed(&f->s);
    assert_found(f, "1:1/1 1:2/2 1:3/3", "");
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_found(f, "1:1/1 1:2/2 1:3/3", "");
}

/* --- after a kill ------------------------------------------------------------------------------------------------- */

static void killed_between_packing_and_freeing(void **state)
{
    struct spool_fixture *f = *state;
    struct chunk *c = spool_fill(&f->s, 3, 3, SMALL);
    spool_fill_meta(c, 9);
    uint32_t used = c->used, meta = c->meta_used;
    spool_seal(&f->s, c);
    c->state = CHUNK_OPEN;
    c->used = used;
    c->meta_used = meta;
    assert_found(f, "1:3/3", "1:3/3");
    c->data[0]++; /* of the same time, but another one */
    assert_found(f, "1:3/3 1:3/3", "1:3/3");
}

static void killed_before_the_log_was_extended(void **state)
{
    struct spool_fixture *f = *state;
    spool_seal_filled(&f->s, 1, 1, LARGE);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    uint64_t end = f->s.header->log_end;
    struct chunk *c = spool_fill(&f->s, 1, 2, LARGE);
    spool_seal(&f->s, c);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    c->state = CHUNK_FULL; /* the bytes are in the log, but the log doesn't say so yet */
    f->s.header->log_end = end;
    assert_found(f, "1:1/1 1:1/2", "");
}

static void killed_after_the_log_was_extended(void **state)
{
    struct spool_fixture *f = *state;
    struct chunk *c = spool_fill(&f->s, 1, 2, LARGE);
    spool_seal(&f->s, c);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    c->state = CHUNK_FULL; /* in the log, but not in the free list yet */
    assert_found(f, "1:1/2", "");
}

/* What a flight recorder has forgotten may still lie in the pool. */
static void generations_before_the_first_are_gone(void **state)
{
    struct spool_fixture *f = *state;
    for (uint64_t n = 1; n <= 3; n++) {
        struct chunk *c = spool_fill(&f->s, 7, n, LARGE);
        c->generation = n;
        spool_fill_meta(c, 9);
        spool_seal(&f->s, c);
    }
    assert_found(f, "1:7/1 2:7/2 3:7/3", "1:7/1 2:7/2 3:7/3");
    f->s.header->first_generation = 2;
    assert_found(f, "2:7/2 3:7/3", "2:7/2 3:7/3");
}

static void what_is_not_committed_is_not_there(void **state)
{
    struct spool_fixture *f = *state;
    struct spool_file file;
    struct chunk *c = spool_fill(&f->s, 1, 1, 30);
    memset(c->data + 30, 0xff, 100);
    assert_null(open_spool(&file, f->path));
    assert_int_equal(file.events.v[0].size, 30);
    spool_file_close(&file);
}

/* --- what is no spool, or not any more ---------------------------------------------------------------------------- */

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

/* --- whose it is -------------------------------------------------------------------------------------------------- */

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
        TEST(an_empty_spool_has_nothing),
        TEST(log_and_pool_are_found_in_order),
        TEST(the_contents_are_what_was_written),
        TEST(generations_are_kept_apart),
        TEST(order_does_not_hang_on_the_time),
        TEST(shared_chunks_are_taken_apart),
        TEST(killed_between_packing_and_freeing),
        TEST(killed_before_the_log_was_extended),
        TEST(killed_after_the_log_was_extended),
        TEST(generations_before_the_first_are_gone),
        TEST(what_is_not_committed_is_not_there),
        TEST(nothing_else_is_taken_for_a_spool),
        TEST(an_empty_spool_says_so),
        TEST(another_version_is_refused),
        TEST(a_damaged_header_is_refused),
        TEST(what_comes_before_a_missing_end_is_read),
        TEST(a_truncated_file_is_refused_or_shorter),
        TEST(a_damaged_log_is_refused),
        TEST(chunks_that_lie_are_left_out),
        TEST(no_damage_is_fatal),
        TEST(the_owner_is_told_from_a_process_with_its_pid),
        TEST(a_pid_counts_in_its_namespace_and_its_boot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
