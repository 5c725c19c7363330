/*
 * Streams. What libc reads and writes for a stream does not leave libc, so the calls of stdio are wrapped themselves,
 * and shown when the stream's buffer does not suffice. Whether it does is read off the pointers in the FILE, without
 * its lock: another thread may be using the stream. A guess that was wrong shows a system call that was none, or none
 * where there was one.
 */
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "preload/hooks/calls.h"
#include "preload/libc_words.h"

/* For calls that do not say how much they read or write; more than most of them do. */
enum { SOME = 256 };

static bool suffices(const FILE *f, size_t n) { return stream_readable(f) >= n; }

/* Looks into the buffer, which only the holder of the stream's lock may do. */
static bool has_line(FILE *f, size_t n, int delimiter)
{
    if (!stream_readable(f) || ftrylockfile(f))
        return false;
    size_t have = stream_readable(f);
    bool found = have >= n || memchr(stream_next(f), delimiter, have);
    funlockfile(f);
    return found;
}

static void flush(struct hook *h, struct wait *w, FILE *f)
{
    if (f && stream_descriptor(f) >= 0)
        call_send(h, w, stream_descriptor(f), CALL_IN_PARTS);
    else
        call_begin(h, w);
}

static void close_stream(struct hook *h, struct wait *w, FILE *f)
{
    int fd = stream_descriptor(f);
    if (fd >= 0)
        fd_closed((unsigned)fd, (unsigned)fd);
    call_begin(h, w);
}

/* A condition, and what to do when it holds and the hook is entered. Streams in memory have no descriptor. */
#define FILLS(f, n)                                                                                                    \
    stream_descriptor(f) >= 0 && !suffices(f, n), call_receive(h, w, stream_descriptor(f), (n) > 1 ? CALL_IN_PARTS : 0)
#define FILLS_LINE(f, n, delimiter) stream_descriptor(f) >= 0 && !has_line(f, n, delimiter), call_receive(h, w, stream_descriptor(f), 0)
#define DRAINS(f, n) stream_descriptor(f) >= 0 && !stream_has_room(f, n), call_send(h, w, stream_descriptor(f), CALL_IN_PARTS)
#define FLUSHES(f) !(f) || stream_pending(f), flush(h, w, f)
#define CLOSES(f) true, close_stream(h, w, f)
#undef PLAIN
#define PLAIN true, call_begin(h, w)
#undef SEND
#define SEND(fd) true, call_send(h, w, fd, CALL_IN_PARTS)
#define NOTHING ((void)0)
#define OPENS (result ? fd_opened(stream_descriptor(result), FD_UNKNOWN, false) : NOTHING)

#define CONDITION(...) FIRST(__VA_ARGS__)
#define FIRST(condition, shown) (condition)
#define SHOW(...) SECOND(__VA_ARGS__)
#define SECOND(condition, shown) shown

#define THRACE_STREAM(shown, after, ret, name, params, args)                                                           \
    static __attribute__((noinline)) ret name##_emitted params                                                           \
    {                                                                                                                  \
        CALL_SCOPE(h, w);                                                                                              \
        if (!HOOK_ENTER(h, name))                                                                                      \
            return real.name args;                                                                                     \
        SHOW(shown);                                                                                                   \
        ret result = real.name args;                                                                                   \
        after;                                                                                                         \
        return result;                                                                                                 \
    }                                                                                                                  \
    EXPORT ret entry_##name params __asm__(#name);                                                                     \
    ret entry_##name params { return wrapped(CLASS_STDIO) && CONDITION(shown) ? name##_emitted args : real.name args; }

/* The list of arguments can be handed on only as a va_list, to the function that takes one. */
#define THRACE_FORMAT(shown, name, vname, params, args)                                                                \
    EXPORT int entry_##name params __asm__(#name);                                                                     \
    int entry_##name params                                                                                            \
    {                                                                                                                  \
        CALL_SCOPE(h, w);                                                                                              \
        va_list ap;                                                                                                    \
        if (wrapped(CLASS_STDIO) && CONDITION(shown) && HOOK_ENTER(h, name))                                           \
            SHOW(shown);                                                                                               \
        va_start(ap, format);                                                                                          \
        int result = real.vname args;                                                                                  \
        va_end(ap);                                                                                                    \
        return result;                                                                                                 \
    }
#include "preload/streams.def"
