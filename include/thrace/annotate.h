/*
 * Annotations: a program says what its threads work on. Tasks, regions and messages appear in the trace beside what the
 * threads do, and viewers of Go's execution traces show them: `go tool trace` has pages for tasks and regions.
 *
 *     uint64_t task = thrace_task_begin("request");
 *     uint64_t before = thrace_task_adopt(task);
 *     {
 *         THRACE_REGION("parse");
 *         …
 *     }
 *     thrace_logf("cache", "%d of %d found", hits, asked);
 *     thrace_task_adopt(before);
 *     thrace_task_end(task);
 *
 * Nothing has to be linked or installed: copy this file. The symbols are weak, and come with the library that `thrace
 * record` or `thrace attach` loads into the program; without it each call is a load and a branch, and while that
 * records nothing a region is no more than two loads and a branch longer. A copy goes on working with later versions of
 * the library.
 *
 * Strings are NUL-terminated, read during the call only, and cut to 1024 bytes (between characters, if they are UTF-8);
 * NULL is as good as "". Names of tasks and regions, categories, names of counters and labels are kept for the life of
 * the process: there may be 4096, of 512 KiB together, and later ones are shown as "[too many names]". So they must not
 * have numbers of requests in them. Messages are not kept.
 *
 * Threads and signals: every function but thrace_logf may be called from any thread, from constructors, and from signal
 * handlers. A handler that interrupts the recorder itself is not heard; what that loses is counted, and `thrace record`
 * says so. No function changes errno.
 *
 * C11, C++11 or later, with GCC or Clang. Beside it are coroutine.h for C++20's, thrace.rs and thrace.py. Since: 0.1.
 */
#ifndef THRACE_ANNOTATE_H
#define THRACE_ANNOTATE_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
#include <type_traits>
#include <utility>
#if __cplusplus >= 202002L
#if __has_include(<source_location>)
#include <source_location>
#endif
#endif

extern "C" {
#endif

__attribute__((weak)) int thrace_annotate_enabled(void);
__attribute__((weak)) uint64_t thrace_annotate_task_begin(const char *name, uint64_t parent);
__attribute__((weak)) void thrace_annotate_task_end(uint64_t task);
__attribute__((weak)) uint64_t thrace_annotate_task_current(void);
__attribute__((weak)) uint64_t thrace_annotate_task_adopt(uint64_t task);
__attribute__((weak)) void thrace_annotate_region_begin(const char *name);
__attribute__((weak)) void thrace_annotate_region_end(void);
__attribute__((weak)) void thrace_annotate_log(const char *category, const char *message);
__attribute__((weak)) void thrace_annotate_count(const char *name, int64_t value);
__attribute__((weak)) void thrace_annotate_label(const char *label);

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
 * Whether regions and messages are heard: what the library points to is 0 while they are not, so that they cost no call
 * then. Of the library's data the GOT alone is asked, or the linker might copy it into the program.
 */
#if defined __x86_64__ && defined __LP64__
#define THRACE_HEARD()                                                                                                 \
    __extension__({                                                                                                    \
        const uint32_t *const *thrace_heard;                                                                           \
        __asm__(".weak thrace_annotate_heard\n\tmovq thrace_annotate_heard@GOTPCREL(%%rip), %0"                        \
                : "=r"(thrace_heard));                                                                                 \
        thrace_heard && __builtin_expect(__atomic_load_n(*thrace_heard, __ATOMIC_RELAXED) != 0, 0);                    \
    })
#else
#define THRACE_HEARD() 1
#endif

/* Stacks of annotations begin with the function that annotates, so these are never calls of their own. */
#define THRACE_INLINE static inline __attribute__((always_inline, unused))

/* Is anything recorded right now? For annotations that are dear to make. Since: 0.1. */
THRACE_INLINE int thrace_enabled(void)
{
    int (*enabled)(void) = THRACE_OPTIONAL(thrace_annotate_enabled);
    return enabled && enabled();
}

/* --- tasks: what one request, job or frame needs, by any number of threads -------------------------------------- */

/* The task that the calling thread works for; 0: none. Since: 0.1. */
THRACE_INLINE uint64_t thrace_task_current(void)
{
    uint64_t (*current)(void) = THRACE_OPTIONAL(thrace_annotate_task_current);
    return current ? current() : 0;
}

/*
 * Begins a task that is a part of another one, 0 for none. Returns its number, which is unique in the process, or 0
 * without thrace. The calling thread does not work for it until it adopts it. Since: 0.1.
 */
THRACE_INLINE uint64_t thrace_task_begin_in(uint64_t parent, const char *name)
{
    uint64_t (*begin)(const char *, uint64_t) = THRACE_OPTIONAL(thrace_annotate_task_begin);
    return begin ? begin(name, parent) : 0;
}

/* Begins a task that is a part of the one that the calling thread works for, if there is one. Since: 0.1. */
THRACE_INLINE uint64_t thrace_task_begin(const char *name)
{
    return thrace_task_begin_in(thrace_task_current(), name);
}

/* Ends a task, on any thread; 0 and a task that has ended are passed over. Since: 0.1. */
THRACE_INLINE void thrace_task_end(uint64_t task)
{
    void (*end)(uint64_t) = THRACE_OPTIONAL(thrace_annotate_task_end);
    if (end)
        end(task);
}

/*
 * From now on the calling thread works for task, 0 for none; its regions and messages are the task's. A thread that it
 * makes begins with the same task. Returns the one before, to be put back: a pool's thread does that around each piece
 * of work, with the task that came with it. Since: 0.1.
 */
THRACE_INLINE uint64_t thrace_task_adopt(uint64_t task)
{
    uint64_t (*adopt)(uint64_t) = THRACE_OPTIONAL(thrace_annotate_task_adopt);
    return adopt ? adopt(task) : 0;
}

/* The thread works for the task to the end of the block, however that is left (in C not by longjmp). Since: 0.1. */
#define THRACE_ADOPT(task) THRACE_ADOPT_(task, __LINE__)
#define THRACE_ADOPT_(task, line) THRACE_ADOPT__(task, line)
#define THRACE_ADOPT__(task, line)                                                                                     \
    __attribute__((cleanup(thrace_task_put_back), unused)) uint64_t thrace_adopted_##line = thrace_task_adopt(task)
THRACE_INLINE void thrace_task_put_back(uint64_t *before)
{
    thrace_task_adopt(*before);
}

/* A piece of work for another thread, a pool's for example, with the task that it is done for. Since: 0.1. */
struct thrace_work {
    void *(*function)(void *);
    void *argument;
    uint64_t task;
};

/* Work for the task that the calling thread works for. Since: 0.1. */
THRACE_INLINE struct thrace_work thrace_work_of(void *(*function)(void *), void *argument)
{
    struct thrace_work work = {function, argument, thrace_task_current()};
    return work;
}

/* Does the work; the calling thread works for its task meanwhile. Returns what its function does. Since: 0.1. */
THRACE_INLINE void *thrace_work_run(const struct thrace_work *work)
{
    THRACE_ADOPT(work->task);
    return work->function(work->argument);
}

/* --- regions: what a thread does, one inside the other ---------------------------------------------------------- */

/* Begins a region of the calling thread, for the task that it works for. At most 32 deep. Since: 0.1. */
THRACE_INLINE void thrace_region_begin(const char *name)
{
    if (THRACE_HEARD()) {
        void (*begin)(const char *) = THRACE_OPTIONAL(thrace_annotate_region_begin);
        if (begin)
            begin(name);
    }
}

/* Ends the calling thread's innermost region; nothing when it is in none. Since: 0.1. */
THRACE_INLINE void thrace_region_end(void)
{
    if (THRACE_HEARD()) {
        void (*end)(void) = THRACE_OPTIONAL(thrace_annotate_region_end);
        if (end)
            end();
    }
}

/*
 * A region that ends with the block, however that is left (in C not by longjmp). In C++20 THRACE_REGION() is named
 * after the function that it stands in. Since: 0.1.
 */
#define THRACE_REGION(name) THRACE_REGION_(name, __LINE__)
#define THRACE_REGION_(name, line) THRACE_REGION__(name, line)
#ifdef __cplusplus
#define THRACE_REGION__(name, line) ::thrace::region thrace_region_##line{name}
#else
#define THRACE_REGION__(name, line)                                                                                    \
    __attribute__((cleanup(thrace_region_leave), unused)) char thrace_region_##line = (thrace_region_begin(name), 0)
THRACE_INLINE void thrace_region_leave(char *unused_)
{
    (void)unused_;
    thrace_region_end();
}
#endif

/* --- names of what threads wait for --------------------------------------------------------------------------------- */

/*
 * Gives an object that threads wait for, a lock say, a name: "journal" makes it "mutex journal" in the trace, whatever its
 * variable is called. The name is read during the call only and cut to 96 bytes; there may be 4096 objects with names, of
 * 256 KiB together, and later names are not heard. A later name of the same object replaces the first; NULL and "" take
 * it away. The object itself is not touched. Thread-safe and async-signal-safe. Since: 0.1.
 */
#ifndef THRACE_HAS_OBJECT_NAME
#define THRACE_HAS_OBJECT_NAME
__attribute__((weak)) void thrace_annotate_object(const void *object, const char *name);

THRACE_INLINE void thrace_object_name(const void *object, const char *name)
{
    void (*annotate)(const void *, const char *) = THRACE_OPTIONAL(thrace_annotate_object);
    if (annotate)
        annotate(object, name);
}
#endif

/* --- messages, counters, labels --------------------------------------------------------------------------------- */

/* A message of the calling thread's task, in a category. Since: 0.1. */
THRACE_INLINE void thrace_log(const char *category, const char *message)
{
    if (THRACE_HEARD()) {
        void (*log)(const char *, const char *) = THRACE_OPTIONAL(thrace_annotate_log);
        if (log)
            log(category, message);
    }
}

/*
 * The same, made as printf does, and only when something is recorded. A macro, so that the stack begins with the
 * function that annotates. Not for signal handlers. Since: 0.1.
 */
#define thrace_logf(category, ...)                                                                                     \
    do {                                                                                                               \
        if (thrace_enabled()) {                                                                                        \
            char thrace_message[1024 + 4]; /* more than a trace takes: whole characters are cut off */                 \
            int thrace_errno = errno;                                                                                  \
            if (snprintf(thrace_message, sizeof thrace_message, __VA_ARGS__) >= 0)                                     \
                thrace_log(category, thrace_message);                                                                  \
            errno = thrace_errno;                                                                                      \
        }                                                                                                              \
    } while (0)

/* What a counter shows now: a message, in the category of that name. Since: 0.1. */
THRACE_INLINE void thrace_count(const char *name, int64_t value)
{
    if (THRACE_HEARD()) {
        void (*count)(const char *, int64_t) = THRACE_OPTIONAL(thrace_annotate_count);
        if (count)
            count(name, value);
    }
}

/* Labels the calling thread from now on, in place of the label before. Since: 0.1. */
THRACE_INLINE void thrace_label(const char *label)
{
    if (THRACE_HEARD()) {
        void (*set)(const char *) = THRACE_OPTIONAL(thrace_annotate_label);
        if (set)
            set(label);
    }
}

#ifdef __cplusplus
}

namespace thrace {

/* A region that ends with the object. Since: 0.1. */
class region {
  public:
    __attribute__((always_inline)) explicit region(const char *name) { thrace_region_begin(name); }
#ifdef __cpp_lib_source_location
    /* Named after the function that it stands in. */
    __attribute__((always_inline)) explicit region(std::source_location here = std::source_location::current())
        : region(here.function_name())
    {
    }
#endif
    __attribute__((always_inline)) ~region() { thrace_region_end(); }
    region(const region &) = delete;
    region &operator=(const region &) = delete;
};

/* The thread works for the task while the object lives, and afterwards for the one before. Since: 0.1. */
class adopted {
  public:
    __attribute__((always_inline)) explicit adopted(uint64_t task) : before_(thrace_task_adopt(task)) {}
    __attribute__((always_inline)) ~adopted() { thrace_task_adopt(before_); }
    adopted(const adopted &) = delete;
    adopted &operator=(const adopted &) = delete;

  private:
    uint64_t before_;
};

/* A task that begins and ends with the object, and that the thread works for meanwhile. Since: 0.1. */
class task {
  public:
    __attribute__((always_inline)) explicit task(const char *name) : id_(thrace_task_begin(name)), adopted_(id_) {}
#ifdef __cpp_lib_source_location
    /* Named after the function that it stands in. */
    __attribute__((always_inline)) explicit task(std::source_location here = std::source_location::current())
        : task(here.function_name())
    {
    }
#endif
    __attribute__((always_inline)) ~task() { thrace_task_end(id_); }
    uint64_t id() const { return id_; }
    task(const task &) = delete;
    task &operator=(const task &) = delete;

  private:
    uint64_t id_;
    adopted adopted_;
};

/*
 * Something to call, for another thread, with the task that the thread which made it works for: who calls it works for
 * that task meanwhile. Copied and moved as the function is. Since: 0.1.
 */
template <class Function> class carried {
  public:
    explicit carried(Function function) : function_(std::move(function)), task_(thrace_task_current()) {}
    template <class... Arguments>
    auto operator()(Arguments &&...arguments)
        -> decltype(std::declval<Function &>()(std::forward<Arguments>(arguments)...))
    {
        adopted works_for(task_);
        return function_(std::forward<Arguments>(arguments)...);
    }
    template <class... Arguments>
    auto operator()(Arguments &&...arguments) const
        -> decltype(std::declval<const Function &>()(std::forward<Arguments>(arguments)...))
    {
        adopted works_for(task_);
        return function_(std::forward<Arguments>(arguments)...);
    }
    uint64_t task() const { return task_; }

  private:
    Function function_;
    uint64_t task_;
};

/* pool.submit(thrace::carry([=] { … })). Since: 0.1. */
template <class Function> carried<typename std::decay<Function>::type> carry(Function &&function)
{
    return carried<typename std::decay<Function>::type>(std::forward<Function>(function));
}

} // namespace thrace
#endif

#endif
