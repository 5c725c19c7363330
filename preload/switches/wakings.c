/*
 * The tracepoint sched_waking, on each CPU, of all that runs there. The kernel is not asked to choose, as it could only
 * by a list of threads; who is none of ours is passed over here. Numbers of threads are those of the first PID
 * namespace in it, so a process in another one does without. Which softirq it is that wakes, softirq_entry has said
 * before, in a ring of its own: two events in one would need a descriptor that stays.
 */
#include "preload/switches/wakings.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "lib/meta.h"
#include "lib/switch_kind.h"
#include "preload/perf.h"
#include "preload/recorder.h"
#include "preload/service.h"
#include "preload/switches/perf_ring.h"
#include "preload/switches/tid_set.h"
#include "preload/tasks.h"
#include "preload/text_file.h"
#include "preload/thread.h"

enum {
    RING_BYTES = 512 << 10,
    SOFTIRQ_BYTES = 256 << 10,
    BATCH = 128,
    NUMBERS = 3, /* for each */
    RECORD_MAX = 1 + (2 + NUMBERS * BATCH) * VARINT_MAX,
    PID_OFFSET = 24, /* in the tracepoints' data */
    VECTOR_OFFSET = 8,
};
_Static_assert(RECORD_MAX <= CHUNK_CAPACITY - SCHED_TRANSITION_MAX, "a record fits a chunk");

struct cpu_wakings {
    struct perf_ring ring, softirqs; /* softirqs: perhaps none */
    uint32_t cpu, softirq;           /* softirq: that was begun last, + 1; 0: it is not known */
    uint64_t until;                  /* softirqs are read up to then */
};

static struct {
    struct cpu_wakings v[MAX_CPUS];
    uint32_t n;
    uint64_t waking, softirq; /* the tracepoints' IDs */
    struct tid_set ours, named; /* threads of the process; whose name is written */
    uint64_t (*ticks_at)(uint64_t mono_ns);
    uint64_t time; /* ticks of the last one in the batch */
    uint64_t lost; /* for want of room, and not said yet */
    size_t nnumbers;
    uint64_t numbers[NUMBERS * BATCH];
    uint8_t record[RECORD_MAX];
} wakings;

void wakings_expect(uint32_t tid)
{
    if (wakings.n)
        tid_set_add(&wakings.ours, tid);
}

/* --- making them -------------------------------------------------------------------------------------------------- */

/* 0: the tracepoint is not to be seen, or has no such field. */
static uint64_t tracepoint(const char *format, const char *field)
{
    char text[2048];
    uint64_t id = 0;
    if (text_file_read(format, text, sizeof text) <= 0 ||
        !strstr(text, "field:unsigned short common_type;\toffset:0;") ||
        !strstr(text, "field:unsigned char common_flags;\toffset:2;") || !strstr(text, field))
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

static long open_event(uint32_t cpu, uint64_t id)
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
    return perf_open(&a.attr, -1, (int)cpu);
}

static bool open_ring(uint32_t cpu, uint64_t id, uint64_t size, struct perf_ring *r)
{
    long fd = id ? open_event(cpu, id) : -ENOENT;
    if (sys_failed(fd))
        return false;
    bool mapped = !perf_ring_map(r, (int)fd, (uint64_t)sysconf(_SC_PAGESIZE), size);
    sys_close((int)fd);
    return mapped;
}

/* Without the second ring softirqs have no names. */
static bool open_on(uint32_t cpu)
{
    struct cpu_wakings w = {.cpu = cpu};
    if (!open_ring(cpu, wakings.waking, RING_BYTES, &w.ring))
        return false;
    open_ring(cpu, wakings.softirq, SOFTIRQ_BYTES, &w.softirqs);
    wakings.v[wakings.n++] = w;
    return true;
}

static void close_one(struct cpu_wakings *w)
{
    if (w->softirqs.page)
        perf_ring_unmap(&w->softirqs);
    perf_ring_unmap(&w->ring);
    *w = wakings.v[--wakings.n];
}

bool wakings_open(const uint64_t online[CPU_WORDS])
{
    if (!in_first_namespace() ||
        !(wakings.waking = tracepoint("/sys/kernel/tracing/events/sched/sched_waking/format",
                                      "field:pid_t pid;\toffset:24;")))
        return false;
    wakings.softirq =
        tracepoint("/sys/kernel/tracing/events/irq/softirq_entry/format", "field:unsigned int vec;\toffset:8;");
    for (uint32_t cpu = 0; cpu < MAX_CPUS; cpu++)
        if (cpus_have(online, cpu) && !open_on(cpu)) {
            wakings_close();
            return false;
        }
    return true;
}

/* The events of a CPU end with it, other than those of threads. */
void wakings_follow(const uint64_t online[CPU_WORDS])
{
    uint64_t have[CPU_WORDS] = {0};
    if (!wakings.n)
        return;
    for (uint32_t i = wakings.n; i-- > 0;)
        if (cpus_have(online, wakings.v[i].cpu))
            have[wakings.v[i].cpu / 64] |= UINT64_C(1) << wakings.v[i].cpu % 64;
        else
            close_one(&wakings.v[i]);
    for (uint32_t cpu = 0; cpu < MAX_CPUS; cpu++)
        if (cpus_have(online, cpu) && !cpus_have(have, cpu))
            open_on(cpu);
}

void wakings_close(void)
{
    while (wakings.n)
        close_one(&wakings.v[wakings.n - 1]);
}

void wakings_forget(void) { wakings.n = 0; }

void wakings_empty(void)
{
    if (!wakings.n)
        return;
    for (uint32_t i = 0; i < wakings.n; i++)
        perf_ring_free(&wakings.v[i].ring, perf_ring_head(&wakings.v[i].ring));
    tid_set_empty(&wakings.ours);
    tid_set_empty(&wakings.named);
    wakings.lost = 0;
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
    if (r.overflow || !service_record(wakings.record, (size_t)(r.p - wakings.record)))
        wakings.lost += wakings.nnumbers / NUMBERS;
    wakings.nnumbers = wakings.time = 0;
}

/* As it is called now, which is soon after; who has ended meanwhile has no name. */
static void write_name(uint32_t tid)
{
    char name[TASK_NAME_MAX];
    struct meta_record r;
    tid_set_add(&wakings.named, tid);
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

static void add(uint32_t cpu, uint64_t ticks, uint64_t thread, uint64_t by, enum waking_context context)
{
    if (wakings.nnumbers == NUMBERS * BATCH)
        write_batch(cpu);
    wakings.numbers[wakings.nnumbers++] = zigzag_encode((int64_t)(ticks - wakings.time));
    wakings.numbers[wakings.nnumbers++] = thread;
    wakings.numbers[wakings.nnumbers++] = by << WAKING_CONTEXT_BITS | context;
    wakings.time = ticks;
}

/*
 * Words of a sample: type, misc and size; process and thread; time; then the size of the data in half a word, and they.
 * Those of a loss: an ID, and how many.
 */
static uint64_t time_of(const struct perf_ring *r, uint64_t at) { return perf_ring_word(r, at + 16); }
static uint32_t data_of(const struct perf_ring *r, uint64_t at, uint64_t offset)
{
    uint64_t from = at + 28 + offset;
    return (uint32_t)(perf_ring_word(r, from) >> from % 8 * 8);
}

/* A loss has no time: what was begun last before it does not count either. */
static bool take_softirq(void *arg, uint64_t at)
{
    struct cpu_wakings *w = arg;
    bool is_loss = perf_record_type(perf_ring_word(&w->softirqs, at)) != PERF_RECORD_SAMPLE;
    if (!is_loss && time_of(&w->softirqs, at) > w->until)
        return false;
    w->softirq = is_loss ? 0 : data_of(&w->softirqs, at, VECTOR_OFFSET) + 1;
    return true;
}

/* Where the ring is full, the kernel says the loss only when there is room again. */
static uint64_t read_softirqs(struct cpu_wakings *w, uint64_t until)
{
    struct perf_ring *r = &w->softirqs;
    w->until = until;
    uint64_t used = r->page ? perf_ring_read(r, take_softirq, w) : 0;
    if (used > SOFTIRQ_BYTES - 128 && r->page->data_tail == perf_ring_head(r))
        w->softirq = 0;
    return used;
}

static void take_waking(struct cpu_wakings *w, uint64_t at)
{
    const struct perf_ring *r = &w->ring;
    uint32_t woken = data_of(r, at, PID_OFFSET);
    if (!tid_set_has(&wakings.ours, woken))
        return;
    uint32_t waker = perf_thread_of(perf_ring_word(r, at + 8));
    enum waking_context context = context_of(data_of(r, at, 0) >> 16 & 0xff);
    if (context == WAKING_BY_THREAD && !tid_set_has(&wakings.ours, waker) && !tid_set_has(&wakings.named, waker)) {
        write_batch(w->cpu);
        write_name(waker);
    }
    if (context == WAKING_IN_SOFTIRQ)
        read_softirqs(w, time_of(r, at));
    add(w->cpu, wakings.ticks_at(time_of(r, at)), woken, context == WAKING_IN_SOFTIRQ ? w->softirq : waker, context);
}

static bool take(void *arg, uint64_t at)
{
    struct cpu_wakings *w = arg;
    uint32_t type = perf_record_type(perf_ring_word(&w->ring, at));
    if (type == PERF_RECORD_LOST)
        wakings.lost += perf_ring_word(&w->ring, at + 16);
    else if (type == PERF_RECORD_SAMPLE)
        take_waking(w, at);
    return true;
}

static void write_lost(void)
{
    uint64_t lost = wakings.lost;
    if (!lost)
        return;
    wakings.lost = 0;
    add(0, 0, lost, 0, WAKINGS_LOST);
    write_batch(0);
    wakings.lost = wakings.lost ? lost : 0;
}

/* The helper wakes the program's threads, but is none of them. */
static void helper_is_not_ours(void)
{
    if (self == THREAD_OFF)
        tid_set_remove(&wakings.ours, (uint32_t)sys_gettid());
}

uint32_t wakings_write(uint64_t (*ticks_at)(uint64_t mono_ns), uint64_t now_ns)
{
    uint64_t most = 0;
    wakings.ticks_at = ticks_at;
    helper_is_not_ours();
    for (uint32_t i = 0; i < wakings.n; i++) {
        struct cpu_wakings *w = &wakings.v[i];
        uint64_t used = perf_ring_read(&w->ring, take, w);
        uint64_t of_softirqs = read_softirqs(w, now_ns) * (RING_BYTES / SOFTIRQ_BYTES);
        write_batch(w->cpu);
        most = used > most ? used : most;
        most = of_softirqs > most ? of_softirqs : most;
    }
    write_lost();
    return (uint32_t)((most << 16) / RING_BYTES);
}
