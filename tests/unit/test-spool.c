/* The spool: chunks go round, and sealed ones come out whole and in order, whatever the disk does. */
#include "lib/spool_file.h"
#include "tests/unit/spool-fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include "lib/wire/events.h"
#include "tests/unit/filter.h"

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

static uint32_t take_all(struct spool *s, struct chunk **v)
{
    uint32_t n = 0;
    for (struct chunk *c; (c = spool_take(s)); n++) {
        assert_in_range((uintptr_t)c, (uintptr_t)s->chunks,
                        (uintptr_t)s->chunks + ((uintptr_t)s->header->nchunks - 1) * SPOOL_CHUNK_SIZE);
        v[n] = c;
    }
    return n;
}

static void every_chunk_has_one_owner(void **state)
{
    struct spool_fixture *f = *state;
    struct chunk *v[SPOOL_EXTENT_CHUNKS];
    for (int round = 0; round < 3; round++) {
        assert_int_equal(take_all(&f->s, v), SPOOL_EXTENT_CHUNKS);
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
    assert_int_equal(take_all(&f->s, v), SPOOL_EXTENT_CHUNKS);
    assert_true(spool_wants_drain(&f->s));
    assert_int_equal(spool_grow(&f->s, f->fd), 0);
    assert_int_equal(take_all(&f->s, v), SPOOL_EXTENT_CHUNKS);
    for (int n = 2; n < SPOOL_MAX_CHUNKS / SPOOL_EXTENT_CHUNKS; n++)
        assert_int_equal(spool_grow(&f->s, f->fd), 0);
    assert_int_equal(spool_grow(&f->s, f->fd), -ENOSPC);
    assert_int_equal(f->s.header->nchunks, SPOOL_MAX_CHUNKS);
    assert_int_equal(take_all(&f->s, v), SPOOL_MAX_CHUNKS - 2 * SPOOL_EXTENT_CHUNKS);
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

/* --- a disk that does what we say --------------------------------------------------------------------------------- */

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

/* --- packing ------------------------------------------------------------------------------------------------------ */

static void small_chunks_share_one(void **state)
{
    struct spool_fixture *f = *state;
    for (uint64_t n = 0; n < 20; n++) {
        struct chunk *c = spool_fill(&f->s, n, n, SMALL);
        if (n == 7)
            spool_fill_meta(c, 10);
        spool_seal(&f->s, c);
    }
    assert_int_equal(f->s.nfree, SPOOL_EXTENT_CHUNKS - 1);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_string_equal(spool_log_text(f), ""); /* it is still being filled */
    spool_seal_packed(&f->s);
    spool_seal_packed(&f->s);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_string_equal(spool_log_text(f), "0/0 1/1 2/2 3/3 4/4 5/5 6/6 7/7 7/7* 8/8 9/9 10/10 11/11 12/12 13/13 14/14 "
                                           "15/15 16/16 17/17 18/18 19/19");
    assert_int_equal(f->s.nfree, SPOOL_EXTENT_CHUNKS);
}

static void a_shared_chunk_is_of_one_generation(void **state)
{
    struct spool_fixture *f = *state;
    struct log_batch v[3];
    for (uint64_t gen = 1; gen <= 3; gen++) {
        struct chunk *c = spool_fill(&f->s, 1, gen, SMALL);
        c->generation = gen;
        spool_seal(&f->s, c);
    }
    assert_int_equal(f->s.packing->generation, 3);
    spool_seal_packed(&f->s);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_int_equal(spool_read_log(f, v, 3), 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(v[i].generation, i + 1);
}

static void many_small_chunks_fill_several(void **state)
{
    struct spool_fixture *f = *state;
    static struct log_batch v[1000];
    for (uint64_t n = 0; n < 1000; n++)
        spool_seal_filled(&f->s, n, 1, SMALL + (uint32_t)n % 400);
    spool_seal_packed(&f->s);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_int_equal(spool_read_log(f, v, ARRAY_SIZE(v)), 1000);
    for (uint64_t n = 0; n < 1000; n++) {
        assert_int_equal(v[n].m, n);
        assert_int_equal(v[n].size, SMALL + n % 400);
    }
    assert_int_equal(f->s.nfree, SPOOL_EXTENT_CHUNKS);
}

static void with_no_chunk_to_share_it_goes_alone(void **state)
{
    struct spool_fixture *f = *state;
    struct chunk *v[SPOOL_EXTENT_CHUNKS], *small = spool_fill(&f->s, 1, 1, SMALL);
    take_all(&f->s, v);
    spool_seal(&f->s, small);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_string_equal(spool_log_text(f), "1/1");
}

/* A thread torn out of spool_seal, by cancellation say, keeps the lock for ever. */
static void nobody_waits_for_who_was_torn_out_of_packing(void **state)
{
    struct spool_fixture *f = *state;
    spool_seal_filled(&f->s, 1, 1, SMALL);
    f->s.pack_lock.word = 1;
    spool_seal_filled(&f->s, 1, 2, SMALL);
    spool_seal_packed(&f->s);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    assert_string_equal(spool_log_text(f), "1/2");
    assert_int_equal(f->s.packing->state, CHUNK_OPEN); /* finish reads it there */
}

/* Taken two at a time and given back the other way round: what a list that came back would do wrong (ABA). */
enum { SWAPPERS = 4, SWAPS = 30000 };

static uint32_t taken_twice;

static void *swap_many(void *p)
{
    struct spool *s = p;
    for (int i = 0; i < SWAPS; i++) {
        struct chunk *c[2] = {spool_take(s), NULL};
        c[1] = c[0] ? spool_take(s) : NULL;
        for (int j = 0; j < 2; j++)
            if (c[j] && __atomic_exchange_n(&c[j]->m, 1, __ATOMIC_RELAXED))
                __atomic_fetch_add(&taken_twice, 1, __ATOMIC_RELAXED);
        for (int j = 0; j < 2; j++) {
            if (!c[j])
                continue;
            __atomic_store_n(&c[j]->m, 0, __ATOMIC_RELAXED);
            spool_seal(s, c[j]);
        }
    }
    return NULL;
}

static void no_chunk_has_two_owners(void **state)
{
    struct spool_fixture *f = *state;
    pthread_t threads[SWAPPERS];
    for (int i = 0; i < SPOOL_EXTENT_CHUNKS - 6; i++)
        assert_non_null(spool_take(&f->s));
    for (int i = 0; i < SWAPPERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, swap_many, &f->s), 0);
    for (int i = 0; i < SWAPPERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(taken_twice, 0);
    assert_int_equal(f->s.nfree, 6);
    for (int i = 0; i < 6; i++)
        assert_non_null(spool_take(&f->s));
    assert_null(spool_take(&f->s));
}

/* --- by threads --------------------------------------------------------------------------------------------------- */

enum { SEALERS = 4, CHUNKS_EACH = 1500 };

struct sealer {
    struct spool *s;
    uint64_t m;
};

static void *seal_many(void *p)
{
    const struct sealer *me = p;
    for (uint64_t n = 0; n < CHUNKS_EACH; n++) {
        struct chunk *c;
        while (!(c = spool_fill(me->s, me->m, n, n % 3 ? LARGE : SMALL)))
            sched_yield();
        spool_seal(me->s, c);
    }
    return NULL;
}

struct drainer {
    struct spool_fixture *f;
    int readonly;
    uint32_t done;
};

static void *drain_often(void *p)
{
    struct drainer *d = p;
    for (unsigned i = 0; !__atomic_load_n(&d->done, __ATOMIC_ACQUIRE); i++) {
        if (i % 8 == 0)
            spool_drain(&d->f->s, d->readonly); /* fails, and loses nothing */
        spool_drain(&d->f->s, d->f->fd);
        sched_yield();
    }
    return NULL;
}

static void nothing_is_lost_or_doubled_between_threads(void **state)
{
    struct spool_fixture *f = *state;
    pthread_t threads[SEALERS], drains[2];
    struct sealer who[SEALERS];
    struct drainer d = {f, open(f->path, O_RDONLY), 0};
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&drains[i], NULL, drain_often, &d), 0);
    for (uint64_t i = 0; i < SEALERS; i++) {
        who[i] = (struct sealer){&f->s, i};
        assert_int_equal(pthread_create(&threads[i], NULL, seal_many, &who[i]), 0);
    }
    for (int i = 0; i < SEALERS; i++)
        pthread_join(threads[i], NULL);
    __atomic_store_n(&d.done, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 2; i++)
        pthread_join(drains[i], NULL);
    close(d.readonly);
    spool_seal_packed(&f->s);
    assert_int_equal(spool_drain(&f->s, f->fd), 0);
    static struct log_batch v[SEALERS * CHUNKS_EACH];
    static uint8_t seen[SEALERS][CHUNKS_EACH];
    uint64_t next_large[SEALERS] = {0};
    assert_int_equal(spool_read_log(f, v, ARRAY_SIZE(v)), ARRAY_SIZE(v));
    for (size_t i = 0; i < ARRAY_SIZE(v); i++) {
        assert_int_equal(seen[v[i].m][v[i].time]++, 0);
        if (v[i].size != LARGE)
            continue;
        assert_true(v[i].time >= next_large[v[i].m]);
        next_large[v[i].m] = v[i].time;
    }
    assert_int_equal(f->s.nfree, SPOOL_EXTENT_CHUNKS);
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
        TEST(a_full_disk_loses_nothing),
        TEST(short_and_interrupted_writes_go_on),
        TEST(what_is_sealed_during_a_failing_drain_comes_later),
        TEST(small_chunks_share_one),
        TEST(a_shared_chunk_is_of_one_generation),
        TEST(many_small_chunks_fill_several),
        TEST(with_no_chunk_to_share_it_goes_alone),
        TEST(nobody_waits_for_who_was_torn_out_of_packing),
        TEST(no_chunk_has_two_owners),
        TEST(nothing_is_lost_or_doubled_between_threads),
    };
    return cmocka_run_group_tests(tests, make_disk, NULL);
}
