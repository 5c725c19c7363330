/*
 * Recording parts of a run: for a program that knows best when it is interesting. Without thrace, or when it does not
 * record this process, the functions do nothing and say so. Nothing has to be linked: the symbols are weak, and come
 * with the library that thrace loads into the program.
 *
 *     THRACE_START=off THRACE_OUT=x.%n.trace LD_PRELOAD=…/libthrace-preload.so ./program
 */
#ifndef THRACE_SESSION_H
#define THRACE_SESSION_H

#include <errno.h>

#ifdef __cplusplus
extern "C" {
#endif

__attribute__((weak)) int thrace_session_start(void);
__attribute__((weak)) int thrace_session_stop(void);

/*
 * A function of the library's, NULL without it. In code for a fixed address the linker would take it for absent for good;
 * what the loader found stands in the GOT.
 */
#ifndef THRACE_OPTIONAL
#if defined __x86_64__ && defined __LP64__ && !defined __PIC__
#define THRACE_OPTIONAL(function)                                                                                      \
    __extension__({                                                                                                    \
        __typeof__(&function) thrace_found;                                                                            \
        __asm__(".weak " #function "\n\tmovq " #function "@GOTPCREL(%%rip), %0" : "=r"(thrace_found));                 \
        thrace_found;                                                                                                  \
    })
#else
#define THRACE_OPTIONAL(function) (&function)
#endif
#endif

/*
 * Begins a recording, of all threads, in a spool of its own. Returns 0, or an errno: EALREADY when one is under way,
 * ENOSYS without thrace, else why it could not begin. Takes the time of some system calls, and a little for each
 * thread. Thread-safe; not for signal handlers. Since: 0.1.
 */
static inline int thrace_start(void)
{
    int (*start)(void) = THRACE_OPTIONAL(thrace_session_start);
    return start ? start() : ENOSYS;
}

/*
 * Ends the recording that is under way, whoever began it. Its trace is made when the process ends, or by `thrace
 * finish` at any time. Returns 0, or an errno: EALREADY when nothing is being recorded, ENOSYS without thrace.
 * Thread-safe; not for signal handlers. Since: 0.1.
 */
static inline int thrace_stop(void)
{
    int (*stop)(void) = THRACE_OPTIONAL(thrace_session_stop);
    return stop ? stop() : ENOSYS;
}

/*
 * Gives an object that threads wait for, a lock say, a name: "journal" makes it "mutex journal" in the trace, whatever its
 * variable is called. The name is read during the call only and cut to 96 bytes; there may be 4096 objects with names, of
 * 256 KiB together, and later names are not heard. A later name of the same object replaces the first; NULL and "" take
 * it away. The object itself is not touched. Thread-safe and async-signal-safe. Since: 0.1.
 */
#ifndef THRACE_HAS_OBJECT_NAME
#define THRACE_HAS_OBJECT_NAME
__attribute__((weak)) void thrace_annotate_object(const void *object, const char *name);

static inline void thrace_object_name(const void *object, const char *name)
{
    void (*annotate)(const void *, const char *) = THRACE_OPTIONAL(thrace_annotate_object);
    if (annotate)
        annotate(object, name);
}
#endif

#ifdef __cplusplus
}
#endif

#endif
