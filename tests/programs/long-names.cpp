// Functions whose names are longer than a trace's strings may be, some with letters of two bytes. Trap 50.
#include <cstdio>
#include <mutex>
#include <thread>

template <class T> struct LongNameOfATemplateThatHasAnotherOneInside {
    T inner;
};

template <class T, int Depth> struct Nested {
    using type = typename Nested<LongNameOfATemplateThatHasAnotherOneInside<T>, Depth - 1>::type;
};
template <class T> struct Nested<T, 0> {
    using type = T;
};

static std::mutex lock;

template <class T> __attribute__((noinline)) void very_long(T *count)
{
    std::lock_guard<std::mutex> hold(lock);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    ++*reinterpret_cast<int *>(count);
}

template <class Übergröße> __attribute__((noinline)) void sehr_lang_üüü(Übergröße *count)
{
    very_long(count);
    asm volatile("");
}

int main()
{
    Nested<int, 22>::type a{};
    Nested<int, 60>::type b{};
    std::thread threads[] = {std::thread(very_long<decltype(a)>, &a), std::thread(very_long<decltype(b)>, &b),
                             std::thread(sehr_lang_üüü<decltype(b)>, &b)};
    for (auto &t : threads)
        t.join();
    std::printf("%d %d\n", *reinterpret_cast<int *>(&a), *reinterpret_cast<int *>(&b));
    std::puts("trace: goroutines 4");
    return 0;
}
