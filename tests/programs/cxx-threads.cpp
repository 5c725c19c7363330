// The threads of C++: thread, mutex, timed_mutex, shared_mutex, condition_variable, call_once, future, exceptions.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>
#include <vector>

using namespace std::chrono_literals;

namespace
{

std::mutex lock;
std::condition_variable changed;
int turn;

// Two threads take turns: each waits for the other as often as it runs.
__attribute__((noinline)) void take_turns(int me, int rounds)
{
    for (int i = 0; i < rounds; i++) {
        std::unique_lock<std::mutex> hold(lock);
        changed.wait(hold, [me] { return turn == me; });
        turn = 1 - me;
        changed.notify_one();
    }
}

bool time_out()
{
    std::unique_lock<std::mutex> hold(lock);
    std::condition_variable never;
    bool timed_out = never.wait_for(hold, 20ms) == std::cv_status::timeout;
    timed_out &= never.wait_until(hold, std::chrono::system_clock::now() + 20ms) == std::cv_status::timeout;
    return timed_out;
}

bool timed_lock()
{
    std::timed_mutex busy;
    std::lock_guard<std::timed_mutex> hold(busy);
    return std::async(std::launch::async, [&busy] { return !busy.try_lock_for(20ms); }).get();
}

int shared_lock()
{
    std::shared_mutex table;
    std::atomic<int> sum{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&table, &sum] {
            for (int j = 0; j < 100; j++) {
                std::shared_lock<std::shared_mutex> hold(table);
                sum++;
            }
            std::lock_guard<std::shared_mutex> hold(table);
            sum++;
        });
    for (auto &t : threads)
        t.join();
    return sum;
}

int call_once_only()
{
    std::once_flag once;
    std::atomic<int> calls{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&once, &calls] {
            std::call_once(once, [&calls] {
                std::this_thread::sleep_for(5ms);
                calls++;
            });
        });
    for (auto &t : threads)
        t.join();
    return calls;
}

// call_once lets an exception out and the next caller try again: the unwinder has to pass through pthread_once. Before
// glibc 2.34 the next caller waits for ever.
constexpr int ATTEMPTS = __GLIBC_PREREQ(2, 34) ? 3 : 1;

int call_once_again()
{
    std::once_flag once;
    int attempts = 0;
    for (int i = 0; i < 3; i++) {
        try {
            std::call_once(once, [&attempts] {
                if (++attempts < ATTEMPTS)
                    throw std::runtime_error("not yet");
            });
        } catch (const std::runtime_error &) {
        }
    }
    return attempts;
}

struct Guard {
    std::atomic<int> &count;
    ~Guard() { count++; }
};

int exceptions()
{
    std::atomic<int> destroyed{0};
    int caught = 0;
    for (int i = 0; i < 10; i++) {
        auto result = std::async(std::launch::async, [&destroyed]() -> int {
            Guard guard{destroyed};
            throw std::runtime_error("thrown in a thread");
        });
        try {
            result.get();
        } catch (const std::runtime_error &) {
            caught++;
        }
    }
    return caught + destroyed;
}

} // namespace

int main()
{
    std::thread ping(take_turns, 0, 100), pong(take_turns, 1, 100);
    ping.join();
    pong.join();
    std::printf("turn %d\n", turn);
    std::printf("timed out %d, lock timed out %d\n", time_out(), timed_lock());
    std::printf("shared %d\n", shared_lock());
    std::printf("once %d, again %d\n", call_once_only(), call_once_again());
    std::printf("caught and destroyed %d\n", exceptions());
    std::printf("trace: goroutines %d\n", 1 + 2 + 1 + 4 + 4 + 10);
    std::puts("trace: goroutine main 1");
    return 0;
}
