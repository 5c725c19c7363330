/* Ordinary calls of every kind that a compiler treats differently. */
#include "config.h"

#include <alloca.h>
#include <search.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/unwind/subjects.h"

#define NOINLINE __attribute__((noinline))

static volatile int sink;

/* What a function computes after a call keeps the call from becoming a jump, and gives it registers to save. */
static NOINLINE int mixed(int n, int a, int b, int c)
{
    if (n <= 0) {
        visit();
        return a ^ b ^ c;
    }
    int x = mixed(n - 1, b, c, a + 1);
    int y = n % 3 ? 1 : mixed(n - 2, x, a, b);
    return x * 3 + y * 5 + a * b - c;
}

void subject_recursion(void)
{
    for (int i = 0; i < 12; i++)
        sink += mixed(i, 1, 2, i);
}

static NOINLINE int very_deep(int n)
{
    volatile char pad[40];
    pad[n % 40] = (char)n;
    if (n == 0) {
        visit();
        visit();
        return 1;
    }
    return very_deep(n - 1) + pad[n % 40];
}

void subject_very_deep(void)
{
    for (int n = 90; n < 140; n += 5)
        sink += very_deep(n);
    sink += very_deep(1500);
}

static NOINLINE int tail_b(int n, int acc);

static NOINLINE int tail_a(int n, int acc)
{
    if (n == 0) {
        visit();
        return acc;
    }
    return tail_b(n - 1, acc * 3 + 1);
}

static NOINLINE int tail_b(int n, int acc)
{
    volatile int big[30];
    big[n % 30] = acc;
    if (n % 4 == 1)
        return tail_a(n - 1, big[n % 30]) + 1;
    return n ? tail_a(n - 1, acc ^ n) : acc;
}

void subject_tail_calls(void)
{
    for (int i = 0; i < 20; i++)
        sink += tail_a(i, i);
}

static inline __attribute__((always_inline)) int inner(int n)
{
    visit();
    return n + 1;
}

static inline __attribute__((always_inline)) int middle(int n)
{
    return n % 2 ? inner(n) * 2 : inner(n + 1) + inner(n);
}

static NOINLINE int outer(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += middle(i) + sum / 3;
    return sum;
}

void subject_inlining(void) { sink += outer(10); }

static NOINLINE int with_alloca(int n, int size)
{
    char *p = alloca((size_t)size);
    memset(p, n, (size_t)size);
    visit();
    int r = n ? with_alloca(n - 1, (size * 7 + 13) % 500 + 1) : 0;
    char *q = alloca((size_t)(n * 37) % 300 + 1);
    q[0] = (char)r;
    visit();
    return r + p[size / 2] + q[0];
}

void subject_alloca(void)
{
    for (int i = 1; i < 10; i++)
        sink += with_alloca(i, i * 31);
}

static NOINLINE int realigned(int n)
{
    _Alignas(64) volatile char box[64];
    box[n % 64] = (char)n;
    visit();
    int r = n ? realigned(n - 1) : 0;
    return r + box[n % 64] + (int)((uintptr_t)box % 64);
}

static NOINLINE int realigned_with_alloca(int n, int a, int b, int c, int d, int e, int on_stack)
{
    _Alignas(128) volatile char box[128];
    volatile char *p = alloca((size_t)n * 16 + 1);
    p[0] = box[n] = (char)n;
    visit();
    int r = n ? realigned_with_alloca(n - 1, b, c, d, e, on_stack, a) : mixed(3, a, b, c);
    return r + p[0] + box[n] + on_stack;
}

void subject_realigned_stack(void)
{
    sink += realigned(7);
    sink += realigned_with_alloca(9, 1, 2, 3, 4, 5, 6);
}

static NOINLINE int large(int n)
{
    volatile char pages[70000];
    pages[n] = (char)n;
    visit();
    return (n ? large(n - 1) : 0) + pages[n];
}

void subject_large_frames(void) { sink += large(12); }

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    visit();
    return (x > y) - (x < y);
}

static void walked(const void *node, VISIT when, int depth) { visit(); }

void subject_libc_callbacks(void)
{
    int v[24], key = 17;
    void *root = NULL;
    for (int i = 0; i < 24; i++)
        v[i] = i * 7919 % 101;
    qsort(v, 24, sizeof *v, compare);
    bsearch(&key, v, 24, sizeof *v, compare);
    for (int i = 0; i < 8; i++)
        tsearch(&v[i], &root, compare);
    twalk(root, walked);
    while (root)
        tdelete(*(void **)root, &root, compare);
}

static jmp_buf back;

static NOINLINE int jumping(int n)
{
    visit();
    if (n == 0)
        longjmp(back, 1);
    return n > 0 ? jumping(n - 1) + 1 : 0;
}

void subject_longjmp(void)
{
    for (volatile int i = 0; i < 8; i++) {
        if (setjmp(back) == 0)
            sink += jumping(i);
        visit();
    }
}

/* The same frames at the same addresses below different callers, of the same size and of others. */
static NOINLINE int innermost(int n)
{
    visit();
    return n + 1;
}
static NOINLINE int caller_1(int n) { return innermost(n) * 3; }
static NOINLINE int caller_2(int n) { return innermost(n) * 5; }
static NOINLINE int caller_3(int n) { return innermost(n + 1) * 7 + innermost(n + 2); }

static NOINLINE int moved(int n, int way, size_t room)
{
    char *p = alloca(room);
    memset(p, way, room);
    int r = way == 0 ? caller_1(n) : way == 1 ? caller_2(n) : caller_3(n);
    return r + p[0];
}

static NOINLINE int above_1(int n, int way, size_t room) { return moved(n, way, room) + 1; }
static NOINLINE int above_2(int n, int way, size_t room) { return moved(n, way, room) + 2; }

/* above_2's frame is on top of 64 bytes more, which moved then has less: what lies below is where it was. */
static NOINLINE int lowered(int n, int way, size_t room)
{
    char *p = alloca(64);
    memset(p, way, 64);
    return above_2(n, way, room) + p[3];
}

void subject_same_slots(void)
{
    for (int i = 0; i < 36; i++) {
        sink += above_1(i, i % 3, 256);
        sink += lowered(i, (i + 1) % 3, 192);
        sink += above_2(i, i % 3, 256);
        for (size_t room = 64; room <= 256; room += 16)
            sink += lowered(i, i % 3, room);
    }
}

void subject_system_calls(void)
{
    struct timespec t;
    struct stat st;
    for (int i = 0; i < 4; i++) {
        clock_gettime(CLOCK_MONOTONIC, &t);
        clock_gettime(CLOCK_REALTIME, &t);
        stat("/", &st);
        free(malloc((size_t)(100 << i * 4)));
        sink += (int)getppid() + (int)strtol("12345", NULL, 10);
        visit();
    }
}
