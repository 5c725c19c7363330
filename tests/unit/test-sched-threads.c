/*
 * Real threads on one model: they block, wake and make system calls at once, take procs from one another, lose the CPU
 * or are torn out in the middle of what they do, at any instruction; generations begin meanwhile. The trace of it all
 * is valid.
 */
#include "tests/unit/model-trace.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <ucontext.h>

#include "lib/clock.h"
#include "lib/gate.h"
#include "tests/unit/random.h"

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define CAN_STEP 1
#else
#define CAN_STEP 0
#endif

enum { THREADS = 8, ROUNDS = 40000, GENERATIONS = 60, PROCS = 2, STEPPED = 200 /* one in so many */, MAX_STEPS = 400 };

struct worker {
    struct sched_thread t;
    struct writer writer;
    pthread_t thread;
    struct random random;
    uint64_t steals, blocked_ends, late_ends, torn;
    sigjmp_buf out;
    int steps_left; /* until it is torn out, or loses the CPU for a while */
    bool tear;
};

static struct sched *s;
static struct gate gate;
static struct trace_clock ticks;
static struct model_trace trace;
static struct worker workers[THREADS];
static pthread_mutex_t trace_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int at_work;
static __thread struct worker *self;

static uint64_t now(void) { return clock_ticks(&ticks); }

static void enter(struct worker *w)
{
    while (!gate_enter(&gate, &w->writer))
        gate_wait(&gate);
    if (w->t.chunk && sched_has_room(&w->t, 0))
        return;
    pthread_mutex_lock(&trace_lock);
    trace_hand_in(&trace, sched_detach_chunk(&w->t), now());
    pthread_mutex_unlock(&trace_lock);
    sched_attach_chunk(s, &w->t, model_chunk(), now());
}

static bool transition(struct worker *w)
{
    const uint32_t status = sched_current(&w->t)->status;
    if (status == GO_NOT_EXIST)
        return sched_introduce(s, &w->t, now());
    if (status == GO_WAITING)
        return sched_resume(s, &w->t, now());
    if (status == GO_SYSCALL)
        return sched_syscall_end(s, &w->t, now());
    return random_below(&w->random, 4) ? sched_syscall_begin(s, &w->t, MODEL_STACK, now())
                                       : sched_block(s, &w->t, REASON_SYNC, MODEL_STACK, now());
}

/* The processor's trap flag: SIGTRAP after every instruction. */
enum { TRAP_FLAG = 0x100 };

static void step_on(struct worker *w)
{
    if (!CAN_STEP || !random_one_in(&w->random, STEPPED))
        return;
    w->steps_left = 1 + (int)random_below(&w->random, MAX_STEPS);
    w->tear = random_below(&w->random, 2);
#if CAN_STEP
    __asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq" ::: "memory", "cc");
#endif
}

static void step_off(void)
{
#if CAN_STEP
    __asm__ volatile("pushfq; andq $~0x100, (%%rsp); popfq" ::: "memory", "cc");
#endif
}

static void on_step(int sig, siginfo_t *info, void *context)
{
    if (--self->steps_left)
        return;
    for (int i = 0; i < 20; i++)
        sched_yield(); /* the others run into what is left */
    if (self->tear)
        siglongjmp(self->out, 1);
#if CAN_STEP
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
#endif
}

/* As the shim does it: a transition in a section, and what is left of one that never ended is put in order. True: the
 * thread is in a system call now. */
static bool step(struct worker *w)
{
    enter(w);
    uint32_t before = sched_current(&w->t)->status;
    int32_t had = sched_current(&w->t)->proc;
    if (!sigsetjmp(w->out, 1)) {
        step_on(w);
        bool done = transition(w);
        step_off();
        w->late_ends += !done;
        w->blocked_ends += done && before == GO_SYSCALL && sched_current(&w->t)->proc != had;
    } else {
        w->torn++;
        sched_recover(s, &w->t);
    }
    bool in_call = sched_current(&w->t)->status == GO_SYSCALL;
    gate_leave(&w->writer);
    return in_call;
}

static void *work(void *arg)
{
    struct worker *w = self = arg;
    for (int i = 0; i < ROUNDS; i++) {
        if (random_one_in(&w->random, step(w) ? 2 : 8))
            sched_yield();
    }
    atomic_fetch_sub(&at_work, 1);
    return NULL;
}

static void count_steals(void)
{
    for (int i = 0; i < THREADS; i++) {
        const struct chunk *c = workers[i].t.chunk;
        const char *text = c ? model_text(c->data, c->data + c->used) : "";
        while ((text = strstr(text, "ProcSteal")) && text++)
            workers[i].steals++;
    }
}

static bool begin_generation(void)
{
    struct sched_thread *threads[THREADS];
    bool done = true;
    if (!gate_close(&gate))
        return false;
    for (int i = 0; i < THREADS && done; i++) {
        threads[i] = &workers[i].t;
        done = gate_await_writer(&workers[i].writer, clock_mono_ns() + 50000);
    }
    if (done) {
        count_steals();
        trace_generation(&trace, threads, THREADS, NULL, now());
    }
    gate_open(&gate);
    return done;
}

static void many_threads_take_procs_from_one_another(void **state)
{
    struct random r = random_seed(1);
    uint64_t steals = 0, blocked = 0, late = 0, torn = 0;
    const struct timespec moment = {0, 50000};
    struct sigaction sa = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &sa, NULL);
    clock_start(&ticks);
    gate_init(&gate);
    s = model_new(PROCS);
    trace_begin(&trace, s, now());
    at_work = THREADS;
    for (int i = 0; i < THREADS; i++) {
        struct worker *w = &workers[i];
        w->random = random_seed((uint64_t)i + 1);
        w->t = (struct sched_thread){.g = (uint64_t)i + 1, .m = 100 + (uint64_t)i, .proc_taken = PROC_NONE,
                                     .state = {{.proc = PROC_NONE}, {.proc = PROC_NONE}}};
        assert_int_equal(pthread_create(&w->thread, NULL, work, w), 0);
    }
    while (at_work) {
        /* As with a real recording, the first generation has events. */
        if (__atomic_load_n(&s->nprocs_known, __ATOMIC_ACQUIRE) && s->generation < GENERATIONS && random_one_in(&r, 8))
            begin_generation();
        nanosleep(&moment, NULL);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    count_steals();
    for (int i = 0; i < THREADS; i++) {
        struct worker *w = &workers[i];
        steals += w->steals;
        blocked += w->blocked_ends;
        late += w->late_ends;
        torn += w->torn;
        trace_hand_in(&trace, sched_detach_chunk(&w->t), now());
    }
    print_message("%llu generations, %llu steals seen, %llu calls ended on another proc, %llu late, %llu torn\n",
                  (unsigned long long)s->generation, (unsigned long long)steals, (unsigned long long)blocked,
                  (unsigned long long)late, (unsigned long long)torn);
    uint64_t events = trace_judge(&trace, now(), "threads");
    assert_true(events > THREADS * ROUNDS);
    assert_true(steals > 0);
    assert_true(torn > 0 || !CAN_STEP);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_threads_take_procs_from_one_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
