/*
 * annotated-steps interrupts | tears [EVERY]: a region's begin and end, which the recorder writes the usual way, with a
 * handler after every instruction. It makes regions of its own and returns; or it leaves, once at each instruction (or
 * each so many), by siglongjmp. Then the thread ends what it may have begun, and begins and ends "mark".
 */
#include <thrace/annotate.h>

#include "program.h"
#include "tests/unwind/steps.h"

#include <setjmp.h>
#include <signal.h>

static sigjmp_buf back;
static unsigned long to_go;

static NOINLINE void outer(void)
{
    thrace_region_begin("outer");
    thrace_region_end();
    NO_TAIL_CALL();
}

/* A handler of the program's could not come here. */
static bool blocked(const ucontext_t *at) { return sigismember(&at->uc_sigmask, SIGUSR1); }

/* Twice, so that it finds its stack. */
static void handle(const ucontext_t *at)
{
    if (blocked(at))
        return;
    for (int i = 0; i < 2; i++) {
        thrace_region_begin("handler's");
        thrace_region_end();
    }
}

static void leave(const ucontext_t *at)
{
    if (!blocked(at) && !--to_go)
        siglongjmp(back, 1);
}

/* False: there are not so many instructions. */
static bool tear(unsigned long at)
{
    to_go = at;
    bool torn = sigsetjmp(back, 1) != 0;
    if (!torn) {
        steps_begin(leave, 1, ~0ul);
        outer();
    }
    steps_end();
    return torn;
}

int main(int argc, char **argv)
{
    CHECK(argc == 2 || argc == 3);
    if (!steps_available()) {
        puts("no steps");
        return 0;
    }
    for (int i = 0; i < 3; i++)
        outer();
    if (!strcmp(argv[1], "interrupts")) {
        steps_begin(handle, 1, ~0ul);
        outer();
        steps_end();
        return 0;
    }
    unsigned long every = argc == 3 ? strtoul(argv[2], NULL, 10) : 1;
    for (unsigned long at = 1; tear(at); at += every) {
        thrace_region_end();
        thrace_region_begin("mark");
        thrace_region_end();
    }
    return 0;
}
