/* The event table agrees with itself and, where it is at hand, with the format's own description. */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/wire/events.h"

static void ids_and_names_belong_together(void **state)
{
    assert_null(event_table[EV_None].name);
    assert_string_equal(event_table[1].name, "EventBatch");
    assert_string_equal(event_table[20].name, "GoBlock");
    assert_string_equal(event_table[EV_GoUnblock].name, "GoUnblock");
    for (int i = 0; i < 256; i++)
        for (int j = 0; j < i && event_table[i].name; j++)
            assert_true(!event_table[j].name || strcmp(event_table[i].name, event_table[j].name));
}

static void an_event_has_the_arguments_it_says(void **state)
{
    for (int id = 0; id < 256; id++) {
        const struct event_info *e = &event_table[id];
        if (!e->name) {
            assert_int_equal(e->cls, EVENT_NONE);
            assert_int_equal(e->nargs, 0);
            continue;
        }
        assert_true(e->since >= 22);
        assert_in_range(e->nargs, 0, EVENT_MAX_ARGS);
        for (int i = 0; i < e->nargs; i++)
            assert_true(e->args[i] && *e->args[i]);
        assert_int_equal((e->strings | e->stacks) >> e->nargs, 0);
        assert_int_equal(e->strings & e->stacks, 0);
        if (e->cls == EVENT_TIMED)
            assert_string_equal(e->args[0], "dt");
        assert_true(!e->pair || event_table[e->pair].name);
    }
}

static void what_the_model_writes_is_of_the_first_version(void **state)
{
    static const uint8_t written[] = {EV_ProcsChange, EV_ProcStart, EV_ProcStop, EV_ProcStatus, EV_GoCreate,
                                      EV_GoCreateSyscall, EV_GoStart, EV_GoDestroy, EV_GoStop, EV_GoBlock,
                                      EV_GoUnblock, EV_GoStatus, EV_GoSyscallEndBlocked};
    for (size_t i = 0; i < ARRAY_SIZE(written); i++) {
        assert_int_equal(event_table[written[i]].since, 22);
        assert_int_equal(event_table[written[i]].cls, EVENT_TIMED);
    }
    assert_int_equal(event_table[EV_GoBlock].strings, 1 << 1);
    assert_int_equal(event_table[EV_GoBlock].stacks, 1 << 2);
    assert_int_equal(event_table[EV_GoCreate].stacks, 1 << 2 | 1 << 3);
    assert_int_equal(event_table[EV_GoUnblock].nargs, 4);
}

static int count(const char *list)
{
    int n = *list && strcmp(list, "-") ? 1 : 0;
    for (const char *p = list; *p && n; p++)
        n += *p == ' ' || *p == ',';
    return n;
}

/* wire id, name, since, class, arguments, … one event a line */
static void the_formats_own_table_says_the_same(void **state)
{
    const char *shared = getenv("THRACE_SHARED"), *top = getenv("top_srcdir");
    char path[4096], line[1024];
    if (shared)
        snprintf(path, sizeof path, "%s/format/events-v2.tsv", shared);
    else
        snprintf(path, sizeof path, "%s/../shared/format/events-v2.tsv", top ? top : ".");
    FILE *f = fopen(path, "r");
    if (!f)
        SKIP("the table of the format is not here");
    int n = 0, known = 0;
    while (fgets(line, sizeof line, f)) {
        char *field[16] = {NULL};
        int nfields = 0;
        line[strcspn(line, "\r\n")] = 0;
        for (char *p = line; p && nfields < 16; nfields++)
            field[nfields] = strsep(&p, "\t");
        char *end;
        unsigned long id = nfields >= 5 ? strtoul(field[0], &end, 10) : 0;
        if (nfields < 5 || *end || end == field[0])
            continue;
        assert_in_range(id, 1, 255);
        const struct event_info *e = &event_table[id];
        assert_non_null(e->name);
        assert_string_equal(e->name, field[1]);
        const char *dot = strchr(field[2], '.');
        assert_int_equal(e->since, atoi(dot ? dot + 1 : field[2]));
        assert_int_equal(e->nargs, count(field[4]));
        n++;
    }
    fclose(f);
    for (int id = 0; id < 256; id++)
        known += event_table[id].name != NULL;
    assert_int_equal(n, known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_and_names_belong_together),
        cmocka_unit_test(an_event_has_the_arguments_it_says),
        cmocka_unit_test(what_the_model_writes_is_of_the_first_version),
        cmocka_unit_test(the_formats_own_table_says_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
