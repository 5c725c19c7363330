// annotated-cxx20: what C++20 adds: annotations named after the function that they stand in, and those of coroutines,
// which go with them from thread to thread.
#include <thrace/annotate.h>
#include <thrace/coroutine.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            std::fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition);                         \
            std::abort();                                                                                              \
        }                                                                                                              \
    } while (0)

#ifdef __cpp_lib_source_location
static std::string own_name;

static void names_itself()
{
    own_name = std::source_location::current().function_name();
    std::replace(own_name.begin(), own_name.end(), ' ', '_');
    thrace::task t;
    thrace::region r;
    THRACE_REGION();
}

static void named()
{
    std::thread(names_itself).join();
    const char *f = own_name.c_str();
    std::printf("trace: annotations names_itself() task+%s region+%s@%s region+%s@%s region-%s@%s region-%s@%s "
                "task-%s\n",
                f, f, f, f, f, f, f, f, f, f);
}
#else
static void named() {}
#endif

#ifdef __cpp_impl_coroutine
#include <condition_variable>
#include <coroutine>
#include <deque>
#include <mutex>
#include <stdexcept>

// Resumes what it is given, on the thread that runs it, until it is closed.
class executor {
  public:
    void post(std::coroutine_handle<> h)
    {
        std::lock_guard<std::mutex> held(lock_);
        queue_.push_back(h);
        more_.notify_one();
    }
    void run()
    {
        while (auto h = take()) {
            h.resume();
            CHECK(thrace_task_current() == 0);
        }
    }

  private:
    std::coroutine_handle<> take()
    {
        std::unique_lock<std::mutex> held(lock_);
        more_.wait(held, [this] { return !queue_.empty(); });
        auto h = queue_.front();
        queue_.pop_front();
        return h;
    }

    std::mutex lock_;
    std::condition_variable more_;
    std::deque<std::coroutine_handle<>> queue_;
};

static executor on_first, on_second;

struct job {
    struct promise_type {
        job get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() noexcept { return {}; }
        std::suspend_never final_suspend() noexcept { return {}; }
        void return_void() {}
        void unhandled_exception() { std::abort(); }
    };
    std::coroutine_handle<promise_type> handle;
};

struct going_to {
    executor &there;
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<> h) { there.post(h); }
    int await_resume() { return 7; }
};

struct place {
    executor &there;
    going_to operator co_await() const { return {there}; }
};

struct other_place {
    executor &there;
};

static going_to operator co_await(const other_place &p) { return {p.there}; }

struct at_once {
    bool await_ready() { return true; }
    void await_suspend(std::coroutine_handle<>) {}
    void await_resume() {}
};

struct not_after_all {
    bool await_ready() { return false; }
    bool await_suspend(std::coroutine_handle<>) { return false; }
    void await_resume() {}
};

struct impossible {
    bool await_ready() { return false; }
    void await_suspend(std::coroutine_handle<>) { throw std::runtime_error("cannot wait"); }
    void await_resume() {}
};

struct forever {
    bool await_ready() { return false; }
    std::coroutine_handle<> await_suspend(std::coroutine_handle<>)
    {
        on_first.post(nullptr);
        return std::noop_coroutine();
    }
    void await_resume() {}
};

static job serve()
{
    thrace::coroutine_task request("request");
    thrace::coroutine::region outer(request, "outer");
    {
        thrace::coroutine::region inner(request, "inner");
        thrace_log("on", "first");
        CHECK(co_await request.across(place{on_second}) == 7);
        thrace_log("on", "second");
        co_await request.across(at_once{});
    }
    co_await request.across(not_after_all{});
    thrace_log("on", "second still");
    impossible stays;
    try {
        co_await request.across(stays);
    } catch (const std::exception &e) {
        thrace_log("error", e.what());
    }
    CHECK(co_await request.across(other_place{on_first}) == 7);
    CHECK(thrace_task_current() == request.task());
    on_second.post(nullptr);
}

static job dropped(uint64_t task)
{
    thrace::coroutine works_for(task);
    thrace::coroutine::region waits(works_for, "waits");
    co_await works_for.across(forever{});
}

static void first() { on_first.run(); }
static void second() { on_second.run(); }

static void crossing()
{
    uint64_t task = thrace_task_begin("dropped");
    job waiting = dropped(task);
    std::thread two(second);
    on_first.post(serve().handle);
    std::thread one(first);
    two.join();
    on_first.post(waiting.handle);
    one.join();
    thrace_region_begin("main's");
    waiting.handle.destroy();
    thrace_log("main's", "it is open");
    thrace_region_end();
    thrace_task_end(task);
    std::puts("trace: annotations first() task+request region+outer@request region+inner@request log@request:on=first "
              "region-inner@request region-outer@request region+outer@request region-outer@request task-request "
              "region+waits@dropped region-waits@dropped");
    std::puts("trace: annotations second() region+outer@request region+inner@request log@request:on=second "
              "region-inner@request region-outer@request region+outer@request log@request:on=second_still "
              "region-outer@request region+outer@request log@request:error=cannot_wait region-outer@request");
    std::puts("trace: annotations main task+dropped region+main's log:main's=it_is_open region-main's task-dropped");
}
#else
static void crossing() {}
#endif

int main()
{
    named();
    crossing();
    return 0;
}
