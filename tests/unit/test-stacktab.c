/* Stacks get an id each, the same one as long as the generation lasts. */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdlib.h>

#include "lib/stacktab.h"

enum { SLOTS = 1 << 15, MAX = STACKTAB_MAX(SLOTS) };

static int set_up(void **state)
{
    struct stacktab *t = *state = calloc(1, sizeof *t);
    if (!t)
        return -1;
    t->nslots = SLOTS;
    t->slots = calloc(SLOTS, sizeof *t->slots);
    t->slot_of = calloc(MAX + 1, sizeof *t->slot_of);
    return t->slots && t->slot_of ? 0 : -1;
}

static int tear_down(void **state)
{
    struct stacktab *t = *state;
    free(t->slots);
    free(t->slot_of);
    free(t);
    return 0;
}

static void assert_empty(const struct stacktab *t)
{
    static const struct stacktab_slot empty[SLOTS];
    assert_memory_equal(t->slots, empty, sizeof empty);
}

static uint32_t add(struct stacktab *t, uint64_t hash)
{
    uint32_t id = stacktab_find(t, hash);
    if (!id && (id = stacktab_new_id(t)))
        stacktab_publish(t, hash, id);
    return id;
}

static void a_stack_keeps_its_id(void **state)
{
    struct stacktab *t = *state;
    for (uint32_t i = 1; i <= 1000; i++)
        assert_int_equal(add(t, i * UINT64_C(0x9e3779b97f4a7c15)), i);
    for (uint32_t i = 1; i <= 1000; i++)
        assert_int_equal(stacktab_find(t, i * UINT64_C(0x9e3779b97f4a7c15)), i);
    assert_int_equal(stacktab_find(t, 42), 0);
}

static void hashes_in_one_bucket_are_told_apart(void **state)
{
    struct stacktab *t = *state;
    for (uint32_t i = 1; i <= 100; i++) /* the last bucket: the next slots are at the beginning */
        assert_int_equal(add(t, UINT64_MAX << 40 | i), i);
    for (uint32_t i = 1; i <= 100; i++)
        assert_int_equal(stacktab_find(t, UINT64_MAX << 40 | i), i);
}

static void a_full_table_says_so(void **state)
{
    struct stacktab *t = *state;
    for (uint64_t i = 1; i <= MAX; i++)
        assert_int_equal(add(t, i * UINT64_C(0x9e3779b97f4a7c15)), i);
    assert_int_equal(add(t, 3), 0);
    assert_int_equal(add(t, 3), 0);
    assert_int_equal(stacktab_find(t, 7 * UINT64_C(0x9e3779b97f4a7c15)), 7);
    stacktab_clear(t);
    assert_int_equal(add(t, 3), 1);
}

static void clearing_forgets_everything(void **state)
{
    struct stacktab *t = *state;
    for (int generation = 0; generation < 3; generation++) {
        for (uint64_t i = 1; i <= 5000; i++)
            add(t, i * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)generation);
        stacktab_clear(t);
        assert_empty(t);
        assert_int_equal(t->next_id, 0);
    }
}

static void who_comes_second_does_not_take_the_place(void **state)
{
    struct stacktab *t = *state;
    uint32_t first = stacktab_new_id(t), second = stacktab_new_id(t);
    stacktab_publish(t, 99, first);
    stacktab_publish(t, 99, second);
    assert_int_equal(stacktab_find(t, 99), first);
    stacktab_clear(t);
    assert_int_equal(stacktab_find(t, 99), 0);
}

/* A thread that was torn out of stacktab_publish after it took the slot. */
static void an_id_that_never_came_is_made_up_for(void **state)
{
    struct stacktab *t = *state;
    uint32_t torn = stacktab_new_id(t);
    stacktab_publish(t, 99, torn);
    for (size_t i = 0; i < SLOTS; i++)
        if (t->slots[i].hash == 99)
            t->slots[i].id = 0;
    assert_int_equal(stacktab_find(t, 99), 0);
    uint32_t id = add(t, 99);
    assert_int_not_equal(id, torn);
    assert_int_equal(stacktab_find(t, 99), id);
    stacktab_clear(t);
    assert_empty(t);
}

static void hashes_differ_by_every_frame(void **state)
{
    uintptr_t pcs[128] = {0};
    uint64_t seen[300];
    size_t n = 0;
    for (int len = 0; len <= 128; len++)
        seen[n++] = stack_hash(pcs, len);
    for (int i = 0; i < 128; i++) {
        pcs[i] = 1;
        seen[n++] = stack_hash(pcs, 128);
        pcs[i] = 0;
    }
    for (size_t i = 0; i < n; i++) {
        assert_int_not_equal(seen[i], 0);
        for (size_t j = 0; j < i; j++)
            assert_true(seen[i] != seen[j]);
    }
    assert_true(stack_hash(pcs, 5) == stack_hash(pcs + 20, 5));
}

/* 0 stands for an empty slot. */
static void no_hash_is_0(void **state)
{
    const uintptr_t pc = 2 * stack_hash(NULL, 0); /* what the hash of one frame begins with: nothing is left of it */
    assert_int_equal(stack_hash(&pc, 1), 1);
}

/* Also of frames that mix in nothing: where the empty stack's hash comes out of a step as it went in. */
static void the_length_counts(void **state)
{
    uint64_t empty = stack_hash(NULL, 0), inverse = 1;
    for (int i = 0; i < 6; i++) /* Newton's: twice as many bits are right each time */
        inverse *= 2 - UINT64_C(0xff51afd7ed558ccd) * inverse;
    uintptr_t pc = (empty ^ empty >> 32) * inverse ^ empty;
    const uintptr_t pcs[] = {pc, pc};
    assert_true(stack_hash(pcs, 1) != empty);
    assert_true(stack_hash(pcs, 2) != empty);
    assert_true(stack_hash(pcs, 2) != stack_hash(pcs, 1));
}

/* --- by threads --------------------------------------------------------------------------------------------------- */

enum { THREADS = 4, STACKS = 4000 };

static uint8_t defined[THREADS * STACKS + 1];

static void *add_all(void *p)
{
    struct stacktab *t = p;
    for (uint64_t i = 1; i <= STACKS; i++) {
        uint64_t hash = i * UINT64_C(0x9e3779b97f4a7c15);
        uint32_t id = stacktab_find(t, hash);
        if (id) {
            if (!__atomic_load_n(&defined[id], __ATOMIC_RELAXED))
                return "an id was found before its stack was defined";
            continue;
        }
        id = stacktab_new_id(t);
        __atomic_store_n(&defined[id], 1, __ATOMIC_RELAXED);
        stacktab_publish(t, hash, id);
    }
    return NULL;
}

static void threads_agree(void **state)
{
    struct stacktab *t = *state;
    pthread_t threads[THREADS];
    void *wrong = NULL;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add_all, t), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    static uint8_t owner[THREADS * STACKS + 1];
    for (uint64_t i = 1; i <= STACKS; i++) {
        uint32_t id = stacktab_find(t, i * UINT64_C(0x9e3779b97f4a7c15));
        assert_in_range(id, 1, t->next_id);
        assert_int_equal(owner[id]++, 0);
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_stack_keeps_its_id),
        TEST(hashes_in_one_bucket_are_told_apart),
        TEST(a_full_table_says_so),
        TEST(clearing_forgets_everything),
        TEST(who_comes_second_does_not_take_the_place),
        TEST(an_id_that_never_came_is_made_up_for),
        cmocka_unit_test(hashes_differ_by_every_frame),
        cmocka_unit_test(no_hash_is_0),
        cmocka_unit_test(the_length_counts),
        TEST(threads_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
