/*
 * The handler of the sampling signal, and where it puts what it finds.
 *
 * It may interrupt its thread anywhere: in the program, in libc with any lock held, in a hook in the middle of a
 * transition. So it touches neither the thread's open chunk nor the stack table, takes no lock, and calls nothing that
 * does. Samples go, stacks and all, into chunks of their own, which a few slots share among all threads: a handler takes
 * a slot that nobody is in, and holds it for a microsecond. As all signals are blocked meanwhile, nothing can tear it
 * out. Which generation a sample belongs to, and which stacks are equal, `thrace finish` works out.
 */
#include "preload/sample.h"

#include "preload/restart.h"

#include <signal.h>
#include <ucontext.h>

#include "lib/meta.h"
#include "preload/helper.h"
#include "preload/options.h"
#include "preload/session.h"

enum { SLOTS = 16, RECORD_MAX = 1 + (5 + STACK_MAX_FRAMES) * VARINT_MAX };

static struct slot {
    uint32_t busy;
    struct chunk *chunk;
    uintptr_t pcs[STACK_MAX_FRAMES]; /* not on the stack, which may be small */
    uint8_t record[RECORD_MAX];
} __attribute__((aligned(64))) slots[SLOTS];

int sample_signal;

static inline struct spool_samples *counts(void) { return &tracer.spool.header->samples; }

static void count(uint64_t *counter, uint64_t n) { __atomic_fetch_add(counter, n, __ATOMIC_RELAXED); }

/* --- slots --------------------------------------------------------------------------------------------------------- */

static bool enter(struct slot *s)
{
    return !__atomic_load_n(&s->busy, __ATOMIC_RELAXED) && !__atomic_exchange_n(&s->busy, 1, __ATOMIC_ACQUIRE);
}

static void leave(struct slot *s) { __atomic_store_n(&s->busy, 0, __ATOMIC_RELEASE); }

/* Low slots first, so that few are in use when few handlers run at once. */
static struct slot *find_slot(void)
{
    for (int i = 0; i < SLOTS; i++)
        if (enter(&slots[i]))
            return &slots[i];
    return NULL;
}

static void hand_in(struct slot *s)
{
    struct chunk *c = s->chunk;
    s->chunk = NULL;
    if (c)
        spool_seal(&tracer.spool, c);
}

enum { STACK_FOR_DRAINING = 64 << 10 };

/*
 * The pool is getting short. Without a helper, and in a program that computes and never comes to a hook, nobody else
 * would empty it. Not while this thread may be in the middle of the same, and not on a small stack.
 */
static void make_room(struct thread *t, uintptr_t sp)
{
    if (helper_wake())
        return;
    tracer.chores = 1;
    if (!t->in_hook && sp <= t->stack_hi && sp >= t->stack_lo + STACK_FOR_DRAINING)
        session_make_room();
}

/* A chunk with room for n more bytes. */
static bool ensure_room(struct slot *s, size_t n)
{
    if (s->chunk && s->chunk->meta_used + n <= CHUNK_CAPACITY)
        return true;
    hand_in(s);
    struct chunk *c = spool_take(&tracer.spool);
    if (!c)
        return false;
    c->generation = tracer.sched.generation;
    c->m = ID_NONE;
    c->time = now();
    __atomic_store_n(&c->state, CHUNK_OPEN, __ATOMIC_RELEASE);
    s->chunk = c;
    return true;
}

/* --- a sample ------------------------------------------------------------------------------------------------------ */

/* While a module is being unloaded no frame is guessed, because a guess may lead into it. */
static enum unwind_mode mode(void)
{
    if (!(tracer.stack_kinds & STACK_OF_SAMPLE))
        return UNWIND_NONE;
    if (tracer.unwind_mode == UNWIND_AUTO && __atomic_load_n(&tracer.unloading, __ATOMIC_ACQUIRE))
        return UNWIND_CFI;
    return tracer.unwind_mode;
}

static int capture(struct thread *t, uintptr_t *pcs, const ucontext_t *uc)
{
    struct unwind_request r;
    struct unwind_stack stack;
    const struct unwind_modules *modules = __atomic_load_n(&tracer.modules, __ATOMIC_ACQUIRE);
    if (!modules)
        return 0;
    unwind_regs_ucontext(&r.regs, uc);
    r.leaf = 0;
    r.stack_lo = t->stack_lo;
    r.stack_hi = t->stack_hi;
    r.alt_lo = r.alt_hi = 0;
    if (!(uc->uc_stack.ss_flags & SS_DISABLE)) {
        r.alt_lo = (uintptr_t)uc->uc_stack.ss_sp;
        r.alt_hi = r.alt_lo + uc->uc_stack.ss_size;
    }
    r.max = tracer.stack_depth;
    r.mode = mode();
    r.options = UNWIND_NO_MEMO;
    int n = unwind_capture(&t->cache, modules, &r, pcs, &stack);
    if (stack.flags & UNWIND_TRUNCATED)
        pcs[n - 1] = STACK_TRUNCATED_PC;
    return n;
}

static size_t encode(struct slot *s, const struct thread *t, int npcs)
{
    uint8_t *p = s->record;
    const struct sched_state *state = sched_current(&t->sched);
    *p++ = META_SAMPLE;
    p = varint_put(p, now());
    p = varint_put(p, t->sched.m);
    p = varint_put(p, (uint64_t)(int64_t)(state->proc + 1));
    p = varint_put(p, t->sched.g);
    p = varint_put(p, (uint64_t)npcs);
    for (int i = 0; i < npcs; i++)
        p = varint_put(p, i ? meta_fold((int64_t)(s->pcs[i] - s->pcs[i - 1])) : s->pcs[0]);
    return (size_t)(p - s->record);
}

static void take(struct thread *t, const ucontext_t *uc)
{
    struct slot *s = find_slot();
    bool kept = false;
    if (s && !recording()) { /* it ended, or another one began to */
        leave(s);
        return;
    }
    if (s) {
        const struct chunk *before = s->chunk;
        size_t n = encode(s, t, capture(t, s->pcs, uc));
        if ((kept = ensure_room(s, n)))
            chunk_meta_append(s->chunk, s->record, n);
        bool fresh = s->chunk != before;
        leave(s);
        if (fresh && spool_wants_drain(&tracer.spool))
            make_room(t, (uintptr_t)__builtin_frame_address(0));
    }
    count(kept ? &counts()->taken : &counts()->lost, 1);
}

/* What our timers put into the signal; no other timer of the process has it but by chance. */
static const int timer_mark = 0x7452a3e1;

static bool is_from_timer(const siginfo_t *info)
{
    return info->si_code == SI_TIMER && info->si_value.sival_int == timer_mark;
}

static bool is_from_perf(const siginfo_t *info) { return info->si_code == POLL_IN && sample_perf_wanted(); }

static void on_signal(int sig, siginfo_t *info, void *context)
{
    struct thread *t = self;
    if (sig != sample_signal || (!is_from_timer(info) && !is_from_perf(info))) {
        signal_foreign(sig, info, context);
        return;
    }
    if (!t || t == THREAD_OFF)
        return;
    restart_note(t, context);
    if (!recording())
        return;
    if (info->si_code == SI_TIMER && info->si_overrun > 0)
        count(&counts()->missed, (uint64_t)info->si_overrun);
    take(t, context);
}

/* --- threads ------------------------------------------------------------------------------------------------------- */

static struct {
    uint64_t hz;
    bool perf;
    uint64_t ended_ns; /* CPU time of the sampled threads that are gone */
    uint64_t accounted_ns; /* when it was last added up, on CLOCK_MONOTONIC */
} sampler;

bool sample_perf_wanted(void) { return sampler.perf; }

/* The kernel's name for the CPU clock of any thread of this process. */
static long cpu_clock(const struct thread *t)
{
    enum { PER_THREAD = 4, SCHEDULER = 2 };
    return (long)(~(uint32_t)t->sched.m << 3 | PER_THREAD | SCHEDULER);
}

static uint64_t cpu_ns(const struct thread *t)
{
    struct timespec ts = {0, 0};
    raw_syscall(SYS_clock_gettime, cpu_clock(t), (long)&ts, 0, 0, 0, 0);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* The first period is a part of one, at random: else threads that live shorter than a period would never be seen. */
static uint64_t random_part(const struct thread *t, uint64_t period)
{
    uint64_t h = (now() ^ t->sched.g << 40) * UINT64_C(0x9e3779b97f4a7c15);
    return (h ^ h >> 32) % period + 1;
}

static struct timespec timespec_of(uint64_t ns)
{
    return (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
}

uint64_t sample_period_ns(void) { return 1000000000 / sampler.hz; }

/* By the thread's end, or by whoever ends the recording: only one of them. */
void sample_timer_stop(struct thread *t)
{
    int timer = __atomic_exchange_n(&t->sample.timer, 0, __ATOMIC_ACQ_REL);
    if (timer)
        raw_syscall(SYS_timer_delete, timer - 1, 0, 0, 0, 0, 0);
}

bool sample_timer_start(struct thread *t)
{
    struct sigevent event = {.sigev_signo = sample_signal, .sigev_notify = SIGEV_THREAD_ID};
    event.sigev_value.sival_int = timer_mark;
    event._sigev_un._tid = (pid_t)t->sched.m;
    uint64_t period = sample_period_ns();
    int id;
    const struct itimerspec times = {timespec_of(period), timespec_of(random_part(t, period))};
    if (sys_failed(raw_syscall(SYS_timer_create, cpu_clock(t), (long)&event, (long)&id, 0, 0, 0))) {
        __atomic_fetch_add(&counts()->threads_unsampled, 1, __ATOMIC_RELAXED);
        return false;
    }
    raw_syscall(SYS_timer_settime, id, 0, (long)&times, 0, 0, 0);
    __atomic_store_n(&t->sample.timer, id + 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&counts()->threads_by_timer, 1, __ATOMIC_RELAXED);
    if (!recording()) /* it ended since; who ended it may have looked before there was a timer */
        sample_timer_stop(t);
    return true;
}

/* By the thread itself, or by whoever starts a session: only one of them. */
static void arm(struct thread *t)
{
    if (__atomic_exchange_n(&t->sample.counted, true, __ATOMIC_ACQ_REL))
        return;
    t->sample.cpu_ns = cpu_ns(t);
    if (!sampler.perf || !sample_perf_ask(t))
        sample_timer_start(t);
}

void sample_arm(struct thread *t)
{
    if (!sample_signal)
        return;
    signal_unblock(t->sample.inherits_block); /* for sessions to come, too */
    if (recording())
        arm(t);
}

/* 0 for one that is gone without having said so. */
static uint64_t sampled_ns(const struct thread *t)
{
    uint64_t ns = t->sample.counted ? cpu_ns(t) : 0;
    return ns > t->sample.cpu_ns ? ns - t->sample.cpu_ns : 0;
}

void sample_disarm(struct thread *t)
{
    if (!sample_signal)
        return;
    lock_take(&tracer.registry_lock); /* a session may begin now */
    t->sample.gone = true;
    sample_timer_stop(t);
    sample_perf_forget(t);
    count(&sampler.ended_ns, sampled_ns(t));
    t->sample.counted = false;
    lock_drop(&tracer.registry_lock);
}

static void add_up(void)
{
    uint64_t sum = __atomic_load_n(&sampler.ended_ns, __ATOMIC_RELAXED);
    for (const struct thread *t = tracer.threads; t; t = t->next)
        sum += sampled_ns(t);
    __atomic_store_n(&counts()->cpu_ns, sum, __ATOMIC_RELAXED);
}

void sample_account(void)
{
    uint64_t t = clock_mono_ns();
    if (!sample_signal || !recording() || t - sampler.accounted_ns < 1000000000)
        return;
    sampler.accounted_ns = t;
    lock_take(&tracer.registry_lock);
    add_up();
    lock_drop(&tracer.registry_lock);
}

/* --- beginning and end --------------------------------------------------------------------------------------------- */

/* So many signals a second does a CPU-clock timer deliver at most: one at each tick of the kernel. */
static uint64_t tick_hz(void)
{
    struct timespec tick;
    if (clock_getres(CLOCK_REALTIME_COARSE, &tick) || tick.tv_sec || tick.tv_nsec <= 0)
        return 100;
    return (uint64_t)(1000000000 / tick.tv_nsec);
}

void sample_init(uint64_t hz)
{
    if (!hz || !(sample_signal = signal_take(on_signal)))
        return;
    sampler.hz = hz;
    restart_install();
    if (2 * hz > tick_hz()) { /* with less, two samples fall into one tick too often */
        sampler.perf = true;
        signal_guard_sigio();
    }
}

bool sample_is_idle(void)
{
    for (int i = 0; i < SLOTS; i++) {
        if (!enter(&slots[i]))
            return false;
        slots[i].chunk = NULL;
        leave(&slots[i]);
    }
    return true;
}

void sample_start(void)
{
    if (!sample_signal)
        return;
    sampler.ended_ns = sampler.accounted_ns = 0;
    counts()->hz = sampler.hz;
    for (struct thread *t = tracer.threads; t; t = t->next)
        if (t->sched.m && !t->sample.gone)
            arm(t);
}

void sample_seal(void)
{
    for (int i = 0; i < SLOTS && sample_signal; i++) {
        if (!slots[i].chunk || !enter(&slots[i]))
            continue;
        hand_in(&slots[i]);
        leave(&slots[i]);
    }
}

void sample_stop(void)
{
    if (!sample_signal)
        return;
    add_up();
    for (struct thread *t = tracer.threads; t; t = t->next) {
        sample_timer_stop(t);
        sample_perf_forget(t);
        t->sample.counted = false;
    }
    sample_seal();
    if (sampler.perf)
        helper_wake(); /* which closes the events */
}

void sample_forget(void)
{
    for (int i = 0; i < SLOTS; i++) {
        slots[i].chunk = NULL;
        slots[i].busy = 0;
    }
    if (self && self != THREAD_OFF) { /* neither a timer nor an event is handed down */
        self->sample.timer = 0;
        self->sample.counted = false;
    }
    sampler.ended_ns = sampler.accounted_ns = 0;
}

static void mask(int how)
{
    uint64_t set = UINT64_C(1) << (sample_signal - 1);
    if (sample_signal)
        raw_syscall(SYS_rt_sigprocmask, how, (long)&set, 0, sizeof set, 0, 0);
}

void sample_pause(void) { mask(SIG_BLOCK); }
void sample_resume(void) { mask(SIG_UNBLOCK); }
