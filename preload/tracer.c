/* Sections, and what keeps them going. */
#include "preload/tracer.h"

#include <string.h>
#include <sys/mman.h>

#include "preload/session/helper.h"
#include "preload/sampler/sample.h"
#include "preload/session/session.h"

static struct owner nobody;

struct tracer tracer = {.owner = &nobody};

void count_lost(void)
{
    if (recording())
        __atomic_fetch_add(&tracer.spool.header->lost_events, 1, __ATOMIC_RELAXED);
}

void seal_chunk(struct sched_thread *t)
{
    struct chunk *c = sched_detach_chunk(t);
    if (c)
        spool_seal(&tracer.spool, c);
}

/* A fresh chunk for the calling thread, inside its section. */
static SLOW bool new_chunk(struct sched_thread *t)
{
    struct chunk *c;
    seal_chunk(t);
    if (spool_wants_drain(&tracer.spool))
        tracer.chores = 1;
    if (!(c = spool_take(&tracer.spool)))
        return false;
    sched_attach_chunk(&tracer.sched, t, c, now());
    return true;
}

/*
 * What is recorded, and whether, changes behind a closed gate only: what was seen inside holds until the thread leaves.
 */
static bool pass_gate(struct thread *t)
{
    while (recording()) {
        if (unlikely(!gate_enter(&tracer.gate, &t->writer))) {
            gate_wait(&tracer.gate);
            continue;
        }
        if (recording())
            return true;
        gate_leave(&t->writer);
    }
    return false;
}

bool track_enter(struct thread *t)
{
    while (hooked() && !recording()) {
        if (unlikely(!gate_enter(&tracer.gate, &t->writer))) {
            gate_wait(&tracer.gate);
            continue;
        }
        if (!recording())
            return true;
        gate_leave(&t->writer);
    }
    return false;
}

enum { GROWTH_WAITS = 50, GROWTH_WAIT_NS = 100000 };

/* Outside of a section: the pool is empty but may still grow, which takes the helper a moment. */
static SLOW bool await_growth(void)
{
    const struct timespec moment = {0, GROWTH_WAIT_NS};
    if (tracer.spool.header->nchunks >= SPOOL_MAX_CHUNKS || !helper_wake())
        return false;
    raw_syscall(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
    return true;
}

bool section_enter_slow(struct thread *t, size_t extra)
{
    for (int waits = 0; pass_gate(t); waits++) {
        if (likely(sched_has_room(&t->sched, extra)) || new_chunk(&t->sched))
            return true;
        gate_leave(&t->writer);
        if (waits < GROWTH_WAITS && await_growth())
            continue;
        count_lost();
        break;
    }
    return false;
}

enum section any_section_enter_slow(struct thread *t, size_t extra)
{
    do {
        if (section_enter_slow(t, extra))
            return SECTION_WRITES;
        if (recording())
            break;
        if (track_enter(t))
            return SECTION_TRACKS;
    } while (hooked());
    return NO_SECTION;
}

enum { CHORES_EVERY_NS = 100000 };

/* A single-threaded process has no helper and does the work between two hooks, now and then. */
void tracer_chores(void)
{
    static uint64_t next;
    say_pending();
    if (helper_wake()) {
        tracer.chores = 0;
    } else if (now() >= next || !tracer.period_ns || !tracer.spool.header || spool_wants_drain(&tracer.spool)) {
        session_chores(NULL);
        next = now() + clock_roughly(&tracer.clock, CHORES_EVERY_NS);
    }
}

void tracer_chores_in_malloc(void)
{
    if (helper_wake())
        tracer.chores = 0;
    else
        session_make_room();
}

/* Not inherited: a child does not believe that it records. */
static struct owner *make_owner(void)
{
    enum { PAGE = 4096, WIPE_ON_FORK = 18 };
    long p = sys_mmap(PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (sys_failed(p))
        return NULL;
    raw_syscall(SYS_madvise, p, PAGE, WIPE_ON_FORK, 0, 0, 0);
    return (struct owner *)p;
}

enum { STEAL_AFTER_NS = 10000 };

bool tracer_init(uint64_t period_ns, uint32_t classes)
{
    struct owner *owner = make_owner();
    if (!owner)
        return false;
    clock_start(&tracer.clock);
    tracer.pid = (int)sys_getpid();
    gate_init(&tracer.gate);
    tracer.period_ns = period_ns;
    tracer.sched.steal_after = (uint32_t)clock_roughly(&tracer.clock, STEAL_AFTER_NS);
    tracer.service.proc_taken = PROC_NONE;
    tracer.service.m = ID_NONE;
    tracer.classes = classes;
    *owner = (struct owner){tracked_classes(), 0, 1};
    __atomic_store_n(&tracer.owner, owner, __ATOMIC_RELEASE);
    return true;
}

/* A signal handler of the program interrupted our section, and forks: the section goes on in the child, too. */
static bool was_writing(const struct thread *t) { return t && t != THREAD_OFF && t->writer.writing; }

void tracer_forget(void)
{
    *tracer.owner = (struct owner){0, 0, 0};
    tracer.chores = 0;
    if (was_writing(self))
        spool_stand_in(&tracer.spool);
    helper_forget();
    sample_forget();
    self = THREAD_OFF;
}

void tracer_inherit(struct thread *t)
{
    sched_forget_chunk(&tracer.service);
    sched_forget_chunk(&t->sched);
    tracer.spool.header = NULL;
    tracer.pid = (int)sys_getpid();
    modules_forget_lock();
    thread_inherit(t);
    *tracer.owner = (struct owner){tracked_classes(), 0, 1};
}
