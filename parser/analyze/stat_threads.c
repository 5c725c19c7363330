#include "parser/analyze/stat_threads.h"

#include <stdlib.h>

enum { MIN_APART = 1024, MAX_NAMES = 4096 };

void stat_threads_free(struct stat_threads *t)
{
    VEC_FREE(&t->apart);
    VEC_FREE(&t->names);
    idmap_free(&t->index);
}

static int by_running(const void *a, const void *b)
{
    const struct stat_thread *x = a, *y = b;
    uint64_t rx = x->time[GOTRACE_STATE_RUNNING], ry = y->time[GOTRACE_STATE_RUNNING];
    return rx != ry ? (rx < ry) - (rx > ry) : (x->id > y->id) - (x->id < y->id);
}

void stat_thread_sum(struct stat_thread *sum, const struct stat_thread *t)
{
    sum->n += t->n;
    for (int state = 0; state < GOTRACE_STATE_IDLE; state++)
        sum->time[state] += t->time[state];
    sum->idle += t->idle;
    sum->queued += t->queued;
    if (t->longest_queued > sum->longest_queued)
        sum->longest_queued = t->longest_queued;
    sum->blocks += t->blocks;
    sum->samples += t->samples;
    sum->moved.migrations += t->moved.migrations;
    sum->delayed += t->delayed;
    sum->delay_unknown |= t->delay_unknown;
    sum->moved.cpus = t->moved.cpus > sum->moved.cpus ? t->moved.cpus : sum->moved.cpus;
}

static void keep_longest(struct stat_threads *t)
{
    if (t->apart.n)
        qsort(t->apart.v, t->apart.n, sizeof *t->apart.v, by_running);
    while (t->apart.n > t->rows)
        stat_thread_sum(&t->others, &t->apart.v[--t->apart.n]);
}

static void add_to_name(struct stat_threads *t, const struct stat_thread *thread)
{
    uint64_t key = (uint64_t)thread->name + 1;
    uint32_t known = idmap_get(&t->index, key);
    if (known) {
        stat_thread_sum(&t->names.v[known - 1], thread);
    } else if (t->names.n == MAX_NAMES) {
        stat_thread_sum(&t->other_names, thread);
    } else if (VEC_ROOM(&t->names) && idmap_add(&t->index, key, (uint32_t)t->names.n + 1)) {
        t->names.v[t->names.n++] = *thread;
    } else {
        t->failed = true;
    }
}

void stat_threads_add(struct stat_threads *t, const struct stat_thread *thread)
{
    if (t->apart.n >= 2 * t->rows && t->apart.n >= MIN_APART)
        keep_longest(t);
    add_to_name(t, thread);
    if (VEC_ROOM(&t->apart))
        t->apart.v[t->apart.n++] = *thread;
    else
        t->failed = true;
}

void stat_threads_end(struct stat_threads *t)
{
    keep_longest(t);
    if (t->names.n)
        qsort(t->names.v, t->names.n, sizeof *t->names.v, by_running);
}

uint64_t stat_threads_time(const struct stat_threads *t, enum gotrace_state state)
{
    uint64_t sum = t->other_names.time[state];
    for (size_t i = 0; i < t->names.n; i++)
        sum += t->names.v[i].time[state];
    return sum;
}
