/*
 * annotated-ways: regions that the recorder can write the usual way, and those that each lead out of it: a new name, a
 * new stack, a deep one, a full chunk, another generation, an end that is due. Two recordings of the same, so that the
 * second finds all that the first left behind. Types and stacks are printed as well: "stacks: TYPE LEAF FRAMES", the
 * frames being those of the leaf's name.
 */
#include <thrace/annotate.h>

#include "program.h"
#include "new-generation.h"
#include "recording.h"

enum {
    SESSIONS = 2,
    NAMES = 300,  /* numbers of more than one byte */
    TASKS = 130,  /* likewise */
    FILLS = 2000, /* pairs, which several chunks hold */
    DEPTH = 60,
};

static bool generations;
static int session;

#define EXPECT(...) (printf("%d: ", session), printf(__VA_ARGS__), putchar('\n'))

/* Twice, or more, from one place: the first time the stack is new. */
static NOINLINE void shallow(const char *name, int times)
{
    while (times--) {
        thrace_region_begin(name);
        thrace_region_end();
    }
    NO_TAIL_CALL();
}

static NOINLINE void deep(const char *name, int frames)
{
    if (frames > 1) {
        deep(name, frames - 1);
    } else {
        for (int i = 0; i < 3; i++) {
            thrace_region_begin(name);
            thrace_region_end();
        }
    }
    NO_TAIL_CALL();
}

static NOINLINE void elsewhere(const char *name)
{
    thrace_region_begin(name);
    shallow("shallow", 1);
    thrace_region_end();
    NO_TAIL_CALL();
}

static void *stacks(void *self)
{
    introduce(self);
    shallow("shallow", 3);
    deep("deep", DEPTH);
    deep("two", 2);
    elsewhere("elsewhere");
    elsewhere("elsewhere");
    return NULL;
}

static void *names(void *self)
{
    static char name[NAMES][8];
    introduce(self);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < NAMES; i++) {
            snprintf(name[i], sizeof name[i], "n%d", i);
            shallow(name[i], 1);
        }
    return NULL;
}

static void *odd_names(void *self)
{
    static char longest[100001], fits[1025], cut[1026];
    introduce(self);
    memset(longest, 'x', sizeof longest - 1);
    memset(fits, 'y', 1024);
    memset(cut, 'z', 1025);
    const char *const all[] = {NULL, "", fits, cut, longest, "\xff\xfe"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        shallow(all[i], 3);
    return NULL;
}

static void *fills(void *self)
{
    introduce(self);
    shallow("f", FILLS);
    return NULL;
}

static void *works(void *self)
{
    introduce(self);
    for (int i = 0; i < TASKS; i++) {
        uint64_t task = thrace_task_begin("t");
        uint64_t before = thrace_task_adopt(task);
        thrace_region_begin("w");
        thrace_task_adopt(before);
        shallow("free", 1);
        thrace_region_end();
        thrace_task_end(task);
    }
    return NULL;
}

static void *none_open(void *self)
{
    introduce(self);
    for (int i = 0; i < 3; i++) {
        thrace_region_end();
        shallow("alone", 1);
        thrace_region_end();
    }
    return NULL;
}

static void *ends(void *self)
{
    introduce(self);
    for (int i = 0; i < 3; i++)
        thrace_region_end(); /* its maker's is none of its own */
    return NULL;
}

static void *begins(void *self)
{
    struct thread other;
    introduce(self);
    shallow("before", 2);
    thrace_region_begin("mine");
    spawn(&other, ends);
    join(&other);
    shallow("within", 2);
    thrace_region_end();
    return NULL;
}

/* As deep as is kept, and deeper: those are counted only. */
static void *nests(void *self)
{
    introduce(self);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 34; i++)
            thrace_region_begin("n");
        for (int i = 0; i < 34; i++)
            thrace_region_end();
    }
    return NULL;
}

static void *goes_on(void *self)
{
    introduce(self);
    for (int i = 0; i < 3; i++) {
        thrace_region_begin("over");
        shallow("in", 2);
        if (generations)
            await_new_generation();
        shallow("in", 2);
        thrace_region_end();
    }
    return NULL;
}

static void expect_times(int times, const char *what)
{
    while (times--)
        printf(" %s", what);
}

static void expect_name(int times, int letters, char letter)
{
    while (times--)
        for (const char *sign = "+-"; *sign; sign++) {
            printf(" region%c", *sign);
            for (int i = 0; i < letters; i++)
                putchar(letter);
        }
}

static void expect_threads(void)
{
    printf("%d: annotations stacks", session);
    expect_times(3, "region+shallow region-shallow");
    expect_times(3, "region+deep region-deep");
    expect_times(3, "region+two region-two");
    expect_times(2, "region+elsewhere region+shallow region-shallow region-elsewhere");
    printf("\n%d: annotations names", session);
    for (int i = 0; i < 2 * NAMES; i++)
        printf(" region+n%d region-n%d", i % NAMES, i % NAMES);
    printf("\n%d: annotations odd_names", session);
    expect_times(6, "region+ region-");
    expect_name(3, 1024, 'y');
    expect_name(3, 1024, 'z');
    expect_name(3, 1024, 'x');
    expect_times(3, "region+\\xff\\xfe region-\\xff\\xfe");
    printf("\n%d: annotations fills", session);
    expect_times(FILLS, "region+f region-f");
    printf("\n%d: annotations works", session);
    expect_times(TASKS, "task+t region+w@t region+free region-free region-w@t task-t");
    printf("\n%d: annotations none_open", session);
    expect_times(3, "region+alone region-alone");
    printf("\n%d: annotations ends\n%d: annotations begins", session, session);
    expect_times(2, "region+before region-before");
    printf(" region+mine");
    expect_times(2, "region+within region-within");
    printf(" region-mine\n%d: annotations nests", session);
    for (int round = 0; round < 2; round++) {
        expect_times(32, "region+n");
        expect_times(32, "region-n");
    }
    printf("\n%d: annotations goes_on", session);
    for (int i = 0; i < 3; i++) {
        printf(" region+over");
        expect_times(4, "region+in region-in");
        printf(" region-over");
    }
    putchar('\n');
}

/* The outer region is never of one recording alone. */
static NOINLINE void record(void)
{
    static void *(*const all[])(void *) = {stacks, names, odd_names, fills, works, none_open, begins, nests, goes_on};
    struct thread t;
    thrace_region_begin("earlier");
    CHECK(start_recording() == 0);
    session++;
    shallow("first", 2);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        spawn(&t, all[i]);
        join(&t);
    }
    thrace_region_end();
    thrace_region_begin("later");
    shallow("last", 2);
    CHECK(thrace_stop() == 0);
    thrace_region_end();
    EXPECT("annotations main region+first region-first region+first region-first region-earlier region+later "
           "region+last region-last region+last region-last");
    expect_threads();
    if (generations)
        EXPECT("across region over");
    NO_TAIL_CALL();
}

int main(int argc, char **argv)
{
    (void)argv;
    generations = argc > 1;
    while (session < SESSIONS)
        record();
    printf("stacks: deep deep %d\nstacks: elsewhere elsewhere 1\nstacks: n0 shallow 1\nstacks: shallow shallow 1\n"
           "stacks: two deep 2\nstacks: w works 1\n",
           DEPTH);
    return 0;
}
