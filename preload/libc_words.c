#include "preload/libc_words.h"

#include <errno.h>
#include <stdio_ext.h>
#include <string.h>

#include "lib/rawsys.h"
#include "preload/say.h"

uint32_t tried_words, distrusted_words;

/* Long ago: who asks to wait until then does not wait. */
static const struct timespec past;

/*
 * A mutex that this thread has: whoever finds it taken leaves a mark, and the unlock takes it off. Only a mutex whose
 * word is as expected so far is waited for, by its own owner: with another one, who knows what that would do.
 */
static bool is_marked_by_who_finds_it_taken(pthread_mutex_t *m)
{
    return mutex_word(m) && !mutex_unlock_will_wake(m) && real.pthread_mutex_timedlock(m, &past) == ETIMEDOUT &&
           mutex_unlock_will_wake(m);
}

/* A processor's transaction may stand for the lock, up to the next system call. */
static bool try_mutex(pthread_mutex_t *m, bool (*holds)(pthread_mutex_t *m))
{
    uint32_t before = mutex_word(m);
    if (real.pthread_mutex_trylock(m))
        return false;
    sys_gettid();
    bool ok = holds(m);
    return !real.pthread_mutex_unlock(m) && ok && mutex_word(m) == before;
}

static bool is_taken(pthread_mutex_t *m) { return mutex_word(m) && !mutex_unlock_will_wake(m); }

static bool is_free(pthread_mutex_t *m) { return !mutex_unlock_will_wake(m); }

static bool make_mutex(pthread_mutex_t *m, int (*set)(pthread_mutexattr_t *attr, int value), int value)
{
    pthread_mutexattr_t attr;
    bool made = !pthread_mutexattr_init(&attr) && !set(&attr, value) && !real.pthread_mutex_init(m, &attr);
    pthread_mutexattr_destroy(&attr);
    return made;
}

static bool try_kind(int (*set)(pthread_mutexattr_t *attr, int value), int value, int kind,
                     bool (*holds)(pthread_mutex_t *m))
{
    pthread_mutex_t m;
    memset(&m, 0, sizeof m);
    if (!make_mutex(&m, set, value)) /* this system has no such mutexes */
        return true;
    bool ok = (mutex_kind(&m) & (MUTEX_ROBUST | MUTEX_INHERITS | MUTEX_CEILING)) == kind &&
              (holds == is_free || try_mutex(&m, holds)) && is_free(&m);
    real.pthread_mutex_destroy(&m);
    return ok;
}

/* Who may not have a real-time priority may not take one with a ceiling. */
static bool try_mutex_words(void)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    bool ok = try_mutex(&m, is_marked_by_who_finds_it_taken);
    real.pthread_mutex_destroy(&m);
    return ok &&
           try_kind(pthread_mutexattr_setrobust, PTHREAD_MUTEX_ROBUST, MUTEX_ROBUST, is_marked_by_who_finds_it_taken) &&
           try_kind(pthread_mutexattr_setprotocol, PTHREAD_PRIO_INHERIT, MUTEX_INHERITS, is_taken) &&
           try_kind(pthread_mutexattr_setprotocol, PTHREAD_PRIO_PROTECT, MUTEX_CEILING, is_free);
}

/* Taken twice it is nested until the first unlock; an ordinary one never is. */
static bool is_nested_when_taken_again(pthread_mutex_t *m)
{
    if (mutex_is_nested(m) || real.pthread_mutex_trylock(m))
        return false;
    bool nested = mutex_is_nested(m);
    return !real.pthread_mutex_unlock(m) && nested && !mutex_is_nested(m);
}

static bool is_not_nested(pthread_mutex_t *m) { return !mutex_is_nested(m); }

static bool try_mutex_count(void)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    bool ok = try_mutex(&m, is_not_nested);
    real.pthread_mutex_destroy(&m);
    return ok && try_kind(pthread_mutexattr_settype, PTHREAD_MUTEX_RECURSIVE, 0, is_nested_when_taken_again);
}

static bool is_ours(pthread_mutex_t *m) { return mutex_owner(m) == (int)sys_gettid(); }

/* What thrace top reads from outside. */
static bool try_owner(void)
{
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
    bool ok = try_mutex(&m, is_ours) && !mutex_owner(&m);
    real.pthread_mutex_destroy(&m);
    if (real.pthread_rwlock_trywrlock(&l))
        return false;
    ok &= rwlock_writer(&l) == (int)sys_gettid();
    ok &= !real.pthread_rwlock_unlock(&l) && !rwlock_writer(&l);
    real.pthread_rwlock_destroy(&l);
    return ok;
}

/* Of two readers and a writer, one after the other. */
static bool try_rwlock_readers(void)
{
    pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
    if (real.pthread_rwlock_tryrdlock(&l))
        return false;
    bool ok = !rwlock_is_held_by_writer(&l) && !rwlock_is_held_by_several(&l);
    if (!real.pthread_rwlock_tryrdlock(&l)) {
        ok &= !rwlock_is_held_by_writer(&l) && rwlock_is_held_by_several(&l);
        ok &= !real.pthread_rwlock_unlock(&l) && !rwlock_is_held_by_several(&l);
    } else {
        ok = false;
    }
    ok &= !real.pthread_rwlock_unlock(&l);
    if (!real.pthread_rwlock_trywrlock(&l)) {
        ok &= rwlock_is_held_by_writer(&l) && !rwlock_is_held_by_several(&l);
        ok &= !real.pthread_rwlock_unlock(&l);
    } else {
        ok = false;
    }
    real.pthread_rwlock_destroy(&l);
    return ok;
}

static const void *running;
static bool done_too_early;

static void routine(void) { done_too_early |= once_is_done(running); }

static bool try_once_word(void)
{
    pthread_once_t once = PTHREAD_ONCE_INIT;
    once_flag flag = ONCE_FLAG_INIT;
    done_too_early = once_is_done(&once) || once_is_done(&flag);
    running = &once;
    if (real.pthread_once(&once, routine))
        return false;
    running = &flag;
    real.call_once(&flag, routine);
    return !done_too_early && once_is_done(&once) && once_is_done(&flag);
}

/* Attached to a program, others may be writing: once they agree they do. */
static bool agrees(FILE *f)
{
    enum { TRIES = 8 };
    for (int i = 0; f && i < TRIES; i++) {
        int fd = fileno_unlocked(f);
        if (fd == stream_descriptor(f) && __fpending(f) == stream_pending(f) &&
            !__flbf(f) == !stream_is_line_buffered(f))
            return true;
    }
    return !f;
}

/* Streams of our own would be allocated. The pointers that functions of libc's headers read are no secret. */
static bool try_stream_buffers(void) { return agrees(stdin) && agrees(stdout) && agrees(stderr); }

static const struct {
    const char *name, *missing;
    bool (*holds)(void); /* NULL: it is tried elsewhere */
} words[] = {
#define TRY_MUTEX try_mutex_words
#define TRY_MUTEX_COUNT try_mutex_count
#define TRY_OWNER try_owner
#define TRY_RWLOCK try_rwlock_readers
#define TRY_ONCE try_once_word
#define TRY_STREAM try_stream_buffers
#define TRY_FIRST_STACK NULL
#define TRY_THREAD_STACK NULL
#define THRACE_LIBC_WORD(id, name, missing) {name, missing, TRY_##id},
#include "preload/libc_words.def"
#undef THRACE_LIBC_WORD
};

void libc_words_try(void)
{
    int saved = errno;
    for (int i = 0; i < NLIBC_WORDS; i++)
        if (words[i].holds)
            word_was_tried((enum libc_word)i, words[i].holds());
    errno = saved;
}

bool stack_is_here(enum libc_word word, uintptr_t lo, uintptr_t hi)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    bool ok = here > lo && here < hi;
    if (word_was_tried(word, ok) && word == WORD_THREAD_STACK)
        say_later("a thread's stack is not where it was expected, so there is no record of: ", words[word].missing);
    return ok;
}

/* --- the lines ---------------------------------------------------------------------------------------------------- */

struct list {
    char text[512];
    size_t n;
};

static void add(struct list *l, const char *between, const char *text, const char *more)
{
    const char *const pieces[] = {l->n ? between : "", text, more};
    for (size_t i = 0; i < 3; i++) {
        size_t len = strnlen(pieces[i], sizeof l->text - 1 - l->n);
        memcpy(l->text + l->n, pieces[i], len);
        l->n += len;
    }
    l->text[l->n] = 0;
}

void libc_words_say(uint32_t used, bool verbose)
{
    struct list checks = {"", 0}, missing = {"", 0};
    for (int i = 0; i < NLIBC_WORDS; i++) {
        bool trusted = is_trusted((enum libc_word)i);
        if (tried_words >> i & 1)
            add(&checks, ", ", words[i].name, trusted ? " yes" : " NO");
        if (!trusted && words[i].missing && (used & ~(uint32_t)WORDS_NOT_THERE) >> i & 1)
            add(&missing, ", ", words[i].missing, "");
    }
    if (verbose)
        say("libc's own state is as expected: ", checks.text);
    if (missing.n)
        say("libc's own state is not as expected, so there is no record of: ", missing.text);
}
