/*
 * Random walks: several threads do what the model allows, chunks run full, generations begin, and what was written is
 * put together as `thrace finish` does it. Our own validator must find nothing to say, whatever the walk.
 */
#include "tests/unit/model-trace.h"

#include <stdio.h>

#include "lib/sched_proc.h"
#include "tests/unit/random.h"

enum { ACTORS = 9, SEEDS = 150, STEPS = 1500 };

enum woken { NOT_WOKEN, WOKEN_NOW, WOKEN_EARLIER };

struct actor {
    struct sched_thread t;
    enum woken woken;
    bool torn; /* out of a theft that it had just begun */
};

struct walk {
    struct random random;
    uint64_t seed, time, last_g;
    uint32_t most_at_once;
    bool resized;
    struct sched *s;
    struct actor actors[ACTORS];
    struct model_trace trace;
};

static uint64_t steals, late_ends; /* of all walks */

static void hand_in(struct walk *w, struct sched_thread *t)
{
    trace_hand_in(&w->trace, sched_detach_chunk(t), w->time);
}

/* Clocks of different CPUs disagree a little. */
static uint64_t now(struct walk *w)
{
    w->time += random_below(&w->random, 5);
    uint32_t late = random_below(&w->random, 8);
    return w->time > late ? w->time - late : w->time;
}

static uint32_t status_of(const struct actor *a) { return sched_current(&a->t)->status; }

static void new_chunk(struct walk *w, struct sched_thread *t)
{
    hand_in(w, t);
    sched_attach_chunk(w->s, t, model_chunk(), now(w));
}

/* Now and then a chunk is full early, because of the records at its other end. */
static void make_room(struct walk *w, struct sched_thread *t)
{
    if (!t->chunk || !sched_has_room(t, 0) || random_one_in(&w->random, 40))
        new_chunk(w, t);
}

static void start_anew(struct walk *w, struct actor *a, uint64_t m)
{
    hand_in(w, &a->t);
    memset(a, 0, sizeof *a);
    a->t.g = ++w->last_g;
    a->t.m = m;
    a->t.proc_taken = PROC_NONE;
    a->t.state[0].proc = a->t.state[1].proc = PROC_NONE;
}

/* --- generations -------------------------------------------------------------------------------------------------- */

static void recover(struct walk *w, struct actor *a)
{
    if (a->torn)
        sched_recover(w->s, &a->t);
    a->torn = false;
}

static bool woken_earlier(struct sched_thread *t)
{
    struct actor *a = (struct actor *)t;
    if (a->woken == WOKEN_NOW)
        a->woken = WOKEN_EARLIER;
    return a->woken == WOKEN_EARLIER;
}

static void begin_generation(struct walk *w)
{
    struct sched_thread *threads[ACTORS];
    for (int i = 0; i < ACTORS; i++) {
        recover(w, &w->actors[i]); /* its flag is up until then, so the generation would not change */
        threads[i] = &w->actors[i].t;
    }
    trace_generation(&w->trace, threads, ACTORS, woken_earlier, w->time);
}

/* --- what a thread may do ----------------------------------------------------------------------------------------- */

static struct actor *any(struct walk *w, uint32_t status)
{
    uint32_t start = random_below(&w->random, ACTORS);
    for (uint32_t i = 0; i < ACTORS; i++) {
        struct actor *a = &w->actors[(start + i) % ACTORS];
        if (status_of(a) == status)
            return a;
    }
    return NULL;
}

static bool unblock_somebody(struct walk *w, struct actor *a)
{
    struct actor *other = any(w, GO_WAITING);
    if (!other || other == a || other->woken)
        return true;
    other->woken = WOKEN_NOW;
    const struct sched_wakeup wakeup = sched_wakeup_of(&other->t, w->s->generation);
    return sched_unblock(w->s, &a->t, &wakeup, random_below(&w->random, 2), now(w));
}

static bool change_procs(struct walk *w, struct actor *a)
{
    if (!random_one_in(&w->random, 10))
        return true;
    w->resized = true;
    return sched_procs_change(w->s, &a->t, 1 + random_below(&w->random, ACTORS), now(w));
}

static bool running(struct walk *w, struct actor *a)
{
    struct actor *child;
    switch (random_below(&w->random, 18)) {
    case 0:
        return sched_yield_proc(w->s, &a->t, REASON_YIELD, MODEL_STACK, now(w));
    case 1:
        child = any(w, GO_NOT_EXIST);
        return !child || sched_create(w->s, &a->t, &child->t, MODEL_STACK, MODEL_STACK, now(w));
    case 2:
        return !random_one_in(&w->random, 3) || sched_destroy(w->s, &a->t, now(w));
    case 3:
    case 4:
        return unblock_somebody(w, a);
    case 5:
        return change_procs(w, a);
    case 6:
    case 7:
    case 8:
    case 9:
    case 10:
    case 11:
        return sched_syscall_begin(w->s, &a->t, MODEL_STACK, now(w));
    default:
        a->woken = NOT_WOKEN;
        return sched_block(w->s, &a->t, (enum sched_reason)random_below(&w->random, REASON_COUNT), MODEL_STACK, now(w));
    }
}

static bool waiting(struct walk *w, struct actor *a)
{
    if (random_one_in(&w->random, 10))
        return unblock_somebody(w, a);
    return a->woken ? sched_resume_woken(w->s, &a->t, a->woken == WOKEN_NOW, now(w))
                    : random_one_in(&w->random, 3) ? sched_resume(w->s, &a->t, now(w)) : true;
}

static bool in_syscall(struct walk *w, struct actor *a)
{
    if (random_one_in(&w->random, 10))
        return unblock_somebody(w, a);
    if (!random_one_in(&w->random, 3))
        return true;
    bool claimed = proc_state(w->s, &a->t) == PROC_CLAIMED;
    late_ends += claimed;
    return sched_syscall_end(w->s, &a->t, now(w)) == !claimed;
}

/* A thread that needs a P begins to take one away, and is torn out of that. */
static bool torn_theft(struct walk *w, struct actor *a)
{
    uint32_t status = status_of(a);
    if (status == GO_RUNNING || status == GO_DEAD || !random_one_in(&w->random, 12) ||
        (status == GO_SYSCALL && proc_state(w->s, &a->t) != PROC_GONE))
        return false;
    proc_claim(w->s, &a->t, now(w));
    return a->torn = true;
}

static bool step(struct walk *w, struct actor *a)
{
    recover(w, a);
    make_room(w, &a->t);
    if (torn_theft(w, a))
        return true;
    switch (status_of(a)) {
    case GO_NOT_EXIST:
        return !random_one_in(&w->random, 6) || sched_introduce(w->s, &a->t, now(w));
    case GO_RUNNABLE:
        return sched_start(w->s, &a->t, now(w));
    case GO_RUNNING:
        return running(w, a);
    case GO_SYSCALL:
        return in_syscall(w, a);
    case GO_WAITING:
        return waiting(w, a);
    default:
        start_anew(w, a, random_one_in(&w->random, 2) ? a->t.m : 1000 + w->last_g);
        return true;
    }
}

/* --- the walk ----------------------------------------------------------------------------------------------------- */

static void check_procs(struct walk *w)
{
    uint64_t held = 0, claimed = 0;
    for (int i = 0; i < ACTORS; i++) {
        const struct sched_thread *t = &w->actors[i].t;
        const struct sched_state *s = sched_current(t);
        assert_int_equal(s->status == GO_RUNNING || s->status == GO_SYSCALL, s->proc != PROC_NONE);
        if (s->status == GO_SYSCALL && proc_state(w->s, t) == PROC_CLAIMED)
            claimed |= UINT64_C(1) << s->proc; /* from this thread, or from one that took it from this thread */
        if (!sched_has_proc(w->s, t))
            continue;
        assert_false(held >> s->proc & 1);
        held |= UINT64_C(1) << s->proc;
    }
    assert_false(held & claimed);
    held |= claimed;
    uint32_t holders = (uint32_t)__builtin_popcountll(held);
    assert_int_equal(w->s->busy[0], held);
    if (holders > w->most_at_once)
        w->most_at_once = holders;
    assert_true(w->s->nprocs_known <= w->most_at_once);
    assert_true(w->resized || w->s->gomaxprocs >= w->s->nprocs_known);
}

static void count_steals(const struct chunk *c)
{
    const char *text = model_text(c->data, c->data + c->used);
    while ((text = strstr(text, "ProcSteal")) && text++)
        steals++;
}

static void one_walk(uint64_t seed)
{
    char what[40];
    struct walk *w = calloc(1, sizeof *w);
    snprintf(what, sizeof what, "seed %llu", (unsigned long long)seed);
    *w = (struct walk){.random = random_seed(seed), .seed = seed, .time = 10};
    w->s = model_new(1 + (uint32_t)(seed % 4));
    w->s->steal_after = (uint32_t[]){0, 10, 100}[seed % 3];
    trace_begin(&w->trace, w->s, w->time);
    for (uint64_t i = 0; i < ACTORS; i++)
        start_anew(w, &w->actors[i], 100 + i);
    new_chunk(w, &w->actors[0].t);
    assert_true(sched_first_thread(w->s, &w->actors[0].t, MODEL_STACK, now(w)));
    check_procs(w);
    for (int i = 0; i < STEPS; i++) {
        if (random_one_in(&w->random, 100))
            begin_generation(w);
        if (!step(w, &w->actors[random_below(&w->random, ACTORS)]))
            fail_msg("%s: step %d was refused", what, i);
        check_procs(w);
    }
    for (int i = 0; i < ACTORS; i++) {
        if (w->actors[i].t.chunk)
            count_steals(w->actors[i].t.chunk);
        hand_in(w, &w->actors[i].t);
    }
    assert_true(trace_judge(&w->trace, w->time, what) > STEPS / 4);
    free(w->s);
    free(w);
}

static void every_walk_is_a_valid_trace(void **state)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        one_walk(seed);
    assert_true(steals > SEEDS / 2); /* seen in the last generations alone */
    assert_true(late_ends > SEEDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_walk_is_a_valid_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
