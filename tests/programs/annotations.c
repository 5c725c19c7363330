/*
 * annotations [over]: what Go's own test of annotations does, with threads: a region that began before the recording, a
 * task whose regions and whose end are another thread's, and a region that ends after the recording. With an argument
 * a generation ends in the innermost region.
 */
#include <thrace/annotate.h>

#include "program.h"
#include "recording.h"
#include "new-generation.h"

static uint64_t task;
static bool over;

static NOINLINE void region_1(void)
{
    THRACE_REGION("region1");
    if (over)
        await_new_generation();
    thrace_log("key0", "0123456789abcdef");
}

static void *works(void *self)
{
    introduce(self);
    thrace_task_adopt(task);
    {
        THRACE_REGION("region0");
        region_1();
    }
    thrace_task_end(task);
    return NULL;
}

int main(int argc, char **argv)
{
    struct thread t;
    (void)argv;
    over = argc > 1;
    thrace_region_begin("pre-existing region");
    CHECK(start_recording() == 0);
    task = thrace_task_begin("task0");
    spawn(&t, works);
    join(&t);
    thrace_region_end();
    thrace_region_begin("post-existing region");
    CHECK(thrace_stop() == 0);
    thrace_region_end();

    puts("1: task 1 task0\n1: tasks task0 1 1");
    puts("1: annotated works 1 region+region0@task0 region+region1@task0 log@task0:key0=0123456789abcdef "
         "region-region1@task0 region-region0@task0 task-task0");
    puts("1: annotated main 1 task+task0 region-pre-existing_region region+post-existing_region");
    if (over)
        puts("1: across task task0\n1: across region region0\n1: across region region1");
    return 0;
}
