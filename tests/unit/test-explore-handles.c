/* The goroutines of threads' handles, in every order of the steps of those that come and of who joins. */
#include "tests/unit/explore.h"

#include "preload/handles.c"

#include <string.h>

#include "tests/unit/unit.h"

/* Of one set, by the high bits alone. There are two more than it has room for. */
enum { HANDLES = WAYS + 2, YOUNG = 100, YOUNGER = 200, YOUNGEST = 300 };
static uint64_t handle_of(unsigned i) { return (uint64_t)(i + 1) << 52; }

/* All places are taken, all but one by younger ones: who comes puts out who came before. */
static void begin_full(void)
{
    struct set *s = set_of(handle_of(0));
    for (unsigned i = 2; i < HANDLES; i++) {
        explore_check(set_of(handle_of(i)) == s);
        s->ways[i - 2] = (struct handle){handle_of(i), i == 2 ? i : YOUNGEST + i};
    }
    s->busy = 0;
}

static void come(unsigned me)
{
    handle_remember(handle_of(me), YOUNG + me);
    handle_remember(handle_of(me), YOUNGER + me);
}

static void is_own(unsigned i)
{
    uint64_t g = handle_goroutine(handle_of(i));
    explore_check(!g || g == i || g == YOUNG + i || g == YOUNGER + i || g == YOUNGEST + i);
}

static void look(unsigned me)
{
    for (unsigned i = 0; i < HANDLES; i++)
        is_own(i);
    is_own(0);
}

static void end_full(void) { look(0); }

static void none_is_taken_for_another(void **state)
{
    const struct exploration e = {
        .name = "two handles of one place, and who joins",
        .n = 3,
        .begin = begin_full,
        .thread = {come, come, look},
        .end = end_full,
    };
    explore(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(none_is_taken_for_another)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
