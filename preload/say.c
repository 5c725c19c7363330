#include "preload/say.h"

#include <string.h>

#include "preload/recorder.h"

static struct {
    char *at; /* NULL: stderr */
    size_t size;
} buffer;

void say_to(char *at, size_t size)
{
    buffer.size = size;
    buffer.at = at;
}

static bool is_quiet;

void say_nothing_aloud(void) { is_quiet = true; }
bool says_nothing_aloud(void) { return is_quiet; }

/* One write(2): the only system call that even the strictest seccomp filter allows. */
void say(const char *text, const char *detail)
{
    if (is_quiet && !buffer.at) {
        say_later(text, detail);
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
    if (buffer.at) {
        size_t begin = sizeof prefix - 1, kept = n - begin < buffer.size ? n - begin : buffer.size - 1;
        memcpy(buffer.at, line + begin, kept);
        buffer.at[kept] = 0;
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
    if (is_quiet || !pass_on(TO_SAY, IS_SAID))
        return;
    say(pending.text, pending.detail);
    pass_on(IS_SAID, NOTHING);
}

bool say_to_who_asks(char *to, size_t size)
{
    if (!is_quiet || !pass_on(TO_SAY, IS_SAID))
        return false;
    size_t n = strnlen(pending.text, size - 1), len = strnlen(pending.detail, size - 1 - n);
    memcpy(to, pending.text, n);
    memcpy(to + n, pending.detail, len);
    to[n + len] = 0;
    pass_on(IS_SAID, NOTHING);
    return true;
}
