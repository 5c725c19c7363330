/* Reads what the kernel's scheduler said of the trace's threads. */
#include <stdlib.h>
#include <string.h>

#include "tests/kernel/sides.h"

/* The number behind the last key of that name: a thread may be called anything, so what comes later is surer. */
static bool number(const char *text, const char *key, uint64_t *value)
{
    const char *at = NULL;
    for (const char *p = text; (p = strstr(p, key)); p += strlen(key))
        at = p + strlen(key);
    char *end;
    if (!at)
        return false;
    *value = strtoull(at, &end, 10);
    return end != at;
}

static struct kernel_thread *find(struct kernel *k, const struct trace *t, uint64_t tid)
{
    uint32_t i = idmap_get(&k->by_tid, tid);
    if (i)
        return &k->threads.v[i - 1];
    if (!idmap_get(&t->by_tid, tid))
        return NULL;
    if (!VEC_ROOM(&k->threads) || !idmap_add(&k->by_tid, tid, (uint32_t)k->threads.n + 1)) {
        k->no_memory = true;
        return NULL;
    }
    struct kernel_thread *thread = &k->threads.v[k->threads.n++];
    *thread = (struct kernel_thread){.tid = tid, .early = NEVER};
    return thread;
}

static struct away *open_away(struct kernel_thread *thread)
{
    struct away *a = thread->aways.n ? &thread->aways.v[thread->aways.n - 1] : NULL;
    return a && a->end == NEVER ? a : NULL;
}

static void set_awake(struct kernel *k, struct kernel_thread *thread, bool awake, bool counts)
{
    if (thread->awake == awake)
        return;
    thread->awake = awake;
    k->awake = awake ? k->awake + 1 : k->awake - 1;
    if (counts && k->awake > k->awake_at_once)
        k->awake_at_once = k->awake;
}

/* It may be woken in the middle of being switched away; if that goes on for longer, it was awake then. */
enum { SWITCH_TAKES_NS = 50000 };

static void switched_out(struct kernel *k, struct kernel_thread *thread, const char *state, int64_t now)
{
    struct away *unseen = open_away(thread);
    bool early = *state != 'R' && thread->early != NEVER && now - thread->early < SWITCH_TAKES_NS;
    bool runnable = *state == 'R' || early;
    set_awake(k, thread, runnable, false);
    if (unseen) {
        unseen->end = now;
        unseen->state = '?';
        k->unseen++;
    }
    if (!VEC_ROOM(&thread->aways)) {
        k->no_memory = true;
        return;
    }
    thread->aways.v[thread->aways.n++] =
        (struct away){.begin = now, .end = NEVER, .out = NEVER, .in = NEVER, .woken = early ? thread->early : NEVER,
                      .waker = thread->early_waker, .queued = runnable ? now : NEVER, .state = *state};
    thread->early = NEVER;
}

static void switched_in(struct kernel *k, struct kernel_thread *thread, int64_t now, bool counts)
{
    set_awake(k, thread, true, counts);
    struct away *a = open_away(thread);
    if (a)
        a->end = now;
}

/* perf's own record of a switch, in the same thread. */
static void switch_over(struct kernel_thread *thread, int64_t now, bool in)
{
    struct away *a = thread->aways.n ? &thread->aways.v[thread->aways.n - 1] : NULL;
    if (!a || (a->end == NEVER) == in)
        return;
    int64_t *over = in ? &a->in : &a->out;
    *over = *over == NEVER ? now : *over;
}

static void sched_switch(struct kernel *k, const struct trace *t, const char *text, int64_t now, bool counts)
{
    uint64_t prev, next;
    const char *state = strstr(text, " prev_state="), *arrow = state ? strstr(state, " ==> ") : NULL;
    if (!arrow || !number(text, " prev_pid=", &prev) || !number(arrow, " next_pid=", &next))
        return;
    struct kernel_thread *out = find(k, t, prev), *in;
    if (out)
        switched_out(k, out, state + strlen(" prev_state="), now);
    if ((in = find(k, t, next)))
        switched_in(k, in, now, counts);
}

/* Until it has a CPU for the first time. */
static void is_new(struct kernel *k, const struct trace *t, const char *text, int64_t now)
{
    uint64_t tid;
    struct kernel_thread *thread = number(text, " pid=", &tid) ? find(k, t, tid) : NULL;
    if (!thread || open_away(thread))
        return;
    if (VEC_ROOM(&thread->aways))
        thread->aways.v[thread->aways.n++] = (struct away){
            .begin = now, .end = NEVER, .out = NEVER, .in = NEVER, .woken = NEVER, .queued = now, .state = 'N'};
    else
        k->no_memory = true;
}

/* sched_waking is reported by the waker; sched_wakeup may be by whatever the woken thread's CPU was doing. */
static void woken(struct kernel *k, const struct trace *t, const char *text, int64_t now, uint64_t by, bool counts,
                  bool by_waker)
{
    uint64_t tid;
    struct kernel_thread *thread = number(text, " pid=", &tid) ? find(k, t, tid) : NULL;
    if (!thread)
        return;
    set_awake(k, thread, true, counts);
    struct away *a = open_away(thread);
    if (!a && by_waker) {
        thread->early = now;
        thread->early_waker = by;
    }
    if (a && !by_waker && a->queued == NEVER)
        a->queued = now;
    if (!a || a->state == 'R' || (a->woken != NEVER && !by_waker))
        return;
    a->woken = now;
    a->waker = by;
}

/* A timer interrupts what the CPU does, or no more. */
static void in_timer(struct kernel *k, const char *event, uint64_t cpu)
{
    bool was = idmap_get(&k->in_timer, cpu), is = !strncmp(event, "hrtimer_expire_entry:", 21);
    if (was && !is)
        idmap_remove(&k->in_timer, cpu);
    else if (is && !was && !idmap_add(&k->in_timer, cpu, 1))
        k->no_memory = true;
}

/*
 * "  13557 [001] 11936.660115363: sched:sched_switch: prev_comm=…", or "  13557 …: PERF_RECORD_SWITCH_CPU_WIDE IN …":
 * perf's own word that the thread has a CPU again. Kernels were seen whose idle thread of one CPU reports no
 * tracepoints.
 */
static void line(struct kernel *k, const struct trace *t, const char *text)
{
    char *p, *dot;
    uint64_t by = strtoull(text, &p, 10);
    if (p == text)
        return;
    char *bracket = p + strspn(p, " ");
    uint64_t cpu = *bracket == '[' ? strtoull(bracket + 1, &p, 10) : 0;
    if (*bracket == '[' && *p++ != ']')
        return;
    uint64_t seconds = strtoull(p, &dot, 10);
    if (dot == p || *dot != '.')
        return;
    uint64_t ns = strtoull(dot + 1, &p, 10);
    if (p - dot != 10 || *p != ':')
        return;
    int64_t now = (int64_t)(seconds * 1000000000 + ns);
    bool counts = now >= t->begin && now <= t->end;
    const char *event = strstr(p, "sched:"), *timer = event ? NULL : strstr(p, "timer:hrtimer_expire_");
    struct kernel_thread *thread = !event && strstr(p, "PERF_RECORD_SWITCH") ? find(k, t, by) : NULL;
    if (thread && strstr(p, " IN "))
        switched_in(k, thread, now, counts);
    if (thread)
        switch_over(thread, now, strstr(p, " IN "));
    if (timer)
        in_timer(k, timer + strlen("timer:"), cpu);
    if (!event)
        return;
    event += strlen("sched:");
    if (!strncmp(event, "sched_switch:", 13))
        sched_switch(k, t, event, now, counts);
    else if (!strncmp(event, "sched_waking:", 13))
        woken(k, t, event, now, idmap_get(&k->in_timer, cpu) ? WOKEN_BY_TIMER : by, counts, true);
    else if (!strncmp(event, "sched_wakeup:", 13) || !strncmp(event, "sched_wakeup_new:", 17)) {
        woken(k, t, event, now, by, counts, false);
        if (event[12] == '_')
            is_new(k, t, event, now);
    }
    else
        return;
    k->events++;
    k->events_meanwhile += counts;
}

bool kernel_read(struct kernel *k, const struct trace *t, FILE *in)
{
    char *text = NULL;
    size_t size = 0;
    *k = (struct kernel){0};
    while (!k->no_memory && getline(&text, &size, in) > 0) {
        if (strstr(text, "PERF_RECORD_LOST"))
            k->lost++;
        else
            line(k, t, text);
    }
    free(text);
    const char *why = k->no_memory ? "out of memory" : !k->events ? "no events of the scheduler" :
                                   !k->threads.n ? "none of the trace's threads" :
                                   !k->events_meanwhile ? "none of the time of the trace" : NULL;
    if (why)
        fprintf(stderr, "against-kernel: the kernel's events: %s\n", why);
    return !why;
}

void kernel_free(struct kernel *k)
{
    for (size_t i = 0; i < k->threads.n; i++)
        VEC_FREE(&k->threads.v[i].aways);
    VEC_FREE(&k->threads);
    idmap_free(&k->by_tid);
    idmap_free(&k->in_timer);
}

int64_t kernel_runnable(const struct kernel_thread *k, int64_t from, int64_t to)
{
    int64_t runnable = 0;
    for (size_t i = kernel_away_after(k, from); i < k->aways.n && k->aways.v[i].begin < to; i++) {
        const struct away *a = &k->aways.v[i];
        int64_t begin = a->queued != NEVER ? a->queued : a->woken, end = a->end < to ? a->end : to;
        begin = begin > from ? begin : from;
        runnable += begin < end ? end - begin : 0;
    }
    return runnable;
}

size_t kernel_away_after(const struct kernel_thread *k, int64_t time)
{
    size_t low = 0, high = k->aways.n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (k->aways.v[mid].end <= time)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

int64_t kernel_executed(const struct kernel_thread *k, int64_t from, int64_t to)
{
    int64_t executed = to > from ? to - from : 0;
    for (size_t i = kernel_away_after(k, from); i < k->aways.n && k->aways.v[i].begin < to; i++) {
        const struct away *a = &k->aways.v[i];
        executed -= (a->end < to ? a->end : to) - (a->begin > from ? a->begin : from);
    }
    return executed;
}
