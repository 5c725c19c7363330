/*
 * annotated: threads that say what they do. Which annotations each makes, and for which task, is printed in the order
 * in which they come; a string that is long or odd is printed as the trace has it.
 */
#include <thrace/annotate.h>

#include "program.h"

#include <signal.h>

static uint64_t request;

static NOINLINE void parse(void)
{
    THRACE_REGION("parse");
    thrace_logf("size", "%d bytes", 12);
    {
        THRACE_REGION("headers");
        thrace_count("headers", -3);
    }
    NO_TAIL_CALL();
}

/* Made by a thread that works for a task, and so does it. */
static void *helper(void *self)
{
    introduce(self);
    CHECK(thrace_task_current() == request);
    thrace_region_begin("helps");
    thrace_task_adopt(0);
    thrace_log("free", "");
    thrace_region_end(); /* it belongs to the task that it began for */
    return NULL;
}

static void *server(void *self)
{
    static struct thread child;
    introduce(self);
    thrace_label("serves");
    request = thrace_task_begin("request");
    CHECK(thrace_task_adopt(request) == 0);
    CHECK(thrace_task_adopt(request) == request); /* again, which is nothing new */
    uint64_t part = thrace_task_begin("part");
    parse();
    spawn(&child, helper);
    join(&child);
    CHECK(thrace_task_adopt(part) == request);
    parse();
    thrace_task_end(part);
    CHECK(thrace_task_adopt(0) == part);
    thrace_task_end(request);
    return NULL;
}

/* What makes no sense leaves a trace that does. */
static void *misuser(void *self)
{
    introduce(self);
    thrace_region_end();
    thrace_task_end(0);
    uint64_t twice = thrace_task_begin_in(123456789, "twice");
    thrace_task_end(twice);
    thrace_task_end(twice);
    thrace_task_end(987654321);
    thrace_region_begin("left");
    return NULL;
}

static void *deep(void *self)
{
    introduce(self);
    for (int i = 0; i < 40; i++)
        thrace_region_begin("deep");
    for (int i = 0; i < 40; i++)
        thrace_region_end();
    thrace_region_begin("again");
    thrace_region_end();
    return NULL;
}

static void *words(void *self)
{
    introduce(self);
    static char longest[100001], cut[1026];
    memset(longest, 'x', sizeof longest - 1);
    thrace_log("100000", longest);
    memset(cut, 'y', 1024);
    thrace_log("1024", cut);
    memcpy(cut + 1022, "\xe2\x82\xac", 3); /* a character that does not fit */
    thrace_log("1025", cut);
    thrace_log(NULL, NULL);
    thrace_log("", "\xff\xfe");
    thrace_region_begin(NULL);
    thrace_region_end();
    return NULL;
}

static void handler(int sig)
{
    (void)sig;
    THRACE_REGION("handles");
    thrace_log("signal", "caught");
}

static void *signalled(void *self)
{
    introduce(self);
    thrace_region_begin("outer");
    errno = 77;
    raise(SIGUSR1);
    CHECK(errno == 77);
    thrace_region_end();
    return NULL;
}

static void print_run(char c, int n)
{
    while (n--)
        putchar(c);
}

int main(void)
{
    static void *(*const all[])(void *) = {server, misuser, deep, words, signalled};
    static struct thread threads[5];
    CHECK(signal(SIGUSR1, handler) != SIG_ERR);
    for (int i = 0; i < 5; i++) {
        spawn(&threads[i], all[i]);
        join(&threads[i]);
    }
    puts("trace: annotations server label:serves task+request task+part+request "
         "region+parse@request log@request:size=12_bytes region+headers@request log@request:headers=-3 "
         "region-headers@request region-parse@request "
         "region+parse@part log@part:size=12_bytes region+headers@part log@part:headers=-3 region-headers@part "
         "region-parse@part task-part task-request");
    puts("trace: annotations helper region+helps@request log:free= region-helps@request");
    puts("trace: adoptions server adopted@request adopted@part left@part");
    puts("trace: adoptions helper left@request");
    puts("trace: annotations misuser task+twice+? task-twice task-twice task-? region+left");
    printf("trace: annotations deep");
    for (int i = 0; i < 32; i++)
        printf(" region+deep");
    for (int i = 0; i < 32; i++)
        printf(" region-deep");
    printf(" region+again region-again\ntrace: annotations words log:100000=");
    print_run('x', 1024);
    printf(" log:1024=");
    print_run('y', 1024);
    printf(" log:1025=");
    print_run('y', 1022);
    puts(" log:= log:=\\xff\\xfe region+ region-");
    puts("trace: annotations signalled region+outer region+handles log:signal=caught region-handles region-outer");
    return 0;
}
