/* Which waits held work up: of small traces every number. */
#include "tests/parser/waits.h"

static struct need_sum at(const struct stat *s, const char *place)
{
    struct need_sum sum = {0};
    bool found = false;
    for (size_t i = 0; i < s->waits.list.n; i++)
        if (strstr(stat_text_of(&s->spans.texts, s->kinds.v[i].place), place)) {
            struct need_sum one = needs_of(&s->needs.places, s->waits.list.v[i].number);
            sum.count += one.count;
            sum.ns += one.ns;
            found = true;
        }
    if (!found)
        fail_msg("no wait at %s", place);
    return sum;
}

static void expect(const struct stat *s, const char *place, uint64_t count, uint64_t ns)
{
    struct need_sum sum = at(s, place);
    if (sum.count != count || sum.ns != ns)
        fail_msg("%s: %d waits, %d ns", place, (int)sum.count, (int)sum.ns);
}

static uint64_t idle(const struct stat *s, uint64_t goroutine)
{
    for (size_t i = 0; i < s->threads.apart.n; i++)
        if (s->threads.apart.v[i].id == goroutine)
            return s->threads.apart.v[i].idle;
    fail_msg("no goroutine %d", (int)goroutine);
    return 0;
}

static uint64_t here(struct made *m, const char *object, const char *place)
{
    return stack(m, object, "wait", place, 5, "thread");
}

/* 2 sleeps from 100 to 400 while 3 waits for its lock, from 200 to 500; before and after that nobody needs it. */
static void a_sleep_under_a_lock_holds_work_up(void **state)
{
    struct made m = begin(3);
    struct stat s;
    block(&m, 2, 20, "sleep", here(&m, NULL, "before"));
    wake(&m, 2, 2, 50, 0);
    start(&m, 2, 60);
    block(&m, 2, 100, "sleep", here(&m, NULL, "inside"));
    block(&m, 3, 200, "sync", here(&m, "mutex m", "lock"));
    wake(&m, 2, 2, 400, 0);
    start(&m, 2, 410);
    wake(&m, 2, 3, 500, here(&m, NULL, "unlock"));
    start(&m, 3, 510);
    block(&m, 2, 600, "sleep", here(&m, NULL, "after"));
    wake(&m, 2, 2, 700, 0);
    read_all(&s, &m, true);
    expect(&s, "before", 0, 0);
    expect(&s, "inside", 1, 200);
    expect(&s, "lock", 1, 300);
    expect(&s, "after", 0, 0);
    assert_int_equal(idle(&s, 2), 30 + 100 + 100);
    assert_int_equal(idle(&s, 3), 0);
    assert_int_equal(s.idlers, 1);
    stat_free(&s);
}

/* What the holder did before the release before was not for this one. */
static void the_time_of_another_owner_is_not_needed(void **state)
{
    struct made m = begin(4);
    struct stat s;
    uint64_t lock = here(&m, "mutex m", "lock");
    block(&m, 3, 100, "sync", lock);
    block(&m, 2, 110, "sleep", here(&m, NULL, "elsewhere"));
    block(&m, 4, 120, "sync", lock);
    wake(&m, 2, 2, 200, 0);
    start(&m, 2, 210);
    wake(&m, 1, 3, 300, 0);
    wake(&m, 2, 4, 400, 0);
    read_all(&s, &m, true);
    expect(&s, "elsewhere", 0, 0);
    expect(&s, "lock", 2, 200 + 280);
    stat_free(&s);
}

/*
 * 2 waits for work, which 3 gives it, which had it from outside: idle. Then 1 asks 2, which waits for 3 and that sleeps;
 * 2 answers.
 */
static void answers_are_needed_and_work_is_not(void **state)
{
    struct made m = begin(3);
    struct stat s;
    uint64_t queue = here(&m, "condition queue", "work");
    block(&m, 2, 100, "sync.(*Cond).Wait", queue);
    block(&m, 3, 110, "network", here(&m, "socket 7", "outside"));
    wake(&m, 3, 3, 200, 0);
    start(&m, 3, 210);
    wake(&m, 3, 2, 300, 0);
    start(&m, 2, 310);
    block(&m, 2, 400, "sync.(*Cond).Wait", queue);
    wake(&m, 1, 2, 500, 0);
    block(&m, 1, 510, "sync", here(&m, "semaphore answer", "ask"));
    start(&m, 2, 520);
    block(&m, 2, 600, "sync.(*Cond).Wait", here(&m, "condition done", "further"));
    block(&m, 3, 610, "sleep", here(&m, NULL, "nap"));
    wake(&m, 3, 3, 800, 0);
    start(&m, 3, 810);
    wake(&m, 3, 2, 900, 0);
    start(&m, 2, 910);
    wake(&m, 2, 1, 1000, 0);
    read_all(&s, &m, true);
    expect(&s, "work", 0, 0);
    expect(&s, "outside", 0, 0);
    expect(&s, "ask", 1, 490);
    expect(&s, "further", 1, 300);
    expect(&s, "nap", 1, 190);
    assert_int_equal(idle(&s, 2), 300);
    assert_int_equal(idle(&s, 1), 0);
    stat_free(&s);
}

/* In the time that 1 waits for an answer 2 waits for what comes from outside: from 200 to 600 nobody is to blame. */
static void what_comes_from_outside_is_idle_for_all(void **state)
{
    struct made m = begin(2);
    struct stat s;
    block(&m, 2, 50, "sync.(*Cond).Wait", here(&m, "condition queue", "work"));
    wake(&m, 1, 2, 90, 0);
    block(&m, 1, 100, "sync", here(&m, "semaphore answer", "ask"));
    start(&m, 2, 110);
    block(&m, 2, 200, "network", here(&m, "socket 7", "outside"));
    wake(&m, 2, 2, 600, 0);
    start(&m, 2, 610);
    wake(&m, 2, 1, 700, 0);
    read_all(&s, &m, true);
    expect(&s, "outside", 0, 0);
    expect(&s, "ask", 1, 600 - 400);
    assert_int_equal(idle(&s, 1), 400);
    stat_free(&s);
}

/* The main thread's join needs the thread that it waits for; another one's does not, if it has not made that. */
static void the_main_thread_needs_whom_it_joins(void **state)
{
    for (uint64_t who = 1; who <= 3; who += 2) {
        struct made m = begin(3);
        struct stat s;
        block(&m, who, 100, "sync", here(&m, "thread worker 2", "join"));
        block(&m, 2, 200, "sleep", here(&m, NULL, "nap"));
        wake(&m, 2, 2, 400, 0);
        start(&m, 2, 410);
        wake(&m, 2, who, 500, 0);
        start(&m, who, 510);
        EVENT(&m, 2, 520, GoDestroy);
        read_all(&s, &m, true);
        expect(&s, "nap", who == 1, who == 1 ? 200 : 0);
        expect(&s, "join", who == 1, who == 1 ? 400 : 0);
        stat_free(&s);
    }
}

/* A thread answers its maker. */
static void a_maker_waits_for_an_answer(void **state)
{
    struct made m = begin(1);
    struct stat s;
    EVENT(&m, 1, 100, GoCreate, 2, stack(&m, NULL, NULL, NULL, 1, "made"), 0);
    block(&m, 1, 200, "sync", here(&m, "semaphore answer", "ask"));
    EVENT(&m, 2, 210, ProcStatus, 2, 1);
    start(&m, 2, 220);
    wake(&m, 2, 1, 300, 0);
    read_all(&s, &m, true);
    expect(&s, "ask", 1, 100);
    stat_free(&s);
}

/* Two wait for 2 in turn: what it did counts once, from the first of them on. */
static void what_two_need_counts_once(void **state)
{
    struct made m = begin(4);
    struct stat s;
    block(&m, 2, 100, "sleep", here(&m, NULL, "nap"));
    block(&m, 3, 200, "sync", here(&m, "mutex one", "first"));
    block(&m, 4, 150, "sync", here(&m, "mutex two", "second"));
    wake(&m, 2, 2, 400, 0);
    start(&m, 2, 410);
    wake(&m, 2, 3, 500, 0);
    wake(&m, 2, 4, 510, 0);
    read_all(&s, &m, true);
    expect(&s, "nap", 1, 250);
    stat_free(&s);
}

/* More waits than are remembered: it takes no more memory, and the sums are those of the waits. */
static void many_waits_take_bounded_memory(void **state)
{
    enum { ROUNDS = NEEDS_KEPT + 1000 };
    struct made m = begin(2);
    struct stat s;
    uint64_t lock = here(&m, "mutex m", "lock"), nap = here(&m, NULL, "nap");
    for (uint64_t i = 0; i < ROUNDS; i++) {
        uint64_t t = 100 + 100 * i;
        block(&m, 1, t, "sleep", nap);
        block(&m, 2, t + 10, "sync", lock);
        wake(&m, 1, 1, t + 30, 0);
        start(&m, 1, t + 40);
        wake(&m, 1, 2, t + 50, 0);
        start(&m, 2, t + 60);
    }
    read_all(&s, &m, true);
    expect(&s, "lock", ROUNDS, ROUNDS * 40);
    expect(&s, "nap", ROUNDS, ROUNDS * 20);
    stat_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sleep_under_a_lock_holds_work_up),
        cmocka_unit_test(the_time_of_another_owner_is_not_needed),
        cmocka_unit_test(answers_are_needed_and_work_is_not),
        cmocka_unit_test(what_comes_from_outside_is_idle_for_all),
        cmocka_unit_test(the_main_thread_needs_whom_it_joins),
        cmocka_unit_test(a_maker_waits_for_an_answer),
        cmocka_unit_test(what_two_need_counts_once),
        cmocka_unit_test(many_waits_take_bounded_memory),
    };
    return cmocka_run_group_tests_name("needs", tests, NULL, NULL);
}
