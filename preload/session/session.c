#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/control.h"
#include "lib/meta.h"
#include "lib/options/options.h"
#include "lib/options/out_path.h"
#include "preload/hooks/fds.h"
#include "preload/generation.h"
#include "preload/go.h"
#include "preload/heap/heap.h"
#include "preload/heap/heap_sample.h"
#include "preload/session/helper.h"
#include "preload/session/lifecycle.h"
#include "preload/session/own_spool.h"
#include "preload/real.h"
#include "preload/sampler/sample.h"
#include "preload/session/session_state.h"
#include "preload/tracer.h"
#include "preload/session/unseen.h"

struct session session;

static struct spool fresh;
static char exe[SPOOL_PATH_MAX], child_pattern[SPOOL_PATH_MAX];

void session_lock(void) { lock_take(&session.lock); }
void session_unlock(void) { lock_drop(&session.lock); }
void session_forget_lock(void) { session.lock.word = 0; }
uint32_t session_number(void) { return __atomic_load_n(&session.number, __ATOMIC_ACQUIRE); }
const char *session_spool(void) { return tracer.spool.path; }
const char *session_exe(void) { return exe; }

/* --- names -------------------------------------------------------------------------------------------------------- */

bool session_path_exists(const char *path)
{
    return !sys_failed(raw_syscall(SYS_faccessat, AT_FDCWD, (long)path, 0, 0, 0, 0));
}

uint64_t session_root(void)
{
    struct stat st;
    if (sys_failed(raw_syscall(SYS_newfstatat, AT_FDCWD, (long)"/", (long)&st, 0, 0, 0)))
        return 0;
    return (uint64_t)st.st_ino ^ (uint64_t)st.st_dev << 32;
}

bool session_is_numbered(void) { return out_pattern_has(session.pattern, 'n'); }

/* A process that is not the one that OUT is meant for has its pid in the name. */
static bool name_child(void)
{
    static const char suffix[] = ".%p";
    size_t len = strlen(session.options->out);
    if (out_pattern_has(session.options->out, 'p') || len + sizeof suffix > sizeof child_pattern)
        return false;
    memcpy(child_pattern, session.options->out, len);
    memcpy(child_pattern + len, suffix, sizeof suffix);
    session.pattern = child_pattern;
    return true;
}

void session_init(const struct options *o, bool child)
{
    session.options = o;
    session.pattern = o->out;
    session.number = session.last_n = 0;
    session.recorded = session.ends = session.over = false;
    tracer.self_contained = o->flight.bytes;
    if (child || (o->launcher && o->launcher != (uint64_t)sys_getpid()))
        name_child();
    long n = raw_syscall(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)exe, sizeof exe - 1, 0,
                         0);
    exe[sys_failed(n) ? 0 : n] = 0;
}

bool session_paths(uint32_t n, char *out, char *spool)
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
        if (session_paths(n, out, spool) && is_own_spool(spool))
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
    uint32_t n = session.last_n ? session.last_n + 1 : session_is_numbered() ? 1 : session.number ? 2 : 0;
    for (uint32_t last = n + TRIES; n < last; n++) {
        if (!session_paths(n, session.out, spool))
            return -ENAMETOOLONG;
        if (n && session_path_exists(session.out))
            continue;
        int err = spool_create_at(&fresh, spool, place);
        if (err == -EEXIST && is_own_spool(spool)) {
            uint32_t moved = n ? 0 : move_own_spool(session.out, spool);
            if (moved)
                err = spool_create_at(&fresh, spool, place);
            else if (n)
                mark_torn(spool);
            if (moved > session.last_n)
                session.last_n = moved;
        }
        if (err == -EEXIST && n)
            continue;
        if (err == -EEXIST && !is_plain_file(spool))
            return -EMEDIUMTYPE;
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
    fill_place(h);
    h->trace_version = (uint32_t)session.options->trace_version;
    h->launcher = (uint32_t)session.options->launcher;
    h->session = session.number + 1;
    h->clock = tracer.clock;
    strcpy(h->out, session.out);
    strcpy(h->exe, exe);
    h->first = h->last = clock_read_pair(&tracer.clock);
    heap_fill(h);
    h->unseen.go = go_was_seen(); /* now: its programs end by a system call */
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

enum { START_PATIENCE_NS = 1000000000, START_GRACE_NS = 1000000, START_PAUSE_NS = 100000 };

/*
 * Does it behind the gate, with the registry lock, once nobody writes or takes a sample. The gate is opened between
 * tries: a thread that lost the CPU in a section must not hold up the others. -EBUSY: it never came to that.
 */
static int when_all_are_out(int (*act)(uint32_t cpus), uint32_t cpus)
{
    static const struct timespec pause = {0, START_PAUSE_NS};
    uint64_t until = clock_mono_ns() + START_PATIENCE_NS;
    int err;
    do {
        err = -EBUSY;
        if (!gate_close(&tracer.gate))
            continue;
        lock_take(&tracer.registry_lock);
        if (all_writers_out(START_GRACE_NS) && sample_is_idle())
            err = act(cpus);
        lock_drop(&tracer.registry_lock);
        gate_open(&tracer.gate);
        if (err == -EBUSY)
            raw_syscall(SYS_nanosleep, (long)&pause, 0, 0, 0, 0, 0);
    } while (err == -EBUSY && clock_mono_ns() < until);
    return err;
}

static int forget_chunks(uint32_t cpus)
{
    (void)cpus;
    for (struct thread *t = tracer.threads; t; t = t->next)
        sched_forget_chunk(&t->sched);
    session.ends = false;
    return 0;
}

static int open_if_it_fits(uint32_t cpus)
{
    if (!statuses_fit())
        return -EAGAIN;
    open_first_generation(cpus);
    return 0;
}

static int begin_recording(int fd)
{
    uint32_t cpus = cpus_of_process();
    int err;
    while ((err = when_all_are_out(open_if_it_fits, cpus)) == -EAGAIN)
        if (spool_grow(&tracer.spool, fd))
            return -ENOSPC;
    return err;
}

static int start_locked(void)
{
    if (recording())
        return -EALREADY;
    if (session.over || !hooked())
        return -ESHUTDOWN;
    int err = session.ends ? when_all_are_out(forget_chunks, 0) : 0;
    if (err)
        return err;
    err = create_spool();
    if (err == -EEXIST && session.options->follow && name_child())
        err = create_spool();
    if (err)
        return err;
    fill_header(fresh.header);
    if (session.options->flight.bytes)
        spool_make_ring(&fresh, session.options->flight.bytes,
                        (uint32_t)session.options->flight.generations);
    fresh.max_chunks = (uint32_t)(session.options->memory / SPOOL_CHUNK_SIZE);
    lock_take(&tracer.advance_lock);
    tracer.spool = fresh;
    session.recorded = true;
    session.root = session_root();
    int fd = spool_open(&tracer.spool);
    err = begin_recording(fd);
    if (fd >= 0)
        sys_close(fd);
    if (err) {
        sys_unlink(tracer.spool.path);
        spool_detach(&tracer.spool, SPOOL_COMPLETE);
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

void session_record_surroundings(void)
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
    session_record_surroundings();
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
