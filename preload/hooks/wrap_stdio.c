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

/* For calls that do not say how much they read or write; more than most of them do. */
enum { SOME = 256, LINE_BUFFERED = 0x200, UNBUFFERED = 2 };

static size_t readable(const FILE *f)
{
    return f->_IO_read_end > f->_IO_read_ptr ? (size_t)(f->_IO_read_end - f->_IO_read_ptr) : 0;
}

static bool suffices(const FILE *f, size_t n) { return readable(f) >= n; }

/* Looks into the buffer, which only the holder of the stream's lock may do. */
static bool has_line(FILE *f, size_t n, int delimiter)
{
    if (!readable(f) || ftrylockfile(f))
        return false;
    size_t have = readable(f);
    bool found = have >= n || memchr(f->_IO_read_ptr, delimiter, have);
    funlockfile(f);
    return found;
}

static bool has_room(const FILE *f, size_t n)
{
    return !(f->_flags & (LINE_BUFFERED | UNBUFFERED)) && f->_IO_write_ptr < f->_IO_write_end &&
           (size_t)(f->_IO_write_end - f->_IO_write_ptr) > n;
}

static bool has_pending(const FILE *f) { return f->_IO_write_ptr > f->_IO_write_base; }

static void flush(struct hook *h, struct wait *w, FILE *f)
{
    if (f && f->_fileno >= 0)
        call_send(h, w, f->_fileno, CALL_IN_PARTS);
    else
        call_begin(h, w);
}

static void close_stream(struct hook *h, struct wait *w, FILE *f)
{
    int fd = f->_fileno;
    if (fd >= 0)
        fd_closed((unsigned)fd, (unsigned)fd);
    call_begin(h, w);
}

/* A condition, and what to do when it holds and the hook is entered. Streams in memory have no descriptor. */
#define FILLS(f, n)                                                                                                    \
    (f)->_fileno >= 0 && !suffices(f, n), call_receive(h, w, (f)->_fileno, (n) > 1 ? CALL_IN_PARTS : 0)
#define FILLS_LINE(f, n, delimiter) (f)->_fileno >= 0 && !has_line(f, n, delimiter), call_receive(h, w, (f)->_fileno, 0)
#define DRAINS(f, n) (f)->_fileno >= 0 && !has_room(f, n), call_send(h, w, (f)->_fileno, CALL_IN_PARTS)
#define FLUSHES(f) !(f) || has_pending(f), flush(h, w, f)
#define CLOSES(f) true, close_stream(h, w, f)
#undef PLAIN
#define PLAIN true, call_begin(h, w)
#undef SEND
#define SEND(fd) true, call_send(h, w, fd, CALL_IN_PARTS)
#define NOTHING ((void)0)
#define OPENS (result ? fd_opened(result->_fileno, FD_UNKNOWN, false) : NOTHING)

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
