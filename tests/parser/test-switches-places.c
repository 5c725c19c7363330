/* Where threads were last seen that wait in what no wrapper sees, in traces of a few events. */
#include "tests/parser/switched.h"

#define BACK "1.2000 GoUnblock, 1.2001 ProcStart, 1.2002 GoStart, 1.2003 ProcsChange, 1.3000 HeapAlloc"

static void next_generation(struct made *m, uint64_t at)
{
    second_generation(m, at);
    EVENT(m, 1, at + 1, ProcStatus, 1, 1);
    EVENT(m, 1, at + 2, GoStatus, 1, 1, 2);
}

static void test_after_a_call(void **state)
{
    (void)state;
    struct made m = begin(1);
    call(&m, 1, 500, 600, stack(&m, NULL, "read", "reads", 7, "reader"));
    EVENT(&m, 1, 3000, HeapAlloc, 1);
    BECOMES(&m, 2,
            "1.500 GoSyscallBegin, 1.600 GoSyscallEnd, 1.1000 GoBlock(unspecified after read, 4), 1.1001 ProcStop, " BACK,
            BLOCKS(1, 1000), IN(1, 2000));
}

/* It has the lock by now. */
static void test_after_a_wait_for_an_object(void **state)
{
    (void)state;
    struct made m = begin(2);
    block(&m, 1, 500, "sync", stack(&m, "mutex queue", "pthread_mutex_lock", "takes", 7, "taker"));
    EVENT(&m, 1, 501, ProcStop);
    wake(&m, 2, 1, 600, 0);
    EVENT(&m, 1, 700, ProcStart, 1, 1);
    start(&m, 1, 701);
    EVENT(&m, 1, 3000, HeapAlloc, 1);
    BECOMES(&m, 2,
            "1.500 GoBlock(sync in mutex queue), 1.501 ProcStop, 2.600 GoUnblock, 1.701 ProcStart, 1.702 GoStart, "
            "1.703 ProcsChange, 1.1000 GoBlock(unspecified after pthread_mutex_lock, 4), 1.1001 ProcStop, "
            "1.2000 GoUnblock, 1.2001 ProcStart, 1.2002 GoStart, 1.3000 HeapAlloc",
            BLOCKS(1, 1000), IN(1, 2000));
}

static void test_after_a_sample(void **state)
{
    (void)state;
    struct made m = begin(1);
    call(&m, 1, 500, 600, stack(&m, NULL, "read", "reads", 7, "reader"));
    assert_int_equal(gotrace_builder_cpu_sample(m.b, 700, 1, 1, 1, stack(&m, NULL, NULL, "hot", 9, "reader")), 0);
    EVENT(&m, 1, 3000, HeapAlloc, 1);
    char *text = merged(&m, 2, (struct thread_switch[]){BLOCKS(1, 550), IN(1, 560), BLOCKS(1, 650), IN(1, 660),
                                                        BLOCKS(1, 1000), IN(1, 2000)}, 6);
    assert_non_null(strstr(text, "1.650 GoBlock(unspecified after read, 4)"));
    assert_non_null(strstr(text, "1.1000 GoBlock(unspecified after hot, 3)"));
    free(text);
}

static void test_after_its_begin(void **state)
{
    (void)state;
    struct made m = begin(1);
    EVENT(&m, 1, 200, GoCreate, 2, stack(&m, NULL, NULL, NULL, 0, "worker"), stack(&m, NULL, "read", "makes", 7, "main"));
    EVENT(&m, 2, 300, ProcStatus, 2, 2);
    EVENT(&m, 2, 301, ProcStart, 2, 1);
    m.seq[2] = 0;
    start(&m, 2, 302);
    EVENT(&m, 2, 3000, HeapAlloc, 1);
    BECOMES(&m, 2,
            "1.200 GoCreate, 2.303 ProcStart, 2.304 GoStart, 2.305 ProcsChange, "
            "2.1000 GoBlock(unspecified after worker, 2), 2.1001 ProcStop, 2.2000 GoUnblock, 2.2001 ProcStart, "
            "2.2002 GoStart, 2.3000 HeapAlloc",
            BLOCKS(2, 1000), IN(2, 2000));
}

/* Where it last waited so, in a generation where that stack has another number. */
static void test_in_a_later_generation(void **state)
{
    (void)state;
    struct made m = begin(2);
    call(&m, 1, 500, 600, stack(&m, NULL, "read", "reads", 7, "reader"));
    EVENT(&m, 1, 850, HeapAlloc, 1);
    next_generation(&m, 900);
    EVENT(&m, 2, 903, ProcStatus, 2, 1);
    EVENT(&m, 2, 904, GoStatus, 2, 2, 2);
    call(&m, 2, 905, 906, stack(&m, NULL, "write", "writes", 7, "writer"));
    EVENT(&m, 1, 3000, HeapAlloc, 1);
    char *text = merged(&m, 2, (struct thread_switch[]){BLOCKS(1, 700), IN(1, 800), BLOCKS(1, 1000), IN(1, 2000)}, 4);
    assert_non_null(strstr(text, "1.700 GoBlock(unspecified after read, 4)"));
    assert_non_null(strstr(text, "1.1000 GoBlock(unspecified after read, 4)"));
    free(text);
}

static void test_in_each_generation_anew(void **state)
{
    (void)state;
    struct made m = begin(1);
    for (uint64_t i = 1; i <= 2; i++) {
        if (i == 2)
            next_generation(&m, 2000);
        call(&m, 1, 2000 * i - 1500, 2000 * i - 1400, stack(&m, NULL, "read", i == 1 ? "one" : "two", 7, "reader"));
        EVENT(&m, 1, 2000 * i - 1000, HeapAlloc, 1);
    }
    char *text = merged(&m, 2, (struct thread_switch[]){BLOCKS(1, 700), IN(1, 800), BLOCKS(1, 2700), IN(1, 2800)}, 4);
    assert_non_null(strstr(text, "1.700 GoBlock(unspecified after read, 4)"));
    assert_non_null(strstr(text, "1.2700 GoBlock(unspecified after read, 4)"));
    free(text);
}

/* As many frames as a stack may have, and one more. */
static void test_after_a_deep_one(void **state)
{
    (void)state;
    struct made m = begin(1);
    struct gotrace_builder_frame f[STACK_MAX_FRAMES];
    for (size_t i = 0; i < ARRAY_SIZE(f); i++)
        f[i] = (struct gotrace_builder_frame){i + 1, "deep", "/src/a.c", i + 1};
    call(&m, 1, 500, 600, gotrace_builder_stack(m.b, f, ARRAY_SIZE(f)));
    EVENT(&m, 1, 3000, HeapAlloc, 1);
    BECOMES(&m, 2,
            "1.500 GoSyscallBegin, 1.600 GoSyscallEnd, 1.1000 GoBlock(unspecified after deep, 128), 1.1001 ProcStop, " BACK,
            BLOCKS(1, 1000), IN(1, 2000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_after_a_call),
        cmocka_unit_test(test_after_a_wait_for_an_object),
        cmocka_unit_test(test_after_a_sample),
        cmocka_unit_test(test_after_its_begin),
        cmocka_unit_test(test_in_a_later_generation),
        cmocka_unit_test(test_in_each_generation_anew),
        cmocka_unit_test(test_after_a_deep_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
