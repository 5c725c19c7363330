/*
 * A sum is read from a file of the thread's own in /proc, which is gone with the thread; and a descriptor that the
 * thread opened would be a number of the program's. So a thread that ends asks the helper, whose file table is its own,
 * and waits: some 70 us, as much again as it takes to make a thread and to join it. A program that makes threads all
 * the time is not to pay that for each. So a thread waits for one of SHARE parts of the time that it has lived at most,
 * and longer only as long as that has cost the program less than BURST_NS. Of who does not wait, or in vain, nothing is
 * written, and nobody knows what its sum was.
 */
#include "preload/switches/schedstat.h"

#include <string.h>

#include "lib/meta.h"
#include "preload/recorder.h"
#include "preload/service.h"
#include "preload/tasks.h"
#include "preload/upcalls.h"

enum {
    BATCH = 64,
    RECORD_MAX = 1 + (3 + 2 * BATCH) * VARINT_MAX,
    ENDING = 256,
    PATIENCE_NS = 20000000, /* the helper may have no processor, or be at a disk that is slow */
    BURST_NS = 30000000,
    SHARE = 100,
    SHORTEST_NS = 200000, /* less is mostly in vain */
};

static struct {
    uint32_t threads[ENDING]; /* that wait: each is a futex word, 0 when it is free, or done */
    uint32_t asked;
    uint64_t began_ns; /* the recording */
    /* How long threads have waited beyond their shares, several at once only once; and until when that is known. */
    uint64_t waited_ns, counted_ns;
} ending;

struct batch {
    enum delays_kind kind;
    uint64_t time; /* before the first one is read: a thread may have got a processor since then */
    size_t n;
    uint64_t numbers[2 * BATCH];
};

static void write_batch(struct batch *b)
{
    uint8_t record[RECORD_MAX];
    struct meta_record r;
    meta_begin(&r, record, sizeof record, META_DELAYS);
    meta_int(&r, b->time);
    meta_int(&r, b->kind);
    meta_ints(&r, b->numbers, b->n);
    if (b->n && !r.overflow)
        service_record(record, (size_t)(r.p - record));
    b->n = 0;
}

static const char *number(const char *p, uint64_t *n)
{
    while (*p == ' ')
        p++;
    for (*n = 0; *p >= '0' && *p <= '9'; p++)
        *n = *n * 10 + (uint64_t)(*p - '0');
    return p;
}

/* "RAN DELAYED TIMES", in ns: a kernel that does not count says three zeros. Nothing is said of who has ended. */
static bool look(void *arg, uint32_t tid)
{
    struct batch *b = arg;
    char text[64];
    uint64_t ran, delayed, times;
    if (!b->n)
        b->time = now();
    if (!task_file(tid, "schedstat", text, sizeof text))
        return true;
    number(number(number(text, &ran), &delayed), &times);
    if (!times)
        return true;
    b->numbers[b->n++] = tid;
    b->numbers[b->n++] = delayed;
    if (b->n == 2 * BATCH)
        write_batch(b);
    return true;
}

static void write_all(enum delays_kind kind)
{
    struct batch b = {.kind = kind};
    tasks_each(look, &b);
    write_batch(&b);
}

void schedstat_begin(void)
{
    __atomic_store_n(&ending.waited_ns, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&ending.began_ns, clock_mono_ns(), __ATOMIC_RELAXED);
    write_all(DELAYS_BEGIN);
}

void schedstat_write(void) { write_all(DELAYS_NOW); }

void schedstat_forget(void) { memset(&ending, 0, sizeof ending); }

/* --- threads that end --------------------------------------------------------------------------------------------- */

/* In the recording. */
static uint64_t share_of(uint64_t began_ns, uint64_t time)
{
    uint64_t recorded = __atomic_load_n(&ending.began_ns, __ATOMIC_RELAXED);
    uint64_t from = began_ns > recorded ? began_ns : recorded;
    uint64_t share = time > from ? (time - from) / SHARE : 0;
    return share < PATIENCE_NS ? share : PATIENCE_NS;
}

static void count(uint64_t from, uint64_t to)
{
    uint64_t counted = __atomic_load_n(&ending.counted_ns, __ATOMIC_RELAXED);
    from = counted > from ? counted : from;
    if (to > from && __atomic_compare_exchange_n(&ending.counted_ns, &counted, to, false, __ATOMIC_RELAXED,
                                                 __ATOMIC_RELAXED))
        __atomic_fetch_add(&ending.waited_ns, to - from, __ATOMIC_RELAXED);
}

static uint32_t *free_place(uint32_t tid)
{
    for (uint32_t i = 0; i < ENDING; i++) {
        uint32_t none = 0;
        if (__atomic_compare_exchange_n(&ending.threads[i], &none, tid, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return &ending.threads[i];
    }
    return NULL;
}

/* A handler of the program's may come in between. */
static void wait_until(const uint32_t *place, uint32_t tid, uint64_t until)
{
    for (uint64_t t; __atomic_load_n(place, __ATOMIC_ACQUIRE) == tid && (t = clock_mono_ns()) < until;) {
        const struct timespec left = {0, (long)(until - t)};
        sys_futex_wait(place, tid, &left);
    }
}

void schedstat_ask(uint64_t began_ns)
{
    uint32_t tid = (uint32_t)sys_gettid(), *place;
    uint64_t from = clock_mono_ns(), share = share_of(began_ns, from);
    bool longer = __atomic_load_n(&ending.waited_ns, __ATOMIC_RELAXED) < BURST_NS;
    if ((!longer && share < SHORTEST_NS) || !(place = free_place(tid)))
        return;
    __atomic_store_n(&ending.asked, 1, __ATOMIC_RELEASE);
    if (upcalls.wake_helper())
        wait_until(place, tid, from + (longer ? PATIENCE_NS : share));
    uint32_t still = tid;
    __atomic_compare_exchange_n(place, &still, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
    count(from + share, clock_mono_ns());
}

bool schedstat_is_asked(void) { return __atomic_load_n(&ending.asked, __ATOMIC_ACQUIRE); }

void schedstat_serve(void)
{
    struct batch b = {.kind = DELAYS_LAST};
    __atomic_store_n(&ending.asked, 0, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < ENDING; i++) {
        uint32_t tid = __atomic_load_n(&ending.threads[i], __ATOMIC_ACQUIRE);
        if (!tid)
            continue;
        look(&b, tid);
        if (__atomic_compare_exchange_n(&ending.threads[i], &tid, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            sys_futex_wake(&ending.threads[i], 1);
    }
    write_batch(&b);
}
