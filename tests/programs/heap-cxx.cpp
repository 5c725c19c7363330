// heap-cxx ROUNDS: every operator new and delete there is, in eight threads that free what others made. What is left at
// the end stays; "live N" says how many bytes that is. heap-cxx no-memory: what they do when there is none.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <pthread.h>
#include <thread>
#include <unistd.h>

#ifndef __cpp_sized_deallocation
void operator delete(void *, std::size_t) noexcept;
void operator delete[](void *, std::size_t) noexcept;
void operator delete(void *, std::size_t, std::align_val_t) noexcept;
void operator delete[](void *, std::size_t, std::align_val_t) noexcept;
#endif

namespace
{

enum { THREADS = 8, SLOTS = 256, WAYS = 9 };
constexpr std::align_val_t ALIGN{64};

// The way that a block was made says how it may be deleted.
struct Made {
    void *p;
    std::size_t size;
    unsigned way;
};

std::atomic<Made *> table[SLOTS];

// What is allocated for the threads themselves comes before all else: libc's blocks are larger where a rest would not
// do.
pthread_barrier_t all_there;

void *make(unsigned way, std::size_t n)
{
    switch (way) {
    case 0: return ::operator new(n);
    case 1: return ::operator new[](n);
    case 2: return ::operator new(n, std::nothrow);
    case 3: return ::operator new[](n, std::nothrow);
    case 4: return ::operator new(n, ALIGN);
    case 5: return ::operator new[](n, ALIGN);
    case 6: return ::operator new(n, ALIGN, std::nothrow);
    case 7: return ::operator new[](n, ALIGN, std::nothrow);
    default: return std::malloc(n);
    }
}

void remove(const Made &m, unsigned other)
{
    switch (m.way * 2 + other % 2) {
    case 0: return ::operator delete(m.p);
    case 1: return ::operator delete(m.p, m.size);
    case 2: return ::operator delete[](m.p);
    case 3: return ::operator delete[](m.p, m.size);
    case 4: return ::operator delete(m.p, std::nothrow);
    case 5: return ::operator delete(m.p);
    case 6: return ::operator delete[](m.p, std::nothrow);
    case 7: return ::operator delete[](m.p);
    case 8: return ::operator delete(m.p, ALIGN);
    case 9: return ::operator delete(m.p, m.size, ALIGN);
    case 10: return ::operator delete[](m.p, ALIGN);
    case 11: return ::operator delete[](m.p, m.size, ALIGN);
    case 12: return ::operator delete(m.p, ALIGN, std::nothrow);
    case 13: return ::operator delete(m.p, ALIGN);
    case 14: return ::operator delete[](m.p, ALIGN, std::nothrow);
    case 15: return ::operator delete[](m.p, ALIGN);
    default: return std::free(m.p);
    }
}

// Made and freed when a thread ends.
struct Last {
    char *p = new char[700];
    ~Last()
    {
        delete[] p;
        delete[] new char[900];
    }
};

void stress(unsigned me, long rounds)
{
    thread_local Last last;
    last.p[0] = 1;
    pthread_barrier_wait(&all_there);
    std::uint32_t random = me + 1;
    for (long i = 0; i < rounds; i++) {
        random = random * 1664525u + 1013904223u;
        std::size_t n = random % 64 ? (random >> 8) % 1024 : 100000 + (random >> 8) % 200000;
        Made *m = new Made{nullptr, n, (random >> 20) % WAYS};
        m->p = make(m->way, n);
        Made *old = table[(random >> 10) % SLOTS].exchange(m);
        if (old) {
            remove(*old, random >> 7);
            delete old;
        }
        ::operator delete(nullptr);
    }
}

int asked;

void on_no_memory()
{
    if (++asked % 3 == 0)
        std::set_new_handler(nullptr);
}

template <typename F> int throws(F f)
{
    std::set_new_handler(on_no_memory);
    try {
        return f() ? 1 : 0;
    } catch (const std::bad_alloc &) {
        return 2;
    }
}

} // namespace

static void no_memory()
{
    volatile std::size_t most = SIZE_MAX / 2;
    std::printf("no memory: %d", throws([&] { return ::operator new(most); }));
    std::printf(" %d", throws([&] { return ::operator new[](most); }));
    std::printf(" %d", throws([&] { return ::operator new(most, std::nothrow); }));
    std::printf(" %d", throws([&] { return ::operator new(most, ALIGN); }));
    std::printf(" %d, asked %d\n", throws([&] { return ::operator new[](most, ALIGN, std::nothrow); }), asked);
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? std::atol(argv[1]) : 1000, live = 0;
    if (argc > 1 && !std::strcmp(argv[1], "no-memory")) {
        no_memory();
        return 0;
    }
    pthread_barrier_init(&all_there, nullptr, THREADS);
    std::thread threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        threads[i] = std::thread(stress, i, rounds);
    for (auto &t : threads)
        t.join();
    for (auto &m : table)
        if (Made *made = m.load())
            live += static_cast<long>(malloc_usable_size(made) + malloc_usable_size(made->p));
    char line[64];
    int n = std::snprintf(line, sizeof line, "live %ld\n", live);
    return write(1, line, static_cast<std::size_t>(n)) == n ? 0 : 1;
}
