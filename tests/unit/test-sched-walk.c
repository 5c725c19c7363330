/*
 * Random walks: several threads do what the model allows, chunks run full, generations begin, and what was written is
 * put together as `thrace finish` does it. Our own validator must find nothing to say, whatever the walk.
 */
#include "config.h"

#include "tests/unit/model.h"

#include "gotrace/builder.h"
#include "gotrace/validate.h"
#include "lib/meta.h"
#include "tests/unit/random.h"

enum { ACTORS = 9, SEEDS = 150, STEPS = 1500, STACK = 1 };

enum woken { NOT_WOKEN, WOKEN_NOW, WOKEN_EARLIER };

struct actor {
    struct sched_thread t;
    enum woken woken;
};

struct walk {
    struct random random;
    uint64_t seed, time, last_g;
    uint32_t most_at_once;
    struct sched *s;
    struct actor actors[ACTORS];
    struct sched_thread service;
    gotrace_builder *b;
};

static void hand_in(struct walk *w, struct chunk *c)
{
    uint8_t buf[BATCH_HEADER_MAX + CHUNK_CAPACITY];
    if (!c)
        return;
    if (c->used) {
        size_t n = batch_header_put(buf, EV_EventBatch, c->generation, c->m, c->time, c->used);
        memcpy(buf + n, c->data, c->used);
        assert_int_equal(gotrace_builder_copy(w->b, buf, n + c->used, w->time), 0);
    }
    free(c);
}

static void begin_tables(struct walk *w)
{
    assert_int_equal(gotrace_builder_generation(w->b, w->s->generation), 0);
    assert_int_equal(gotrace_builder_sync(w->b, 1000000000, w->time, 0, 0, 0), 0);
    for (int r = 0; r < REASON_COUNT; r++)
        assert_int_equal(gotrace_builder_string_as(w->b, reason_string_id((enum sched_reason)r), sched_reason_text[r],
                                                   strlen(sched_reason_text[r])),
                         0);
    assert_int_equal(gotrace_builder_string_as(w->b, 100, "f", 1), 0);
    const struct gotrace_raw_frame frame = {.pc = 1, .func = 100, .file = 100, .line = 1};
    assert_int_equal(gotrace_builder_stack_as(w->b, STACK, &frame, 1), 0);
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
    hand_in(w, sched_detach_chunk(t));
    sched_attach_chunk(w->s, t, model_chunk(), now(w));
}

/* Now and then a chunk is full early, because of the records at its other end. */
static void make_room(struct walk *w, struct sched_thread *t)
{
    if (!t->chunk || !sched_has_room(t, 0) || random_one_in(&w->random, 40))
        new_chunk(w, t);
}

static void be_reborn(struct walk *w, struct actor *a, uint64_t m)
{
    hand_in(w, sched_detach_chunk(&a->t));
    memset(a, 0, sizeof *a);
    a->t.g = ++w->last_g;
    a->t.m = m;
    a->t.proc_taken = PROC_NONE;
    a->t.state[0].proc = a->t.state[1].proc = PROC_NONE;
}

/* --- generations -------------------------------------------------------------------------------------------------- */

static uint8_t *service_room(struct walk *w)
{
    make_room(w, &w->service);
    return w->service.state[w->service.cur].pos;
}

static void service_commit(struct walk *w, uint8_t *end, uint64_t time)
{
    struct sched_state *s = &w->service.state[w->service.cur];
    s->pos = end;
    s->time = time;
    w->service.chunk->used = (uint32_t)(end - w->service.chunk->data);
}

static void begin_generation(struct walk *w)
{
    for (int i = 0; i < ACTORS; i++)
        hand_in(w, sched_detach_chunk(&w->actors[i].t));
    hand_in(w, sched_detach_chunk(&w->service));
    sched_advance(w->s, w->s->generation + 1);
    begin_tables(w);
    for (int i = 0; i < ACTORS; i++) {
        struct actor *a = &w->actors[i];
        uint32_t status = status_of(a);
        if (status == GO_RUNNING) {
            new_chunk(w, &a->t);
            sched_status_with_proc(w->s, &a->t, w->time);
        } else if (status == GO_WAITING || status == GO_RUNNABLE) {
            if (a->woken == WOKEN_NOW)
                a->woken = WOKEN_EARLIER;
            uint8_t *p = service_room(w);
            uint64_t time = sched_current(&w->service)->time;
            p = sched_status_other(&a->t, a->woken == WOKEN_EARLIER, p, &time, w->time > time ? w->time : time);
            service_commit(w, p, time);
        }
    }
    for (uint32_t p = 0; p < w->s->nprocs_known; p++) {
        if (model_busy(w->s, p))
            continue;
        uint8_t *pos = service_room(w);
        uint64_t time = sched_current(&w->service)->time;
        pos = sched_status_idle_proc(w->s, p, pos, &time, w->time > time ? w->time : time);
        service_commit(w, pos, time);
    }
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
    return sched_unblock(w->s, &a->t, other->t.g, sched_g_seq(&other->t) + 1, random_below(&w->random, 2), now(w));
}

static bool running(struct walk *w, struct actor *a)
{
    struct actor *child;
    switch (random_below(&w->random, 12)) {
    case 0:
        return sched_yield_proc(w->s, &a->t, REASON_YIELD, STACK, now(w));
    case 1:
        child = any(w, GO_UNBORN);
        return !child || sched_create(w->s, &a->t, &child->t, STACK, STACK, now(w));
    case 2:
        return !random_one_in(&w->random, 3) || sched_destroy(w->s, &a->t, now(w));
    case 3:
    case 4:
    case 5:
        return unblock_somebody(w, a);
    default:
        a->woken = NOT_WOKEN;
        return sched_block(w->s, &a->t, (enum sched_reason)random_below(&w->random, REASON_COUNT), STACK, now(w));
    }
}

static bool waiting(struct walk *w, struct actor *a)
{
    if (random_one_in(&w->random, 10))
        return unblock_somebody(w, a);
    return a->woken ? sched_resume_woken(w->s, &a->t, a->woken == WOKEN_NOW, now(w))
                    : random_one_in(&w->random, 3) ? sched_resume(w->s, &a->t, now(w)) : true;
}

static bool step(struct walk *w, struct actor *a)
{
    make_room(w, &a->t);
    switch (status_of(a)) {
    case GO_UNBORN:
        return !random_one_in(&w->random, 6) || sched_introduce(w->s, &a->t, now(w));
    case GO_RUNNABLE:
        return sched_start(w->s, &a->t, now(w));
    case GO_RUNNING:
        return running(w, a);
    case GO_WAITING:
        return waiting(w, a);
    default:
        be_reborn(w, a, random_one_in(&w->random, 2) ? a->t.m : 1000 + w->last_g);
        return true;
    }
}

/* --- the walk ------------------------------------------------------------------------------------------------------ */

static void check_procs(struct walk *w)
{
    uint64_t held = 0;
    uint32_t running_now = 0;
    for (int i = 0; i < ACTORS; i++) {
        const struct sched_state *s = sched_current(&w->actors[i].t);
        assert_int_equal(s->status == GO_RUNNING, s->proc != PROC_NONE);
        if (s->proc == PROC_NONE)
            continue;
        assert_false(held >> s->proc & 1);
        held |= UINT64_C(1) << s->proc;
        running_now++;
    }
    assert_int_equal(w->s->busy[0], held);
    if (running_now > w->most_at_once)
        w->most_at_once = running_now;
    assert_true(w->s->nprocs_known <= w->most_at_once);
    assert_true(w->s->gomaxprocs >= w->s->nprocs_known);
}

static void report(void *arg, const struct gotrace_error *violation)
{
    const struct walk *w = arg;
    print_error("seed %llu: generation %llu, %s: %s\n", (unsigned long long)w->seed,
                (unsigned long long)violation->generation, violation->event ? violation->event : "-", violation->message);
}

static void judge(struct walk *w)
{
    size_t size;
    struct gotrace_summary sum = {0};
    assert_int_equal(gotrace_builder_finish(w->b), 0);
    const void *bytes = gotrace_builder_bytes(w->b, &size);
    struct gotrace_reader *r = gotrace_reader_open_memory(bytes, size);
    assert_non_null(r);
    bool read = gotrace_validate(r, report, w, &sum);
    gotrace_reader_free(r);
    if (!read || sum.violations)
        fail_msg("seed %llu: not valid", (unsigned long long)w->seed);
    assert_int_equal(sum.generations, w->s->generation);
    assert_true(sum.events > STEPS / 4);
}

static void one_walk(uint64_t seed)
{
    struct walk *w = calloc(1, sizeof *w);
    *w = (struct walk){.random = random_seed(seed), .seed = seed, .time = 10, .b = gotrace_builder_memory(22)};
    w->s = model_new(1 + (uint32_t)(seed % 4));
    w->service.m = ID_NONE;
    w->service.proc_taken = PROC_NONE;
    begin_tables(w);
    for (uint64_t i = 0; i < ACTORS; i++)
        be_reborn(w, &w->actors[i], 100 + i);
    new_chunk(w, &w->actors[0].t);
    assert_true(sched_first_thread(w->s, &w->actors[0].t, STACK, now(w)));
    check_procs(w);
    for (int i = 0; i < STEPS; i++) {
        if (random_one_in(&w->random, 100))
            begin_generation(w);
        if (!step(w, &w->actors[random_below(&w->random, ACTORS)]))
            fail_msg("seed %llu: step %d was refused", (unsigned long long)seed, i);
        check_procs(w);
    }
    for (int i = 0; i < ACTORS; i++)
        hand_in(w, sched_detach_chunk(&w->actors[i].t));
    hand_in(w, sched_detach_chunk(&w->service));
    judge(w);
    gotrace_builder_free(w->b);
    free(w->s);
    free(w);
}

static void every_walk_is_a_valid_trace(void **state)
{
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        one_walk(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_walk_is_a_valid_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
