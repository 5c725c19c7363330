// Locks of C++ on the heap, which no call makes: the program's own frame names them, not that of a header.
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include <sys/syscall.h>
#include <unistd.h>

using namespace std::chrono_literals;

namespace
{

struct shelf {
    std::mutex mutex;
    std::condition_variable filled;
    bool full = false;
};

// Locks that are made: whoever wants one is named, and not the class or function that makes it.
template <typename T> struct guarded {
    T value{};
    pthread_mutex_t mutex;
    __attribute__((noinline)) guarded()
    {
        pthread_mutex_init(&mutex, nullptr);
        __asm__ volatile(""); // no jump in place of the call: it is to be on the stack
    }
};

extern "C" __attribute__((noinline)) void my_mutex_init(pthread_mutex_t *mutex)
{
    pthread_mutex_init(mutex, nullptr);
    __asm__ volatile("");
}

std::unique_ptr<shelf> shop;
std::unique_ptr<guarded<std::pair<int, int>>> till;
std::unique_ptr<pthread_mutex_t> door;
pthread_mutex_t *wanted;
int lock_line, wait_line;
std::atomic<long> tid;

extern "C" __attribute__((noinline)) void locks()
{
    tid = syscall(SYS_gettid);
    lock_line = __LINE__ + 1;
    std::unique_lock<std::mutex> lock(shop->mutex);
}

extern "C" __attribute__((noinline)) void waits()
{
    std::unique_lock<std::mutex> lock(shop->mutex);
    tid = syscall(SYS_gettid);
    wait_line = __LINE__ + 1;
    shop->filled.wait(lock, [] { return shop->full; });
}

extern "C" __attribute__((noinline)) void wants_till()
{
    tid = syscall(SYS_gettid);
    pthread_mutex_lock(wanted);
    pthread_mutex_unlock(wanted);
}

extern "C" __attribute__((noinline)) void wants_door()
{
    tid = syscall(SYS_gettid);
    pthread_mutex_lock(wanted);
    pthread_mutex_unlock(wanted);
}

// Until the kernel has said three times in a row that the thread sleeps.
void await_asleep()
{
    for (int seen = 0; seen < 3; std::this_thread::sleep_for(2ms)) {
        std::ifstream file("/proc/self/task/" + std::to_string(tid) + "/stat");
        std::string line;
        std::getline(file, line);
        auto end = line.rfind(')');
        seen = tid && end != std::string::npos && line.compare(end, 3, ") S") == 0 ? seen + 1 : 0;
    }
    tid = 0;
}

void contend(pthread_mutex_t *mutex, void (*wants)())
{
    wanted = mutex;
    pthread_mutex_lock(mutex);
    std::thread other(wants);
    await_asleep();
    pthread_mutex_unlock(mutex);
    other.join();
}

} // namespace

int main()
{
    int till_line = __LINE__ + 1;
    till = std::make_unique<guarded<std::pair<int, int>>>();
    contend(&till->mutex, wants_till);
    door = std::make_unique<pthread_mutex_t>();
    int door_line = __LINE__ + 1;
    my_mutex_init(door.get());
    contend(door.get(), wants_door);
    shop = std::make_unique<shelf>();
    shop->mutex.lock();
    std::thread locker(locks);
    await_asleep();
    shop->mutex.unlock();
    locker.join();
    std::thread waiter(waits);
    await_asleep();
    {
        std::lock_guard<std::mutex> lock(shop->mutex);
        shop->full = true;
    }
    shop->filled.notify_one();
    waiter.join();
    std::printf("trace: block locks sync main mutex:waited_for_at_cxx-objects.cpp:%d_(0x*<pthread_mutex_lock<locks\n",
                lock_line);
    std::printf("trace: block waits sync.(*Cond).Wait main condition:waited_for_at_cxx-objects.cpp:%d_(0x*<"
                "pthread_cond_wait<waits\n",
                wait_line);
    std::printf("trace: block wants_till sync main mutex:initialised_at_cxx-objects.cpp:%d_(0x*<pthread_mutex_lock\n",
                till_line);
    std::printf("trace: block wants_door sync main mutex:initialised_at_cxx-objects.cpp:%d_(0x*<pthread_mutex_lock\n",
                door_line);
    std::printf("trace: goroutines 5\n");
    return 0;
}
