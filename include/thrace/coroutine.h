/*
 * Annotations of C++20 coroutines, which may go on with another thread at each co_await. Tasks and regions are those of
 * threads; a coroutine's go with it:
 *
 *     future<void> serve(socket &s)
 *     {
 *         thrace::coroutine_task request("request");
 *         thrace::coroutine::region reads(request, "read");
 *         auto bytes = co_await request.across(s.read());
 *         …
 *     }
 *
 * When the coroutine is suspended by across(), its regions end and the thread works for what it worked for before; the
 * thread that the coroutine goes on with works for its task then, and its regions begin there again. So a region of the
 * trace never lasts while the coroutine waits, and one that waits is two or more in a row, of the same task and name.
 * The task itself goes on meanwhile. When the coroutine is destroyed while it waits, only its task ends.
 *
 * Other regions and thrace::adopted must not have a co_await in them. A coroutine that is waited for runs for what the
 * thread works for then, which is not its caller's task: pass it the number, for a thrace::coroutine of its own.
 *
 * Beside thrace/annotate.h, and copied together with it; no more than that before C++20. Since: 0.1.
 */
#ifndef THRACE_COROUTINE_H
#define THRACE_COROUTINE_H

#include "annotate.h"

#ifdef __cpp_impl_coroutine

namespace thrace {

template <class Awaiter> class crossing;

/* A coroutine that works for a task: a variable of the coroutine's, used by one thread at a time. Since: 0.1. */
class coroutine {
  public:
    class region;
    __attribute__((always_inline)) explicit coroutine(uint64_t task) : task_(task) { enter(); }
    __attribute__((always_inline)) ~coroutine()
    {
        if (runs_)
            leave();
    }
    uint64_t task() const { return task_; }

    /* To be awaited in place of the awaitable. */
    template <class Awaitable> auto across(Awaitable &&awaitable);

    coroutine(const coroutine &) = delete;
    coroutine &operator=(const coroutine &) = delete;

  private:
    template <class Awaiter> friend class crossing;
    __attribute__((always_inline)) inline void enter();
    __attribute__((always_inline)) inline void leave();

    uint64_t task_, before_ = 0;
    region *innermost_ = nullptr;
    bool runs_ = false;
};

/* A region of the coroutine's, a variable of it, too. The name is not copied. Since: 0.1. */
class coroutine::region {
  public:
    __attribute__((always_inline)) region(coroutine &c, const char *name) : c_(c), name_(name), outer_(c.innermost_)
    {
        c.innermost_ = this;
        thrace_region_begin(name);
    }
#ifdef __cpp_lib_source_location
    /* Named after the function that it stands in. */
    __attribute__((always_inline)) explicit region(coroutine &c,
                                                   std::source_location here = std::source_location::current())
        : region(c, here.function_name())
    {
    }
#endif
    __attribute__((always_inline)) ~region()
    {
        c_.innermost_ = outer_;
        if (c_.runs_)
            thrace_region_end();
    }
    region(const region &) = delete;
    region &operator=(const region &) = delete;

  private:
    friend class coroutine;
    coroutine &c_;
    const char *name_;
    region *outer_;
};

/* The outermost region first. */
inline void coroutine::enter()
{
    before_ = thrace_task_adopt(task_);
    runs_ = true;
    for (const region *begun = nullptr; begun != innermost_;) {
        const region *next = innermost_;
        while (next->outer_ != begun)
            next = next->outer_;
        thrace_region_begin(next->name_);
        begun = next;
    }
}

inline void coroutine::leave()
{
    for (const region *r = innermost_; r; r = r->outer_)
        thrace_region_end();
    runs_ = false;
    thrace_task_adopt(before_);
}

/* A coroutine with a task of its own, which ends with it. Since: 0.1. */
class coroutine_task : public coroutine {
  public:
    __attribute__((always_inline)) explicit coroutine_task(const char *name) : coroutine(thrace_task_begin(name)) {}
#ifdef __cpp_lib_source_location
    /* Named after the function that it stands in. */
    __attribute__((always_inline)) explicit coroutine_task(
        std::source_location here = std::source_location::current())
        : coroutine_task(here.function_name())
    {
    }
#endif
    __attribute__((always_inline)) ~coroutine_task() { thrace_task_end(task()); }
};

/* What across() makes: waits as the awaiter does. */
template <class Awaiter> class crossing {
  public:
    template <class Make> crossing(coroutine &c, Make make) : c_(c), awaiter_(make()) {}

    bool await_ready() { return static_cast<bool>(awaiter_.await_ready()); }

    /*
     * The coroutine is left before the awaiter knows of it: from then on another thread may run it, or destroy it. When
     * the awaiter throws, it goes on here.
     */
    template <class Handle> __attribute__((always_inline)) auto await_suspend(Handle handle)
    {
        left_ = true;
        c_.leave();
        struct unless_thrown {
            crossing *thrown;
            ~unless_thrown()
            {
                if (thrown)
                    thrown->return_to();
            }
        } guard = {this};
        if constexpr (std::is_void<decltype(awaiter_.await_suspend(handle))>::value) {
            awaiter_.await_suspend(handle);
            guard.thrown = nullptr;
        } else {
            auto next = awaiter_.await_suspend(handle);
            guard.thrown = nullptr;
            return next;
        }
    }

    __attribute__((always_inline)) decltype(auto) await_resume()
    {
        return_to();
        return awaiter_.await_resume();
    }

  private:
    __attribute__((always_inline)) void return_to()
    {
        if (left_)
            c_.enter();
        left_ = false;
    }

    coroutine &c_;
    Awaiter awaiter_;
    bool left_ = false;
};

template <class Awaitable> auto coroutine::across(Awaitable &&awaitable)
{
    auto awaiter = [&]() -> decltype(auto) {
        if constexpr (requires { std::forward<Awaitable>(awaitable).operator co_await(); })
            return std::forward<Awaitable>(awaitable).operator co_await();
        else if constexpr (requires { operator co_await(std::forward<Awaitable>(awaitable)); })
            return operator co_await(std::forward<Awaitable>(awaitable));
        else
            return std::forward<Awaitable>(awaitable);
    };
    return crossing<decltype(awaiter())>(*this, awaiter);
}

} // namespace thrace
#endif

#endif
