#include "preload/examiner/reach.h"

#include <string.h>
#include <sys/mman.h>

#include "lib/rawsys.h"
#include "preload/examiner/decode.h"

_Static_assert(2 * SITE_REACH == 64, "a bit for each byte");

/* Addresses that lea makes, which may be those of tables; so many there are at most in a module. */
enum { TABLES_MAX = 1 << 21 };
#define TABLES_SIZE (TABLES_MAX * sizeof(uintptr_t))

struct reach {
    const struct image *im;
    struct site *sites;
    unsigned n;
    uintptr_t from, to; /* what is near any site */
    uintptr_t *table;
    size_t ntables;
    uintptr_t seen[IMAGE_SEGMENTS]; /* of a segment with code: how far it has been looked at */
    bool too_many;
};

static uintptr_t near_from(const struct site *s) { return s->pc < SITE_REACH ? 0 : s->pc - SITE_REACH; }
static uintptr_t near_to(const struct site *s) { return s->pc + SITE_REACH; }

/* The first site that has the address in its reach, or comes behind it. */
static unsigned first_near(const struct reach *r, uintptr_t at)
{
    unsigned lo = 0, hi = r->n;
    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        if (near_to(&r->sites[mid]) <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void note_far(struct reach *r, uintptr_t at)
{
    for (unsigned i = first_near(r, at); i < r->n && near_from(&r->sites[i]) <= at; i++) {
        uintptr_t bit = at - (r->sites[i].pc - SITE_REACH);
        if (bit < 2 * SITE_REACH) /* always, if the notes are sound */
            r->sites[i].targeted |= UINT64_C(1) << bit;
    }
}

static inline void note(struct reach *r, uintptr_t at)
{
    if (__builtin_expect(at - r->from < r->to - r->from, 0))
        note_far(r, at);
}

/* --- what code says ---------------------------------------------------------------------------------------------- */

static void note_table(struct reach *r, uintptr_t at)
{
    if (r->ntables < TABLES_MAX)
        r->table[r->ntables++] = at;
    else
        r->too_many = true;
}

/*
 * These bytes may be anything: a displacement of 32 bits, of a branch or of lea, may end anywhere, and a short branch
 * begin anywhere. And without PIC an address has 32 bits.
 */
static void scan_bytes(struct reach *r, uintptr_t from, uintptr_t to)
{
    for (uintptr_t at = from; at < to && to - at >= 4; at++) {
        const uint8_t *p = (const uint8_t *)at;
        int32_t v;
        memcpy(&v, p, sizeof v);
        note(r, at + 4 + (uintptr_t)(intptr_t)v);
        note(r, (uint32_t)v);
        if ((*p >= 0x70 && *p <= 0x7f) || *p == 0xeb || (*p >= 0xe0 && *p <= 0xe3))
            note(r, at + 2 + (uintptr_t)(intptr_t)(int8_t)p[1]);
    }
}

static void scan_instructions(struct reach *r, uintptr_t from, uintptr_t to)
{
    struct sketch s;
    uintptr_t at = from;
    for (; at < to && decode_sketch(at, to - at, &s); at += s.len) {
        if (s.branches || s.takes_address)
            note(r, s.target);
        if (s.takes_address)
            note_table(r, s.target);
        note(r, s.constant);
        note(r, s.displacement);
    }
    if (at != to) /* there is data, too */
        scan_bytes(r, from, to);
}

static void visit_function(const struct cfi_fde *fde, void *arg)
{
    struct reach *r = arg;
    scan_instructions(r, fde->start, fde->end);
    uintptr_t *seen = &r->seen[image_segment(r->im, fde->start, 1) - r->im->segment];
    if (fde->start > *seen)
        scan_instructions(r, *seen, fde->start);
    *seen = fde->end > *seen ? fde->end : *seen;
}

/* Functions, in the order of their addresses, and what lies between them. */
static void scan_code(struct reach *r)
{
    for (unsigned i = 0; i < r->im->n; i++)
        r->seen[i] = r->im->segment[i].from;
    image_functions(r->im, visit_function, r);
    for (unsigned i = 0; i < r->im->n; i++)
        if (r->im->segment[i].code)
            scan_instructions(r, r->seen[i], r->im->segment[i].to);
}

static void scan_words(struct reach *r, const struct segment *s)
{
    for (uintptr_t at = (s->from + 3) & ~(uintptr_t)3; at + 4 <= s->to; at += 4) {
        uint32_t half;
        uint64_t word;
        memcpy(&half, (const void *)at, sizeof half);
        note(r, half);
        if (at + 8 > s->to)
            break;
        memcpy(&word, (const void *)at, sizeof word);
        note(r, word);
    }
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

static void sift(uintptr_t *v, size_t at, size_t n)
{
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && v[child] < v[child + 1];
        if (v[at] >= v[child])
            return;
        uintptr_t swap = v[at];
        v[at] = v[child];
        v[child] = swap;
    }
}

/* qsort allocates. */
static void sort(uintptr_t *v, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sift(v, i, n);
    for (size_t i = n; i-- > 1;) {
        uintptr_t swap = v[0];
        v[0] = v[i];
        v[i] = swap;
        sift(v, 0, i);
    }
}

/*
 * A switch adds an entry of a table to the table's own address. A table ends where an entry leads nowhere, or another
 * thing begins whose address is taken: what lies behind would be read with the wrong address.
 */
static void scan_tables(struct reach *r)
{
    sort(r->table, r->ntables);
    for (size_t i = 0; i < r->ntables; i++) {
        uintptr_t table = r->table[i];
        const struct segment *s = image_segment(r->im, table, 4);
        if (!s || (i && table == r->table[i - 1]))
            continue;
        size_t next = i + 1;
        while (next < r->ntables && r->table[next] == table)
            next++;
        uintptr_t end = next < r->ntables && r->table[next] < s->to ? r->table[next] : s->to;
        for (uintptr_t at = table; at + 4 <= end; at += 4) {
            int32_t v;
            memcpy(&v, (const void *)at, sizeof v);
            if (!image_is_code(r->im, table + (uintptr_t)(intptr_t)v))
                break;
            note(r, table + (uintptr_t)(intptr_t)v);
        }
    }
}

bool reach_find(const struct image *im, struct site *sites, unsigned n)
{
    long p = sys_mmap(TABLES_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (sys_failed(p))
        return false;
    struct reach r = {im, sites, n, near_from(&sites[0]), near_to(&sites[n - 1]), (uintptr_t *)p, 0, {0}, false};
    scan_code(&r);
    for (unsigned i = 0; i < im->n; i++)
        scan_words(&r, &im->segment[i]);
    scan_tables(&r);
    sys_munmap((void *)p, TABLES_SIZE);
    return !r.too_many;
}
