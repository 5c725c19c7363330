/* The writer gate: no writer sees a change of the advancer's half made. */
#include "tests/unit/unit.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/gate.h"
#include "tests/unit/filter.h"

enum { WRITERS = 3, ROUNDS = 1000, GRACE_NS = 100000 };

/* Plain memory: only the gate keeps its two halves the same for a writer inside. */
struct guarded {
    struct gate gate;
    struct writer writers[WRITERS];
    struct { uint64_t one, other; } looks[WRITERS];
    uint64_t generation, again;
    uint32_t done, torn;
    uint64_t sections;
    bool narrow;
};

struct writer_arg {
    struct guarded *g;
    struct writer *w;
};

static void *write_often(void *p)
{
    struct writer_arg *arg = p;
    struct guarded *g = arg->g;
    uint64_t last = 0;
    for (unsigned n = 0; n < 100 || !__atomic_load_n(&g->done, __ATOMIC_RELAXED); n++) {
        if (!gate_enter(&g->gate, arg->w) && !gate_pass(&g->gate, arg->w)) {
            gate_wait(&g->gate);
            continue;
        }
        uint64_t generation = g->generation, looks = g->looks[arg->w - g->writers].one;
        compiler_barrier();
        if (n % 64 == 0)
            sched_yield();
        if (g->again != generation || generation < last || g->looks[arg->w - g->writers].other != looks)
            __atomic_fetch_add(&g->torn, 1, __ATOMIC_RELAXED);
        last = generation;
        gate_leave(arg->w);
        __atomic_fetch_add(&g->sections, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void look_at(struct guarded *g, int i)
{
    if (!gate_hold(&g->writers[i]))
        return;
    g->looks[i].one++;
    compiler_barrier();
    cpu_relax();
    g->looks[i].other++;
    gate_let_go(&g->writers[i]);
}

static bool close_gate(struct guarded *g)
{
    if (!g->narrow)
        return gate_close(&g->gate);
    if (!gate_narrow(&g->gate))
        return false;
    for (int i = 0; i < WRITERS; i++)
        look_at(g, i);
    if (g->generation % 2)
        gate_ask(&g->gate);
    gate_shut(&g->gate);
    return true;
}

static bool advance(struct guarded *g)
{
    if (!close_gate(g))
        return false;
    bool out = true;
    for (int i = 0; i < WRITERS && out; i++)
        out = gate_await_writer(&g->writers[i], clock_mono_ns() + GRACE_NS);
    if (out) {
        g->generation++;
        compiler_barrier();
        cpu_relax();
        g->again++;
    }
    gate_open(&g->gate);
    return out;
}

static void hammer(bool fence, bool narrow)
{
    struct guarded g = {.narrow = narrow};
    pthread_t threads[WRITERS];
    struct writer_arg args[WRITERS];
    gate_init(&g.gate);
    g.gate.fence |= fence;
    for (int i = 0; i < WRITERS; i++) {
        args[i] = (struct writer_arg){&g, &g.writers[i]};
        assert_int_equal(pthread_create(&threads[i], NULL, write_often, &args[i]), 0);
    }
    for (int rounds = 0; rounds < ROUNDS;)
        rounds += advance(&g);
    __atomic_store_n(&g.done, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(g.torn, 0);
    assert_int_equal(g.generation, ROUNDS);
    assert_true(g.sections > 0);
}

static void no_writer_sees_half_a_change(void **state) { hammer(false, false); }
static void nor_with_fences_instead_of_membarrier(void **state) { hammer(true, false); }
static void nor_when_the_gate_is_narrow_first(void **state) { hammer(false, true); }
static void nor_when_it_is_narrow_for_writers_that_fence(void **state) { hammer(true, true); }

static void writers_fence_only_where_they_must(void **state)
{
    struct gate g;
    long known = sys_membarrier(MEMBARRIER_CMD_QUERY);
    gate_init(&g);
    assert_int_equal(g.fence, sys_failed(known) || !(known & MEMBARRIER_CMD_PRIVATE_EXPEDITED));
}

static void a_closed_gate_lets_nobody_in(void **state)
{
    struct gate g;
    struct writer w = {0};
    gate_init(&g);
    assert_true(gate_enter(&g, &w));
    assert_int_equal(w.writing, 1);
    gate_leave(&w);
    assert_int_equal(w.writing, 0);
    assert_true(gate_close(&g));
    assert_false(gate_enter(&g, &w));
    assert_int_equal(w.writing, 0);
    gate_wait(&g); /* returns although nobody opens it */
    assert_false(gate_enter(&g, &w));
    gate_open(&g);
    gate_wait(&g);
    assert_true(gate_enter(&g, &w));
}

static void a_narrow_gate_lets_in_who_passes_it(void **state)
{
    struct gate g;
    struct writer w = {0};
    gate_init(&g);
    assert_true(gate_pass(&g, &w)); /* opened since it was refused */
    gate_leave(&w);
    for (int asked = 0; asked < 2; asked++) {
        if (asked)
            gate_ask(&g);
        else
            assert_true(gate_narrow(&g));
        assert_false(gate_enter(&g, &w));
        assert_int_equal(w.writing, 0);
        gate_wait(&g); /* for nothing */
        assert_true(gate_pass(&g, &w));
        assert_int_equal(w.writing, 1);
        gate_shut(&g);
        assert_false(gate_await_writer(&w, 0));
        gate_leave(&w);
        assert_false(gate_pass(&g, &w));
        assert_int_equal(w.writing, 0);
    }
    gate_open(&g);
    assert_true(gate_enter(&g, &w));
}

static long sleeps(void)
{
    struct rusage u;
    assert_int_equal(getrusage(RUSAGE_THREAD, &u), 0);
    return u.ru_nvcsw;
}

/* Who yields keeps its processor from an advancer of lower priority. */
static void who_is_held_sleeps(void **state)
{
    struct gate g;
    struct writer w = {0};
    gate_init(&g);
    assert_true(gate_narrow(&g));
    assert_true(gate_hold(&w));
    long before = sleeps();
    assert_false(gate_pass(&g, &w));
    assert_true(sleeps() > before);
    gate_let_go(&w);
}

static void who_is_held_is_not_let_in(void **state)
{
    struct gate g;
    struct writer w = {0}, other = {0};
    gate_init(&g);
    assert_true(gate_narrow(&g));
    assert_true(gate_hold(&w));
    assert_false(gate_pass(&g, &w));
    assert_int_equal(w.writing, 0);
    assert_true(gate_pass(&g, &other));
    assert_false(gate_hold(&other)); /* it is inside, and goes on as ever */
    gate_leave(&other);
    assert_true(gate_pass(&g, &other));
    gate_let_go(&w);
    assert_true(gate_pass(&g, &w));
}

static void a_writer_that_stays_is_not_waited_for(void **state)
{
    struct writer w = {.writing = 1};
    assert_false(gate_await_writer(&w, 0));
    assert_false(gate_await_writer(&w, clock_mono_ns() + 1000));
    gate_leave(&w);
    assert_true(gate_await_writer(&w, 0));
}

/* How often a thread of the process went to sleep: the one that waits, for the other only spins. */
static long naps(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw;
}

/* Once the other thread has gone to sleep over it, more than once. */
static void *leave_later(void *w)
{
    long before = naps();
    while (naps() < before + 3)
        cpu_relax();
    gate_leave(w);
    return NULL;
}

static void a_writer_that_leaves_is_noticed(void **state)
{
    struct writer w = {.writing = 1};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, leave_later, &w), 0);
    assert_true(gate_await_writer(&w, clock_mono_ns() + UINT64_C(60000000000)));
    pthread_join(thread, NULL);
}

struct visitor {
    struct gate g;
    uint32_t arrived;
    uint64_t took_ns;
    long slept;
};

static void *come_to_the_gate(void *arg)
{
    struct visitor *v = arg;
    struct rusage before, after;
    getrusage(RUSAGE_THREAD, &before);
    uint64_t begin = clock_mono_ns();
    __atomic_store_n(&v->arrived, 1, __ATOMIC_RELEASE);
    gate_wait(&v->g);
    v->took_ns = clock_mono_ns() - begin;
    getrusage(RUSAGE_THREAD, &after);
    v->slept = after.ru_nvcsw - before.ru_nvcsw;
    return NULL;
}

/* In one of many trials, because on a busy machine no moment is short. */
static void who_waits_for_a_moment_does_not_sleep(void **state)
{
    enum { TRIALS = 1000, MOMENT_NS = 40000 };
    bool seen = false;
    for (int i = 0; i < TRIALS && !seen; i++) {
        struct visitor v = {.arrived = 0};
        pthread_t thread;
        gate_init(&v.g);
        assert_true(gate_close(&v.g));
        assert_int_equal(pthread_create(&thread, NULL, come_to_the_gate, &v), 0);
        while (!__atomic_load_n(&v.arrived, __ATOMIC_ACQUIRE))
            cpu_relax();
        for (uint64_t until = clock_mono_ns() + MOMENT_NS; clock_mono_ns() < until;)
            cpu_relax();
        gate_open(&v.g);
        pthread_join(thread, NULL);
        seen = v.took_ns >= MOMENT_NS && !v.slept;
    }
    assert_true(seen);
}

/* In a process of its own, because a filter stays. Exit status 0: all as it should be, 77: no filters here. */
static int lose_membarrier(void)
{
    struct gate g;
    struct writer w = {0};
    gate_init(&g);
    if (g.fence || !filter_syscall(SYS_membarrier, ANY_FIRST_ARGUMENT, SECCOMP_RET_ERRNO | EPERM))
        return 77;
    if (gate_narrow(&g) || !g.fence || !gate_enter(&g, &w)) /* refused, with the gate open */
        return 1;
    gate_leave(&w);
    if (!gate_close(&g) || gate_enter(&g, &w))
        return 2;
    struct gate later;
    gate_init(&later);
    return later.fence ? 0 : 3;
}

static void membarrier_may_be_forbidden_later(void **state)
{
    int status;
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (!pid)
        _exit(lose_membarrier());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        SKIP("no system call filters here");
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writers_fence_only_where_they_must),
        cmocka_unit_test(a_closed_gate_lets_nobody_in),
        cmocka_unit_test(a_narrow_gate_lets_in_who_passes_it),
        cmocka_unit_test(who_is_held_is_not_let_in),
        cmocka_unit_test(who_is_held_sleeps),
        cmocka_unit_test(a_writer_that_stays_is_not_waited_for),
        cmocka_unit_test(a_writer_that_leaves_is_noticed),
        cmocka_unit_test(who_waits_for_a_moment_does_not_sleep),
        cmocka_unit_test(no_writer_sees_half_a_change),
        cmocka_unit_test(nor_with_fences_instead_of_membarrier),
        cmocka_unit_test(nor_when_the_gate_is_narrow_first),
        cmocka_unit_test(nor_when_it_is_narrow_for_writers_that_fence),
        cmocka_unit_test(membarrier_may_be_forbidden_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
