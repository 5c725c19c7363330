/*
 * The tracepoint sched_waking, on each CPU, of all that runs there. The kernel is not asked to choose, as it could only
 * by a list of threads; who is none of ours is passed over here. Numbers of threads are those of the first PID
 * namespace in it, so a process in another one does without.
 */
#include "preload/switches/wakings.h"

#include <string.h>
#include <unistd.h>

#include "lib/meta.h"
#include "lib/switch_kind.h"
#include "preload/perf.h"
#include "preload/recorder.h"
#include "preload/service.h"
#include "preload/switches/online_cpus.h"
#include "preload/switches/perf_ring.h"
#include "preload/tasks.h"
#include "preload/text_file.h"
#include "preload/thread.h"

enum {
    RING_BYTES = 512 << 10,
    TIDS = 1 << 22, /* the kernel's limit */
    BATCH = 128,
    NUMBERS = 3, /* for each */
    RECORD_MAX = 1 + (2 + NUMBERS * BATCH) * VARINT_MAX,
    PID_OFFSET = 24, /* in the tracepoint's data */
};
_Static_assert(RECORD_MAX <= CHUNK_CAPACITY - SCHED_TRANSITION_MAX, "a record fits a chunk");

static struct {
    struct perf_ring rings[MAX_CPUS];
    uint32_t cpus[MAX_CPUS], n;
    uint64_t ours[TIDS / 64], named[TIDS / 64]; /* a bit for each thread: of the process; whose name is written */
    bool any_named;
    uint64_t (*ticks_at)(uint64_t mono_ns);
    uint64_t time; /* of the last one in the batch */
    size_t nnumbers;
    uint64_t numbers[NUMBERS * BATCH];
    uint8_t record[RECORD_MAX];
} wakings;

static bool has(const uint64_t *bits, uint32_t tid) { return bits[tid % TIDS / 64] >> tid % 64 & 1; }
static void set(uint64_t *bits, uint32_t tid) { bits[tid % TIDS / 64] |= UINT64_C(1) << tid % 64; }

void wakings_expect(uint32_t tid)
{
    if (wakings.n)
        set(wakings.ours, tid);
}

/* --- making them -------------------------------------------------------------------------------------------------- */

/* 0: the tracepoint is not to be seen, or its data are not as they are known to be. */
static uint64_t tracepoint(void)
{
    char text[2048];
    uint64_t id = 0;
    if (text_file_read("/sys/kernel/tracing/events/sched/sched_waking/format", text, sizeof text) <= 0 ||
        !strstr(text, "field:unsigned char common_flags;\toffset:2;") ||
        !strstr(text, "field:pid_t pid;\toffset:24;"))
        return 0;
    const char *p = strstr(text, "\nID: ");
    for (p = p ? p + 5 : ""; *p >= '0' && *p <= '9'; p++)
        id = id * 10 + (uint64_t)(*p - '0');
    return id;
}

static bool in_first_namespace(void)
{
    const uint64_t first = 4026531836; /* by the kernel's sources */
    return pid_namespace() == first;
}

static bool open_on(uint32_t cpu, uint64_t id)
{
    union perf_attributes a = {.attr = {
        .type = PERF_TYPE_TRACEPOINT,
        .size = sizeof a,
        .config = id,
        .sample_period = 1,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    }};
    long fd = perf_open(&a.attr, -1, (int)cpu);
    if (sys_failed(fd))
        return false;
    int err = perf_ring_map(&wakings.rings[wakings.n], (int)fd, (uint64_t)sysconf(_SC_PAGESIZE), RING_BYTES);
    sys_close((int)fd);
    if (!err)
        wakings.cpus[wakings.n++] = cpu;
    return !err;
}

bool wakings_open(void)
{
    uint64_t mask[CPU_WORDS], id = in_first_namespace() ? tracepoint() : 0;
    if (!id)
        return false;
    online_cpus(mask);
    for (uint32_t cpu = 0; cpu < MAX_CPUS; cpu++)
        if (mask[cpu / 64] >> cpu % 64 & 1 && !open_on(cpu, id)) {
            wakings_close();
            return false;
        }
    return true;
}

void wakings_close(void)
{
    while (wakings.n)
        perf_ring_unmap(&wakings.rings[--wakings.n]);
}

void wakings_forget(void) { wakings.n = 0; }

void wakings_empty(void)
{
    for (uint32_t i = 0; i < wakings.n; i++)
        perf_ring_free(&wakings.rings[i], perf_ring_head(&wakings.rings[i]));
    if (wakings.any_named)
        memset(wakings.named, 0, sizeof wakings.named);
    wakings.any_named = false;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

static void write_batch(uint32_t cpu)
{
    struct meta_record r;
    if (!wakings.nnumbers)
        return;
    meta_begin(&r, wakings.record, sizeof wakings.record, META_WAKINGS);
    meta_int(&r, cpu);
    meta_ints(&r, wakings.numbers, wakings.nnumbers);
    if (!r.overflow)
        service_record(wakings.record, (size_t)(r.p - wakings.record));
    wakings.nnumbers = wakings.time = 0;
}

/* As it is called now, which is soon after; who has ended meanwhile has no name. */
static void write_name(uint32_t tid)
{
    char name[TASK_NAME_MAX];
    struct meta_record r;
    set(wakings.named, tid);
    wakings.any_named = true;
    if (!any_task_file(tid, "comm", name, sizeof name))
        return;
    meta_begin(&r, wakings.record, sizeof wakings.record, META_WAKER);
    meta_int(&r, tid);
    meta_text(&r, name, strlen(name));
    service_record(wakings.record, (size_t)(r.p - wakings.record));
}

/* What it was in when it woke, by the flags that each tracepoint has. */
static enum waking_context context_of(uint32_t flags)
{
    enum { HARDIRQ = 0x08, SOFTIRQ = 0x10, NMI = 0x40 };
    return flags & (HARDIRQ | NMI) ? WAKING_IN_INTERRUPT : flags & SOFTIRQ ? WAKING_IN_SOFTIRQ : WAKING_BY_THREAD;
}

/* Words: type, misc and size; process and thread; time; then the size of the data in half a word, and they. */
static void take(void *arg, uint64_t at)
{
    const uint32_t *cpu = arg;
    const struct perf_ring *r = &wakings.rings[cpu - wakings.cpus];
    if (perf_record_type(perf_ring_word(r, at)) != PERF_RECORD_SAMPLE)
        return;
    uint64_t data = at + 28, pid = data + PID_OFFSET; /* which is the upper half of a word */
    uint32_t woken = (uint32_t)(perf_ring_word(r, pid - 4) >> 32);
    if (!has(wakings.ours, woken))
        return;
    uint32_t waker = perf_thread_of(perf_ring_word(r, at + 8));
    enum waking_context context = context_of((uint32_t)(perf_ring_word(r, data - 4) >> 48 & 0xff));
    if (context == WAKING_BY_THREAD && !has(wakings.ours, waker) && !has(wakings.named, waker)) {
        write_batch(*cpu);
        write_name(waker);
    }
    if (wakings.nnumbers == NUMBERS * BATCH)
        write_batch(*cpu);
    uint64_t ticks = wakings.ticks_at(perf_ring_word(r, at + 16));
    wakings.numbers[wakings.nnumbers++] = zigzag_encode((int64_t)(ticks - wakings.time));
    wakings.numbers[wakings.nnumbers++] = woken;
    wakings.numbers[wakings.nnumbers++] = (uint64_t)waker << WAKING_CONTEXT_BITS | context;
    wakings.time = ticks;
}

/* The helper wakes the program's threads, but is none of them. */
static void helper_is_not_ours(void)
{
    uint32_t tid = (uint32_t)sys_gettid() % TIDS;
    if (self == THREAD_OFF)
        wakings.ours[tid / 64] &= ~(UINT64_C(1) << tid % 64);
}

void wakings_write(uint64_t (*ticks_at)(uint64_t mono_ns))
{
    wakings.ticks_at = ticks_at;
    helper_is_not_ours();
    for (uint32_t i = 0; i < wakings.n; i++) {
        perf_ring_read(&wakings.rings[i], take, &wakings.cpus[i]);
        write_batch(wakings.cpus[i]);
    }
}
