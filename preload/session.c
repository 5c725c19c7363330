#include "preload/session.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/control.h"
#include "lib/meta.h"
#include "preload/fds.h"
#include "preload/generation.h"
#include "preload/heap.h"
#include "preload/heap_sample.h"
#include "preload/helper.h"
#include "preload/lifecycle.h"
#include "preload/options.h"
#include "preload/out_path.h"
#include "preload/own_spool.h"
#include "preload/real.h"
#include "preload/sample.h"
#include "preload/tracer.h"

static struct {
    struct lock lock; /* ranks before advance */
    const struct options *options;
    const char *pattern;
    uint32_t number; /* of sessions, and of this one */
    uint32_t last_n; /* the highest number that a path was given */
    bool recorded;   /* n holds, and the mapping has been there */
    bool over;       /* the last one has ended */
    struct spool fresh;
    char out[SPOOL_PATH_MAX], exe[SPOOL_PATH_MAX], child_pattern[SPOOL_PATH_MAX];
} session;

void session_lock(void) { lock_take(&session.lock); }
void session_unlock(void) { lock_drop(&session.lock); }
void session_forget_lock(void) { session.lock.word = 0; }
uint32_t session_number(void) { return __atomic_load_n(&session.number, __ATOMIC_ACQUIRE); }
const char *session_spool(void) { return tracer.spool.path; }
const char *session_exe(void) { return session.exe; }

/* --- names -------------------------------------------------------------------------------------------------------- */

static bool exists(const char *path)
{
    return !sys_failed(raw_syscall(SYS_faccessat, AT_FDCWD, (long)path, 0, 0, 0, 0));
}

static bool numbered(void) { return out_pattern_has(session.pattern, 'n'); }

/* A process that is not the one that OUT is meant for has its pid in the name. */
static bool name_child(void)
{
    static const char suffix[] = ".%p";
    size_t len = strlen(session.options->out);
    if (out_pattern_has(session.options->out, 'p') || len + sizeof suffix > sizeof session.child_pattern)
        return false;
    memcpy(session.child_pattern, session.options->out, len);
    memcpy(session.child_pattern + len, suffix, sizeof suffix);
    session.pattern = session.child_pattern;
    return true;
}

void session_init(const struct options *o, bool child)
{
    session.options = o;
    session.pattern = o->out;
    session.number = session.last_n = 0;
    session.recorded = session.over = false;
    tracer.stacks_of_statuses = o->trace_version >= 23;
    tracer.self_contained = o->flight.bytes;
    if (child || (o->launcher && o->launcher != (uint64_t)sys_getpid()))
        name_child();
    long n = raw_syscall(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)session.exe, sizeof session.exe - 1, 0,
                         0);
    session.exe[sys_failed(n) ? 0 : n] = 0;
}

static bool make_paths(uint32_t n, char *out, char *spool)
{
    if (!out_path(out, SPOOL_PATH_MAX - 32, session.pattern, (uint32_t)sys_getpid(), n))
        return false;
    spool_name(spool, out, 0);
    return true;
}

void session_each_spool(void (*each)(void *arg, const char *path), void *arg)
{
    char out[SPOOL_PATH_MAX], spool[SPOOL_PATH_MAX];
    for (uint32_t n = 0; n <= session.last_n; n++)
        if (make_paths(n, out, spool) && is_own_spool(spool))
            each(arg, spool);
}

/* --- start -------------------------------------------------------------------------------------------------------- */

/*
 * The path without a number is for the first session of the last image: the spool of an earlier one makes room. Any
 * other path that is taken, by a spool or by a trace, is left alone, and the next number tried.
 */
static int create_spool(void)
{
    enum { TRIES = 100000 };
    char spool[SPOOL_PATH_MAX];
    void *place = session.recorded ? tracer.spool.header : NULL;
    uint32_t n = session.last_n ? session.last_n + 1 : numbered() ? 1 : session.number ? 2 : 0;
    for (uint32_t last = n + TRIES; n < last; n++) {
        if (!make_paths(n, session.out, spool))
            return -ENAMETOOLONG;
        if (n && exists(session.out))
            continue;
        int err = spool_create_at(&session.fresh, spool, place);
        if (err == -EEXIST && is_own_spool(spool)) {
            uint32_t moved = n ? 0 : move_own_spool(session.out, spool);
            if (moved)
                err = spool_create_at(&session.fresh, spool, place);
            else if (n)
                mark_complete(spool);
            if (moved > session.last_n)
                session.last_n = moved;
        }
        if (err == -EEXIST && n)
            continue;
        if (!err && n > session.last_n)
            session.last_n = n;
        return err;
    }
    return -EEXIST;
}

static void fill_header(struct spool_header *h)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    h->start_realtime_ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
    h->pid = (uint32_t)sys_getpid();
    h->pid_start = process_start_time();
    h->trace_version = (uint32_t)session.options->trace_version;
    h->launcher = (uint32_t)session.options->launcher;
    h->session = session.number + 1;
    h->clock = tracer.clock;
    strcpy(h->out, session.out);
    strcpy(h->exe, session.exe);
    h->first = h->last = clock_read_pair(&tracer.clock);
    heap_fill(h);
}

static void open_first_generation(uint32_t cpus)
{
    struct spool_header *h = tracer.spool.header;
    first_generation(cpus);
    fd_closed(0, UINT32_MAX); /* nobody saw what was opened and closed meanwhile */
    h->last_generation = tracer.sched.generation;
    h->nthreads = tracer.nthreads;
    h->last_g = tracer.last_g;
    tracer.deadline_ns = clock_mono_ns() + tracer.period_ns;
    tracer.chores = 1;
    spool_publish(&tracer.spool);
    __atomic_store_n(&tracer.owner->recording, recorded_classes(), __ATOMIC_SEQ_CST);
    __atomic_store_n(&tracer.owner->hooked, recorded_classes(), __ATOMIC_RELEASE);
    sample_start();
}

enum { START_TRIES = 200, START_GRACE_NS = 1000000, START_PAUSE_NS = 100000 };

/*
 * Behind the gate, which is opened between tries: a thread that lost the CPU in a section must not hold up the others.
 */
static int begin_recording(int fd)
{
    static const struct timespec pause = {0, START_PAUSE_NS};
    uint32_t cpus = cpus_of_process();
    int err = -EBUSY;
    for (int i = 0; i < START_TRIES && err == -EBUSY; i++) {
        if (!gate_close(&tracer.gate))
            continue;
        lock_take(&tracer.registry_lock);
        bool fits = statuses_fit();
        if (all_writers_out(START_GRACE_NS) && fits && sample_is_idle()) {
            open_first_generation(cpus);
            err = 0;
        }
        lock_drop(&tracer.registry_lock);
        gate_open(&tracer.gate);
        if (!fits && spool_grow(&tracer.spool, fd))
            return -ENOSPC;
        if (err)
            raw_syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
    }
    return err;
}

static int start_locked(void)
{
    if (recording())
        return -EALREADY;
    if (session.over || !hooked())
        return -ESHUTDOWN;
    int err = create_spool();
    if (err == -EEXIST && session.options->follow && name_child())
        err = create_spool();
    if (err)
        return err;
    fill_header(session.fresh.header);
    if (session.options->flight.bytes)
        spool_make_ring(&session.fresh, session.options->flight.bytes,
                        (uint32_t)session.options->flight.generations);
    session.fresh.max_chunks = (uint32_t)(session.options->memory / SPOOL_CHUNK_SIZE);
    lock_take(&tracer.advance_lock);
    tracer.spool = session.fresh;
    session.recorded = true;
    int fd = spool_open(&tracer.spool);
    err = begin_recording(fd);
    if (fd >= 0)
        sys_close(fd);
    if (err) {
        sys_unlink(tracer.spool.path);
        spool_detach(&tracer.spool);
    } else {
        __atomic_store_n(&session.number, session.number + 1, __ATOMIC_RELEASE);
    }
    lock_drop(&tracer.advance_lock);
    return err;
}

static void record_hook(void *arg, const void *address, const char *name)
{
    uint8_t buf[128];
    struct meta_record r;
    meta_begin(&r, buf, sizeof buf, META_HOOK);
    meta_int(&r, (uintptr_t)address + 1);
    meta_text(&r, name, strlen(name));
    if (!r.overflow)
        service_record(buf, (size_t)(r.p - buf));
}

/* What a generation does not say of itself: what is mapped, and which functions are wrapped. */
static void record_surroundings(void)
{
    modules_restart();
    real_each(record_hook, NULL);
    if (heap_interval)
        allocator_each(record_hook, NULL);
}

int session_start_with_modules(void)
{
    if (!tracer.owner->alive)
        return -ESHUTDOWN;
    lock_take(&session.lock);
    int err = start_locked();
    lock_drop(&session.lock);
    if (err)
        return err;
    record_surroundings();
    if (tracer.nthreads > 1 || sample_perf_wanted())
        helper_start();
    helper_wake();
    return 0;
}

int session_start(void)
{
    if (tracer.owner->alive)
        modules_refresh(); /* before: for the stacks of those that wait */
    return session_start_with_modules();
}

/* --- stop --------------------------------------------------------------------------------------------------------- */

enum { STOP_GRACE_NS = 100000000 };

/* A writer that does not come out keeps its open chunk; what it adds, and what comes later, goes nowhere. */
static bool stop_locked(uint32_t hooked_then)
{
    lock_take(&tracer.advance_lock);
    bool stopped = __atomic_exchange_n(&tracer.owner->recording, 0, __ATOMIC_SEQ_CST);
    if (stopped) {
        while (!gate_close(&tracer.gate)) /* false once, when membarrier is refused for the first time */
            ;
        lock_take(&tracer.registry_lock);
        sample_stop();
        all_writers_out(STOP_GRACE_NS);
        seal_all();
        tracer.chores = 0;
        tracer.spool.header->last = clock_read_pair(&tracer.clock);
        tracer.spool.header->state = SPOOL_COMPLETE;
        __atomic_store_n(&tracer.owner->hooked, hooked_then, __ATOMIC_RELEASE);
        lock_drop(&tracer.registry_lock);
        gate_open(&tracer.gate);
        spool_detach(&tracer.spool);
    }
    __atomic_store_n(&tracer.owner->hooked, hooked_then, __ATOMIC_RELEASE);
    lock_drop(&tracer.advance_lock);
    return stopped;
}

static bool stop(bool for_good, char *spool)
{
    if (recording()) {
        modules_refresh();
        short_calls_write();
        heap_end();
    }
    lock_take(&session.lock);
    session.over |= for_good; /* whoever comes later, by order from outside, hooks nothing again */
    bool stopped = stop_locked(session.over ? 0 : tracked_classes());
    if (stopped && spool)
        strcpy(spool, tracer.spool.path);
    lock_drop(&session.lock);
    return stopped;
}

bool session_stop(void) { return session_stop_telling(NULL); }
bool session_stop_telling(char *spool) { return tracer.owner->alive && stop(false, spool); }

void session_stop_for_good(void)
{
    if (!tracer.owner->alive || !stop(true, NULL))
        return;
    if (session.options->flight.bytes && !session.options->snapshot.exit)
        sys_unlink(tracer.spool.path);
    else if (!exists(tracer.spool.path))
        say("the spool was removed, nothing is left of the recording: ", session.out);
}

/* --- what is to be done now and then ------------------------------------------------------------------------------ */

static int drain(int fd)
{
    int err = spool_drain(&tracer.spool, fd);
    while (!err && spool_wants_drain(&tracer.spool) && !spool_grow(&tracer.spool, fd))
        ; /* what is out is in use, not full */
    return err;
}

static int drain_by_path(void)
{
    if (!spool_wants_drain(&tracer.spool))
        return 0;
    int fd = spool_open(&tracer.spool);
    if (fd < 0)
        return fd == -EMFILE || fd == -ENFILE ? 0 : fd;
    int err = drain(fd);
    sys_close(fd);
    return err;
}

void session_make_room(void)
{
    if (!lock_try(&session.lock))
        return;
    if (recording() && !__atomic_load_n(&tracer.spool.drain_lock.word, __ATOMIC_RELAXED))
        drain_by_path();
    lock_drop(&session.lock);
}

static bool is_full(void)
{
    if (session.options->flight.bytes)
        return false;
    const struct spool_header *h = tracer.spool.header;
    return h->log_end + (uint64_t)h->nchunks * h->chunk_size >= session.options->stop.size;
}

/* What is recorded is in the pool, whose pages the file has already: nothing that was recorded is lost. */
static void stop_early(int err)
{
    if (!session_stop())
        return;
    switch (-err) {
    case 0: say_later("the recording has reached its size and ended: ", session.out); break;
    case ENOSPC: say_later("no space left on the device, the recording ended: ", session.out); break;
    case EDQUOT: say_later("the disk quota is used up, the recording ended: ", session.out); break;
    case EFBIG: say_later("the file size limit is reached, the recording ended: ", session.out); break;
    default: say_later("the spool cannot be written any more, the recording ended: ", session.out); break;
    }
}

/* Extents for the threads that the first one announces; their pages come into being when they are used. */
enum { HEAD_START = 7 };

static void reopen(struct session_file *f)
{
    if (f->fd >= 0)
        sys_close(f->fd);
    f->fd = spool_open(&tracer.spool);
    f->session = session.number;
    for (int i = 0; i < HEAD_START && f->fd >= 0; i++)
        spool_grow(&tracer.spool, f->fd);
}

/* What is too old goes; and no generation is to take more than a good part of the ring. */
static bool flight_wants_generation(void)
{
    const struct flight_option *flight = &session.options->flight;
    if (!flight->bytes)
        return false;
    uint64_t time = clock_mono_ns();
    if (flight->window_ns && time > flight->window_ns)
        spool_forget(&tracer.spool, time - flight->window_ns);
    return spool_newest_bytes(&tracer.spool) > flight->bytes / 8;
}

void session_chores(struct session_file *f)
{
    if (!recording() || !lock_try(&session.lock))
        return;
    bool due = false, full = false;
    int err = 0;
    if (recording()) {
        if (f && f->session != session.number)
            reopen(f);
        if (!f)
            err = drain_by_path();
        else if (f->fd >= 0)
            err = drain(f->fd);
        due = flight_wants_generation() || clock_mono_ns() >= tracer.deadline_ns;
        full = is_full();
    }
    lock_drop(&session.lock);
    if ((err && err != -ENOBUFS) || full)
        stop_early(err);
    bool may_ask = f || tracer.nthreads == 1; /* else another thread may hold the loader's lock and wait for this one */
    if ((modules_wanted() || due) && may_ask)
        modules_refresh();
    if (!due)
        return;
    sample_account();
    heap_look();
    if (tracer_advance() && tracer.self_contained)
        record_surroundings();
}

/* --- the flight recorder ------------------------------------------------------------------------------------------ */

enum { ADVANCE_TRIES = 100, ADVANCE_PAUSE_NS = 1000000 };

static bool advance_now(void)
{
    static const struct timespec pause = {0, ADVANCE_PAUSE_NS};
    for (int i = 0; i < ADVANCE_TRIES; i++) {
        if (tracer_advance())
            return true;
        raw_syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
    }
    return false;
}

static int copy_flight(int fd, char *spool)
{
    uint32_t n = session.last_n + 1 > 2 || numbered() ? session.last_n + 1 : 2;
    char out[SPOOL_PATH_MAX];
    drain(fd);
    for (;; n++) {
        if (!make_paths(n, out, spool))
            return -ENAMETOOLONG;
        int err = exists(out) ? -EEXIST
                              : spool_copy_ring(&tracer.spool, fd, tracer.sched.generation, spool, out);
        if (err == -EEXIST)
            continue;
        if (!err)
            session.last_n = n;
        return err;
    }
}

int session_snapshot(char *spool)
{
    if (!session.options->flight.bytes)
        return -EOPNOTSUPP;
    int err = -EALREADY;
    modules_refresh();
    lock_take(&session.lock);
    if (recording()) {
        int fd = spool_open(&tracer.spool);
        err = fd < 0 ? fd : advance_now() ? copy_flight(fd, spool) : -EBUSY;
        if (fd >= 0)
            sys_close(fd);
    }
    lock_drop(&session.lock);
    if (!err)
        record_surroundings();
    return err;
}


void session_describe(struct control_reply *r)
{
    lock_take(&session.lock);
    const struct spool_header *h = tracer.spool.header;
    r->session = session.number;
    r->threads = tracer.nthreads;
    if (session.number)
        strcpy(r->spool, tracer.spool.path);
    r->recording = recording();
    if (r->recording) {
        r->log_bytes = h->log_end;
        r->lost = h->lost_events + h->lost_stacks;
        r->start_realtime_ns = h->start_realtime_ns;
        r->generation = h->last_generation;
    }
    lock_drop(&session.lock);
}
