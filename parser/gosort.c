/*
 * Pattern-defeating quicksort (https://arxiv.org/abs/2106.05123) with the parameters of Go's: runs of up to 12 are
 * sorted by insertion, pivots are the median of three, from 50 elements on of three medians; a partition with less than
 * an eighth on one side counts as bad, and after log2(n) + 1 bad ones heapsort takes over.
 */
#include "parser/gosort.h"

#include <stdbool.h>

enum { BY_INSERTION = 12, PIVOT_OF_THREE = 8, PIVOT_OF_NINE = 50, SHIFT_FROM = 50, SHIFTS = 5, ALL_SWAPPED = 12 };

typedef ptrdiff_t at;

static inline void swap(struct keyed *v, at i, at j)
{
    struct keyed t = v[i];
    v[i] = v[j];
    v[j] = t;
}

static inline bool less(const struct keyed *v, at i, at j)
{
    return v[i].key < v[j].key;
}

static void by_insertion(struct keyed *v, at a, at b)
{
    for (at i = a + 1; i < b; i++)
        for (at j = i; j > a && less(v, j, j - 1); j--)
            swap(v, j, j - 1);
}

static void sift(struct keyed *heap, at root, at n)
{
    for (at child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && less(heap, child, child + 1))
            child++;
        if (!less(heap, root, child))
            return;
        swap(heap, root, child);
    }
}

static void by_heap(struct keyed *v, at a, at b)
{
    struct keyed *heap = v + a;
    at n = b - a;
    for (at i = (n - 1) / 2; i >= 0; i--)
        sift(heap, i, n);
    for (at i = n - 1; i >= 0; i--) {
        swap(heap, 0, i);
        sift(heap, 0, i);
    }
}

static at median(const struct keyed *v, at i, at j, at k, int *swaps)
{
    at t;
    if (less(v, j, i))
        t = i, i = j, j = t, ++*swaps;
    if (less(v, k, j))
        t = j, j = k, k = t, ++*swaps;
    if (less(v, j, i))
        t = i, i = j, j = t, ++*swaps;
    return j;
}

static at choose_pivot(const struct keyed *v, at a, at b, int *swaps)
{
    at n = b - a, i = a + n / 4, j = a + n / 4 * 2, k = a + n / 4 * 3;
    *swaps = 0;
    if (n < PIVOT_OF_THREE)
        return j;
    if (n >= PIVOT_OF_NINE) {
        i = median(v, i - 1, i, i + 1, swaps);
        j = median(v, j - 1, j, j + 1, swaps);
        k = median(v, k - 1, k, k + 1, swaps);
    }
    return median(v, i, j, k, swaps);
}

/* Puts what is less than the pivot before it; returns where the pivot is then. */
static at partition(struct keyed *v, at a, at b, at pivot, bool *was_done)
{
    swap(v, a, pivot);
    at i = a + 1, j = b - 1;
    for (*was_done = true;; *was_done = false) {
        while (i <= j && less(v, i, a))
            i++;
        while (i <= j && !less(v, j, a))
            j--;
        if (i > j)
            break;
        swap(v, i++, j--);
    }
    swap(v, j, a);
    return j;
}

/* None is less than the pivot: puts those that are equal to it first; returns where the others begin. */
static at partition_equal(struct keyed *v, at a, at b, at pivot)
{
    swap(v, a, pivot);
    at i = a + 1, j = b - 1;
    for (;;) {
        while (i <= j && !less(v, a, i))
            i++;
        while (i <= j && less(v, a, j))
            j--;
        if (i > j)
            return i;
        swap(v, i++, j--);
    }
}

/* Mends a few places that are out of order; true if all is in order then. */
static bool nearly_sorted(struct keyed *v, at a, at b)
{
    at i = a + 1;
    for (int tries = 0; tries < SHIFTS; tries++) {
        while (i < b && !less(v, i, i - 1))
            i++;
        if (i == b)
            return true;
        if (b - a < SHIFT_FROM)
            return false;
        swap(v, i, i - 1);
        if (i - a >= 2)
            for (at j = i - 1; j >= 1 && less(v, j, j - 1); j--)
                swap(v, j, j - 1);
        if (b - i >= 2)
            for (at j = i + 1; j < b && less(v, j, j - 1); j++)
                swap(v, j, j - 1);
    }
    return false;
}

static int bits(size_t n)
{
    return n ? 64 - __builtin_clzll(n) : 0;
}

static void break_patterns(struct keyed *v, at a, at b)
{
    at n = b - a;
    uint64_t random = (uint64_t)n, mask = (UINT64_C(1) << bits((size_t)n)) - 1;
    if (n < PIVOT_OF_THREE)
        return;
    at middle = a + n / 4 * 2;
    for (at i = middle - 1; i <= middle + 1; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        at other = (at)(random & mask);
        swap(v, i, a + (other < n ? other : other - n));
    }
}

static void sort(struct keyed *v, at a, at b, int bad_allowed)
{
    bool balanced = true, partitioned = true;
    while (b - a > BY_INSERTION) {
        if (!bad_allowed) {
            by_heap(v, a, b);
            return;
        }
        if (!balanced) {
            break_patterns(v, a, b);
            bad_allowed--;
        }
        int swaps;
        at n = b - a, pivot = choose_pivot(v, a, b, &swaps);
        if (swaps == ALL_SWAPPED) {
            for (at i = a, j = b - 1; i < j;)
                swap(v, i++, j--);
            pivot = b - 1 - (pivot - a);
            swaps = 0;
        }
        if (balanced && partitioned && !swaps && nearly_sorted(v, a, b))
            return;
        if (a > 0 && !less(v, a - 1, pivot)) {
            a = partition_equal(v, a, b, pivot);
            continue;
        }
        at mid = partition(v, a, b, pivot, &partitioned);
        balanced = (mid - a < b - mid ? mid - a : b - mid) >= n / 8;
        if (mid - a < b - mid) {
            sort(v, a, mid, bad_allowed);
            a = mid + 1;
        } else {
            sort(v, mid + 1, b, bad_allowed);
            b = mid;
        }
    }
    by_insertion(v, a, b);
}

void gosort(struct keyed *v, size_t n)
{
    sort(v, 0, (at)n, bits(n));
}
