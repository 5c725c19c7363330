/*
 * A software event that never counts anything, of the first thread on each CPU, with which the kernel notes each
 * switch. Threads inherit it when they are made. It is bound to a CPU because the kernel lets inherited events share a
 * ring there only. A descriptor is needed for a moment, in the constructor: the mapping of its ring keeps an event
 * alive.
 *
 * Threads that are there already inherit nothing. For them there is an event of each thread on each CPU, all of which
 * share the ring of an event of the helper's there; their descriptors stay, in the helper's own file table. Threads that
 * they make inherit from them. Who was made meanwhile may have two events, and so each of his records is there twice.
 * So it is with all threads on a CPU that comes online later. One that was there before goes on as it was.
 *
 * Children of fork do not inherit it, where the kernel can tell them from threads (since 5.13); else their records are
 * told by their process and passed over. An execve takes mappings and events away.
 */
#include "preload/switches/rings.h"

#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "preload/perf.h"
#include "preload/recorder.h"
#include "preload/switches/online_cpus.h"
#include "preload/switches/perf_ring.h"
#include "preload/switches/tid_set.h"
#include "preload/tasks.h"

enum {
    SIZE_MAX_BYTES = 512 << 10,
    SIZE_MIN_BYTES = 16 << 10,
    EVENTS_MAX = 32 << 10,
};

struct ring {
    struct perf_ring perf;
    uint32_t cpu;
    int fd;           /* as long as more events are to share it; -1: none */
    bool lost_before; /* records that nobody wants */
    uint32_t tid;     /* of the last record, and its kind */
    enum switch_kind kind;
};

static struct {
    struct ring v[MAX_CPUS];
    uint32_t n;
    uint64_t page, size;
    bool for_threads_only; /* the kernel knows inherit_thread */
    uint64_t cpus[CPU_WORDS]; /* that have a ring, or can have none */
    uint32_t events;          /* besides those that have the rings: with these descriptors */
    int fds[EVENTS_MAX];
} rings;

/* --- making them -------------------------------------------------------------------------------------------------- */

/* notes: switches, of the threads that this one makes, too. Else it is there for its ring. */
static long open_event(uint32_t tid, uint32_t cpu, bool notes)
{
    union perf_attributes a = {.attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof a,
        .config = PERF_COUNT_SW_DUMMY,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
        .sample_id_all = 1,
        .context_switch = notes,
        .inherit = 1,
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    }};
    a.flags |= rings.for_threads_only ? PERF_INHERIT_THREAD : 0;
    return perf_open(&a.attr, tid, (int)cpu);
}

static int open_ring(uint32_t cpu, bool shared)
{
    struct ring r = {.cpu = cpu, .fd = -1, .kind = SWITCHES_LOST};
    long fd = open_event(0, cpu, !shared);
    if (fd < 0)
        return (int)fd;
    int err = perf_ring_map(&r.perf, (int)fd, rings.page, rings.size);
    if (err || !shared)
        sys_close((int)fd);
    else
        r.fd = (int)fd;
    if (!err)
        rings.v[rings.n++] = r;
    return err;
}

/* The mappings keep what is theirs. */
static void close_fds(void)
{
    for (uint32_t i = 0; i < rings.n; i++) {
        if (rings.v[i].fd >= 0)
            sys_close(rings.v[i].fd);
        rings.v[i].fd = -1;
    }
}

void rings_close_events(void)
{
    while (rings.events)
        sys_close(rings.fds[--rings.events]);
}

void rings_close(void)
{
    close_fds();
    rings_close_events();
    while (rings.n)
        perf_ring_unmap(&rings.v[--rings.n].perf);
}

/* All or none: a thread that comes back on a CPU without a ring would seem to wait for one. */
static int open_all(const uint64_t mask[CPU_WORDS], bool shared)
{
    int err = 0;
    for (uint32_t cpu = 0; cpu < MAX_CPUS && !err; cpu++)
        if (cpus_have(mask, cpu))
            err = open_ring(cpu, shared);
    if (err)
        rings_close();
    memcpy(rings.cpus, mask, sizeof rings.cpus);
    return err;
}

/* What a user may lock in memory counts for all his processes together, so there may be room for smaller ones only. */
static int open_rings(bool shared)
{
    uint64_t mask[CPU_WORDS];
    int err = -EINVAL;
    rings.page = (uint64_t)sysconf(_SC_PAGESIZE);
    online_cpus(mask);
    for (int tries = 0; tries < 2 && err == -EINVAL; tries++) {
        rings.for_threads_only = !tries;
        rings.size = SIZE_MAX_BYTES;
        while ((err = open_all(mask, shared)) && (err == -EPERM || err == -ENOMEM) && rings.size / 2 >= rings.page &&
               rings.size / 2 >= SIZE_MIN_BYTES)
            rings.size /= 2;
    }
    return err;
}

int rings_open(void) { return open_rings(false); }

void rings_forget(void) { rings.n = rings.events = 0; }

/* --- of threads that are there already ---------------------------------------------------------------------------- */

struct reach {
    struct tid_set *done; /* threads that have their events */
    uint32_t ring;        /* the first one for which they are made */
    bool any;             /* who had none got them */
    int err;
};

static int open_shared(uint32_t tid, const struct ring *r)
{
    long fd = rings.events < EVENTS_MAX ? open_event(tid, r->cpu, true) : -EMFILE;
    if (fd < 0)
        return (int)fd;
    rings.fds[rings.events++] = (int)fd;
    return (int)raw_syscall(SYS_ioctl, fd, PERF_EVENT_IOC_SET_OUTPUT, r->fd, 0, 0, 0);
}

/* Who has ended meanwhile needs none. */
static bool reach_one(void *arg, uint32_t tid)
{
    struct reach *reach = arg;
    if (tid_set_has(reach->done, tid) || tid == (uint32_t)sys_gettid())
        return true;
    tid_set_add(reach->done, tid);
    for (uint32_t i = reach->ring; i < rings.n && !reach->err; i++)
        reach->err = open_shared(tid, &rings.v[i]);
    reach->any = true;
    if (reach->err == -ESRCH)
        reach->err = 0;
    return !reach->err;
}

/* A thread whose maker had no event yet when it was made has none; so until there are no others. */
static int reach_all(uint32_t ring)
{
    enum { ROUNDS = 8 };
    long at = sys_mmap(sizeof(struct tid_set), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct reach reach = {.done = (struct tid_set *)at, .ring = ring, .any = true};
    if (sys_failed(at))
        return (int)at;
    for (int round = 0; round < ROUNDS && reach.any && !reach.err; round++) {
        reach.any = false;
        tasks_each(reach_one, &reach);
    }
    sys_munmap(reach.done, sizeof *reach.done);
    return reach.err;
}

/* Descriptors count by the limit of the process: it is as high as it may be for as long as they are made. */
static int reach_all_with_descriptors(uint32_t ring)
{
    struct rlimit limit = {0}, high = {0}, now = {0};
    raw_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&limit, 0, 0);
    high = limit;
    high.rlim_cur = high.rlim_max;
    bool raised = !raw_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, (long)&high, 0, 0, 0);
    int err = reach_all(ring);
    raw_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, 0, (long)&now, 0, 0);
    if (raised && now.rlim_cur == high.rlim_cur && now.rlim_max == high.rlim_max)
        raw_syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, (long)&limit, 0, 0, 0);
    close_fds();
    return err;
}

int rings_open_for_all(void)
{
    int err = open_rings(true);
    if (err)
        return err;
    err = reach_all_with_descriptors(0);
    if (err)
        rings_close();
    return err;
}

int rings_follow(const uint64_t online[CPU_WORDS], bool *more)
{
    uint32_t before = rings.n;
    int err = 0;
    for (uint32_t cpu = 0; cpu < MAX_CPUS && !err; cpu++)
        if (cpus_have(online, cpu) && !cpus_have(rings.cpus, cpu))
            err = open_ring(cpu, true);
    for (uint32_t i = 0; i < CPU_WORDS; i++)
        rings.cpus[i] |= online[i];
    *more = rings.n > before;
    return *more && !err ? reach_all_with_descriptors(before) : err;
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

struct reading {
    struct ring *ring;
    const struct ring_reader *reader;
};

/* Words of a switch: type, misc and size; process and thread; time. Of a loss an ID and the number are before these. */
static bool take(void *arg, uint64_t at)
{
    const struct reading *reading = arg;
    struct ring *r = reading->ring;
    uint64_t head = perf_ring_word(&r->perf, at), ids = perf_ring_word(&r->perf, at + 8);
    uint64_t time = perf_ring_word(&r->perf, at + 16);
    uint32_t type = perf_record_type(head), misc = perf_record_misc(head);
    if (type == PERF_RECORD_SWITCH && perf_process_of(ids) == (uint32_t)recorder.pid) {
        enum switch_kind kind = !(misc & PERF_RECORD_MISC_SWITCH_OUT)          ? SWITCH_IN
                                : misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? SWITCH_PREEMPTED
                                                                              : SWITCH_BLOCKS;
        uint32_t tid = perf_thread_of(ids);
        if (tid != r->tid || kind != r->kind) /* else it is the same, by the thread's other event */
            reading->reader->take(r->cpu, time, kind, tid);
        r->tid = tid;
        r->kind = kind;
    } else if (type == PERF_RECORD_LOST && !r->lost_before) {
        reading->reader->take(r->cpu, perf_ring_word(&r->perf, at + 32), SWITCHES_LOST, time);
    }
    r->lost_before &= type != PERF_RECORD_LOST;
    return true;
}

uint32_t rings_read(const struct ring_reader *reader)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < rings.n; i++) {
        struct reading reading = {&rings.v[i], reader};
        uint64_t used = perf_ring_read(&rings.v[i].perf, take, &reading);
        reader->end(rings.v[i].cpu);
        most = used > most ? used : most;
    }
    return rings.n ? (uint32_t)((most << 16) / rings.size) : 0;
}

/* A ring that is nearly full may have lost some already, which the kernel says once there is room. */
void rings_empty(void)
{
    for (uint32_t i = 0; i < rings.n; i++) {
        struct perf_ring *r = &rings.v[i].perf;
        uint64_t head = perf_ring_head(r);
        rings.v[i].lost_before = head - r->page->data_tail > r->size / 2;
        perf_ring_free(r, head);
    }
}
