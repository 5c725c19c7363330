// A module for heap-host with operators new and delete of its own, to be compiled without optimization. With ELSEWHERE
// defined they come later in it, and where the others have theirs nothing can be called.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

extern "C" void *make(std::size_t n);
extern "C" void *make(std::size_t n) { return ::operator new(n); }
extern "C" void unmake(void *p);
extern "C" void unmake(void *p) { ::operator delete(p); }

static int wrong_alignments;

extern "C" int use_operators(int seed);
extern "C" int use_operators(int seed)
{
    constexpr std::align_val_t align{64};
    void *p = ::operator new[](static_cast<std::size_t>(seed) + 100, align);
    bool right = reinterpret_cast<std::uintptr_t>(p) % 64 == 0;
    ::operator delete[](p, align);
    return right && !wrong_alignments;
}

#if defined(__x86_64__)
#define NOTHING_TO_CALL __asm__(".text; .fill 4096, 1, 0xcc");
#else
#define NOTHING_TO_CALL __asm__(".text; .fill 4096, 1, 0");
#endif

#ifdef ELSEWHERE
NOTHING_TO_CALL
#endif

void *operator new(std::size_t n)
{
    if (void *p = std::malloc(n))
        return p;
    throw std::bad_alloc();
}

void *operator new[](std::size_t n, std::align_val_t align)
{
    std::size_t a = static_cast<std::size_t>(align);
    if (void *p = std::aligned_alloc(a, (n + a - 1) / a * a))
        return p;
    throw std::bad_alloc();
}

void operator delete(void *p) noexcept { std::free(p); }
void operator delete[](void *p, std::align_val_t align) noexcept
{
    wrong_alignments += align != std::align_val_t{64};
    std::free(p);
}

#ifndef ELSEWHERE
NOTHING_TO_CALL
#endif
