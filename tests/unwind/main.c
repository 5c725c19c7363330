/*
 * Differential test of lib/unwind: each subject's stacks are taken at its visits and, once more, between its
 * instructions, and compared with libunwind's. One test case a subject and way.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unwind/oracle.h"
#include "tests/unwind/steps.h"
#include "tests/unwind/subjects.h"

void (*visit)(void);

/*
 * Some subjects may have stacks that are stopped early: those on a stack of unknown bounds, those with code that says
 * nothing about itself, and those with frames that hang on a register that a capture from the caller does not know. In
 * all others a stop is a failure, but for a share between instructions: the code that switches contexts and that
 * enters exception handlers has a few where no CFI can be right.
 */
static const struct subject {
    const char *name;
    void (*run)(void);
    bool may_stop;
    unsigned every; /* instruction compared */
} subjects[] = {
    {"recursion", subject_recursion, false, 7},
    {"very deep recursion", subject_very_deep, false, 97},
    {"tail calls", subject_tail_calls, false, 1},
    {"inlining", subject_inlining, false, 1},
    {"alloca", subject_alloca, false, 3},
    {"realigned stack", subject_realigned_stack, false, 3},
    {"large frames", subject_large_frames, false, 1},
    {"callbacks from libc", subject_libc_callbacks, false, 5},
    {"longjmp", subject_longjmp, false, 1},
    {"the same slots below different callers", subject_same_slots, false, 31},
    {"coroutines", subject_coroutines, false, 3},
    {"coroutines of unknown bounds", subject_coroutines_of_unknown_bounds, true, 3},
    {"C++ exceptions", subject_exceptions, false, 29},
    {"assembly", subject_assembly, true, 1},
    {"assembly without CFI", subject_assembly_without_cfi, true, 1},
    {"signal handlers", subject_handlers, false, 0},
    {"signal handlers on a stack of their own", subject_handlers_on_their_own_stack, false, 0},
    {"threads", subject_threads, false, 0},
    {"system calls and the vdso", subject_system_calls, false, 1},
};

enum { SUBJECTS = sizeof subjects / sizeof subjects[0], REPEAT = 3 };
enum { STEPS = 2000, PER_STOP = 20, DISTURBANCES = 40000, WANTED = 20000 };

static unsigned cases, failures;
static struct oracle_counts total;

static void nothing(void) {}

static void sum_up(void)
{
    unsigned long *to = (unsigned long *)&total, *from = (unsigned long *)&oracle_counts;
    for (size_t i = 0; i < sizeof total / sizeof *to; i++)
        to[i] += from[i];
    memset(&oracle_counts, 0, sizeof oracle_counts);
}

static void verdict(const struct subject *s, const char *way, unsigned long stops_allowed)
{
    struct oracle_counts c = oracle_counts;
    bool stops_ok = s->may_stop || c.stopped + c.guessed <= stops_allowed;
    bool ok = c.stacks > 0 && c.wrong == 0 && stops_ok;
    failures += !ok;
    printf("%sok %u - %s, %s: %lu stacks of %.1f frames, %lu stopped, %lu guessed, %lu truncated, %lu where libunwind "
           "gave up, %lu where it was wrong, %lu wrong\n",
           ok ? "" : "not ", ++cases, s->name, way, c.stacks, c.stacks ? (double)c.frames / (double)c.stacks : 0,
           c.stopped, c.guessed, c.truncated, c.oracle_short, c.oracle_wrong, c.wrong);
    sum_up();
}

static void at_visits(const struct subject *s)
{
    visit = oracle_here;
    for (int i = 0; i < REPEAT; i++)
        s->run();
    verdict(s, "visited", 0);
}

static void between_instructions(const struct subject *s)
{
    visit = nothing;
    s->run();
    steps_begin(oracle_context, s->every, STEPS);
    s->run();
    steps_end();
    verdict(s, "stepped", oracle_counts.stacks / PER_STOP);
}

static void captures_are_interrupted(void)
{
    visit = oracle_disturbed;
    subject_inlining();
    steps_begin(oracle_disturb, 1, DISTURBANCES);
    for (int i = 0; i < REPEAT; i++)
        subject_inlining();
    steps_end();
    verdict(&(struct subject){.name = "captures"}, "interrupted by captures", 0);
}

/* A harness that cannot fail proves nothing. */
static void lies_are_noticed(void)
{
    oracle_lie = true;
    visit = oracle_here;
    subject_inlining();
    oracle_lie = false;
    bool ok = oracle_counts.wrong > 0;
    failures += !ok;
    printf("%sok %u - a frame left out is noticed\n", ok ? "" : "not ", ++cases);
    memset(&oracle_counts, 0, sizeof oracle_counts);
}

int main(void)
{
    oracle_init();
    oracle_thread();
    for (int i = 0; i < SUBJECTS; i++)
        at_visits(&subjects[i]);
    /* The quick form does not step through those with most instructions, of which few are compared. */
    unsigned most = getenv("THRACE_QUICK") ? 30 : ~0u;
    for (int i = 0; i < SUBJECTS && steps_available(); i++)
        if (subjects[i].every && subjects[i].every < most)
            between_instructions(&subjects[i]);
    if (steps_available())
        captures_are_interrupted();
    lies_are_noticed();
    bool enough = total.stacks >= WANTED || !steps_available();
    failures += !enough;
    printf("%sok %u - %lu stacks, %lu frames; stopped early %.4f%%, guessed %.4f%%\n", enough ? "" : "not ", ++cases,
           total.stacks, total.frames, 100.0 * (double)total.stopped / (double)total.stacks,
           100.0 * (double)total.guessed / (double)total.stacks);
    printf("1..%u\n", cases);
    return failures != 0;
}
