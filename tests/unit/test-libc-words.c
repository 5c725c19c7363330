/* Trials of what is read of libc's own state: here functions stand in libc's place that keep it in other ways. */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "preload/libc_words.h"
#include "preload/say.h"

struct real real;

static char said[4][1024];
static int nsaid;

void say(const char *text, const char *detail) { snprintf(said[nsaid++], sizeof said[0], "%s%s", text, detail); }
void say_later(const char *text, const char *detail) { say(text, detail); }

/* --- streams: instead of libc's ----------------------------------------------------------------------------------- */

static int other_descriptor, other_mode;
static size_t other_pending;

int fileno_unlocked(FILE *f)
{
    errno = EBADF;
    return fileno(f) + other_descriptor;
}

size_t __fpending(FILE *f);
size_t __fpending(FILE *f) { return stream_pending(f) + other_pending; }
int __flbf(FILE *f);
int __flbf(FILE *f) { return !!(f->_flags & STREAM_LINE_BUFFERED) ^ other_mode; }

/* --- which words are not as expected ------------------------------------------------------------------------------ */

static void use_libc(void)
{
    real.pthread_mutex_init = pthread_mutex_init;
    real.pthread_mutex_destroy = pthread_mutex_destroy;
    real.pthread_mutex_trylock = pthread_mutex_trylock;
    real.pthread_mutex_timedlock = pthread_mutex_timedlock;
    real.pthread_mutex_unlock = pthread_mutex_unlock;
    real.pthread_rwlock_tryrdlock = pthread_rwlock_tryrdlock;
    real.pthread_rwlock_trywrlock = pthread_rwlock_trywrlock;
    real.pthread_rwlock_unlock = pthread_rwlock_unlock;
    real.pthread_rwlock_destroy = pthread_rwlock_destroy;
    real.pthread_once = pthread_once;
    real.call_once = call_once;
    other_descriptor = other_mode = 0;
    other_pending = 0;
    tried_words = distrusted_words = 0;
    nsaid = 0;
}

enum {
    NONE = 0,
    MUTEX = 1 << WORD_MUTEX,
    MUTEX_COUNT = 1 << WORD_MUTEX_COUNT,
    OWNER = 1 << WORD_OWNER,
    RWLOCK = 1 << WORD_RWLOCK,
    ONCE = 1 << WORD_ONCE,
    STREAM = 1 << WORD_STREAM,
    TRIED = MUTEX | MUTEX_COUNT | OWNER | RWLOCK | ONCE | STREAM,
};

static uint32_t not_as_expected(void)
{
    libc_words_try();
    assert_int_equal(tried_words, TRIED);
    uint32_t found = distrusted_words;
    use_libc();
    return found;
}

/* Whoever calls libc_words_try finds errno as it was. */
static void libc_is_as_expected(void **state)
{
    use_libc();
    errno = 77;
    assert_int_equal(not_as_expected(), NONE);
    assert_int_equal(errno, 77);
}

/* --- mutexes ------------------------------------------------------------------------------------------------------ */

static int marks_when_it_takes(pthread_mutex_t *m)
{
    int ret = pthread_mutex_trylock(m);
    m->__data.__lock = 2;
    return ret;
}

static int leaves_no_mark(pthread_mutex_t *m, const struct timespec *until)
{
    assert_int_equal(until->tv_sec, 0); /* nobody waits */
    return ETIMEDOUT;
}

static int waits_in_vain(pthread_mutex_t *m, const struct timespec *until)
{
    pthread_mutex_timedlock(m, until);
    return 0;
}

static int never_takes(pthread_mutex_t *m) { return EBUSY; }

static int takes_elsewhere(pthread_mutex_t *m) { return 0; }

static int must_not_wait(pthread_mutex_t *m, const struct timespec *until)
{
    fail_msg("a mutex is waited for whose word says that it is free");
    return 0;
}

static int leaves_a_mark(pthread_mutex_t *m)
{
    int ret = pthread_mutex_unlock(m);
    m->__data.__lock |= 8;
    return ret;
}

static int kinds_without;

static int has_other_kinds(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
    int ret = pthread_mutex_init(m, attr);
    m->__data.__kind &= ~kinds_without;
    return ret;
}

static void words_of_mutexes(void **state)
{
    use_libc();
    real.pthread_mutex_trylock = marks_when_it_takes;
    assert_int_equal(not_as_expected() & ~(MUTEX_COUNT | OWNER), MUTEX);
    real.pthread_mutex_timedlock = leaves_no_mark;
    assert_int_equal(not_as_expected(), MUTEX);
    real.pthread_mutex_timedlock = waits_in_vain;
    assert_int_equal(not_as_expected(), MUTEX);
    real.pthread_mutex_trylock = never_takes;
    assert_int_equal(not_as_expected(), MUTEX | MUTEX_COUNT | OWNER);
    real.pthread_mutex_trylock = real.pthread_mutex_unlock = takes_elsewhere;
    real.pthread_mutex_timedlock = must_not_wait;
    assert_int_equal(not_as_expected(), MUTEX | MUTEX_COUNT | OWNER);
    real.pthread_mutex_unlock = leaves_a_mark;
    assert_int_equal(not_as_expected(), MUTEX | MUTEX_COUNT | OWNER);
}

static void kinds_of_mutexes(void **state)
{
    static const struct {
        int bits;
        uint32_t word;
    } kinds[] = {{0x10, MUTEX}, {0x20, MUTEX}, {0x40, MUTEX}, {1, MUTEX_COUNT}};
    use_libc();
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        real.pthread_mutex_init = has_other_kinds;
        kinds_without = kinds[i].bits;
        assert_int_equal(not_as_expected(), kinds[i].word);
    }
}

static int no_such_kind(pthread_mutex_t *m, const pthread_mutexattr_t *attr) { return ENOTSUP; }

/* A program can have none either. */
static void kinds_that_are_not_there(void **state)
{
    use_libc();
    real.pthread_mutex_init = no_such_kind;
    assert_int_equal(not_as_expected(), NONE);
}

static int counts_elsewhere(pthread_mutex_t *m)
{
    int ret = pthread_mutex_trylock(m);
    m->__data.__count = 1;
    return ret;
}

static int counts_what_is_none(pthread_mutex_t *m)
{
    int ret = pthread_mutex_trylock(m);
    if (m->__data.__kind == PTHREAD_MUTEX_TIMED_NP) {
        m->__data.__kind = PTHREAD_MUTEX_RECURSIVE_NP;
        m->__data.__count = 2;
    }
    return ret;
}

/* Of two, the first one does nothing, and the second one does it twice. */
static int counts_late(pthread_mutex_t *m)
{
    static bool is_second;
    if (m->__data.__count < 2)
        return pthread_mutex_unlock(m);
    if (is_second)
        pthread_mutex_unlock(m);
    is_second = !is_second;
    return is_second ? 0 : pthread_mutex_unlock(m);
}

static void counts_of_mutexes(void **state)
{
    use_libc();
    real.pthread_mutex_trylock = counts_elsewhere;
    assert_int_equal(not_as_expected(), MUTEX_COUNT);
    real.pthread_mutex_trylock = counts_what_is_none;
    assert_int_equal(not_as_expected() & ~(MUTEX | OWNER), MUTEX_COUNT);
    real.pthread_mutex_unlock = counts_late;
    assert_int_equal(not_as_expected(), MUTEX_COUNT);
}

static int names_nobody(pthread_mutex_t *m)
{
    int ret = pthread_mutex_trylock(m);
    m->__data.__owner = 0;
    return ret;
}

static int names_its_last_owner(pthread_mutex_t *m)
{
    int owner = m->__data.__owner, ret = pthread_mutex_unlock(m);
    m->__data.__owner = owner;
    return ret;
}

static int names_no_writer(pthread_rwlock_t *l)
{
    int ret = pthread_rwlock_trywrlock(l);
    l->__data.__cur_writer = 0;
    return ret;
}

static int names_its_last_writer(pthread_rwlock_t *l)
{
    int writer = l->__data.__cur_writer, ret = pthread_rwlock_unlock(l);
    l->__data.__cur_writer = writer;
    return ret;
}

static void owners_of_locks(void **state)
{
    use_libc();
    real.pthread_mutex_trylock = names_nobody;
    assert_int_equal(not_as_expected() & ~(MUTEX | MUTEX_COUNT), OWNER);
    real.pthread_mutex_unlock = names_its_last_owner;
    assert_int_equal(not_as_expected() & ~(MUTEX | MUTEX_COUNT), OWNER);
    real.pthread_rwlock_trywrlock = names_no_writer;
    assert_int_equal(not_as_expected(), OWNER);
    real.pthread_rwlock_unlock = names_its_last_writer;
    assert_int_equal(not_as_expected(), OWNER);
}

/* --- rwlocks ------------------------------------------------------------------------------------------------------ */

static int reads_as_writer(pthread_rwlock_t *l)
{
    int ret = pthread_rwlock_tryrdlock(l);
    l->__data.__readers |= 1;
    return ret;
}

static int counts_the_first_twice(pthread_rwlock_t *l)
{
    int ret = pthread_rwlock_tryrdlock(l);
    l->__data.__readers += l->__data.__readers >> 3 > 1 ? -8u : 8u;
    return ret;
}

static int counts_no_readers(pthread_rwlock_t *l) { return 0; }

static int lets_one_in(pthread_rwlock_t *l)
{
    return l->__data.__readers >> 3 ? EBUSY : pthread_rwlock_tryrdlock(l);
}

static int writes_as_reader(pthread_rwlock_t *l) { return pthread_rwlock_tryrdlock(l); }

static int stays_with_several(pthread_rwlock_t *l)
{
    int ret = pthread_rwlock_unlock(l);
    l->__data.__readers += 16;
    return ret;
}

static int takes_nothing(pthread_rwlock_t *l) { return EBUSY; }

static void readers_of_rwlocks(void **state)
{
    int (*const readers[])(pthread_rwlock_t *) = {reads_as_writer, counts_the_first_twice, lets_one_in, takes_nothing};
    use_libc();
    for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
        real.pthread_rwlock_tryrdlock = readers[i];
        assert_int_equal(not_as_expected(), RWLOCK);
    }
    real.pthread_rwlock_tryrdlock = real.pthread_rwlock_unlock = counts_no_readers;
    assert_int_equal(not_as_expected() & ~OWNER, RWLOCK);
    real.pthread_rwlock_trywrlock = writes_as_reader;
    assert_int_equal(not_as_expected(), OWNER | RWLOCK);
    real.pthread_rwlock_trywrlock = takes_nothing;
    assert_int_equal(not_as_expected(), OWNER | RWLOCK);
    real.pthread_rwlock_unlock = stays_with_several;
    assert_int_equal(not_as_expected(), RWLOCK);
}

/* --- once --------------------------------------------------------------------------------------------------------- */

static int has_another_word(pthread_once_t *once, void (*routine)(void))
{
    routine();
    *once = 3;
    return 0;
}

static int is_done_too_early(pthread_once_t *once, void (*routine)(void))
{
    *once = 2;
    routine();
    return 0;
}

static void has_another_flag(once_flag *once, void (*routine)(void)) { routine(); }

static void words_of_once(void **state)
{
    use_libc();
    real.pthread_once = has_another_word;
    assert_int_equal(not_as_expected(), ONCE);
    real.pthread_once = is_done_too_early;
    assert_int_equal(not_as_expected(), ONCE);
    real.call_once = has_another_flag;
    assert_int_equal(not_as_expected(), ONCE);
}

/* --- streams and stacks ------------------------------------------------------------------------------------------- */

static void buffers_of_streams(void **state)
{
    use_libc();
    other_descriptor = 100;
    assert_int_equal(not_as_expected(), STREAM);
    other_pending = 1;
    assert_int_equal(not_as_expected(), STREAM);
    other_mode = 1;
    assert_int_equal(not_as_expected(), STREAM);
}

static void places_of_stacks(void **state)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    use_libc();
    assert_true(stack_is_here(WORD_FIRST_STACK, here - (1 << 16), here + 1));
    assert_int_equal(distrusted_words, 0);
    assert_int_equal(tried_words, 1 << WORD_FIRST_STACK);
    assert_false(stack_is_here(WORD_FIRST_STACK, here - (1 << 16), here - (1 << 15)));
    assert_false(stack_is_here(WORD_FIRST_STACK, here + 1, here + 4096));
    assert_int_equal(distrusted_words, 1 << WORD_FIRST_STACK);
    assert_int_equal(nsaid, 0);
    assert_false(stack_is_here(WORD_THREAD_STACK, here + 1, here + 4096));
    assert_false(stack_is_here(WORD_THREAD_STACK, here + 1, here + 4096));
    assert_int_equal(nsaid, 1);
    assert_string_equal(said[0], "a thread's stack is not where it was expected, so there is no record of: "
                                 "outer frames of threads");
}

/* --- what is said ------------------------------------------------------------------------------------------------- */

static void one_line_for_all_that_is_missing(void **state)
{
    use_libc();
    libc_words_try();
    libc_words_say(UINT32_MAX, false);
    assert_int_equal(nsaid, 0);
    libc_words_say(UINT32_MAX, true);
    assert_int_equal(nsaid, 1);
    assert_string_equal(said[0], "libc's own state is as expected: mutex word yes, mutex count yes, "
                                 "owner of a lock yes, rwlock readers yes, once word yes, stream buffers yes");
    word_was_tried(WORD_MUTEX, false);
    word_was_tried(WORD_ONCE, false);
    word_was_tried(WORD_RWLOCK, false);
    nsaid = 0;
    libc_words_say(UINT32_MAX, true);
    assert_int_equal(nsaid, 2);
    assert_string_equal(said[0], "libc's own state is as expected: mutex word NO, mutex count yes, "
                                 "owner of a lock yes, rwlock readers NO, once word NO, stream buffers yes");
    assert_string_equal(said[1], "libc's own state is not as expected, so there is no record of: "
                                 "whom the unlock of a mutex wakes, whom the unlock of an rwlock wakes");
    nsaid = 0;
    libc_words_say(~(UINT32_C(1) << WORD_MUTEX), false);
    assert_int_equal(nsaid, 1);
    assert_string_equal(said[0], "libc's own state is not as expected, so there is no record of: "
                                 "whom the unlock of an rwlock wakes");
    libc_words_say(1 << WORD_ONCE, false);
    assert_int_equal(nsaid, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libc_is_as_expected),
        cmocka_unit_test(words_of_mutexes),
        cmocka_unit_test(kinds_of_mutexes),
        cmocka_unit_test(kinds_that_are_not_there),
        cmocka_unit_test(counts_of_mutexes),
        cmocka_unit_test(owners_of_locks),
        cmocka_unit_test(readers_of_rwlocks),
        cmocka_unit_test(words_of_once),
        cmocka_unit_test(buffers_of_streams),
        cmocka_unit_test(places_of_stacks),
        cmocka_unit_test(one_line_for_all_that_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
