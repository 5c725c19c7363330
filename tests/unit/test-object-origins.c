/* Where locks come from: tables of fixed size. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <string.h>

#include "preload/object_origins.h"

static char memory[1 << 20];
static uintptr_t pcs[OBJECT_SITE_FRAMES];

static void a_lock_has_the_stack_that_made_it(void **state)
{
    static const uintptr_t one[] = {1, 2, 3, 4, 5, 6}, two[] = {5, 6};
    assert_int_equal(object_site(memory, pcs), 0);
    object_made(memory, one, 6);
    object_made(memory + 8, two, 2);
    object_made(memory + 16, one, 6);
    assert_int_equal(object_site(memory, pcs), 6);
    assert_memory_equal(pcs, one, sizeof one);
    assert_int_equal(object_site(memory + 8, pcs), 2);
    assert_memory_equal(pcs, two, sizeof two);
    assert_int_equal(object_site(memory + 16, pcs), 6);
    object_unmade(memory);
    assert_int_equal(object_site(memory, pcs), 0);
    assert_int_equal(object_site(memory + 16, pcs), 6);
    object_made(memory + 16, two, 2); /* memory is used again */
    assert_int_equal(object_site(memory + 16, pcs), 2);
    object_made(memory + 16, NULL, 0); /* by nobody knows whom */
    assert_int_equal(object_site(memory + 16, pcs), 0);
}

/* The last ones are known, of the others some, and none has the stack of another. */
static void too_many_locks_are_forgotten(void **state)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < sizeof memory / 8; i++)
        object_made(memory + i * 8, (uintptr_t[]){100 + i % 7, i % 7}, 2);
    for (uint32_t i = 0; i < sizeof memory / 8; i++) {
        int n = object_site(memory + i * 8, pcs);
        known += n > 0;
        if (n) {
            assert_int_equal(n, 2);
            assert_int_equal(pcs[0], 100 + i % 7);
            assert_int_equal(pcs[1], i % 7);
        }
    }
    assert_true(known > 4000 && known <= 1 << 14);
    assert_int_equal(object_site(memory + sizeof memory - 8, pcs), 2);
}

static void too_many_stacks_are_not_kept(void **state)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < 5000; i++) {
        object_made(memory, (uintptr_t[]){1000000 + i}, 1);
        int n = object_site(memory, pcs);
        known += n;
        assert_true(!n || pcs[0] == 1000000 + i);
    }
    assert_true(known > 1000 && known < 5000);
}

static const char *name_of(const void *address)
{
    static char text[OBJECT_TEXT_MAX + 1];
    uint32_t len;
    const char *name = object_name(address, &len);
    if (!name)
        return NULL;
    memcpy(text, name, len);
    text[len] = 0;
    return text;
}

static void an_object_has_the_name_that_was_given_last(void **state)
{
    char longest[200];
    assert_null(name_of(memory));
    assert_true(object_named(memory, "first"));
    assert_true(object_named(memory + 8, "other"));
    assert_string_equal(name_of(memory), "first");
    assert_true(object_named(memory, "second"));
    assert_string_equal(name_of(memory), "second");
    assert_string_equal(name_of(memory + 8), "other");
    assert_true(object_named(memory, ""));
    assert_string_equal(name_of(memory), "");
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    assert_true(object_named(memory, longest));
    assert_int_equal(strlen(name_of(memory)), OBJECT_TEXT_MAX);
    assert_null(name_of(memory + 16));
}

static void too_many_names_are_not_heard(void **state)
{
    char name[32];
    uint32_t heard = 0;
    for (uint32_t i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "object %u", i);
        bool has = object_named(memory + 64 + i * 8, name);
        heard += has;
        if (has)
            assert_string_equal(name_of(memory + 64 + i * 8), name);
        else
            assert_null(name_of(memory + 64 + i * 8));
    }
    assert_in_range(heard, 4000, 4096);
    for (uint32_t i = 0; i < 20000; i++) /* the same one: its names fill the memory for them */
        if (!object_named(memory + 64, "a name that is given again and again"))
            heard = 0;
    assert_int_equal(heard, 0);
    assert_string_equal(name_of(memory + 64), "a name that is given again and again");
    assert_string_equal(name_of(memory + 64 + 8), "object 1");
}

/* What tells a thread that an entry for the lock may be of another one. */
static void a_lock_that_other_code_makes_is_another(void **state)
{
    static const uintptr_t one[] = {1, 2}, two[] = {1, 3};
    static char place[16];
    object_made(place, one, 2);
    uint32_t life = object_life(place);
    object_made(place, one, 2);
    object_unmade(place);
    object_made(place, one, 2);
    assert_int_equal(object_life(place), life);
    object_made(place, two, 2);
    assert_int_not_equal(object_life(place), life);
    life = object_life(place);
    object_named(place, "x");
    assert_int_not_equal(object_life(place), life);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_has_the_stack_that_made_it),
        cmocka_unit_test(a_lock_that_other_code_makes_is_another),
        cmocka_unit_test(too_many_locks_are_forgotten),
        cmocka_unit_test(too_many_stacks_are_not_kept),
        cmocka_unit_test(an_object_has_the_name_that_was_given_last),
        cmocka_unit_test(too_many_names_are_not_heard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
