/*
 * A processed profile for the Firefox Profiler: samples and markers of each thread, and counters. They are gathered
 * here, from a timeline, and written by the files beside this one. A region or task becomes one marker when it ends.
 */
#include "cmd/export/firefox.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/meta.h"

const char *const firefox_types[FIREFOX_TYPES] = {
    [FIREFOX_RUNNING] = "running",      [FIREFOX_RUNNABLE] = "runnable", [FIREFOX_WAITING] = "waiting",
    [FIREFOX_SYSCALL] = "system call",  [FIREFOX_REGION] = "region",     [FIREFOX_TASK] = "task",
    [FIREFOX_MESSAGE] = "message",
};

/* The thread of a track's number; NULL: memory is short. */
static struct firefox_thread *thread_of(struct firefox *f, uint64_t number)
{
    while (f->threads.n <= number) {
        if (!VEC_ROOM(&f->threads)) {
            f->t.failed = true;
            return NULL;
        }
        struct firefox_thread *t = &f->threads.v[f->threads.n++];
        *t = (struct firefox_thread){
            .samples.size = sizeof(struct firefox_sample),
            .sampled = INT64_MIN,
        };
    }
    return &f->threads.v[number];
}

static void begin(void *arg, uint64_t pid)
{
    struct firefox *f = arg;
    f->pid = pid;
    for (unsigned i = 0; i < FIREFOX_TYPES; i++)
        f->names[i] = stat_literal(&f->t.spans.texts, firefox_types[i]);
    thread_of(f, 0);
}

/* A thread ID is used again by the system; the profiler wants different ones. */
static uint32_t times_used(struct firefox *f, uint64_t tid)
{
    uint32_t n = idmap_get(&f->tids, tid);
    if (n)
        idmap_remove(&f->tids, tid);
    f->t.failed |= !idmap_add(&f->tids, tid, n + 1);
    return n;
}

static void thread(void *arg, const struct timeline_track *track)
{
    struct firefox *f = arg;
    struct firefox_thread *t = thread_of(f, track->number);
    if (!t)
        return;
    if (!t->is_told && track->tid != GOTRACE_NONE)
        t->again = times_used(f, track->tid);
    t->is_told = true;
    t->goroutine = track->goroutine;
    t->tid = track->tid;
    t->name = track->name;
}

static void slice(void *arg, const struct timeline_slice *s)
{
    static const enum firefox_type types[] = {[GOTRACE_STATE_RUNNING] = FIREFOX_RUNNING,
                                              [GOTRACE_STATE_RUNNABLE] = FIREFOX_RUNNABLE,
                                              [GOTRACE_STATE_WAITING] = FIREFOX_WAITING,
                                              [GOTRACE_STATE_SYSCALL] = FIREFOX_SYSCALL};
    struct firefox *f = arg;
    enum firefox_type type = s->state < sizeof types / sizeof types[0] ? types[s->state] : FIREFOX_WAITING;
    firefox_add_marker(f, thread_of(f, s->track), f->names[type], s->begin, s->end,
                       &(struct firefox_data){
                           .type = type,
                           .reason = s->reason,
                           .object = s->object,
                           .waker = s->waker,
                           .call = s->call,
                           .stack = s->stack,
                           .from = s->flow ? s->from : 0,
                       });
}

/* The profiler looks samples and values up by their times, so these never go back. */
static int64_t later(int64_t *last, int64_t now)
{
    *last = now > *last ? now : *last;
    return *last;
}

static void sample(void *arg, uint64_t tid, uint64_t number, int64_t now, uint32_t stack)
{
    struct firefox *f = arg;
    struct firefox_thread *t = thread_of(f, number);
    (void)tid;
    if (!t)
        return;
    spill_add(&f->spill, &t->samples, &(struct firefox_sample){later(&t->sampled, now), stack});
    f->t.failed |= f->spill.err != 0;
}

static void add_counter(void *arg, unsigned counter, const char *name)
{
    struct firefox *f = arg;
    f->counters[counter].name = name;
    f->counters[counter].counted = INT64_MIN;
}

static void count(void *arg, unsigned counter, int64_t now, uint64_t value)
{
    struct firefox *f = arg;
    struct firefox_counter *c = &f->counters[counter];
    uint64_t since = firefox_since(f, later(&c->counted, now));
    firefox_add_pair(f, &c->changes, zigzag_encode((int64_t)(since - c->since)),
                     zigzag_encode((int64_t)(value - c->last)));
    c->since = since;
    c->last = value;
    f->t.failed |= f->spill.err != 0;
}

/* ---- tasks, regions and messages -------------------------------------------------------------------------------- */

static uint32_t text_of(struct firefox *f, const struct timeline_text *text)
{
    return stat_text(&f->t.spans.texts, (struct gotrace_str){text->text, text->len});
}

static void add_ended(struct firefox *f, uint64_t number, enum firefox_type type, struct firefox_open open, int64_t now)
{
    const uint32_t none = f->t.none;
    firefox_add_marker(
        f, thread_of(f, number), open.name, open.begin, now,
        &(struct firefox_data){.type = type, .reason = none, .object = none, .waker = none, .call = none});
}

static void task_begins(struct firefox *f, uint64_t task, int64_t now, uint32_t name)
{
    uint64_t place = f->unused_task;
    if (place)
        f->unused_task = f->tasks.v[place - 1].next;
    else if (VEC_ROOM(&f->tasks))
        place = ++f->tasks.n;
    else
        f->t.failed = true;
    if (!place)
        return;
    f->tasks.v[place - 1] = (struct firefox_open){name, now, 0};
    f->t.failed |= !idmap_add(&f->task_index, task, (uint32_t)place);
}

static void task(void *arg, uint64_t number, int64_t now, const struct timeline_text *type)
{
    struct firefox *f = arg;
    if (type) {
        task_begins(f, number, now, text_of(f, type));
        return;
    }
    uint32_t place = idmap_get(&f->task_index, number);
    if (!place)
        return;
    add_ended(f, 0, FIREFOX_TASK, f->tasks.v[place - 1], now);
    f->tasks.v[place - 1].next = f->unused_task;
    f->unused_task = place;
    idmap_remove(&f->task_index, number);
}

static void region(void *arg, uint64_t number, int64_t now, const struct timeline_text *type)
{
    struct firefox *f = arg;
    struct firefox_thread *t = thread_of(f, number);
    if (!t)
        return;
    if (!type && t->regions.n)
        add_ended(f, number, FIREFOX_REGION, t->regions.v[--t->regions.n], now);
    else if (type && VEC_ROOM(&t->regions))
        t->regions.v[t->regions.n++] = (struct firefox_open){text_of(f, type), now, 0};
    else if (type)
        f->t.failed = true;
}

static void message(void *arg, uint64_t number, int64_t now, const struct timeline_text *category,
                    const struct timeline_text *text)
{
    struct firefox *f = arg;
    uint64_t at = spill_bytes(&f->spill, text->text, text->len);
    firefox_add_marker(f, thread_of(f, number), f->names[FIREFOX_MESSAGE], now, now,
                       &(struct firefox_data){
                           .type = FIREFOX_MESSAGE,
                           .message = {text_of(f, category), text->len, at},
                       });
}

/* ---- the file --------------------------------------------------------------------------------------------------- */

static void firefox_free(struct firefox *f)
{
    for (size_t i = 0; i < f->threads.n; i++) {
        spill_list_free(&f->threads.v[i].times);
        spill_list_free(&f->threads.v[i].kinds);
        spill_list_free(&f->threads.v[i].data);
        spill_list_free(&f->threads.v[i].samples);
        VEC_FREE(&f->threads.v[i].regions);
    }
    for (size_t i = 0; i < sizeof f->counters / sizeof f->counters[0]; i++)
        spill_list_free(&f->counters[i].changes);
    VEC_FREE(&f->threads);
    VEC_FREE(&f->tasks);
    firefox_stacks_free(&f->stacks);
    free(f->known);
    idmap_free(&f->tids);
    idmap_free(&f->task_index);
    spill_free(&f->spill);
    timeline_free(&f->t);
}

/* False: memory is short. */
static bool write_file(struct json *j, struct firefox *f, const char *name)
{
    f->known = firefox_known_new();
    if (!f->known || !firefox_number_stacks(f))
        return false;
    json_open(j, '{');
    firefox_put_meta(j, f, name);
    open_named(j, "libs", '[');
    json_close(j, ']');
    firefox_put_shared(j, f);
    firefox_put_threads(j, f, name);
    firefox_put_counters(j, f);
    json_close(j, '}');
    putc('\n', j->out.to);
    return true;
}

enum export_result export_firefox(struct export_job *job)
{
    static const struct timeline_writer writer = {begin, thread, slice,  sample, add_counter,
                                                  count, task,   region, message};
    enum { LINES = 3 };
    struct firefox f = {0};
    struct json j;
    const char *slash = strrchr(job->in, '/');
    enum export_result result = timeline_export(job, &f.t, &writer, &f);
    out_alone(job->to);
    json_init(&j, job->to, LINES);
    if (result == EXPORT_DONE && !write_file(&j, &f, slash ? slash + 1 : job->in)) {
        job->why = "out of memory";
        result = EXPORT_UNREAD;
    }
    if (f.spill.err) {
        snprintf(job->text, sizeof job->text, "the temporary file for it: %s", strerror(f.spill.err));
        job->why = job->text;
        result = EXPORT_UNREAD;
    }
    if (result == EXPORT_DONE)
        result = export_written(job->to);
    firefox_free(&f);
    return result;
}
