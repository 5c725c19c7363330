// A module for heap-host: blocks, strings and an exception of operator new.
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <string>

namespace
{

struct alignas(64) Aligned {
    char c[64];
};

std::map<int, std::string> *kept = new std::map<int, std::string>{{1, "made when the module was loaded"}};

__attribute__((destructor)) void end() { delete kept; }

} // namespace

// Calls of new and delete that may be jumps, as the last thing that these do.
extern "C" void *make(std::size_t n);
extern "C" void *make(std::size_t n) { return ::operator new(n); }
extern "C" void unmake(void *p);
extern "C" void unmake(void *p) { ::operator delete(p); }

extern "C" int use_operators(int seed);
extern "C" int use_operators(int seed)
{
    volatile std::size_t most = SIZE_MAX / 2;
    std::map<int, std::string> m;
    for (int i = 0; i < 1000; i++)
        m[seed + i] = std::string(static_cast<std::size_t>(i % 100), 'x');
    auto aligned = std::make_unique<Aligned>();
    try {
        delete[] new char[most];
    } catch (const std::bad_alloc &) {
        return reinterpret_cast<std::uintptr_t>(aligned.get()) % 64 == 0 && m.size() == 1000 && kept->size() == 1;
    }
    return 0;
}
