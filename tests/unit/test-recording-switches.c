/* Who had a processor when a recording began in mid-run, by what the kernel noted first of each thread. */
#include "config.h"

#include "tests/unit/unit.h"

#include <stdlib.h>

#include "cmd/finish/recording_switches.h"

enum { FIRST = 1000, LOOKED = 2000 };

#define SWITCH(kind_, cpu_, thread_, time_) {.time = time_, .thread = thread_, .cpu = cpu_, .kind = SWITCH_##kind_}

static const char *const names[] = {[SWITCH_IN] = "in", [SWITCH_PREEMPTED] = "preempted", [SWITCH_BLOCKS] = "blocks"};

/* What is added, as "THREAD KIND TIME, …"; asleep: that thread, when it was looked. */
static void check(const struct thread_switch *noted, size_t n, uint32_t asleep, const char *wanted)
{
    struct recording r = {.first_time = FIRST, .asleep_ticks = LOOKED};
    char text[256] = "";
    size_t len = 0;
    trace_time_init(&r.time, 1000000000);
    for (size_t i = 0; i < n; i++) {
        assert_true(VEC_ROOM(&r.switches));
        r.switches.v[r.switches.n++] = noted[i];
    }
    assert_true(VEC_ROOM(&r.asleep));
    r.asleep.v[r.asleep.n++] = asleep;
    assert_true(recording_add_begin(&r));
    for (size_t i = 0; i < r.switches.n; i++) {
        const struct thread_switch *s = &r.switches.v[i];
        assert_true(!i || s[-1].time <= s->time);
        if (s->at_begin && len < sizeof text)
            len += (size_t)snprintf(text + len, sizeof text - len, "%s%u %s %lld", len ? ", " : "", (unsigned)s->thread,
                                    names[s->kind], (long long)s->time);
    }
    assert_string_equal(text, wanted);
    VEC_FREE(&r.switches);
    VEC_FREE(&r.asleep);
}

#define ADDS(wanted, asleep, ...)                                                                                      \
    check((const struct thread_switch[]){__VA_ARGS__}, sizeof(struct thread_switch[]){__VA_ARGS__} / \
          sizeof(struct thread_switch), asleep, wanted)

static void who_gets_one_had_none(void **state)
{
    ADDS("1 preempted 1000, 1 preempted 2000", 0, SWITCH(IN, 0, 1, 3000));
    ADDS("1 blocks 1000, 1 blocks 2000", 1, SWITCH(IN, 0, 1, 3000));
    ADDS("1 preempted 1000", 1, SWITCH(IN, 0, 1, 1500));
}

static void who_loses_one_had_it_since_another_left(void **state)
{
    ADDS("", 0, SWITCH(PREEMPTED, 0, 1, 3000));
    ADDS("2 preempted 1000, 2 in 1500", 0, SWITCH(PREEMPTED, 0, 1, 1500), SWITCH(PREEMPTED, 0, 2, 1800));
    ADDS("2 preempted 1000, 2 in 1500", 0, SWITCH(PREEMPTED, 0, 1, 1500), SWITCH(BLOCKS, 0, 2, 3000));
    ADDS("", 0, SWITCH(PREEMPTED, 0, 1, 1500), SWITCH(PREEMPTED, 1, 2, 1800));
    ADDS("3 preempted 1000, 3 in 1700", 0, SWITCH(PREEMPTED, 4, 1, 1500), SWITCH(IN, 4, 1, 1600),
         SWITCH(BLOCKS, 4, 1, 1700), SWITCH(PREEMPTED, 4, 3, 1800));
}

static void what_was_noted_before_is_so_at_the_beginning(void **state)
{
    ADDS("1 preempted 1000", 0, SWITCH(PREEMPTED, 0, 1, 500), SWITCH(IN, 0, 1, 3000));
    ADDS("", 0, SWITCH(PREEMPTED, 0, 1, 500), SWITCH(IN, 0, 1, 600), SWITCH(PREEMPTED, 0, 1, 3000));
    ADDS("1 preempted 1000", 0, SWITCH(PREEMPTED, 0, 1, 500), SWITCH(PREEMPTED, 0, 2, 1500));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_gets_one_had_none),
        cmocka_unit_test(who_loses_one_had_it_since_another_left),
        cmocka_unit_test(what_was_noted_before_is_so_at_the_beginning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
