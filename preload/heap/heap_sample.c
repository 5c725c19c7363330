#include "preload/heap/heap_sample.h"

#include <sys/mman.h>

#include "lib/meta.h"
#include "preload/expected.h"
#include "preload/heap/heap_hook.h"
#include "preload/section.h"

/*
 * The sampled blocks that live, in buckets of a pair of lines of the cache: a small table, which is all in memory soon,
 * and a large one behind it for what finds its bucket full there. An address has one owner at a time, the block at it,
 * so entries are put in and taken out without a lock; two threads never look for the same one.
 */
enum { BUCKET = 8, SMALL_BITS = 9, LARGE_BITS = 15, NEIGHBOURS = 8, PENDING = 256, RECORD = 1 + 4 * VARINT_MAX };

static struct bucket {
    uintptr_t block[BUCKET]; /* 0: free; 1: being filled in */
    uint64_t id[BUCKET];
} *small, *large;
static bool large_used;

uint8_t heap_filter[1 << (HEAP_FILTER_BITS - 3)] __attribute__((aligned(64)));
uint64_t heap_interval;
bool heap_is_late;
static uint8_t filter_count[1 << HEAP_FILTER_BITS]; /* of blocks for each bit */
enum { MANY = 254, CLEARING = 255 };

static uint64_t last_id;
static uint64_t pending[PENDING]; /* freed in a hook, or in a thread that has ended */
static uint32_t any_pending;

bool heap_sample_begin(uint64_t interval)
{
    size_t size = ((1 << SMALL_BITS) + (1 << LARGE_BITS)) * sizeof *small;
    long p = small ? (long)small : sys_mmap(size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                                           -1, 0);
    if (sys_failed(p))
        return false;
    small = (struct bucket *)p;
    large = small + (1 << SMALL_BITS);
    __atomic_store_n(&heap_interval, interval, __ATOMIC_RELEASE);
    return true;
}

/* --- chance ------------------------------------------------------------------------------------------------------- */

/* ln(x) for x of 64 bits: the exponent, and a series for the rest. Good to 1e-6, without libm. */
static double ln_of(uint64_t x)
{
    int exponent = 63 - __builtin_clzll(x);
    double m = (double)(x << (63 - exponent)) / 0x1p63, y = (m - 1.4142135623730951) / (m + 1.4142135623730951);
    double z = y * y;
    return exponent * 0.6931471805599453 + 0.3465735902799727 + 2 * y * (1 + z * (1.0 / 3 + z * (1.0 / 5 + z / 7)));
}

static uint64_t random_of(struct heap_slot *s)
{
    uint64_t x = s->random;
    if (!x)
        x = (uintptr_t)s * UINT64_C(0x9e3779b97f4a7c15) ^ clock_mono_ns();
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return s->random = x ? x : 1;
}

/*
 * How many bytes until the next one that is picked: exponentially distributed, so that each byte has the same chance.
 */
static int64_t draw(struct heap_slot *s)
{
    uint64_t x = random_of(s) >> 11 | 1; /* of 53 bits */
    return 1 + (int64_t)((53 * 0.6931471805599453 - ln_of(x)) * (double)heap_interval);
}

bool heap_sample_draw(struct heap_slot *s, int64_t size)
{
    bool due = true;
    if (!s->random) { /* the first block of this slot */
        s->until_sample = draw(s) - size;
        due = s->until_sample <= 0;
    }
    if (due)
        s->until_sample = draw(s);
    return due;
}

/* --- the live ones ------------------------------------------------------------------------------------------------ */

static uintptr_t *find_in(struct bucket *b, uintptr_t wanted, uint64_t **id)
{
    for (int i = 0; i < BUCKET; i++)
        if (__atomic_load_n(&b->block[i], __ATOMIC_ACQUIRE) == wanted) {
            *id = &b->id[i];
            return &b->block[i];
        }
    return NULL;
}

/* The entry of the block at p, or, with wanted 0, a free one for it. */
static uintptr_t *find(const void *p, uintptr_t wanted, uint64_t **id)
{
    uint64_t hash = ((uintptr_t)p >> 4) * UINT64_C(0x9e3779b97f4a7c15), bucket = hash >> (64 - LARGE_BITS);
    uintptr_t *entry = find_in(&small[hash >> (64 - SMALL_BITS)], wanted, id);
    if (!entry && !wanted)
        __atomic_store_n(&large_used, true, __ATOMIC_RELAXED);
    if (!__atomic_load_n(&large_used, __ATOMIC_RELAXED))
        return entry;
    for (uint64_t i = 0; i < NEIGHBOURS && !entry; i++)
        entry = find_in(&large[(bucket + i) % (1 << LARGE_BITS)], wanted, id);
    return entry;
}

static bool change(uint8_t *count, uint8_t *old, uint8_t to)
{
    return __atomic_compare_exchange_n(count, old, to, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* False in the moment in which somebody clears the bit. A count that has come to MANY stays there, and its bit set. */
static bool filter_add(const void *p)
{
    uint32_t bit = heap_filter_bit(p);
    uint8_t *count = &filter_count[bit], old = __atomic_load_n(count, __ATOMIC_RELAXED);
    while (old != CLEARING && old != MANY && !change(count, &old, (uint8_t)(old + 1)))
        ;
    if (old == CLEARING)
        return false;
    __atomic_fetch_or(&heap_filter[bit / 8], (uint8_t)(1 << bit % 8), __ATOMIC_ACQ_REL);
    return true;
}

static void filter_remove(const void *p)
{
    uint32_t bit = heap_filter_bit(p);
    uint8_t *count = &filter_count[bit], old = __atomic_load_n(count, __ATOMIC_RELAXED);
    while (old != MANY && !change(count, &old, old == 1 ? CLEARING : (uint8_t)(old - 1)))
        ;
    if (old != 1)
        return;
    __atomic_fetch_and(&heap_filter[bit / 8], (uint8_t)~(1 << bit % 8), __ATOMIC_ACQ_REL);
    __atomic_store_n(count, 0, __ATOMIC_RELEASE);
}

static bool put(const void *p, uint64_t block_id)
{
    uint64_t *id;
    uintptr_t *entry, none = 0;
    while ((entry = find(p, 0, &id))) {
        if (__atomic_compare_exchange_n(entry, &none, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
            bool added = filter_add(p);
            *id = block_id;
            __atomic_store_n(entry, added ? (uintptr_t)p : 0, __ATOMIC_RELEASE);
            return added;
        }
        none = 0;
    }
    return false;
}

static uint64_t take(const void *p)
{
    uint64_t *id;
    uintptr_t *entry = find(p, (uintptr_t)p, &id);
    if (!entry)
        return 0;
    uint64_t block_id = *id;
    __atomic_store_n(entry, 0, __ATOMIC_RELEASE);
    filter_remove(p);
    return block_id;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

static void write_free(struct thread *t, uint64_t id)
{
    uint8_t buf[RECORD];
    struct meta_record r;
    meta_begin(&r, buf, sizeof buf, META_HEAP_FREE);
    meta_int(&r, id);
    chunk_meta_append(t->sched.chunk, buf, (size_t)(r.p - buf));
}

static void write_pending(struct thread *t)
{
    __atomic_store_n(&any_pending, 0, __ATOMIC_RELAXED);
    for (int i = 0; i < PENDING; i++) {
        uint64_t id = __atomic_exchange_n(&pending[i], 0, __ATOMIC_ACQ_REL);
        if (id && section_enter(t, RECORD, LOST_HEAP)) {
            write_free(t, id);
            section_leave(t);
        }
    }
}

static void postpone(uint64_t id)
{
    for (int i = 0; i < PENDING; i++) {
        uint64_t none = 0;
        if (__atomic_compare_exchange_n(&pending[i], &none, id, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
            __atomic_store_n(&any_pending, 1, __ATOMIC_RELAXED);
            return;
        }
    }
    count_lost(LOST_HEAP, LOSS_ROOM);
}

/* NULL when the calling thread may not write. In a program that was attached to many call nothing but malloc. */
static struct thread *begin_write(void)
{
    struct thread *t = recording() ? heap_hook_enter() : NULL;
    if (unlikely(!t && heap_is_late && recording()))
        t = borrow_expected_thread((uintptr_t)__builtin_frame_address(0));
    if (t && unlikely(__atomic_load_n(&any_pending, __ATOMIC_RELAXED)))
        write_pending(t);
    return t;
}

static void end_write(struct thread *t)
{
    heap_hook_leave(t);
    if (unlikely(t->lent))
        give_back_expected_thread(t);
}

void heap_sample_allocated(struct hook *h, const void *p, int64_t size)
{
    struct thread *t = begin_write();
    if (!t) {
        count_lost(LOST_HEAP, self ? LOSS_HANDLER : LOSS_STATE);
        return;
    }
    h->t = t;
    h->captured = false;
    enter_hook(t, h->stack.regs.r[UNWIND_SP]);
    hook_capture(h);
    if (section_enter(t, STACK_RECORD_MAX + RECORD, LOST_HEAP)) {
        uint8_t buf[RECORD];
        struct meta_record r;
        uint64_t id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED), stack = hook_stack(h);
        meta_begin(&r, buf, sizeof buf, META_HEAP_BLOCK);
        meta_int(&r, id);
        meta_int(&r, now());
        meta_int(&r, (uint64_t)size);
        meta_int(&r, stack);
        chunk_meta_append(t->sched.chunk, buf, (size_t)(r.p - buf));
        if (!put(p, id)) {
            count_lost(LOST_HEAP, LOSS_ROOM);
            write_free(t, id);
        }
        section_leave(t);
    }
    end_write(t);
}

uint64_t heap_sample_take(const void *p) { return heap_sample_may_be(p) ? take(p) : 0; }

void heap_sample_put_back(const void *p, uint64_t id)
{
    if (!put(p, id)) {
        count_lost(LOST_HEAP, LOSS_ROOM);
        heap_sample_report_free(id);
    }
}

void heap_sample_report_free(uint64_t id)
{
    struct thread *t = begin_write();
    if (!t) {
        postpone(id);
        return;
    }
    if (section_enter(t, RECORD, LOST_HEAP)) {
        write_free(t, id);
        section_leave(t);
    }
    end_write(t);
}

void heap_sample_freed(const void *p)
{
    uint64_t id = take(p);
    if (id)
        heap_sample_report_free(id);
}

void heap_sample_end(void)
{
    struct thread *t = heap_interval ? begin_write() : NULL;
    if (t)
        end_write(t);
}
