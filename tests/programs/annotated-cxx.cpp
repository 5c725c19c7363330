// annotated-cxx: the C++ side of thrace/annotate.h: what ends with its object, also when an exception ends the block.
#include <thrace/annotate.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

static void __attribute__((noinline)) throws()
{
    thrace::region r("throws");
    throw std::runtime_error("out of here");
}

static void worker(uint64_t task)
{
    thrace::adopted works_for(task);
    THRACE_REGION("one");
    THRACE_REGION("two");
}

// An inlined function of the program's own, whatever it takes.
inline void __attribute__((always_inline)) counts(int n, const thrace::task &)
{
    thrace_count("n", n);
}

static void server()
{
    thrace::task request("request");
    counts(1, request);
    try {
        throws();
    } catch (const std::exception &e) {
        thrace_logf("error", "%s", e.what());
    }
    std::thread(worker, request.id()).join();
}

// Work of two tasks, done by a thread that works for none: what may be copied, and what may only be moved.
static std::vector<std::function<int(int)>> work;

static void pool()
{
    for (auto &each : work)
        thrace_count("got", each(1));
    thrace_log("pool", "done");
}

static int __attribute__((noinline)) twice(const int &n)
{
    THRACE_REGION("twice");
    return 2 * n;
}

static void clients()
{
    thrace::task one("one");
    work.push_back(thrace::carry(twice));
    {
        thrace::task two("two");
        int calls = 0;
        work.push_back(thrace::carry([calls](int n) mutable { return twice(n + ++calls); }));
        std::unique_ptr<int> three(new int(3));
        auto moved = thrace::carry([](std::unique_ptr<int> p) { return std::move(p); });
        const auto fixed = moved;
        thrace::adopted nobody(0);
        std::unique_ptr<int> back = fixed(std::move(three));
        thrace_count("back", *back + (fixed.task() == two.id() ? 0 : 100));
    }
}

int main()
{
    std::thread(server).join();
    std::thread(clients).join();
    std::thread(pool).join();
    std::puts("trace: annotations server() task+request log@request:n=1 region+throws@request region-throws@request "
              "log@request:error=out_of_here task-request");
    std::puts("trace: annotations worker(unsigned_long) region+one@request region+two@request region-two@request "
              "region-one@request");
    std::puts("trace: annotations clients() task+one task+two+one log:back=3 task-two task-one");
    std::puts("trace: annotations pool() region+twice@one region-twice@one log:got=2 region+twice@two region-twice@two "
              "log:got=4 log:pool=done");
    return 0;
}
