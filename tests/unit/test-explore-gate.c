/* The gate, in every order of its steps: what gate.pml (docs/models) shows of a model, of the code. */
#include "tests/unit/explore.h"

#include "lib/gate.c"

#include <string.h>

#include "tests/unit/unit.h"

bool clock_is_forbidden;
enum { WRITERS = 2, ROUNDS = 2 };

/* What the threads share, and may see late. */
static struct gate gate;
static struct writer writers[WRITERS];
static uint32_t written[WRITERS], looked_at[WRITERS], generation;

/* What is so. */
static bool inside[WRITERS], held[WRITERS], working, fenced, narrow, registered_late;
static uint32_t wrote[WRITERS], looks[WRITERS], generation_now;

static void begin(void)
{
    memset(&gate, 0, sizeof gate);
    memset(writers, 0, sizeof writers);
    memset(written, 0, sizeof written);
    memset(wrote, 0, sizeof wrote);
    memset(looked_at, 0, sizeof looked_at);
    memset(looks, 0, sizeof looks);
    memset(inside, 0, sizeof inside);
    memset(held, 0, sizeof held);
    working = false;
    generation = generation_now = 0;
    gate.fence = fenced;
}

static void write_often(unsigned me)
{
    for (uint32_t i = 1; i <= ROUNDS; i++) {
        while (!gate_enter(&gate, &writers[me]) && !gate_pass(&gate, &writers[me]))
            gate_wait(&gate);
        inside[me] = true;
        explore_check(!working && !held[me]);
        explore_check(__atomic_load_n(&generation, __ATOMIC_RELAXED) == generation_now);
        explore_check(__atomic_load_n(&looked_at[me], __ATOMIC_RELAXED) == looks[me]);
        __atomic_store_n(&written[me], i, __ATOMIC_RELAXED);
        wrote[me] = i;
        inside[me] = false;
        gate_leave(&writers[me]);
    }
}

/* Who is inside is passed over. */
static void hold(unsigned w)
{
    if (!gate_hold(&writers[w]))
        return;
    held[w] = true;
    explore_check(!inside[w]);
    explore_check(__atomic_load_n(&written[w], __ATOMIC_RELAXED) == wrote[w]);
    __atomic_store_n(&looked_at[w], ++looks[w], __ATOMIC_RELAXED);
    explore_check(!inside[w]);
    held[w] = false;
    gate_let_go(&writers[w]);
}

static void close_gate(bool again)
{
    if (!narrow) {
        explore_check(gate_close(&gate));
        return;
    }
    explore_check(gate_narrow(&gate));
    for (unsigned w = 0; w < WRITERS; w++)
        hold(w);
    if (again) {
        gate_shut(&gate);
        gate_ask(&gate);
    }
    gate_shut(&gate);
}

static void advance(unsigned me)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (registered_late && i > 0)
            gate_spare_fences(&gate);
        close_gate(i > 0);
        for (int w = 0; w < WRITERS; w++) {
            explore_check(gate_await_writer(&writers[w], UINT64_MAX));
            explore_check(__atomic_load_n(&written[w], __ATOMIC_RELAXED) == wrote[w]);
        }
        working = true;
        explore_check(!inside[0] && !inside[1]);
        __atomic_store_n(&generation, generation_now + 1, __ATOMIC_RELAXED);
        generation_now++;
        working = false;
        gate_open(&gate);
    }
}

static void with_membarrier(void **state)
{
    const struct exploration e = {
        .name = "the gate, with membarrier", .n = 3, .begin = begin, .thread = {write_often, write_often, advance},
        .late_stores = true,
    };
    fenced = false;
    narrow = false;
    explore(&e);
}

static void with_fences(void **state)
{
    const struct exploration e = {
        .name = "the gate, with fences", .n = 3, .begin = begin, .thread = {write_often, write_often, advance},
        .late_stores = true, .no_membarrier = true,
    };
    fenced = true;
    narrow = false;
    explore(&e);
}

static void narrow_at_first(void **state)
{
    const struct exploration e = {
        .name = "the narrow gate, with membarrier", .n = 3, .begin = begin,
        .thread = {write_often, write_often, advance}, .late_stores = true,
    };
    fenced = false;
    narrow = true;
    explore(&e);
}

static void narrow_at_first_with_fences(void **state)
{
    const struct exploration e = {
        .name = "the narrow gate, with fences", .n = 3, .begin = begin,
        .thread = {write_often, write_often, advance}, .late_stores = true, .no_membarrier = true,
    };
    fenced = true;
    narrow = true;
    explore(&e);
}

static void from_fences_to_membarrier(void **state)
{
    const struct exploration e = {
        .name = "the gate, registered late", .n = 3, .begin = begin, .thread = {write_often, write_often, advance},
        .late_stores = true,
    };
    fenced = registered_late = true;
    narrow = false;
    explore(&e);
    narrow = true;
    explore(&e);
    registered_late = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_membarrier),
        cmocka_unit_test(with_fences),
        cmocka_unit_test(narrow_at_first),
        cmocka_unit_test(narrow_at_first_with_fences),
        cmocka_unit_test(from_fences_to_membarrier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
