/* How the gate closes behind threads that keep entering sections, and what becomes of it when one stays inside. */
#include "tests/unit/unit.h"

#include <pthread.h>

#include "preload/closing.h"
#include "preload/recorder.h"
#include "tests/unit/records.h"

struct registry registry;
struct recorder recorder;

enum { RECORDS = 8 };

static int set_up(void **state)
{
    gate_init(&recorder.gate);
    registry.lock.word = 0;
    return !(*state = make_records(RECORDS));
}

static void it_closes_where_nobody_is_inside(void **state)
{
    struct thread *t = *state;
    mark_active(&t[3]);
    t[4].writer.writing = 1; /* not active: in no section */
    assert_true(narrow_gate() && close_gate_behind_all(false));
    assert_false(lock_try(&registry.lock));
    assert_false(gate_enter(&recorder.gate, &t[3].writer) || gate_pass(&recorder.gate, &t[3].writer));
    open_gate_for_all();
    assert_true(lock_try(&registry.lock));
    assert_true(gate_enter(&recorder.gate, &t[3].writer));
}

static void it_stays_open_where_somebody_stays_inside(void **state)
{
    struct thread *t = *state;
    mark_active(&t[2]);
    assert_true(gate_enter(&recorder.gate, &t[2].writer));
    assert_false(narrow_gate() && close_gate_behind_all(false));
    assert_true(lock_try(&registry.lock));
    registry.lock.word = 0;
    assert_true(gate_enter(&recorder.gate, &t[3].writer));
    gate_leave(&t[2].writer);
    assert_true(narrow_gate() && close_gate_behind_all(false));
}

static uint32_t over;
static uint64_t generation, again, torn; /* plain: the gate keeps the two the same for whoever is inside */

static void *write_often(void *arg)
{
    struct thread *t = arg;
    for (unsigned n = 0; n < 100 || !__atomic_load_n(&over, __ATOMIC_RELAXED); n++) {
        if (!gate_enter(&recorder.gate, &t->writer) && !gate_pass(&recorder.gate, &t->writer)) {
            gate_wait(&recorder.gate);
            continue;
        }
        uint64_t first = generation;
        compiler_barrier();
        if (n % 16 == 0)
            sched_yield(); /* so that there is somebody inside whenever the gate closes */
        if (again != first)
            __atomic_fetch_add(&torn, 1, __ATOMIC_RELAXED);
        gate_leave(&t->writer);
    }
    return NULL;
}

static void it_closes_behind_all_that_come_and_go(void **state)
{
    enum { ROUNDS = 200 };
    struct thread *t = *state;
    pthread_t threads[RECORDS];
    for (int i = 0; i < RECORDS; i++) {
        mark_active(&t[i]);
        assert_int_equal(pthread_create(&threads[i], NULL, write_often, &t[i]), 0);
    }
    for (int rounds = 0; rounds < ROUNDS;) {
        if (!narrow_gate() || !close_gate_behind_all(false))
            continue;
        generation++;
        compiler_barrier();
        cpu_relax();
        again++;
        rounds++;
        open_gate_for_all();
    }
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < RECORDS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(torn, 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, free_records)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_closes_where_nobody_is_inside),
        TEST(it_stays_open_where_somebody_stays_inside),
        TEST(it_closes_behind_all_that_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
