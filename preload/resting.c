#include "preload/resting.h"

#include <string.h>

#include "preload/active.h"
#include "preload/recorder.h"

enum { IN_A_CHUNK = CHUNK_CAPACITY / SCHED_STATUS_AGAIN };

/* By slot. g 0: the thread is active, or there is none. */
static struct resting {
    uint64_t g;
    uint32_t status;
    uint32_t place; /* in what is prepared, if that slot is there */
} resting[THREADS_MAX];

static uint32_t nresting;

static struct {
    uint32_t n;
    uint32_t slots[THREADS_MAX]; /* by place */
    struct chunk *chunks[THREADS_MAX / IN_A_CHUNK + 1];
    uint32_t nchunks;
} prepared;

static bool is_prepared(uint32_t slot)
{
    uint32_t place = resting[slot].place;
    return place < prepared.n && prepared.slots[place] == slot;
}

static uint8_t *text_at(uint32_t place)
{
    return prepared.chunks[place / IN_A_CHUNK]->data + place % IN_A_CHUNK * SCHED_STATUS_AGAIN;
}

uint32_t resting_room(void)
{
    uint32_t chunks = (nresting + IN_A_CHUNK - 1) / IN_A_CHUNK;
    return chunks - (chunks < prepared.nchunks ? chunks : prepared.nchunks);
}

static bool prepare(uint32_t slot)
{
    struct resting *r = &resting[slot];
    if (prepared.n == prepared.nchunks * IN_A_CHUNK) {
        struct chunk *c = spool_take(&recorder.spool);
        if (!c)
            return false;
        prepared.chunks[prepared.nchunks++] = c;
    }
    sched_status_again(r->g, r->status, text_at(prepared.n));
    prepared.slots[prepared.n] = slot;
    r->place = prepared.n++;
    return true;
}

bool resting_prepare(void)
{
    uint32_t nrecords = __atomic_load_n(&registry.nrecords, __ATOMIC_RELAXED);
    for (uint32_t slot = 0; prepared.n < nresting && slot < nrecords; slot++) {
        if (resting[slot].g && !is_prepared(slot) && !slot_is_active(slot) && !prepare(slot))
            return false;
    }
    return true;
}

void resting_begins(uint32_t slot, uint64_t g, uint32_t status)
{
    resting[slot] = (struct resting){g, status, 0};
    nresting++;
}

static bool waits(const struct thread *t) { return sched_current(&t->sched)->status == GO_WAITING; }

static bool is_woken(const struct thread *t)
{
    const struct wait_slot *slot = __atomic_load_n(&t->wait, __ATOMIC_RELAXED);
    if (!slot)
        return t->woken != NOT_WOKEN;
    enum wait_state state = wait_state(wait_word(slot));
    return state == WAIT_CLAIMED || state == WAIT_WOKEN;
}

/*
 * Its own thread is held. Who claims it marks it after that: either the claim is seen here, or there that the mark has
 * gone (mark_again).
 */
static void rest(struct thread *t)
{
    unmark_active(t);
    full_fence();
    resting_ends(t->slot);
    if (waits(t) && !is_woken(t)) {
        seal_chunk(&t->sched);
        resting_begins(t->slot, t->sched.g, GO_WAITING);
        if (prepare(t->slot))
            return;
        resting_ends(t->slot);
    }
    mark_active(t);
}

void put_to_rest(void)
{
    uint32_t slot = 0;
    for (struct thread *t; (t = next_active(&slot));) {
        if (!waits(t) || !gate_hold(&t->writer))
            continue;
        rest(t);
        gate_let_go(&t->writer);
    }
}

/* The last one takes its place. */
static void take_out(uint32_t place)
{
    uint32_t last = --prepared.n;
    if (place != last) {
        memcpy(text_at(place), text_at(last), SCHED_STATUS_AGAIN);
        prepared.slots[place] = prepared.slots[last];
        resting[prepared.slots[place]].place = place;
    }
}

void resting_ends(uint32_t slot)
{
    if (!resting[slot].g)
        return;
    if (is_prepared(slot))
        take_out(resting[slot].place);
    resting[slot].g = 0;
    nresting--;
}

void resting_publish(uint64_t time)
{
    for (uint32_t i = 0; i < prepared.nchunks; i++) {
        struct chunk *c = prepared.chunks[i];
        uint32_t first = i * IN_A_CHUNK, n = prepared.n > first ? prepared.n - first : 0;
        c->generation = recorder.sched.generation;
        c->m = ID_NONE;
        c->time = time;
        c->used = (n < IN_A_CHUNK ? n : IN_A_CHUNK) * SCHED_STATUS_AGAIN;
        spool_seal(&recorder.spool, c);
    }
    prepared.n = prepared.nchunks = 0;
}

void resting_forget(void)
{
    memset(resting, 0, registry.nrecords * sizeof *resting);
    nresting = prepared.n = prepared.nchunks = 0;
}
