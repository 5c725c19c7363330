/* Schedules of coroutines (explore.h). */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/unit/explore.h"
#include "tests/unit/random.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define forget_frames(stack) __asan_unpoison_memory_region(stack, STACK)
#else
#define forget_frames(stack) (void)(stack)
#endif

enum { STACK = 64 << 10, ROOM = 8, MOST_STEPS = 100000, USUAL = 100000, QUICK = 10000 };

/* Saves the registers that a call keeps on the stack, *from, and goes on with the stack `to`. */
void explore_switch(void **from, void *to);
#if defined(__x86_64__)
enum { SAVED = 6 };
__asm__(".text\n"
        ".globl explore_switch\n"
        ".type explore_switch, @function\n"
        "explore_switch:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    movq %rsp, (%rdi)\n    movq %rsi, %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n"
        ".size explore_switch, .-explore_switch\n");
#elif defined(__aarch64__)
enum { SAVED = 20 };
__asm__(".text\n"
        ".globl explore_switch\n"
        ".type explore_switch, %function\n"
        "explore_switch:\n"
        "    stp x29, x30, [sp, #-160]!\n    stp x19, x20, [sp, #16]\n    stp x21, x22, [sp, #32]\n"
        "    stp x23, x24, [sp, #48]\n    stp x25, x26, [sp, #64]\n    stp x27, x28, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n    str x9, [x0]\n    mov sp, x1\n"
        "    ldp x19, x20, [sp, #16]\n    ldp x21, x22, [sp, #32]\n    ldp x23, x24, [sp, #48]\n"
        "    ldp x25, x26, [sp, #64]\n    ldp x27, x28, [sp, #80]\n    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n    ldp d12, d13, [sp, #128]\n    ldp d14, d15, [sp, #144]\n"
        "    ldp x29, x30, [sp], #160\n"
        "    ret\n"
        ".size explore_switch, .-explore_switch\n");
#endif

struct late_store {
    void *place;
    uint64_t value;
    size_t size;
    bool release;
};

static struct coroutine {
    uint8_t *stack;
    void *sp;
    bool done, torn;
    bool waits; /* until stores differs from: */
    uint64_t stores;
    struct late_store late[ROOM];
    unsigned nlate;
} threads[EXPLORE_THREADS];

static const struct exploration *exploring;
static void *main_sp;
static unsigned current;
static uint64_t stores; /* that others can see */
static bool tear_left;
static unsigned long steps;

static struct random chance;
static uint32_t rarely;
static bool is_running; /* else it has ended, and end looks at it */
static char failure[256];

/* --- late stores -------------------------------------------------------------------------------------------------- */

static void carry_out(struct coroutine *c, unsigned i)
{
    memcpy(c->late[i].place, &c->late[i].value, c->late[i].size);
    memmove(&c->late[i], &c->late[i + 1], (--c->nlate - i) * sizeof *c->late);
    stores++;
}

static void carry_out_all(struct coroutine *c)
{
    while (c->nlate)
        carry_out(c, 0);
}

/* Whether nothing before it holds it back. */
static bool is_free(const struct coroutine *c, unsigned i)
{
    for (unsigned k = 0; k < i; k++)
        if (c->late[i].release || c->late[k].place == c->late[i].place)
            return false;
    return true;
}

bool explore_delays(void *place, const void *value, size_t size, int order)
{
    struct coroutine *c = &threads[current];
    if (!is_running || !exploring->late_stores || order == __ATOMIC_SEQ_CST || size > sizeof c->late[0].value) {
        carry_out_all(c);
        return false;
    }
    if (c->nlate == ROOM)
        carry_out(c, 0);
    struct late_store *late = &c->late[c->nlate++];
    *late = (struct late_store){place, 0, size, order == __ATOMIC_RELEASE};
    memcpy(&late->value, value, size);
    return true;
}

void explore_peek(const volatile void *place, void *value, size_t size)
{
    const struct coroutine *c = &threads[current];
    for (unsigned i = 0; i < c->nlate; i++)
        if (c->late[i].place == place)
            memcpy(value, &c->late[i].value, size);
}

void explore_carry_out_own(void) { carry_out_all(&threads[current]); }
void explore_stored(void) { stores++; }
__attribute__((weak)) long explored_syscall(long nr, long a, long b, long c, long d) { return -ENOSYS; }
bool explore_refuses_membarrier(void) { return exploring->no_membarrier; }

/* One after the other: the kernel interrupts all, but not at once. */
void explore_barrier_in_all(void)
{
    for (unsigned i = 0; i < exploring->n; i++) {
        explore_point();
        carry_out_all(&threads[i]);
    }
}

/* --- coroutines --------------------------------------------------------------------------------------------------- */

static void leave_schedule(void) { explore_switch(&threads[current].sp, main_sp); }

void explore_failed(const char *what, const char *file, int line)
{
    if (!failure[0])
        snprintf(failure, sizeof failure, "%s:%d: %s", file, line, what);
    if (is_running)
        leave_schedule();
}

static bool is_ready(const struct coroutine *c) { return !c->done && !(c->waits && c->stores == stores); }

static void go_on_with(unsigned next, void **save)
{
    current = next;
    threads[next].waits = false;
    explore_switch(save, threads[next].sp);
}

static void run_thread(void);

static void *fresh_stack(struct coroutine *c)
{
    void **sp = (void **)(c->stack + STACK) - 2;
    forget_frames(c->stack);
    memset(sp - SAVED, 0, (SAVED + 2) * sizeof *sp);
#if defined(__x86_64__)
    sp[0] = (void *)(uintptr_t)run_thread;
    return sp - SAVED;
#else
    sp -= SAVED;
    sp[1] = (void *)(uintptr_t)run_thread;
    return sp;
#endif
}

static void tear_out(void)
{
    struct coroutine *c = &threads[current];
    void *scrap;
    tear_left = false;
    c->torn = true;
    carry_out_all(c);
    c->sp = fresh_stack(c);
    explore_switch(&scrap, c->sp);
}

/* Time passes: late stores arrive, and who waits looks again. */
static void let_time_pass(void)
{
    for (unsigned i = 0; i < exploring->n; i++) {
        carry_out_all(&threads[i]);
        threads[i].waits = false;
    }
}

enum what { GO_ON, SWITCH, CARRY_OUT, TEAR };
struct option {
    enum what what;
    unsigned thread, store;
};

static unsigned list_options(struct option *options, bool goes_on)
{
    unsigned n = 0;
    if (goes_on)
        options[n++] = (struct option){GO_ON, current, 0};
    for (unsigned i = 1; i <= exploring->n; i++) {
        unsigned t = (current + i) % exploring->n;
        if (t != current && is_ready(&threads[t]))
            options[n++] = (struct option){SWITCH, t, 0};
        for (unsigned k = 0; goes_on && k < threads[t].nlate; k++)
            if (is_free(&threads[t], k))
                options[n++] = (struct option){CARRY_OUT, t, k};
    }
    if (goes_on && tear_left && exploring->torn)
        options[n++] = (struct option){TEAR, current, 0};
    return n;
}

/* The current thread goes on, or not. Mostly it does, and nobody need know what else it could do. */
static void schedule(bool goes_on)
{
    if (goes_on && random_below(&chance, rarely))
        return;
    struct option options[EXPLORE_THREADS * (ROOM + 1) + 2];
    unsigned n = list_options(options, goes_on);
    if (!n) {
        let_time_pass();
        bool all_done = true;
        for (unsigned i = 0; i < exploring->n; i++)
            all_done &= threads[i].done;
        if (all_done)
            leave_schedule(); /* comes back in the next one */
        if (all_done || !threads[current].done)
            return;
        n = list_options(options, false);
    }
    const struct option *o = &options[random_below(&chance, n)];
    switch (o->what) {
    case GO_ON: break;
    case SWITCH: go_on_with(o->thread, &threads[current].sp); break;
    case CARRY_OUT:
        carry_out(&threads[o->thread], o->store);
        schedule(goes_on); /* and then? */
        break;
    case TEAR: tear_out(); break;
    }
}

void explore_point(void)
{
    if (!is_running)
        return;
    if (++steps > MOST_STEPS)
        explore_failed("a thread waits for ever", __FILE__, __LINE__);
    schedule(true);
}

void explore_wait(void)
{
    struct coroutine *c = &threads[current];
    if (!is_running)
        return;
    if (++steps > MOST_STEPS)
        explore_failed("a thread waits for ever", __FILE__, __LINE__);
    c->waits = true;
    c->stores = stores;
    schedule(false);
    c->waits = false;
}

static void run_thread(void)
{
    for (;;) {
        struct coroutine *c = &threads[current];
        unsigned me = current;
        if (c->torn)
            exploring->torn(me);
        else
            exploring->thread[me](me);
        carry_out_all(c);
        c->done = true;
        schedule(false);
    }
}

/* --- schedules ---------------------------------------------------------------------------------------------------- */

static void run_schedule(void)
{
    for (unsigned i = 0; i < EXPLORE_THREADS; i++)
        threads[i].nlate = 0;
    exploring->begin();
    for (unsigned i = 0; i < exploring->n; i++) {
        struct coroutine *c = &threads[i];
        if (c->torn || !c->sp)
            c->sp = fresh_stack(c);
        c->done = c->torn = c->waits = false;
    }
    steps = 0;
    tear_left = true;
    current = exploring->n - 1;
    is_running = true;
    go_on_with(random_below(&chance, exploring->n), &main_sp);
    is_running = false;
    if (!failure[0] && exploring->end)
        exploring->end();
}

static void make_stacks(void)
{
    for (unsigned i = 0; i < EXPLORE_THREADS; i++) {
        if (!threads[i].stack)
            threads[i].stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        assert_ptr_not_equal(threads[i].stack, MAP_FAILED);
        threads[i].sp = NULL;
    }
}

void explore(const struct exploration *e)
{
    const char *asked = getenv("THRACE_SCHEDULES");
    uint64_t most = asked ? strtoull(asked, NULL, 10) : getenv("THRACE_QUICK") ? QUICK : USUAL;
    exploring = e;
    failure[0] = 0;
    make_stacks();
    for (uint64_t n = 0; n < most; n++) {
        chance = random_seed(n + 1);
        rarely = 1u << (1 + n % 6);
        run_schedule();
        if (failure[0])
            fail_msg("%s, schedule %llu: %s", e->name, (unsigned long long)n, failure);
    }
}
