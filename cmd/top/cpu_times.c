#include "config.h"

#include "cmd/top/cpu_times.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cmd/finish/process_life.h"
#include "lib/clock.h"

static bool read_text(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, size - 1, f) : 0;
    if (f)
        fclose(f);
    text[n] = 0;
    return n;
}

/* To the nanosecond, or where the kernel does not count that, in its ticks. */
static bool take_one(pid_t pid, long tid, uint64_t *ns)
{
    char path[96], text[1024];
    unsigned long long user, system;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/schedstat", (long)pid, tid);
    if (read_text(path, text, sizeof text) && sscanf(text, "%llu", &user) == 1 && user) {
        *ns = user;
        return true;
    }
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/stat", (long)pid, tid);
    if (!read_text(path, text, sizeof text))
        return false;
    const char *end = text;
    for (const char *p = text; *p; p++) /* a name may have anything in it */
        end = *p == ')' ? p : end;
    if (sscanf(end, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system) != 2)
        return false;
    *ns = (user + system) * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
    return true;
}

static int by_tid(const void *a, const void *b)
{
    const struct cpu_time *x = a, *y = b;
    return (x->tid > y->tid) - (x->tid < y->tid);
}

struct taking {
    struct cpu_times *times;
    pid_t pid;
    bool failed;
};

static bool take(void *arg, pid_t tid)
{
    struct taking *t = arg;
    uint64_t ns;
    if (!take_one(t->pid, tid, &ns))
        return true;
    t->failed = !VEC_ROOM(&t->times->list);
    if (!t->failed)
        t->times->list.v[t->times->list.n++] = (struct cpu_time){tid, ns};
    return !t->failed;
}

bool cpu_times_take(struct cpu_times *t, pid_t pid)
{
    struct taking taking = {t, pid, false};
    *t = (struct cpu_times){.at = clock_mono_ns()};
    bool there = process_each_thread(pid, take, &taking);
    if (t->list.n)
        qsort(t->list.v, t->list.n, sizeof *t->list.v, by_tid);
    return there && !taking.failed;
}

void cpu_times_free(struct cpu_times *t) { VEC_FREE(&t->list); }

static const struct cpu_time *find(const struct cpu_times *t, pid_t tid)
{
    const struct cpu_time key = {.tid = tid};
    return t->list.n ? bsearch(&key, t->list.v, t->list.n, sizeof key, by_tid) : NULL;
}

bool cpu_times_used(const struct cpu_times *before, const struct cpu_times *now, pid_t tid, uint64_t *ns)
{
    const struct cpu_time *a = find(before, tid), *b = find(now, tid);
    if (!a || !b || b->ns < a->ns) /* another thread has the number */
        return false;
    *ns = b->ns - a->ns;
    return true;
}

uint64_t cpu_times_all(const struct cpu_times *before, const struct cpu_times *now)
{
    uint64_t sum = 0, ns;
    for (size_t i = 0; i < now->list.n; i++)
        if (cpu_times_used(before, now, now->list.v[i].tid, &ns))
            sum += ns;
    return sum;
}
