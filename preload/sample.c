/*
 * The handler of the sampling signal, and where it puts what it finds.
 *
 * It may interrupt its thread anywhere: in the program, in libc with any lock held, in a hook in the middle of a
 * transition. So it touches neither the thread's open chunk nor the stack table, takes no lock, and calls nothing that
 * does. Samples go, stacks and all, into chunks of their own, which a few slots share among all threads: a handler
 * takes a slot that nobody is in, and holds it for a microsecond. As all signals are blocked meanwhile, nothing can
 * tear it out. Which generation a sample belongs to, and which stacks are equal, `thrace finish` works out.
 */
#include "preload/sample.h"

#include "lib/options/options.h"
#include "preload/restart.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <ucontext.h>

#include "lib/meta.h"
#include "preload/go.h"
#include "preload/helper.h"
#include "preload/session.h"

enum { SLOTS = 16, RECORD_MAX = 1 + (6 + STACK_MAX_FRAMES) * VARINT_MAX };

static struct slot {
    uint32_t busy;
    struct chunk *chunk;
    uintptr_t pcs[STACK_MAX_FRAMES]; /* not on the stack, which may be small */
    uint8_t record[RECORD_MAX];
} __attribute__((aligned(64))) slots[SLOTS];

int sample_signal;

static inline struct spool_samples *counts(void) { return &tracer.spool.header->samples; }

static void count(uint64_t *counter, uint64_t n) { __atomic_fetch_add(counter, n, __ATOMIC_RELAXED); }

/* --- slots -------------------------------------------------------------------------------------------------------- */

/*
 * A handler enters and then looks whether anything is recorded; who ends the recording says so and then looks for
 * handlers. Each must see the other's store.
 */
static bool enter(struct slot *s)
{
    if (__atomic_load_n(&s->busy, __ATOMIC_RELAXED) || __atomic_exchange_n(&s->busy, 1, __ATOMIC_SEQ_CST))
        return false;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return true;
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

/* --- a sample ----------------------------------------------------------------------------------------------------- */

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
    if (stack.flags & (UNWIND_GUESSED | UNWIND_STOPPED) && r.mode == UNWIND_AUTO)
        modules_may_be_new();
    return n;
}

static size_t encode(struct slot *s, const struct thread *t, uint64_t weight, int npcs)
{
    uint8_t *p = s->record;
    const struct sched_state *state = sched_current(&t->sched);
    *p++ = META_SAMPLE;
    p = varint_put(p, now());
    p = varint_put(p, t->sched.m);
    p = varint_put(p, (uint64_t)(int64_t)(state->proc + 1));
    p = varint_put(p, t->sched.g);
    p = varint_put(p, weight);
    p = varint_put(p, (uint64_t)npcs);
    for (int i = 0; i < npcs; i++)
        p = varint_put(p, i ? meta_fold((int64_t)(s->pcs[i] - s->pcs[i - 1])) : s->pcs[0]);
    return (size_t)(p - s->record);
}

/* One that stands for so many. */
static void take(struct thread *t, const ucontext_t *uc, uint64_t weight)
{
    struct slot *s = find_slot();
    bool kept = false;
    if (s && !recording()) { /* it ended, or another one began to */
        leave(s);
        return;
    }
    if (s) {
        const struct chunk *before = s->chunk;
        size_t n = encode(s, t, weight, capture(t, s->pcs, uc));
        if ((kept = ensure_room(s, n)))
            chunk_meta_append(s->chunk, s->record, n);
        bool fresh = s->chunk != before;
        leave(s);
        if (fresh && spool_wants_drain(&tracer.spool))
            make_room(t, (uintptr_t)__builtin_frame_address(0));
    }
    count(kept ? &counts()->taken : &counts()->lost, weight);
    if (kept && weight > 1)
        count(&counts()->repeats, weight - 1);
}

void sample_missed(uint64_t periods) { count(&counts()->missed, periods); }

/* --- the signals -------------------------------------------------------------------------------------------------- */

static struct {
    uint64_t hz, tick_hz;
    bool perf, trap;
    uint64_t ended_ns; /* CPU time of the sampled threads that are gone */
    uint64_t accounted_ns; /* when it was last added up, on CLOCK_MONOTONIC */
} sampler;

/* What our timers and events put into the signal; no other of the process has it but by chance. */
static const int mark = 0x7452a3e1;

static bool is_from_timer(int sig, const siginfo_t *info)
{
    return sig == sample_signal && info->si_code == SI_TIMER && info->si_value.sival_int == mark;
}

static bool is_from_perf(int sig, const siginfo_t *info)
{
    enum { CODE_PERF = 6 }; /* TRAP_PERF; its data is behind the address, and glibc 2.36 has no name for it */
    unsigned long data;
    if (!sampler.trap)
        return sig == sample_signal && info->si_code == POLL_IN && sampler.perf;
    memcpy(&data, (const char *)&info->si_addr + sizeof info->si_addr, sizeof data);
    return sig == SIGTRAP && info->si_code == CODE_PERF && data == (unsigned long)mark;
}

/* For how many periods this signal stands. */
static uint64_t weight_of(struct thread *t, bool by_timer, const siginfo_t *info, const ucontext_t *uc)
{
    uint64_t periods = by_timer ? 1 + (uint64_t)(info->si_overrun > 0 ? info->si_overrun : 0) : 1;
    if (!__atomic_load_n(&t->sample.perf, __ATOMIC_RELAXED))
        return periods;
    return by_timer ? sample_kernel_time(t, periods, uc) : sample_user_time(t);
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
    struct thread *t = self;
    bool by_timer = is_from_timer(sig, info);
    if (!by_timer && !is_from_perf(sig, info)) {
        signal_foreign(sig, info, context);
        return;
    }
    if (!t || t == THREAD_OFF)
        return;
    restart_note(t, context);
    if (!recording())
        return;
    uint64_t weight = weight_of(t, by_timer, info, context);
    for (; weight > SAMPLE_WEIGHT_MAX; weight -= SAMPLE_WEIGHT_MAX)
        take(t, context, SAMPLE_WEIGHT_MAX);
    if (weight)
        take(t, context, weight);
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

bool sample_perf_wanted(void) { return sampler.perf; }
uint64_t sample_trap_mark(void) { return sampler.trap ? (unsigned long)mark : 0; }

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

uint64_t sample_hz(void) { return sampler.hz; }
uint64_t sample_tick_hz(void) { return sampler.tick_hz; }
uint64_t sample_period_ns(void) { return 1000000000 / sampler.hz; }

/* By the thread's end, or by whoever ends the recording: only one of them. */
static void stop_timer(struct thread *t)
{
    int timer = __atomic_exchange_n(&t->sample.timer, 0, __ATOMIC_ACQ_REL);
    if (timer)
        raw_syscall(SYS_timer_delete, timer - 1, 0, 0, 0, 0, 0);
}

static void start_timer(struct thread *t)
{
    struct sigevent event = {.sigev_signo = sample_signal, .sigev_notify = SIGEV_THREAD_ID};
    event.sigev_value.sival_int = mark;
    event._sigev_un._tid = (pid_t)t->sched.m;
    uint64_t period = sample_period_ns();
    int id;
    const struct itimerspec times = {timespec_of(period), timespec_of(random_part(t, period))};
    if (sys_failed(raw_syscall(SYS_timer_create, cpu_clock(t), (long)&event, (long)&id, 0, 0, 0)))
        return;
    raw_syscall(SYS_timer_settime, id, 0, (long)&times, 0, 0, 0);
    __atomic_store_n(&t->sample.timer, id + 1, __ATOMIC_SEQ_CST);
    if (!recording()) /* it ended since; who ended it may have looked before there was a timer */
        stop_timer(t);
}

void sample_by_timer_only(const struct thread *t)
{
    __atomic_fetch_add(t->sample.timer ? &counts()->threads_by_timer : &counts()->threads_unsampled, 1,
                       __ATOMIC_RELAXED);
}

/* By the thread itself, or by whoever starts a session: only one of them. */
static void arm(struct thread *t)
{
    if (__atomic_exchange_n(&t->sample.counted, true, __ATOMIC_ACQ_REL))
        return;
    t->sample.cpu_ns = cpu_ns(t);
    t->sample.due = 0;
    start_timer(t);
    if (sampler.perf)
        sample_perf_ask(t);
    else
        sample_by_timer_only(t);
}

void sample_arm(struct thread *t)
{
    if (!sample_signal)
        return;
    signal_unblock(t->sample.inherits_block); /* for sessions to come, too */
    if (!recording())
        return;
    arm(t);
    sample_perf_await(t);
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
    stop_timer(t);
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

void sample_account(uint64_t at_most_every_ns)
{
    uint64_t t = clock_mono_ns();
    if (!sample_signal || !recording() || t - sampler.accounted_ns < at_most_every_ns)
        return;
    sampler.accounted_ns = t;
    lock_take(&tracer.registry_lock);
    add_up();
    lock_drop(&tracer.registry_lock);
}

/* --- beginning and end -------------------------------------------------------------------------------------------- */

/* So many signals a second does a CPU-clock timer deliver at most: one at each tick of the kernel. */
static uint64_t tick_hz(void)
{
    struct timespec tick;
    if (clock_getres(CLOCK_REALTIME_COARSE, &tick) || tick.tv_sec || tick.tv_nsec <= 0)
        return 100;
    return (uint64_t)(1000000000 / tick.tv_nsec);
}

/* Since 6.1; before, an event on a clock stopped when its thread was first asked. */
static bool trap_is_sound(void)
{
    struct utsname u;
    if (sys_failed(raw_syscall(SYS_uname, (long)&u, 0, 0, 0, 0, 0)))
        return false;
    char *end;
    unsigned long major = strtoul(u.release, &end, 10);
    return major > 6 || (major == 6 && *end == '.' && strtoul(end + 1, NULL, 10) >= 1);
}

void sample_thread_from(const void *caller)
{
    if (go_comes_from(caller))
        signal_to_their_stacks();
}

/* A runtime that gives its handlers by system calls replaces ours, and takes what is sent to them for an accident. */
void sample_init(uint64_t hz)
{
    enum go_code go = go_at_start();
    if (go != NO_GO)
        signal_to_their_stacks();
    if (!hz || go == GO_WITHOUT_LIBC || !(sample_signal = signal_take(on_signal)))
        return;
    sampler.hz = hz;
    sampler.tick_hz = tick_hz();
    restart_install();
    sampler.perf = 2 * hz > sampler.tick_hz; /* with less, two samples fall into one tick too often */
    sampler.trap = sampler.perf && trap_is_sound() && signal_take_trap();
    if (sampler.perf && !sampler.trap)
        signal_guard_sigio();
    signal_unblock(0); /* this thread is known already, and may have come with all signals blocked */
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

bool sample_any_in_slots(void)
{
    for (int i = 0; i < SLOTS; i++)
        if (__atomic_load_n(&slots[i].busy, __ATOMIC_ACQUIRE))
            return true;
    return false;
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

uint32_t sample_seal(void)
{
    uint32_t busy = 0;
    for (int i = 0; i < SLOTS && sample_signal; i++) {
        if (enter(&slots[i])) {
            hand_in(&slots[i]);
            leave(&slots[i]);
        } else {
            busy++;
        }
    }
    return busy;
}

void sample_stop(void)
{
    if (!sample_signal)
        return;
    add_up();
    for (struct thread *t = tracer.threads; t; t = t->next) {
        stop_timer(t);
        sample_perf_forget(t);
        t->sample.counted = false;
    }
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
        self->sample.timer = self->sample.perf = 0;
        self->sample.wants_perf = 0;
        self->sample.counted = false;
    }
    sampler.ended_ns = sampler.accounted_ns = 0;
}

static void mask(int how)
{
    uint64_t set = signal_hidden;
    if (set)
        raw_syscall(SYS_rt_sigprocmask, how, (long)&set, 0, sizeof set, 0, 0);
}

void sample_pause(void) { mask(SIG_BLOCK); }
void sample_resume(void) { mask(SIG_UNBLOCK); }
