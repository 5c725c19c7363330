#include "preload/switches/switches.h"

#include "lib/meta.h"
#include "lib/switch_kind.h"
#include "preload/recorder.h"
#include "preload/say.h"
#include "preload/service.h"
#include "preload/switches/asleep.h"
#include "preload/switches/rings.h"
#include "preload/switches/schedstat.h"
#include "preload/switches/wakings.h"

enum {
    BATCH = 256,
    RECORD_MAX = 1 + (2 + 2 * BATCH) * VARINT_MAX,
    SOONEST_NS = 2000000,
    LATEST_NS = 50000000,
    PATIENCE_MS = 2000, /* for who has the lock: a debugger may hold that thread */
    PENDING = 1,
};
_Static_assert(RECORD_MAX <= CHUNK_CAPACITY - SCHED_TRANSITION_MAX, "a record fits a chunk");

static struct {
    struct lock lock; /* of what follows, and of who reads the rings */
    bool open, of_all;          /* of_all: they are the helper's to open and to close */
    bool wakers, no_wakers;     /* and what the kernel says of wakers is wanted; but it says nothing */
    int err;                    /* what came of that; PENDING: nothing yet */
    struct clock_pair from, to; /* between which times are reckoned */
    uint64_t drained_ns, due_ns;
    int64_t suspended_ns;  /* clock_suspended_ns() at the last look */
    uint64_t followed_ns; /* when it was last looked for CPUs that have come online */
    bool all_on;          /* some have, so it is to be said that nobody knows who has a processor */
    uint64_t time;            /* ticks of the last one in the batch */
    uint64_t lost, lost_said; /* for want of room, and not said yet; said in the batch */
    size_t n;
    uint64_t numbers[2 * BATCH];
    uint8_t record[RECORD_MAX];
} switches;

static const char *why_not(int err)
{
    switch (-err) {
    case EACCES:
    case EPERM: return "the kernel refuses perf events, switches are not recorded";
    case ENOSYS: return "the kernel has no perf events, switches are not recorded";
    case EMFILE:
    case ENFILE: return "no descriptor is left for perf events, switches are not recorded";
    default: return "the kernel cannot note switches, they are not recorded";
    }
}

static bool wanted_by(const struct options *options)
{
    switches.wakers = options->wakers;
    return options->switches || options->cpus || options->wakers;
}

static void say_without_wakings(void)
{
    say("the kernel does not let us see who wakes threads: that is for root in the first PID namespace, with tracefs at "
        "/sys/kernel/tracing; wakers are those that the program shows",
        "");
}

/* Where the kernel does not say who wakes whom. How conditions of musl do that is not modelled. */
static void note_locks(bool wanted)
{
#ifdef __GLIBC__
    __atomic_store_n(&recorder.notes_locks, wanted, __ATOMIC_RELAXED);
#else
    (void)wanted;
#endif
}

/* False: without them, which is to be said. */
static bool open_wakings(void)
{
    uint64_t online[CPU_WORDS];
    bool opened = false;
    if (switches.wakers) {
        online_cpus(online);
        opened = wakings_open(online);
    }
    note_locks(!opened);
    return opened || !switches.wakers;
}

void switches_open(const struct options *options)
{
    if (!wanted_by(options))
        return;
    int err = rings_open();
    switches.open = !err;
    if (err)
        say(why_not(err), "");
    else if (!open_wakings())
        say_without_wakings();
}

static bool are_open(void) { return __atomic_load_n(&switches.open, __ATOMIC_ACQUIRE); }

bool switches_wanted(void) { return are_open() || switches.of_all; }

void switches_forget(void)
{
    switches.lock.word = 0;
    switches.open = switches.of_all = false;
    note_locks(false);
    rings_forget();
    wakings_forget();
    schedstat_forget();
}

/* With the lock. */
static void begin_from(struct clock_pair start)
{
    switches.from = switches.to = start;
    switches.lost = 0;
    switches.suspended_ns = clock_suspended_ns();
    switches.drained_ns = start.mono_ns;
    __atomic_store_n(&switches.due_ns, start.mono_ns + SOONEST_NS, __ATOMIC_RELAXED);
}

void switches_begin(struct clock_pair start)
{
    if (!are_open())
        return;
    lock_take(&switches.lock);
    rings_empty();
    wakings_empty();
    begin_from(start);
    lock_drop(&switches.lock);
}

void switches_begun(void)
{
    if (!are_open())
        return;
    lock_take(&switches.lock);
    asleep_write();
    schedstat_begin();
    lock_drop(&switches.lock);
}

/* --- in a program that runs already ------------------------------------------------------------------------------- */

void switches_want_of_all(const struct options *options)
{
    switches.of_all = wanted_by(options);
    switches.err = PENDING;
}

void switches_open_of_all(void)
{
    if (!switches.of_all)
        return;
    int err = rings_open_for_all();
    lock_take(&switches.lock);
    if (!err) {
        __atomic_store_n(&switches.no_wakers, !open_wakings(), __ATOMIC_RELAXED);
        wakings_empty();
        begin_from(clock_read_pair(&recorder.clock));
        asleep_write();
        schedstat_begin();
    }
    __atomic_store_n(&switches.open, !err, __ATOMIC_RELEASE);
    lock_drop(&switches.lock);
    __atomic_store_n(&switches.err, err, __ATOMIC_RELEASE);
}

void switches_close_of_all(void)
{
    if (!are_open())
        return;
    lock_take(&switches.lock);
    if (switches.of_all) {
        switches.open = false;
        note_locks(false);
        rings_close();
        wakings_close();
    } else {
        rings_close_events();
    }
    lock_drop(&switches.lock);
}

void switches_await_of_all(void)
{
    enum { PATIENCE = 20000 };
    static const struct timespec pause = {0, 100000};
    int err = PENDING;
    for (int i = 0; switches.of_all && i < PATIENCE && err == PENDING; i++) {
        raw_syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
        err = __atomic_load_n(&switches.err, __ATOMIC_ACQUIRE);
    }
    if (switches.of_all && err)
        say(why_not(err), "");
    else if (switches.of_all && __atomic_load_n(&switches.no_wakers, __ATOMIC_RELAXED))
        say_without_wakings();
}

/* --- the batch ---------------------------------------------------------------------------------------------------- */

/* By the clocks before and after; a switch may be a little outside of that. */
static uint64_t ticks_at(uint64_t mono_ns)
{
    const struct clock_pair *a = &switches.from, *b = &switches.to;
    if (b->mono_ns <= a->mono_ns)
        return a->ticks;
    __int128 since = (__int128)mono_ns - a->mono_ns, ticks = (__int128)b->ticks - a->ticks;
    __int128 at = a->ticks + since * ticks / (b->mono_ns - a->mono_ns);
    return at > 0 ? (uint64_t)at : 0;
}

static void add(uint64_t ticks, enum switch_kind kind, uint64_t what)
{
    switches.numbers[switches.n++] = zigzag_encode((int64_t)(ticks - switches.time));
    switches.numbers[switches.n++] = what << SWITCH_KIND_BITS | kind;
    switches.time = ticks;
}

static void write_batch(uint32_t cpu)
{
    struct meta_record r;
    if (!switches.n)
        return;
    meta_begin(&r, switches.record, sizeof switches.record, META_SWITCHES);
    meta_int(&r, cpu);
    meta_ints(&r, switches.numbers, switches.n);
    if (r.overflow || !service_record(switches.record, (size_t)(r.p - switches.record)))
        switches.lost += switches.n / 2 + switches.lost_said;
    switches.n = switches.time = switches.lost_said = 0;
}

static void take(uint32_t cpu, uint64_t mono_ns, enum switch_kind kind, uint64_t tid)
{
    if (switches.n + 4 > 2 * BATCH)
        write_batch(cpu);
    uint64_t ticks = ticks_at(mono_ns);
    if (switches.lost) {
        add(ticks, SWITCHES_LOST, switches.lost);
        switches.lost_said = switches.lost - 1; /* it counts for one itself */
        switches.lost = 0;
    }
    add(ticks, kind, tid);
    if (kind != SWITCHES_LOST)
        wakings_expect((uint32_t)tid);
}

static const struct ring_reader into_spool = {.take = take, .end = write_batch};

/* --- when --------------------------------------------------------------------------------------------------------- */

/* Half full, should there be twice as many switches from now on. */
static uint64_t pause_after(uint64_t since_ns, uint32_t filled)
{
    uint64_t pause = filled ? (since_ns << 14) / filled : LATEST_NS;
    return pause < SOONEST_NS ? SOONEST_NS : pause > LATEST_NS ? LATEST_NS : pause;
}

/* A CPU that came online has a ring from then on. Until then whoever was on it seemed to have no processor. */
static void follow_cpus(uint64_t now_ns)
{
    uint64_t online[CPU_WORDS];
    bool more;
    if (now_ns - switches.followed_ns < LATEST_NS || !lock_take_for(&switches.lock, PATIENCE_MS))
        return;
    switches.followed_ns = now_ns;
    online_cpus(online);
    if (rings_follow(online, &more))
        say_later("the kernel does not note switches on a processor that came online: who runs there looks like having "
                  "none, until its next event", "");
    wakings_follow(online);
    switches.all_on |= more;
    lock_drop(&switches.lock);
}

/* Where in between CLOCK_MONOTONIC stood still nobody knows, so which ticks its times were is not known either. */
static void forget_suspension(int64_t suspended_ns)
{
    if (clock_was_suspended(switches.suspended_ns, suspended_ns)) {
        rings_empty();
        wakings_empty();
        switches.all_on = true;
    }
    switches.suspended_ns = suspended_ns;
}

/* sums: also what the kernel has counted of each thread. */
static void drain(bool sums)
{
    if (!are_open() || !recording() || !lock_take_for(&switches.lock, PATIENCE_MS))
        return;
    int64_t suspended_ns = switches.suspended_ns;
    struct clock_pair now = clock_read_all(&recorder.clock, &suspended_ns);
    switches.from = switches.to;
    switches.to = now;
    forget_suspension(suspended_ns);
    if (switches.all_on) {
        add(now.ticks, SWITCHES_LOST, 0);
        write_batch(0);
    }
    switches.all_on = false;
    uint32_t filled = rings_read(&into_spool), of_wakings = wakings_write(ticks_at, now.mono_ns);
    filled = of_wakings > filled ? of_wakings : filled;
    uint64_t since = now.mono_ns - switches.drained_ns;
    switches.drained_ns = now.mono_ns;
    __atomic_store_n(&switches.due_ns, now.mono_ns + pause_after(since, filled), __ATOMIC_RELAXED);
    if (sums)
        schedstat_write();
    lock_drop(&switches.lock);
}

void switches_drain(void) { drain(true); }

uint64_t switches_due(void)
{
    return are_open() && recording() ? __atomic_load_n(&switches.due_ns, __ATOMIC_RELAXED) : UINT64_MAX;
}

void switches_run(void)
{
    if (schedstat_is_asked() && are_open() && recording() && lock_take_for(&switches.lock, PATIENCE_MS)) {
        schedstat_serve();
        lock_drop(&switches.lock);
    }
    uint64_t now_ns = clock_mono_ns();
    if (now_ns >= switches_due()) {
        follow_cpus(now_ns);
        drain(false);
    }
}

void switches_thread_ends(uint64_t began_ns)
{
    if (are_open() && recording())
        schedstat_ask(began_ns);
}
