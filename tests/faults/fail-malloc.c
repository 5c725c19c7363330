/*
 * Preloaded into the command: the allocation number FAIL_MALLOC fails, or with a "-" behind that all from there on.
 * With 0 none fails, and the file FAIL_MALLOC_REPORT has at the end which of them were the first at their place: by the
 * calls that led there. What comes before main is not counted, and other programs than thrace are left alone.
 */
#include <errno.h>
#include <execinfo.h>
#include <malloc.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "places.h"

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

enum { FRAMES = 20 };

static unsigned long first, last, made;
static bool counts, learns;
static struct places places; /* with the lock */
static bool lock;

static void learn(unsigned long n)
{
    void *pcs[FRAMES];
    uint64_t place = PLACE_NONE;
    int depth = backtrace(pcs, FRAMES);
    for (int i = 0; i < depth; i++)
        place = place_with(place, (uintptr_t)pcs[i]);
    while (__atomic_test_and_set(&lock, __ATOMIC_ACQUIRE))
        ;
    places_add(&places, place, n);
    __atomic_clear(&lock, __ATOMIC_RELEASE);
}

static bool fails(void)
{
    if (!__atomic_load_n(&counts, __ATOMIC_RELAXED))
        return false;
    unsigned long n = __atomic_add_fetch(&made, 1, __ATOMIC_RELAXED);
    if (learns)
        learn(n);
    if (n < first || n > last)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t size) { return fails() ? NULL : __libc_realloc(p, size); }
void *memalign(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

void *reallocarray(void *p, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(p, bytes);
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
    void *got = memalign(alignment, size);
    if (got)
        *p = got;
    return got ? 0 : ENOMEM;
}

__attribute__((constructor)) static void begin(void)
{
    char exe[4096], *end;
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n < 0 ? 0 : n] = 0;
    const char *name = strrchr(exe, '/'), *which = getenv("FAIL_MALLOC");
    if (!name || !which || strcmp(name, "/thrace") != 0)
        return;
    first = last = strtoul(which, &end, 10);
    if (*end == '-')
        last = ~0ul;
    learns = !first;
    if (learns) { /* its first call allocates */
        void *pc;
        backtrace(&pc, 1);
    }
    counts = true;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("FAIL_MALLOC_REPORT");
    if (!counts || !path || !learns)
        return;
    counts = false;
    FILE *f = fopen(path, "we");
    if (!f)
        return;
    places_print(&places, f, " ");
    fputc('\n', f);
    fclose(f);
}
