#include "preload/say.h"

#include <string.h>

#include "preload/recorder.h"

static struct {
    char *at; /* NULL: stderr */
    size_t size; /* stays when the buffer is given up, as somebody may just be filling it */
} buffer;

void say_to(char *at, size_t size)
{
    if (at)
        __atomic_store_n(&buffer.size, size, __ATOMIC_RELAXED);
    __atomic_store_n(&buffer.at, at, __ATOMIC_RELEASE);
}

static bool is_quiet;

void say_nothing_aloud(void) { is_quiet = true; }
bool says_nothing_aloud(void) { return is_quiet; }

/*
 * Each line has the place of its number. Two that meet in one, a whole round apart, are told by its mark, and the later
 * one is dropped.
 */
enum { KEPT = 8 };
static struct {
    uint32_t last;
    struct kept {
        uint32_t busy, number;
        const char *text;
        char detail[SPOOL_PATH_MAX];
    } v[KEPT];
} kept;

static void keep(const char *text, const char *detail)
{
    uint32_t number = __atomic_add_fetch(&kept.last, 1, __ATOMIC_RELAXED);
    struct kept *k = &kept.v[number % KEPT];
    if (__atomic_exchange_n(&k->busy, 1, __ATOMIC_ACQUIRE))
        return;
    __atomic_store_n(&k->number, 0, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    size_t len = strnlen(detail, sizeof k->detail - 1);
    memcpy(k->detail, detail, len);
    k->detail[len] = 0;
    k->text = text;
    __atomic_store_n(&k->number, number, __ATOMIC_RELEASE);
    __atomic_store_n(&k->busy, 0, __ATOMIC_RELEASE);
}

uint32_t say_last(void) { return __atomic_load_n(&kept.last, __ATOMIC_RELAXED); }

static bool take_kept(uint32_t number, char *to, size_t size)
{
    const struct kept *k = &kept.v[number % KEPT];
    if (__atomic_load_n(&k->number, __ATOMIC_ACQUIRE) != number)
        return false;
    const char *text = k->text;
    size_t n = strnlen(text, size - 1), len = strnlen(k->detail, size - 1 - n);
    memcpy(to, text, n);
    memcpy(to + n, k->detail, len);
    to[n + len] = 0;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return __atomic_load_n(&k->number, __ATOMIC_RELAXED) == number;
}

uint32_t say_to_who_asks(uint32_t after, char *to, size_t size)
{
    uint32_t last = say_last(), first = last > KEPT && after < last - KEPT ? last - KEPT + 1 : after + 1;
    for (uint32_t number = first; number && number <= last; number++)
        if (take_kept(number, to, size))
            return number;
    *to = 0;
    return 0;
}

/* One write(2): the only system call that even the strictest seccomp filter allows. */
void say(const char *text, const char *detail)
{
    char *const at = __atomic_load_n(&buffer.at, __ATOMIC_ACQUIRE);
    if (is_quiet && !at) {
        keep(text, detail);
        return;
    }
    static const char prefix[] = "thrace: ";
    char line[SPOOL_PATH_MAX + 256];
    size_t n = sizeof prefix - 1, len = strnlen(text, 200), room;
    memcpy(line, prefix, n);
    memcpy(line + n, text, len);
    n += len;
    room = sizeof line - n - 1;
    len = strnlen(detail, room);
    memcpy(line + n, detail, len);
    n += len;
    if (at) {
        size_t begin = sizeof prefix - 1, fitting = n - begin < buffer.size ? n - begin : buffer.size - 1;
        memcpy(at, line + begin, fitting);
        at[fitting] = 0;
        return;
    }
    line[n++] = '\n';
    sys_write(2, line, n);
}

/* Without a lock: a handler may come in between, and leave by siglongjmp. What was being said then is the last line. */
enum { NOTHING, IS_WRITTEN, TO_SAY, IS_SAID };
static struct {
    uint32_t state;
    const char *text;
    char detail[SPOOL_PATH_MAX];
} pending;

static bool pass_on(uint32_t from, uint32_t to)
{
    return __atomic_load_n(&pending.state, __ATOMIC_RELAXED) == from &&
           __atomic_compare_exchange_n(&pending.state, &from, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void say_later(const char *text, const char *detail)
{
    if (is_quiet && !buffer.at) {
        keep(text, detail);
        return;
    }
    if (!pass_on(NOTHING, IS_WRITTEN))
        return;
    size_t len = strnlen(detail, sizeof pending.detail - 1);
    memcpy(pending.detail, detail, len);
    pending.detail[len] = 0;
    pending.text = text;
    pass_on(IS_WRITTEN, TO_SAY);
    request_maintenance();
}

void say_pending(void)
{
    if (!pass_on(TO_SAY, IS_SAID))
        return;
    say(pending.text, pending.detail);
    pass_on(IS_SAID, NOTHING);
}
