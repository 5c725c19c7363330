/* annotated-sessions: annotations that begin before a recording, end after it, or are made by a child. */
#include <thrace/annotate.h>
#include <thrace/session.h>

#include "program.h"

#include <sys/wait.h>

int main(void)
{
    int status;
    uint64_t before = thrace_task_begin("before");
    thrace_task_adopt(before);
    thrace_region_begin("outer");
    CHECK(thrace_start() == 0);
    {
        THRACE_REGION("inner");
        thrace_log("says", "something");
    }
    thrace_task_adopt(0);
    thrace_region_end();
    thrace_task_end(before);
    uint64_t after = thrace_task_begin("after");
    thrace_region_begin("open");
    thrace_region_begin("opener");
    CHECK(thrace_stop() == 0);
    CHECK(!thrace_enabled());
    thrace_region_end();
    CHECK(thrace_start() == 0);
    pid_t child = vfork();
    if (child == 0) {
        thrace_region_begin("in a child");
        thrace_task_adopt(4711);
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    child = fork();
    if (child == 0) {
        thrace_region_begin("in a child");
        thrace_region_end();
        thrace_region_end();
        exit(0);
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    CHECK(thrace_task_current() == 0);
    thrace_region_begin("later");
    thrace_region_end();
    thrace_region_end();
    thrace_task_end(after);
    CHECK(thrace_stop() == 0);
    puts("1: annotations main region+inner@? log@?:says=something region-inner@? region-outer@? task-? "
         "task+after region+open region+opener");
    puts("2: annotations main region+later region-later region-open task-?");
    return 0;
}
