/*
 * A thread that waits, others that wake it, and a new generation in between, in every order of their steps; claim.pml
 * (docs/models) shows the same of a model. Waits and releases are put together as preload/wait.c does.
 */
#include "tests/unit/explore.h"

#include "lib/gate.c"
#include "lib/sched.c"
#include "lib/sched_proc.c"
#include "lib/waitq.c"

#include "tests/unit/explored-model.h"
#include "tests/unit/unit.h"

bool clock_is_forbidden;
enum { THREADS = 3, WAITS = 2, GENERATIONS = 3, PIECES = 2, STATUSES = THREADS * SCHED_STATUS_MAX };

enum woken { NOT_WOKEN, WOKEN_NOW, WOKEN_EARLIER };

static struct thread {
    struct sched_thread sched;
    struct writer writer;
    struct wait_slot *wait;
    struct sched_wakeup promise;
    struct thread *promised;
    bool active, rests; /* as preload/active.h and preload/resting.h have it */
} threads[THREADS];

static struct sched *s;
static struct waitq *q;
static struct gate gate;
static uint64_t time_now, object;

/* Of each generation: what each thread wrote, before it was put to rest and after, and statuses of those without a P. */
static struct chunk *chunks[GENERATIONS + 1][THREADS][PIECES];
static int npieces[GENERATIONS + 1][THREADS];
static uint8_t *shared_end[GENERATIONS + 1];
static uint8_t shared[GENERATIONS + 1][STATUSES];

static uint64_t now(void) { return ++time_now; }

static void open_chunk(struct thread *t)
{
    int *n = &npieces[s->generation][t - threads];
    explore_check(*n < PIECES);
    struct chunk *c = chunks[s->generation][t - threads][(*n)++ % PIECES];
    c->used = c->meta_used = 0;
    sched_attach_chunk(s, &t->sched, c, time_now);
}

static void begin(void)
{
    explored_renew_bucket(q, &object);
    explored_renew_procs(s, THREADS + 1, THREADS);
    memset(&gate, 0, sizeof gate);
    memset(threads, 0, sizeof threads);
    time_now = 1;
    for (unsigned i = 0; i < THREADS; i++) {
        for (int g = 1; g <= GENERATIONS; g++)
            npieces[g][i] = g == 1;
        explored_renew_thread(s, &threads[i].sched, i, chunks[1][i][0]);
        sched_introduce(s, &threads[i].sched, now());
        threads[i].active = true;
    }
    for (int g = 1; g <= GENERATIONS; g++)
        shared_end[g] = shared[g];
}

/* --- what the trace says ------------------------------------------------------------------------------------------ */

/* Of one goroutine, in one generation. */
struct story {
    uint64_t numbers; /* bit n: sequence number n */
    unsigned blocks, status;
};

static void note_number(struct story *of, uint64_t g, uint64_t n)
{
    explore_check(g >= 1 && g <= THREADS && n < 64 && !(of[(g - 1) % THREADS].numbers >> n % 64 & 1));
    of[(g - 1) % THREADS].numbers |= UINT64_C(1) << n % 64;
}

static void read_events(struct story *of, int i, const uint8_t *p, const uint8_t *end)
{
    struct wire_cursor c = {.p = p, .end = end};
    struct wire_event ev;
    enum wire_result result;
    while ((result = wire_next(&c, &ev)) == WIRE_EVENT) {
        switch (ev.id) {
        case EV_GoStatus: of[(ev.args[0] - 1) % THREADS].status = (unsigned)ev.args[2]; break;
        case EV_GoBlock: of[i].blocks++; break;
        case EV_GoUnblock:
        case EV_GoStart: note_number(of, ev.args[0], ev.args[1]); break;
        default: break;
        }
    }
    explore_check(result == WIRE_END);
}

/* Unblocks and starts alternate, so their number tells how often it was made runnable: as often as it waited. */
static void read_story(const struct story *story, bool last_generation)
{
    uint64_t n = story->numbers >> 1;
    unsigned events = (unsigned)__builtin_popcountll(n);
    explore_check((n & (n + 1)) == 0); /* no gap */
    if (story->status == GO_RUNNABLE)
        events++;
    else if (story->status == GO_NOT_EXIST && events)
        events--; /* its first start: it was not made runnable for that */
    unsigned waits = story->blocks + (story->status == GO_WAITING || story->status == GO_RUNNABLE);
    explore_check(events <= 2 * waits);
    explore_check(!last_generation || events == 2 * waits);
}

static void all_run(void)
{
    for (uint64_t g = 1; g <= s->generation; g++) {
        struct story of[THREADS] = {{0}};
        read_events(of, 0, shared[g], shared_end[g]);
        for (int i = 0; i < THREADS; i++)
            for (int n = 0; n < npieces[g][i]; n++)
                read_events(of, i, chunks[g][i][n]->data, chunks[g][i][n]->data + chunks[g][i][n]->used);
        for (int i = 0; i < THREADS; i++)
            read_story(&of[i], g == s->generation);
    }
    for (int i = 0; i < THREADS; i++)
        explore_check(sched_current(&threads[i].sched)->status == GO_RUNNING);
    explore_check((uint32_t)q->waiting[waitq_bucket(&object)] == 0);
}

/* --- what the threads do ------------------------------------------------------------------------------------------ */

static bool is_active(const struct thread *t) { return __atomic_load_n(&t->active, __ATOMIC_SEQ_CST); }
static void mark(struct thread *t) { __atomic_exchange_n(&t->active, true, __ATOMIC_SEQ_CST); }

static void enter(struct thread *t)
{
    if (gate_enter(&gate, &t->writer)) {
        if (t->sched.chunk)
            return;
        gate_leave(&t->writer);
    }
    for (;;) {
        mark(t);
        if (gate_enter(&gate, &t->writer) || gate_pass(&gate, &t->writer)) {
            if (is_active(t))
                break;
            gate_leave(&t->writer);
        } else {
            gate_wait(&gate);
        }
    }
    if (!t->sched.chunk)
        open_chunk(t);
}

static void leave_slot(struct thread *t)
{
    waitq_leave(q, t->wait);
    t->wait = NULL;
}

static bool block(struct thread *t)
{
    t->wait = waitq_register(q, t, &object, WAITER_ANY);
    enter(t);
    if (wait_state(wait_word(t->wait)) == WAIT_EARLY) {
        leave_slot(t);
        gate_leave(&t->writer);
        return false;
    }
    explore_check(sched_block(s, &t->sched, REASON_SYNC, EXPLORED_STACK, now()));
    wait_move(t->wait, (wait_word(t->wait) & ~(uint64_t)WAIT_STATE_MASK) | WAIT_REGISTERED, WAIT_BLOCKED);
    gate_leave(&t->writer);
    return true;
}

static enum woken withdraw(struct thread *t)
{
    for (;;) {
        uint64_t word = wait_word(t->wait);
        if (wait_state(word) == WAIT_CLAIMED)
            return WOKEN_NOW;
        if (wait_state(word) == WAIT_WOKEN)
            return WOKEN_EARLIER;
        if (wait_move(t->wait, word, WAIT_EARLY))
            return NOT_WOKEN;
    }
}

static void go_on(struct thread *t)
{
    enter(t);
    enum woken woken = withdraw(t);
    leave_slot(t);
    explore_check(woken == NOT_WOKEN ? sched_resume(s, &t->sched, now())
                                     : sched_resume_woken(s, &t->sched, woken == WOKEN_NOW, now()));
    gate_leave(&t->writer);
}

static void wait_often(unsigned me)
{
    for (int i = 0; i < WAITS; i++)
        if (block(&threads[me]))
            go_on(&threads[me]);
}

static void promise(void *arg, void *waiter)
{
    struct thread *t = arg, *other = waiter;
    mark(other);
    t->promised = other;
    t->promise = sched_wakeup_of(&other->sched, s->generation);
}

static void release_often(unsigned me)
{
    struct thread *t = &threads[me];
    for (int i = 0; i < WAITS; i++) {
        struct wait_slot *slot;
        enter(t);
        if (waitq_claim(q, &object, WAITER_ANY, CLAIMED_SERVED, &slot, promise, t) == WAIT_FOUND) {
            if (!is_active(t->promised))
                mark(t->promised);
            explore_check(sched_unblock(s, &t->sched, &t->promise, EXPLORED_STACK, now()));
        }
        gate_leave(&t->writer);
    }
}

/* As write_status_other in preload/statuses.c, but for what it says of names and waits. */
static void write_status(struct thread *t, uint64_t *last)
{
    bool woken = false;
    if (sched_has_proc(s, &t->sched)) {
        open_chunk(t);
        sched_status_with_proc(s, &t->sched, time_now);
        return;
    }
    if (t->wait) {
        uint64_t word = wait_word(t->wait);
        if (wait_state(word) == WAIT_CLAIMED)
            wait_move(t->wait, word, WAIT_WOKEN);
        woken = wait_state(wait_word(t->wait)) == WAIT_WOKEN;
    }
    shared_end[s->generation] = sched_status_other(&t->sched, woken, shared_end[s->generation], last, time_now);
}

/* As in preload/resting.c. */
static void put_to_rest(struct thread *t)
{
    if (!is_active(t) || sched_current(&t->sched)->status != GO_WAITING || !gate_hold(&t->writer))
        return;
    __atomic_exchange_n(&t->active, false, __ATOMIC_SEQ_CST);
    full_fence();
    enum wait_state state = t->wait ? wait_state(wait_word(t->wait)) : WAIT_FREE;
    t->rests = sched_current(&t->sched)->status == GO_WAITING && state != WAIT_CLAIMED && state != WAIT_WOKEN;
    if (t->rests)
        sched_detach_chunk(&t->sched);
    else
        mark(t);
    gate_let_go(&t->writer);
}

static bool rests;

static void close_gate(void)
{
    if (!rests) {
        explore_check(gate_close(&gate));
        return;
    }
    explore_check(gate_narrow(&gate));
    for (int i = 0; i < THREADS; i++)
        put_to_rest(&threads[i]);
    gate_shut(&gate);
}

/* Of who is at rest nothing is looked at. */
static void say_status(struct thread *t, uint64_t *last)
{
    if (is_active(t)) {
        t->rests = false;
        write_status(t, last);
        return;
    }
    explore_check(t->rests);
    sched_status_again(t->sched.g, GO_WAITING, shared_end[s->generation]);
    shared_end[s->generation] += SCHED_STATUS_AGAIN;
}

static void advance(unsigned me)
{
    for (uint64_t g = 2; g <= GENERATIONS; g++) {
        explore_point();
        close_gate();
        for (int i = 0; i < THREADS; i++)
            explore_check(gate_await_writer(&threads[i].writer, UINT64_MAX));
        for (int i = 0; i < THREADS; i++)
            sched_detach_chunk(&threads[i].sched);
        sched_advance(s, g);
        uint64_t last = ++time_now;
        for (int i = 0; i < THREADS; i++)
            say_status(&threads[i], &last);
        gate_open(&gate);
    }
}

static void a_wakeup_is_written_once(void **state)
{
    rests = false;
    const struct exploration e = {
        .name = "one that waits, two that release, new generations",
        .n = 4,
        .begin = begin,
        .thread = {wait_often, release_often, release_often, advance},
        .end = all_run,
    };
    explore(&e);
}

static void two_wait(void **state)
{
    rests = false;
    const struct exploration e = {
        .name = "two that wait, one that releases, new generations",
        .n = 4,
        .begin = begin,
        .thread = {wait_often, wait_often, release_often, advance},
        .end = all_run,
    };
    explore(&e);
}

static void who_waits_is_put_to_rest(void **state)
{
    rests = true;
    const struct exploration e = {
        .name = "one that waits, two that release, new generations by the narrow gate",
        .n = 4,
        .begin = begin,
        .thread = {wait_often, release_often, release_often, advance},
        .end = all_run,
    };
    explore(&e);
}

static void two_are_put_to_rest(void **state)
{
    rests = true;
    const struct exploration e = {
        .name = "two that wait, one that releases, new generations by the narrow gate",
        .n = 4,
        .begin = begin,
        .thread = {wait_often, wait_often, release_often, advance},
        .end = all_run,
    };
    explore(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wakeup_is_written_once),
        cmocka_unit_test(two_wait),
        cmocka_unit_test(who_waits_is_put_to_rest),
        cmocka_unit_test(two_are_put_to_rest),
    };
    s = calloc(1, sizeof *s);
    q = calloc(1, sizeof *q);
    for (int g = 1; g <= GENERATIONS; g++)
        for (int i = 0; i < THREADS; i++)
            for (int n = 0; n < PIECES; n++)
                chunks[g][i][n] = calloc(1, SPOOL_CHUNK_SIZE);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int g = 1; g <= GENERATIONS; g++)
        for (int i = 0; i < THREADS; i++)
            for (int n = 0; n < PIECES; n++)
                free(chunks[g][i][n]);
    free(q);
    free(s);
    return failed;
}
