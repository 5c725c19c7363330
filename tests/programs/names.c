/* Names that pthread_setname_np gives, by the thread itself, by its creator, early, late and twice; and prctl. */
#include "program.h"

#include <sys/prctl.h>

static atomic_bool go_on;

static NOINLINE void *unnamed(void *self)
{
    introduce(self);
    return NULL;
}

static NOINLINE void *names_itself(void *self)
{
    CHECK(pthread_setname_np(pthread_self(), "by-itself") == 0);
    introduce(self);
    return NULL;
}

static NOINLINE void *is_named(void *self)
{
    introduce(self);
    wait_for(&go_on);
    char name[16];
    CHECK(pthread_getname_np(pthread_self(), name, sizeof name) == 0);
    CHECK(strcmp(name, "by-creator") == 0);
    return NULL;
}

static NOINLINE void *renames_itself(void *self)
{
    CHECK(pthread_setname_np(pthread_self(), "first-name") == 0);
    CHECK(pthread_setname_np(pthread_self(), "second-name") == 0);
    introduce(self);
    return NULL;
}

static NOINLINE void *too_long(void *self)
{
    CHECK(pthread_setname_np(pthread_self(), "sixteen-is-too-long") == ERANGE);
    introduce(self);
    return NULL;
}

static NOINLINE void *by_prctl(void *self)
{
    CHECK(prctl(PR_SET_NAME, "by-prctl-and-too-long", 0, 0, 0) == 0);
    introduce(self);
    return NULL;
}

int main(void)
{
    struct thread t[6];
    CHECK(prctl(PR_SET_NAME, "the-title", 0, 0, 0) == 0); /* main stays main */
    spawn(&t[0], unnamed);
    spawn(&t[1], names_itself);
    spawn(&t[2], is_named);
    CHECK(pthread_setname_np(t[2].id, "by-creator") == 0);
    atomic_store(&go_on, true);
    spawn(&t[3], renames_itself);
    spawn(&t[4], too_long);
    spawn(&t[5], by_prctl);
    for (int i = 0; i < 6; i++)
        join(&t[i]);
    puts("trace: goroutines 7");
    puts("trace: goroutine by-prctl-and-to 1");
    puts("trace: goroutine main 1");
    puts("trace: goroutine unnamed 1");
    puts("trace: goroutine by-itself 1");
    puts("trace: goroutine by-creator 1");
    puts("trace: goroutine second-name 1");
    puts("trace: goroutine too_long 1");
    return 0;
}
