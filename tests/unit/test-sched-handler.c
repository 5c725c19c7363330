/*
 * A handler interrupts a transition, at every instruction, and returns: it makes no transition while one is open, and a
 * whole one before and after.
 */
#include <signal.h>
#include <ucontext.h>

#include "tests/unit/transitions.h"

static struct fixture *stepped;

static struct handler {
    size_t at; /* so many instructions to go at which nothing is open */
    size_t refused, made;
    size_t events; /* bytes of text that were there when it returned */
} handler;

/* What the thread can do next, whatever its state. */
static bool do_something(struct fixture *f)
{
    switch (sched_current(&f->t)->status) {
    case GO_NOT_EXIST:
        return sched_introduce(f->s, &f->t, 9);
    case GO_RUNNABLE:
        return sched_start(f->s, &f->t, 9);
    default:
        return scene_go_on(f);
    }
}

static void handler_does_something(void)
{
    bool done = sched_current(&stepped->t)->status != GO_DEAD && do_something(stepped);
    handler.refused += !done;
    handler.made += done;
}

static void on_step_to_handle(int sig, siginfo_t *info, void *context)
{
    if (stepped->t.open) {
        handler_does_something();
    } else if (handler.at && !--handler.at) {
#if CAN_STEP
        ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~0x100;
#endif
        handler_does_something();
        handler.events = strlen(scene_file(&stepped->t));
    }
}

/*
 * A handler at every instruction while the transition is open, and, from at 1 on, one more at one where it is not.
 * False when there are not so many of these.
 */
static bool handled_at(size_t i, size_t at)
{
    struct fixture f;
    scene_make(&f, transitions[i].from);
    stepped = &f;
    handler = (struct handler){.at = at};
    step_on();
    bool done = transitions[i].run(&f);
    step_off();
    const char *name = transitions[i].name, *written = scene_file(&f.t);
    if (at ? handler.made > 1 || (!done && strlen(written) != handler.events)
           : !done || handler.made || handler.refused < 30 || strcmp(written, transitions[i].writes))
        fail_msg("%s, interrupted at %zu: done %d, the handler's %zu times, wrote \"%s\"", name, at, done, handler.made,
                 written);
    assert_int_equal(f.t.open, 0);
    assert_ptr_equal(f.t.chunk->data + f.t.chunk->used, sched_current(&f.t)->pos);
    assert_int_equal(scene_check_procs(&f, name, (long)at), 0);
    assert_true(scene_go_on(&f));
    assert_int_equal(scene_check_procs(&f, name, (long)at), 0);
    scene_discard(&f);
    return !handler.at;
}

static void a_handler_waits_its_turn(void **state)
{
    if (!CAN_STEP)
        SKIP("optional: cannot step through instructions here");
    struct sigaction sa = {.sa_sigaction = on_step_to_handle, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &sa, NULL);
    for (size_t i = 0; i < ntransitions; i++)
        for (size_t at = 0; handled_at(i, at); at++)
            ;
    signal(SIGTRAP, SIG_DFL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handler_waits_its_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
