/* Sections and generations. */
#include "preload/tracer.h"

#include <string.h>
#include <sys/mman.h>

#include "lib/meta.h"

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

static bool pass_gate(struct thread *t)
{
    do {
        if (!recording())
            return false;
        if (likely(gate_enter(&tracer.gate, &t->writer)))
            return true;
        gate_wait(&tracer.gate);
    } while (true);
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

bool section_enter(struct thread *t, size_t extra)
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

/* --- generations --------------------------------------------------------------------------------------------------- */

enum { WRITERS_GRACE_NS = 50000 };

static bool all_writers_out(uint64_t grace_ns)
{
    for (struct thread *t = tracer.threads; t; t = t->next)
        if (!gate_await_writer(&t->writer, grace_ns))
            return false;
    return true;
}

#define STATUSES_ROOM(n) ((n) * (2 * SCHED_STATUS_MAX + BATCH_HEADER_MAX) / (CHUNK_CAPACITY / 2) + 3)

/* Every status has room, and every batch of one status its header; what is not packed takes a chunk each. */
static bool enough_chunks(void)
{
    uint32_t own_batches = 0, room = STATUSES_ROOM(tracer.nthreads + tracer.sched.nprocs_known);
    for (struct thread *t = tracer.threads; t && !spool_can_pack(&tracer.spool); t = t->next)
        own_batches += sched_has_proc(&tracer.sched, &t->sched);
    return __atomic_load_n(&tracer.spool.nfree, __ATOMIC_RELAXED) >= room + own_batches;
}

static void seal_all(void)
{
    for (struct thread *t = tracer.threads; t; t = t->next)
        seal_chunk(&t->sched);
    seal_chunk(&tracer.service);
    spool_seal_packed(&tracer.spool);
}

/* Room for one more status, or a record of extra bytes, in the chunk that belongs to no thread. */
static bool service_room(size_t extra, uint64_t time)
{
    if (sched_has_room(&tracer.service, extra))
        return true;
    seal_chunk(&tracer.service);
    struct chunk *c = spool_take(&tracer.spool);
    if (c)
        sched_attach_chunk(&tracer.sched, &tracer.service, c, time);
    return c;
}

static void service_commit(uint8_t *end, uint64_t time)
{
    struct sched_state *s = &tracer.service.state[tracer.service.cur];
    s->pos = end;
    s->time = time;
    __atomic_store_n(&tracer.service.chunk->used, (uint32_t)(end - tracer.service.chunk->data), __ATOMIC_RELEASE);
}

void service_record(const uint8_t *record, size_t len)
{
    lock_take(&tracer.advance_lock);
    if (tracer.spool.header && len + SCHED_TRANSITION_MAX <= CHUNK_CAPACITY && service_room(len, now()))
        chunk_meta_append(tracer.service.chunk, record, len);
    lock_drop(&tracer.advance_lock);
}

/* What the trace says of a wakeup, carried over: from now on it happened in an earlier generation. */
static bool carry_wakeup(struct thread *t)
{
    if (t->wait) {
        uint64_t word = wait_word(t->wait);
        if (wait_state(word) == WAIT_CLAIMED)
            wait_move(t->wait, word, WAIT_WOKEN);
        return wait_state(wait_word(t->wait)) == WAIT_WOKEN;
    }
    if (t->woken == WOKEN_NOW)
        t->woken = WOKEN_EARLIER;
    return t->woken == WOKEN_EARLIER;
}

static void write_statuses(uint64_t time)
{
    for (struct thread *t = tracer.threads; t; t = t->next) {
        uint32_t status = sched_current(&t->sched)->status;
        if (sched_has_proc(&tracer.sched, &t->sched)) {
            struct chunk *c = spool_take(&tracer.spool);
            if (c) {
                sched_attach_chunk(&tracer.sched, &t->sched, c, time);
                sched_status_with_proc(&tracer.sched, &t->sched, time);
                seal_chunk(&t->sched); /* packed: the chunk is free for the next thread, this one may not need it */
            }
        } else if ((status == GO_RUNNABLE || status == GO_WAITING || status == GO_SYSCALL) && service_room(0, time)) {
            uint64_t last = tracer.service.state[tracer.service.cur].time;
            uint8_t *pos = tracer.service.state[tracer.service.cur].pos;
            bool woken = carry_wakeup(t);
            pos = sched_status_other(&t->sched, woken, pos, &last, time > last ? time : last);
            service_commit(pos, last);
        }
    }
    for (uint32_t p = 0; p < tracer.sched.nprocs_known; p++) {
        if (sched_proc_is_busy(&tracer.sched, p) || !service_room(0, time))
            continue;
        uint64_t last = tracer.service.state[tracer.service.cur].time;
        uint8_t *pos = tracer.service.state[tracer.service.cur].pos;
        pos = sched_status_idle_proc(&tracer.sched, p, pos, &last, time > last ? time : last);
        service_commit(pos, last);
    }
}

bool tracer_advance(void)
{
    bool done = false;
    if (!lock_try(&tracer.advance_lock))
        return false;
    if (recording() && gate_close(&tracer.gate)) {
        lock_take(&tracer.registry_lock);
        if (all_writers_out(WRITERS_GRACE_NS) && enough_chunks()) {
            seal_all();
            sched_advance(&tracer.sched, tracer.sched.generation + 1);
            stacktab_clear(&tracer.stacks);
            uint64_t time = now();
            write_statuses(time);
            tracer.deadline_ns = clock_mono_ns() + tracer.period_ns;
            tracer.spool.header->ngenerations = (uint32_t)tracer.sched.generation;
            tracer.spool.header->last = clock_read_pair(&tracer.clock);
            done = true;
        }
        lock_drop(&tracer.registry_lock);
        gate_open(&tracer.gate);
    }
    lock_drop(&tracer.advance_lock);
    return done;
}

void tracer_stop(void)
{
    lock_take(&tracer.advance_lock);
    if (__atomic_exchange_n(&tracer.owner->recording, 0, __ATOMIC_SEQ_CST)) {
        gate_close(&tracer.gate);
        lock_take(&tracer.registry_lock);
        all_writers_out(1000000);
        seal_all();
        tracer.spool.header->last = clock_read_pair(&tracer.clock);
        lock_drop(&tracer.registry_lock);
        gate_open(&tracer.gate);
        tracer.spool.header->state = SPOOL_COMPLETE;
    }
    lock_drop(&tracer.advance_lock);
}

void tracer_drain(int fd)
{
    spool_drain(&tracer.spool, fd);
    while (spool_wants_drain(&tracer.spool) && !spool_grow(&tracer.spool, fd))
        ; /* what is out is in use, not full */
}

/*
 * A single-threaded process has no helper and does the work between two hooks. The descriptor that this takes for a
 * moment nobody else can see.
 */
void tracer_chores(void)
{
    if (helper_wake()) {
        tracer.chores = 0;
        return;
    }
    if (!recording())
        return;
    if (spool_wants_drain(&tracer.spool)) {
        int fd = spool_open(&tracer.spool);
        if (fd >= 0) {
            tracer_drain(fd);
            sys_close(fd);
        }
    }
    if (clock_mono_ns() >= tracer.deadline_ns) {
        if (tracer.nthreads == 1) /* else another thread may hold the loader's lock and wait for this one */
            modules_refresh();
        tracer_advance();
    }
}

/* Not inherited: a child neither sees the spool nor believes that it records. */
static struct owner *make_owner(void)
{
    enum { PAGE = 4096, DONT_FORK = 10, WIPE_ON_FORK = 18 };
    long p = sys_mmap(PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (sys_failed(p))
        return NULL;
    raw_syscall(SYS_madvise, p, PAGE, WIPE_ON_FORK, 0, 0, 0);
    raw_syscall(SYS_madvise, (long)tracer.spool.header, (long)tracer.spool.mapped, DONT_FORK, 0, 0, 0);
    return (struct owner *)p;
}

enum { STEAL_AFTER_NS = 10000 };

bool tracer_start(void)
{
    struct owner *owner = make_owner();
    if (!owner)
        return false;
    gate_init(&tracer.gate);
    tracer.sched.generation = 1;
    tracer.sched.steal_after = (uint32_t)clock_roughly(&tracer.clock, STEAL_AFTER_NS);
    tracer.service.proc_taken = PROC_NONE;
    tracer.service.m = ID_NONE;
    tracer.spool.header->first = tracer.spool.header->last = clock_read_pair(&tracer.clock);
    tracer.spool.header->ngenerations = 1;
    tracer.deadline_ns = clock_mono_ns() + tracer.period_ns;
    tracer.chores = 1;
    *owner = (struct owner){CLASS_EVERY, 1};
    __atomic_store_n(&tracer.owner, owner, __ATOMIC_RELEASE);
    return true;
}

void tracer_forget(void)
{
    *tracer.owner = (struct owner){0, 0};
    helper_forget();
    self = THREAD_OFF;
}
