/* What a generation says of one thread when it begins. */
#include "preload/statuses.h"

#include <string.h>

#include "lib/meta.h"
#include "preload/config.h"
#include "preload/hook.h"
#include "preload/modules.h"
#include "preload/objects.h"
#include "preload/service.h"
#include "preload/thread_name.h"
#include "preload/upcalls.h"

bool chunks_are_free(uint32_t chunks)
{
    bool enough = __atomic_load_n(&recorder.spool.nfree, __ATOMIC_RELAXED) >= chunks;
    __atomic_store_n(&recorder.spool.wanted, enough ? 0 : chunks, __ATOMIC_RELAXED);
    return enough;
}

/* What the trace says of a wakeup, carried over: from now on it happened in an earlier generation. */
static bool carry_wakeup(struct thread *t)
{
    struct wait_slot *slot = __atomic_load_n(&t->wait, __ATOMIC_RELAXED);
    if (slot) {
        uint64_t word = wait_word(slot);
        if (wait_state(word) == WAIT_CLAIMED)
            wait_move(slot, word, WAIT_WOKEN);
        return wait_state(wait_word(slot)) == WAIT_WOKEN;
    }
    if (t->woken == WOKEN_NOW)
        t->woken = WOKEN_EARLIER;
    return t->woken == WOKEN_EARLIER;
}

/* Bytes of records that one thread may need, and of all it may write. */
enum {
    WAIT_RECORD_MAX = STACK_RECORD_MAX + 5 * VARINT_MAX + OBJECT_TEXT_MAX,
    FIRST_RECORDS_MAX = 1 + 3 * VARINT_MAX + WAIT_RECORD_MAX + NAME_RECORD_MAX,
};

/* How many frames the stack of a thread that waits has at most: each is as large as what a call aligns it to. */
static uint32_t waiting_frames_max(const struct thread *t)
{
    enum { FRAME_MIN = 16, OTHERS = 8 /* the wait itself, and those of the thread's beginning */ };
    uintptr_t sp = t->wait_site.sp, hi = t->frames_end > sp ? t->frames_end : t->stack_hi;
    if (!(config.stack_kinds & STACK_OF_WAIT))
        return 0;
    if (t->expected || !t->wait_site.pc)
        return t->expected ? (uint32_t)t->npcs : 0;
    if (sp < t->stack_lo || hi > t->stack_hi || sp >= hi)
        return config.stack_depth;
    uintptr_t frames = (hi - sp) / FRAME_MIN + OTHERS;
    return frames < config.stack_depth ? (uint32_t)frames : config.stack_depth;
}

/* Whoever finds no room for the next one, in a chunk or where these are packed, leaves no more than a quarter of it. */
bool statuses_fit(void)
{
    enum {
        SPARE = 8,
        EACH = FIRST_RECORDS_MAX - STACK_MAX_FRAMES * VARINT_MAX + 3 * SCHED_STATUS_MAX + 2 * BATCH_HEADER_MAX,
    };
    _Static_assert(FIRST_RECORDS_MAX + SCHED_TRANSITION_MAX <= CHUNK_CAPACITY / 4, "no more is left of a chunk");
    uint64_t bytes = 0;
    for (const struct thread *t = registry.threads; t; t = t->next)
        bytes += EACH + waiting_frames_max(t) * VARINT_MAX;
    return chunks_are_free((uint32_t)(bytes / (CHUNK_CAPACITY / 4 * 3)) + SPARE);
}

static void append(struct sched_thread *by, const struct meta_record *r, const uint8_t *buf)
{
    if (!r->overflow)
        chunk_meta_append(by->chunk, buf, (size_t)(r->p - buf));
}

static void write_identity(struct sched_thread *by, const struct thread *t, uint64_t time)
{
    uint8_t buf[NAME_RECORD_MAX];
    struct meta_record r;
    if (!t->unannounced)
        write_thread_record(by, t);
    if (!t->name[0])
        return;
    meta_begin(&r, buf, sizeof buf, META_NAME);
    meta_int(&r, t->sched.g);
    meta_int(&r, time);
    meta_text(&r, t->name, strnlen(t->name, sizeof t->name));
    append(by, &r, buf);
}

/*
 * The stack of a thread that waits stays as it is: when the wait ends the thread comes to the closed gate before its
 * hook returns to what is walked here.
 */
static int unwind_waiting(struct thread *t)
{
    struct unwind_stack stack;
    struct unwind_request request = {.leaf = t->wait_site.leaf, .stack_lo = t->stack_lo, .stack_hi = t->stack_hi};
    if (!(config.stack_kinds & STACK_OF_WAIT))
        return 0;
    if (t->expected) /* as it was seen from outside */
        return t->npcs;
    if (!t->wait_site.pc)
        return 0;
    request.regs.r[UNWIND_PC] = t->wait_site.pc;
    request.regs.r[UNWIND_SP] = t->wait_site.sp;
    request.regs.r[UNWIND_BP] = t->wait_site.bp;
    request.regs.known = UNWIND_KNOWN_MIN;
    request.max = config.stack_depth; /* as when the wait began, and was remembered */
    request.mode = config.unwind_mode;
    int n = unwind_capture(&t->cache, modules_now(), &request, t->pcs, &stack), most = (int)waiting_frames_max(t);
    return n < most ? n : most;
}

/* What thrace finish has to know when this generation is the first that is left. */
static void write_wait(struct sched_thread *by, struct thread *t)
{
    uint8_t buf[WAIT_RECORD_MAX];
    struct meta_record r;
    int n = unwind_waiting(t);
    bool waits = sched_current(&t->sched)->status == GO_WAITING;
    const struct object none = {.kind = NO_OBJECT}, *o = &none;
    if ((waits || config.call_objects) && n && config.max_objects)
        o = &t->wait_site.object;
    uint32_t len;
    const char *text = object_text(t, o, &len);
    meta_begin(&r, buf, sizeof buf, META_STATUS);
    meta_int(&r, t->sched.g);
    meta_int(&r, t->sched.m);
    meta_int(&r, waits ? reason_string_id((enum sched_reason)t->wait_site.reason) : 0);
    meta_int(&r, o->kind);
    meta_int(&r, o->address);
    meta_text(&r, text, len);
    meta_ints(&r, t->pcs, (size_t)n);
    append(by, &r, buf);
}

/* Where the shared batch ends, and when its last event was. There is room. */
struct batch_end {
    uint8_t *pos;
    uint64_t last, now; /* now: not before last */
};

static struct batch_end batch_end(uint64_t time)
{
    const struct sched_state *s = sched_own(&recorder.service);
    return (struct batch_end){s->pos, s->time, time > s->time ? time : s->time};
}

uint32_t write_status_other(struct thread *t, uint64_t time, bool first)
{
    uint32_t status = sched_current(&t->sched)->status;
    if (!service_room(first ? FIRST_RECORDS_MAX : 0, time)) {
        count_lost(LOST_OTHER, LOSS_ROOM);
        return GO_NOT_EXIST;
    }
    bool woken = carry_wakeup(t);
    if (first)
        write_identity(&recorder.service, t, time);
    if (first && status != GO_RUNNABLE)
        write_wait(&recorder.service, t);
    struct batch_end end = batch_end(time);
    end.pos = sched_status_other(&t->sched, woken, end.pos, &end.last, end.now);
    service_commit(end.pos, end.last);
    return status == GO_WAITING && woken ? GO_RUNNABLE : status;
}

void write_status_with_proc(struct thread *t, uint64_t time, bool *heap_reported)
{
    uint32_t status = sched_current(&t->sched)->status;
    struct chunk *c = spool_take(&recorder.spool);
    if (!c)
        return;
    sched_attach_chunk(&recorder.sched, &t->sched, c, time);
    if (config.self_contained)
        write_identity(&t->sched, t, time);
    if (config.self_contained && status == GO_SYSCALL)
        write_wait(&t->sched, t);
    sched_status_with_proc(&recorder.sched, &t->sched, time);
    if (status == GO_RUNNING && !*heap_reported) {
        upcalls.write_heap_status(t, time);
        *heap_reported = true;
    }
    seal_chunk(&t->sched); /* packed: the chunk is free for the next thread, this one may not need it */
}

void write_status_idle_proc(uint32_t proc, uint64_t time)
{
    if (!service_room(0, time))
        return;
    struct batch_end end = batch_end(time);
    end.pos = sched_status_idle_proc(&recorder.sched, proc, end.pos, &end.last, end.now);
    service_commit(end.pos, end.last);
}

void write_first_running(struct thread *t, uint64_t time, bool *said)
{
    struct chunk *c = sched_adopt(&recorder.sched, &t->sched) ? spool_take(&recorder.spool) : NULL;
    if (!c) {
        count_lost(LOST_OTHER, LOSS_ROOM);
        return;
    }
    sched_attach_chunk(&recorder.sched, &t->sched, c, time);
    write_identity(&t->sched, t, time);
    sched_first_status(&recorder.sched, &t->sched, time);
    if (!*said && (*said = sched_procs_change(&recorder.sched, &t->sched, recorder.sched.gomaxprocs, time)))
        upcalls.write_heap_status(t, time);
    seal_chunk(&t->sched);
}

void write_first_thread(struct thread *t, uint64_t time)
{
    struct chunk *c = spool_take(&recorder.spool);
    if (!c)
        return;
    sched_attach_chunk(&recorder.sched, &t->sched, c, time);
    write_thread_record(&t->sched, t);
    if (sched_first_thread(&recorder.sched, &t->sched, START_STACK_BASE + t->sched.g, time))
        upcalls.write_heap_status(t, time);
}
