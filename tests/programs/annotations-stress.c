/*
 * annotations-stress [over]: what Go's stress test of annotations does, with threads: tasks that lie before, in, and
 * beyond the recording at either end, and for each of them tasks that fan out to threads, which make tasks of their
 * own. The threads are told nothing: they work for the task of the thread that made them. With an argument a generation
 * ends in each task where Go's test sleeps.
 */
#include <thrace/annotate.h>

#include "program.h"
#include "recording.h"
#include "new-generation.h"

enum { ROUNDS = 2, WIDEST = 6 };

static bool over;

static void perform(uint64_t part_of, int width);

static void *fanned_out(void *arg)
{
    char name[] = "region0";
    int i = (int)(intptr_t)arg;
    name[6] = (char)('0' + i);
    THRACE_REGION(name);
    thrace_logf("log", "fanout %s", name);
    if (i == 2)
        perform(thrace_task_current(), 0);
    return NULL;
}

static void perform(uint64_t part_of, int width)
{
    pthread_t threads[WIDEST];
    uint64_t before = thrace_task_adopt(part_of);
    thrace_log("log", "before do");
    uint64_t task = thrace_task_begin("do");
    thrace_task_adopt(task);
    thrace_log("log2", "do");
    {
        THRACE_REGION("fanout");
        for (int i = 0; i < width; i++)
            CHECK(pthread_create(&threads[i], NULL, fanned_out, (void *)(intptr_t)i) == 0);
    }
    if (over)
        await_new_generation();
    thrace_task_end(task);
    thrace_task_adopt(before);
    for (int i = 0; i < width; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

/* A task is shown with what it is a part of: "<TASK<…", or "" for none. */
static void print_task(const char *of)
{
    const char *at = *of ? of + 1 : "";
    printf(" log%s%s:log=before_do task+do%s log@do%s:log2=do region+fanout@do%s region-fanout@do%s",
           *at ? "@" : "", at, of, of, of, of);
}

static void print_threads(const char *of, int width)
{
    printf("1: tasks do%s %d %d\n", of, ROUNDS, ROUNDS);
    if (width > 2)
        printf("1: tasks do<do%s %d %d\n", of, ROUNDS, ROUNDS);
    for (int i = 0; i < width; i++) {
        char in[64];
        printf("1: annotated fanned_out %d region+region%d@do%s log@do%s:log=fanout_region%d", ROUNDS, i, of, of, i);
        snprintf(in, sizeof in, "<do%s", of);
        if (i == 2) {
            print_task(in);
            printf(" task-do%s", in);
        }
        printf(" region-region%d@do%s\n", i, of);
    }
}

int main(int argc, char **argv)
{
    (void)argv;
    over = argc > 1;
    uint64_t parent = thrace_task_begin("parent");
    uint64_t before = thrace_task_begin_in(parent, "type1");
    CHECK(start_recording() == 0);
    thrace_task_end(before);
    uint64_t beyond = thrace_task_begin_in(parent, "type2");
    uint64_t within = thrace_task_begin("type3");
    const struct {
        uint64_t task;
        int width;
        const char *of;
    } all[] = {{0, 4, ""}, {parent, 2, "<#1"}, {before, 3, "<#2"}, {beyond, 6, "<type2<#1"}, {within, 5, "<type3"}};
    enum { ALL = sizeof all / sizeof all[0] };
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < ALL; i++)
            perform(all[i].task, all[i].width);
    thrace_task_end(within);
    CHECK(thrace_stop() == 0);
    thrace_task_end(beyond);
    thrace_task_end(parent);

    int threads = 0;
    puts("1: task 3 type2<#1\n1: task 4 type3");
    puts("1: tasks type2<#1 1 0\n1: tasks type3 1 1\n1: tasks #1 0 0\n1: tasks #2 0 1");
    printf("1: annotated main 1 task-#2 task+type2<#1 task+type3");
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < ALL; i++) {
            print_task(all[i].of);
            printf(" task-do%s", all[i].of);
            threads += all[i].width;
        }
    printf(" task-type3\n1: goroutine fanned_out %d\n", threads);
    for (int i = 0; i < ALL; i++)
        print_threads(all[i].of, all[i].width);
    if (over)
        puts("1: across task do");
    return 0;
}
