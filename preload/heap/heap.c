#include "preload/heap/heap.h"


#include "preload/config.h"
#include "preload/heap/heap_hook.h"
#include "preload/recorder.h"
#include "preload/section.h"
#include "preload/text_file.h"

enum { MAX_SLOTS = 1 << 14, WRITE_INTERVAL_NS = 50000, MIN_STEP = HEAP_FLUSH, STEPS = 256 };
enum { LOOK_NS = 50000000, PAGE = 4096 };

__thread struct heap_slot *heap_slot __attribute__((tls_model("initial-exec")));

/* Apart from what changes: every call reads it. */
uint32_t heap_mode __attribute__((aligned(128)));
bool heap_counts, heap_libc, heap_events;

static struct heap_slot slots[MAX_SLOTS];
static uint32_t nslots;
static uint64_t free_slots; /* tag << 32 | index + 1 */

static struct {
    int64_t live; /* less what is in the slots */
    int64_t peak;
    int64_t mapped;
    int64_t written; /* what the last HeapAlloc said */
    uint64_t written_at;
    uint64_t held; /* bytes of anonymous memory that the process has, 0: not known */
    uint64_t looked_ns;
} heap __attribute__((aligned(128)));

/* --- slots -------------------------------------------------------------------------------------------------------- */

/* The tag tells a list that has changed twice from one that has not; a slot is never unmapped. */
static struct heap_slot *take_slot(void)
{
    uint64_t old = __atomic_load_n(&free_slots, __ATOMIC_ACQUIRE), new;
    while ((uint32_t)old) {
        struct heap_slot *s = &slots[(uint32_t)old - 1];
        new = ((old >> 32) + 1) << 32 | __atomic_load_n(&s->next, __ATOMIC_RELAXED);
        if (__atomic_compare_exchange_n(&free_slots, &old, new, true, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
            return s;
    }
    uint32_t i = __atomic_load_n(&nslots, __ATOMIC_RELAXED);
    while (i < MAX_SLOTS)
        if (__atomic_compare_exchange_n(&nslots, &i, i + 1, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return &slots[i];
    return HEAP_SHARED;
}

static void drop_slot(struct heap_slot *s)
{
    uint64_t old = __atomic_load_n(&free_slots, __ATOMIC_RELAXED), new;
    do {
        __atomic_store_n(&s->next, (uint32_t)old, __ATOMIC_RELAXED);
        new = ((old >> 32) + 1) << 32 | (uint32_t)(s - slots + 1);
    } while (!__atomic_compare_exchange_n(&free_slots, &old, new, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static void raise_to(int64_t *max, int64_t v)
{
    int64_t old = __atomic_load_n(max, __ATOMIC_RELAXED);
    while (old < v && !__atomic_compare_exchange_n(max, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* --- HeapAlloc ---------------------------------------------------------------------------------------------------- */

static bool is_reported(void)
{
    return heap_counts && __atomic_load_n(&recorder.owner->recording, __ATOMIC_RELAXED) & (uint32_t)CLASS_HEAP;
}

static uint64_t not_negative(int64_t v) { return v > 0 ? (uint64_t)v : 0; }

/* Within a hook, or a system call, nothing is written, and somebody else will. */
static void write_heap_alloc(int64_t live, uint64_t held)
{
    struct thread *t = heap_hook_enter();
    if (!t)
        return;
    if (sched_current(&t->sched)->status == GO_RUNNING && section_enter(t, 0, LOST_HEAP)) {
        if (sched_heap(&recorder.sched, &t->sched, not_negative(live), held, now()))
            __atomic_store_n(&heap.written, live, __ATOMIC_RELAXED);
        section_leave(t);
    }
    heap_hook_leave(t);
}

void heap_event(const void *p, int64_t size)
{
    if (!is_reported())
        return;
    struct thread *t = heap_hook_enter();
    if (!t) {
        count_lost(LOST_HEAP, LOSS_HANDLER);
        return;
    }
    if (section_enter(t, 0, LOST_HEAP)) {
        bool written = size < 0 ? sched_heap_object_free(&recorder.sched, &t->sched, (uintptr_t)p, now())
                             : sched_heap_object(&recorder.sched, &t->sched, (uintptr_t)p, (uint64_t)size, now());
        if (!written)
            count_lost(LOST_HEAP, LOSS_STATE);
        section_leave(t);
    }
    heap_hook_leave(t);
}

static void consider(int64_t live)
{
    int64_t last = __atomic_load_n(&heap.written, __ATOMIC_RELAXED), step = last / STEPS;
    if (step < MIN_STEP)
        step = MIN_STEP;
    if ((live < last + step && live > last - step) || !is_reported())
        return;
    uint64_t time = now(), at = __atomic_load_n(&heap.written_at, __ATOMIC_RELAXED);
    if (time - at < clock_roughly(&recorder.clock, WRITE_INTERVAL_NS))
        return;
    if (__atomic_compare_exchange_n(&heap.written_at, &at, time, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        write_heap_alloc(live, 0);
}

static void add_to_process(int64_t bytes)
{
    int64_t live = __atomic_add_fetch(&heap.live, bytes, __ATOMIC_RELAXED);
    raise_to(&heap.peak, live);
    consider(live);
}

void heap_flush(struct heap_slot *s)
{
    int64_t bytes = s->delta;
    heap_add(&s->delta, -bytes); /* not a store of 0: a handler may have counted meanwhile */
    add_to_process(bytes);
}

void heap_count_without_slot(int64_t bytes)
{
    struct heap_slot *s = heap_slot;
    if (!s)
        heap_slot = s = take_slot();
    if (s == HEAP_SHARED)
        add_to_process(bytes);
    else
        heap_add(&s->delta, bytes);
}

/* --- threads and totals ------------------------------------------------------------------------------------------- */

void heap_thread_end(void)
{
    struct heap_slot *s = heap_slot;
    if (s == HEAP_SHARED)
        return;
    heap_slot = HEAP_SHARED;
    if (!s)
        return;
    int64_t bytes = s->delta;
    heap_add(&s->delta, -bytes);
    __atomic_add_fetch(&heap.live, bytes, __ATOMIC_RELAXED);
    drop_slot(s);
}

void heap_mapped(int64_t bytes) { __atomic_fetch_add(&heap.mapped, bytes, __ATOMIC_RELAXED); }

/* Bytes in use now, by the sums of all threads. */
static int64_t heap_live(void)
{
    int64_t live = __atomic_load_n(&heap.live, __ATOMIC_RELAXED);
    uint32_t n = __atomic_load_n(&nslots, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < n; i++)
        live += __atomic_load_n(&slots[i].delta, __ATOMIC_RELAXED);
    return live;
}

/* statm: size resident shared …, in pages. What is resident and not of a file is what was asked for and used. */
void heap_look(void)
{
    char buf[128];
    uint64_t field[3] = {0}, time = clock_mono_ns();
    if (!is_reported() || time - heap.looked_ns < LOOK_NS)
        return;
    heap.looked_ns = time;
    text_file_read("/proc/self/statm", buf, sizeof buf);
    const char *p = buf;
    for (int i = 0; i < 3; i++, p += *p == ' ')
        for (; *p >= '0' && *p <= '9'; p++)
            field[i] = field[i] * 10 + (uint64_t)(*p - '0');
    if (field[1] > field[2])
        heap.held = (field[1] - field[2]) * PAGE;
}

/* Whoever is killed leaves what was known when the last generation began. */
static void report_in_header(int64_t live)
{
    struct spool_heap *h = &recorder.spool.header->heap;
    raise_to(&heap.peak, live);
    h->live = live;
    h->peak = heap.peak;
    h->mapped = heap.mapped;
}

void heap_report(void)
{
    if (is_reported())
        report_in_header(heap_live());
}

void heap_write_status(struct thread *t, uint64_t time)
{
    int64_t live = heap_live();
    if (!heap_counts || !(config.classes & CLASS_HEAP)) /* also just before the recording begins */
        return;
    if (sched_heap(&recorder.sched, &t->sched, not_negative(live), heap.held, time))
        heap.written = live;
    report_in_header(live);
}

void heap_write_last(void)
{
    if (!is_reported())
        return;
    heap.looked_ns = 0;
    heap_look();
    int64_t live = heap_live();
    report_in_header(live);
    write_heap_alloc(live, heap.held);
}
