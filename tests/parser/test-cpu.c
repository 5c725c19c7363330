/* What CPU samples add up to: by function, self and total, and how many there are in a second. */
#include "tests/parser/waits.h"

static const struct cpu_function *function(struct stat *s, const char *text)
{
    uint32_t n = stat_literal(&s->spans.texts, text);
    return &s->cpu.functions[n];
}

static void sample(struct made *m, uint64_t g, uint64_t at, uint64_t stack_id)
{
    assert_int_equal(gotrace_builder_cpu_sample(m->b, at, g, g, g, stack_id), 0);
}

static void functions_have_self_and_total(void **state)
{
    struct made m = begin(2);
    struct stat s;
    uint64_t deep = stack(&m, "worker", "memcpy", "compress", 5, "worker"); /* the outermost once more */
    sample(&m, 1, 10000000, deep);
    sample(&m, 1, 20000000, deep);
    sample(&m, 2, 30000000, stack(&m, NULL, NULL, "compress", 7, "main"));
    sample(&m, 2, 30000000, 0);
    EVENT(&m, 1, 40000000, GoStop, gotrace_builder_string(m.b, "x", 1), 0);
    read_all(&s, &m, true);
    assert_int_equal(s.cpu.samples, 4);
    assert_int_equal(function(&s, "memcpy (libc)")->self, 0);
    assert_int_equal(function(&s, "memcpy (libc)")->total, 2);
    assert_int_equal(function(&s, "compress (a.c)")->self, 1);
    assert_int_equal(function(&s, "compress (a.c)")->total, 3);
    assert_int_equal(function(&s, "worker (a.c)")->total, 2);
    assert_int_equal(function(&s, "worker ([object])")->self, 2);
    assert_int_equal(function(&s, "(no stack)")->self, 1);
    assert_int_equal(function(&s, "(no stack)")->total, 1);
    assert_int_equal(s.threads.apart.v[0].samples + s.threads.apart.v[1].samples, 4);
    stat_free(&s);
}

/* A function that calls itself counts once. */
static void recursion_counts_once(void **state)
{
    struct made m = begin(1);
    struct stat s;
    sample(&m, 1, 10000000, stack(&m, NULL, NULL, "again", 5, "again"));
    EVENT(&m, 1, 40000000, GoStop, gotrace_builder_string(m.b, "x", 1), 0);
    read_all(&s, &m, true);
    assert_int_equal(function(&s, "again (a.c)")->self, 1);
    assert_int_equal(function(&s, "again (a.c)")->total, 1);
    stat_free(&s);
}

/* In the next generation the same numbers, and most likely the same memory, are others' names. */
static void names_of_another_generation_are_others(void **state)
{
    enum { GENERATIONS = 8 };
    struct made m = begin(1);
    struct stat s;
    for (uint64_t gen = 1; gen <= GENERATIONS; gen++) {
        char name[16];
        snprintf(name, sizeof name, "f%02d", (int)gen);
        if (gen > 1) {
            assert_int_equal(gotrace_builder_generation(m.b, gen), 0);
            assert_int_equal(gotrace_builder_sync(m.b, 1000000000, gen * 1000000, 0, 0, 0), 0);
            m.on = 0;
            EVENT(&m, 1, gen * 1000000 + 10, ProcStatus, 1, 1);
            EVENT(&m, 1, gen * 1000000 + 10, GoStatus, 1, 1, 2);
        }
        sample(&m, 1, gen * 1000000 + 100, stack(&m, NULL, NULL, name, 5, "main"));
    }
    read_all(&s, &m, true);
    for (int gen = 1; gen <= GENERATIONS; gen++) {
        char name[24];
        snprintf(name, sizeof name, "f%02d (a.c)", gen);
        assert_int_equal(function(&s, name)->self, 1);
    }
    stat_free(&s);
}

static void the_rate_is_the_usual_one_or_higher(void **state)
{
    static const struct {
        uint64_t gap, wanted;
    } cases[] = {{10101010, 99}, {40000000, 99}, {8000000, 99}, {1000000, 1000}, {1002000, 1000}, {250000, 4000},
                 {5000000, 200}};
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct cpu c = {0};
        struct stat_texts texts;
        stat_texts_init(&texts);
        for (int n = 0; n < 100; n++)
            cpu_sample(&c, &texts, (struct gotrace_stack){0}, !n ? 0 : n % 10 ? cases[i].gap : 100 * cases[i].gap);
        assert_int_equal(cpu_hz(&c, 99), cases[i].wanted);
        cpu_free(&c);
        stat_texts_free(&texts);
    }
    assert_int_equal(cpu_hz(&(struct cpu){0}, 100), 100);
}

/* A tick that comes late ends several periods at once, and each has its sample. */
static void samples_of_one_look_are_no_rate(void **state)
{
    struct cpu c = {0};
    struct stat_texts texts;
    stat_texts_init(&texts);
    for (int n = 0; n < 100; n++)
        cpu_sample(&c, &texts, (struct gotrace_stack){0}, n % 3 ? 1 : 30000000);
    assert_int_equal(cpu_hz(&c, 99), 99);
    cpu_free(&c);
    stat_texts_free(&texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_have_self_and_total),
        cmocka_unit_test(recursion_counts_once),
        cmocka_unit_test(names_of_another_generation_are_others),
        cmocka_unit_test(the_rate_is_the_usual_one_or_higher),
        cmocka_unit_test(samples_of_one_look_are_no_rate),
    };
    return cmocka_run_group_tests_name("CPU samples", tests, NULL, NULL);
}
