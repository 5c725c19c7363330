#include "preload/say.h"

#include <string.h>

#include "preload/held_signals.h"
#include "preload/recorder.h"

/* One write(2): the only system call that even the strictest seccomp filter allows. */
void say(const char *text, const char *detail)
{
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
    line[n++] = '\n';
    sys_write(2, line, n);
}

static struct {
    struct lock lock;
    const char *text;
    char detail[SPOOL_PATH_MAX];
} pending;

void say_later(const char *text, const char *detail)
{
    uint64_t held = signals_hold();
    lock_take(&pending.lock);
    if (!pending.text) {
        size_t len = strnlen(detail, sizeof pending.detail - 1);
        memcpy(pending.detail, detail, len);
        pending.detail[len] = 0;
        __atomic_store_n(&pending.text, text, __ATOMIC_RELEASE);
        request_maintenance();
    }
    lock_drop(&pending.lock);
    signals_release(held);
}

void say_pending(void)
{
    if (!__atomic_load_n(&pending.text, __ATOMIC_ACQUIRE))
        return;
    uint64_t held = signals_hold();
    if (lock_try(&pending.lock)) {
        if (pending.text)
            say(pending.text, pending.detail);
        pending.text = NULL;
        lock_drop(&pending.lock);
    }
    signals_release(held);
}
