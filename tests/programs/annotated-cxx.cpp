// annotated-cxx: the C++ side of thrace/annotate.h: what ends with its object, also when an exception ends the block.
#include <thrace/annotate.h>

#include <cstdio>
#include <stdexcept>
#include <thread>

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

static void server()
{
    thrace::task request("request");
    try {
        throws();
    } catch (const std::exception &e) {
        thrace_logf("error", "%s", e.what());
    }
    std::thread(worker, request.id()).join();
}

int main()
{
    std::thread(server).join();
    std::puts("trace: annotations server() task+request region+throws@request region-throws@request "
              "log@request:error=out_of_here task-request");
    std::puts("trace: annotations worker(unsigned_long) region+one@request region+two@request region-two@request "
              "region-one@request");
    return 0;
}
