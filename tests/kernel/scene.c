/* Writes a trace and perf's text of a scene, and reads them as if they had been recorded. */
#include "tests/unit/unit.h"

#include <inttypes.h>
#include <stdlib.h>

#include "gotrace/builder.h"
#include "lib/wire/events.h"
#include "tests/kernel/scene.h"

struct scene agreeing(void)
{
    static const char *const calls[] = {"pthread_mutex_lock", "pthread_cond_wait", "sem_wait",
                                        "read",               "cnd_wait",          "mtx_lock"};
    struct scene s = {.version = 25, .near_us = 50};
    for (int i = 0; i < 6; i++) {
        int at = 1000 * (i + 1);
        s.waits[i] = (struct scripted_wait){at, at + 480, at + 500, WAKER, calls[i], BLOCKS};
        s.sleeps[i] = (struct scripted_sleep){at + 3, at + 482, at + 497, WAKER, 'S'};
    }
    return s;
}

/* ---- the trace ------------------------------------------------------------------------------------------------- */

static uint64_t ticks(int us) { return ORIGIN + (uint64_t)us * 1000; }

static void event(struct gotrace_builder *b, int us, unsigned id, const uint64_t *args, size_t n)
{
    assert_int_equal(gotrace_builder_event(b, ticks(us), id, args, n), 0);
}
#define EVENT(b, us, id, ...)                                                                                          \
    event(b, us, id, (const uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static uint64_t stack(struct gotrace_builder *b, const char *call)
{
    struct gotrace_builder_frame frames[] = {
        {3, "mutex journal.lock", "work.c", 3}, {(uintptr_t)call, call, "libc.so", 1}, {2, "work", "work.c", 7}};
    bool no_object = strcmp(call, "pthread_mutex_lock") != 0;
    return gotrace_builder_stack(b, frames + no_object, 3 - no_object);
}

static void write_sleeper(struct gotrace_builder *b, const struct scene *s)
{
    uint64_t reason = gotrace_builder_string(b, "sync", 4), p_seq = 0, g_seq = 0;
    gotrace_builder_batch(b, SLEEPER, ticks(0));
    EVENT(b, 0, EV_ProcStatus, 0, 1);
    EVENT(b, 0, EV_GoStatus, 1, SLEEPER, 2);
    for (const struct scripted_wait *w = s->waits; w->call; w++) {
        if (w->kind == CALLS_KERNEL) {
            EVENT(b, w->begin, EV_GoSyscallBegin, ++p_seq, stack(b, w->call));
            gotrace_builder_event(b, ticks(w->end), EV_GoSyscallEnd, NULL, 0);
            continue;
        }
        EVENT(b, w->begin, w->kind == STOPS ? EV_GoStop : EV_GoBlock, reason, stack(b, w->call));
        gotrace_builder_event(b, ticks(w->begin), EV_ProcStop, NULL, 0);
        g_seq += w->kind == BLOCKS;
        if (w->waker == SLEEPER)
            EVENT(b, w->woken, EV_GoUnblock, 1, g_seq, 0);
        EVENT(b, w->end, EV_ProcStart, 0, ++p_seq);
        EVENT(b, w->end, EV_GoStart, 1, ++g_seq);
    }
}

static void write_wakeups(struct gotrace_builder *b, const struct scene *s, uint64_t by)
{
    uint64_t g_seq = 0;
    for (const struct scripted_wait *w = s->waits; w->call; w++) {
        if (w->waker == by)
            EVENT(b, w->woken, EV_GoUnblock, 1, g_seq + 1, 0);
        g_seq += w->kind == BLOCKS ? 2 : w->kind == STOPS;
    }
}

static void write_waker(struct gotrace_builder *b, const struct scene *s)
{
    gotrace_builder_batch(b, WAKER, ticks(1));
    EVENT(b, 1, EV_ProcStatus, 1, 1);
    EVENT(b, 1, EV_GoStatus, 2, WAKER, 2);
    write_wakeups(b, s, WAKER);
    EVENT(b, 20000, EV_HeapAlloc, 1);
    gotrace_builder_batch(b, INTERRUPT, ticks(1));
    write_wakeups(b, s, INTERRUPT);
}

bool read_trace(struct scene *s)
{
    size_t size;
    struct gotrace_builder *b = gotrace_builder_new_memory(s->version);
    gotrace_builder_generation(b, 1);
    gotrace_builder_sync(b, 1000000000, ORIGIN, START_MONO * UINT64_C(1000000000), 1, 1);
    write_sleeper(b, s);
    write_waker(b, s);
    char text[64];
    int n = snprintf(text, sizeof text, "thrace delay of 1 ns %" PRIu64, s->delay_ns);
    if (s->delay_ns)
        gotrace_builder_string(b, text, (size_t)n);
    if (gotrace_builder_finish(b))
        fail_msg("%s", gotrace_builder_error(b)->message);
    const void *bytes = gotrace_builder_bytes(b, &size);
    struct gotrace_reader *r = gotrace_reader_open_memory(bytes, size);
    bool ok = trace_read(&s->trace, r);
    gotrace_reader_free(r);
    gotrace_builder_free(b);
    return ok;
}

/* ---- the kernel ------------------------------------------------------------------------------------------------ */

static void stamp(FILE *f, uint64_t by, int us, const char *event)
{
    fprintf(f, "%7" PRIu64 " [%03" PRIu64 "] %d.%06d000: %s", by, by - SLEEPER, START_MONO + us / 1000000, us % 1000000,
            event);
}

static void write_switch(FILE *f, int us, uint64_t prev, char state, uint64_t next)
{
    stamp(f, prev, us, "    sched:sched_switch: ");
    fprintf(f,
            "prev_comm=a prev_pid=9 b prev_pid=%" PRIu64
            " prev_prio=120 prev_state=%c%s ==> next_comm=work next_pid=%" PRIu64 " next_prio=120\n",
            prev, state, state == 'R' ? "+" : "", next);
}

/* perf's own record, of the thread that leaves or comes. */
static void write_over(FILE *f, const struct scene *s, int us, const char *what)
{
    if (!s->switch_takes)
        return;
    stamp(f, SLEEPER, us + s->switch_takes, "PERF_RECORD_SWITCH_CPU_WIDE ");
    fprintf(f, "%s          pid/tid: %d/%d\n", what, STRANGER, STRANGER);
}

static void write_waking(FILE *f, const struct scene *s, const struct scripted_sleep *a)
{
    bool by_timer = s->timers >> (a - s->sleeps) & 1;
    stamp(f, a->waker, a->woken - 2, "timer:hrtimer_expire_entry: ");
    fprintf(f, "hrtimer=0x1 function=tick_nohz_handler now=1\n");
    if (!by_timer)
        stamp(f, a->waker, a->woken - 1, " timer:hrtimer_expire_exit: hrtimer=0x1\n");
    stamp(f, a->waker, a->woken, "    sched:sched_waking: ");
    fprintf(f, "comm=work pid=%d prio=120 target_cpu=001\n", SLEEPER);
    if (by_timer)
        stamp(f, a->waker, a->woken, " timer:hrtimer_expire_exit: hrtimer=0x1\n");
    stamp(f, STRANGER, a->woken + 1, "    sched:sched_wakeup: ");
    fprintf(f, "comm=work pid=%d prio=120 target_cpu=001\n", SLEEPER);
}

static void write_sched(FILE *f, const struct scene *s)
{
    fputs("what is no event is passed over\n\n 12 x\n 7 7.5: sched:sched_switch: prev_pid=101\n", f);
    write_switch(f, 0, STRANGER, 'S', WAKER);
    if (s->queued_new) {
        stamp(f, STRANGER, 0, "    sched:sched_wakeup_new: ");
        fprintf(f, "comm=work pid=%d prio=120 target_cpu=001\n", SLEEPER);
    }
    write_switch(f, s->queued_new, 0, 'R', SLEEPER);
    int n = 0;
    for (const struct scripted_sleep *a = s->sleeps; a->state; a++)
        n++;
    for (const struct scripted_sleep *a = s->sleeps; a->state; a++) {
        if (a->woken && a->woken <= a->begin)
            write_waking(f, s, a);
        write_switch(f, a->begin, SLEEPER, a->state, STRANGER);
        write_over(f, s, a->begin, a->state == 'R' ? "OUT preempt" : "OUT");
        if (a->woken > a->begin)
            write_waking(f, s, a);
        if (n-- <= s->unreported)
            continue;
        if (s->perf_tells_return) {
            stamp(f, SLEEPER, a->end, "PERF_RECORD_SWITCH_CPU_WIDE IN          ");
            fprintf(f, "prev pid/tid: %d/%d\n", STRANGER, STRANGER);
        } else {
            write_switch(f, a->end, STRANGER, 'S', SLEEPER);
            write_over(f, s, a->end, "IN");
        }
    }
}

bool read_kernel(struct scene *s)
{
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    write_sched(f, s);
    fclose(f);
    f = fmemopen(text, size, "r");
    bool ok = kernel_read(&s->kernel, &s->trace, f);
    fclose(f);
    free(text);
    return ok;
}

struct comparison compared(struct scene s)
{
    assert_true(read_trace(&s));
    assert_true(read_kernel(&s));
    compare(&s.result, &s.trace, &s.kernel, s.near_us * INT64_C(1000), NULL);
    kernel_free(&s.kernel);
    trace_free(&s.trace);
    return s.result;
}

void assert_tally(struct tally t, uint64_t good, uint64_t n)
{
    assert_int_equal(t.good, good);
    assert_int_equal(t.n, n);
}
