#include "parser/analyze/findings_waits.h"

#include <string.h>

enum { US = 1000, BATCH = 5 * US, SLACK = 100 * US };

static const char *text(const struct findings *f, uint32_t n) { return stat_text_of(&f->spans->texts, n); }

/* The object that the thread waits for, by blame's number + 1. */
static uint32_t number_of(const struct findings *f, uint32_t thread)
{
    return thread < f->blame->threads.n ? f->blame->threads.v[thread].object : 0;
}

static bool put(struct findings *f, struct idmap *set, uint64_t key)
{
    if (idmap_get(set, key) || set->count >= FINDINGS_PAIRS)
        return false;
    f->failed |= !idmap_add(set, key, 1);
    return true;
}

/* A futex is anything; its stack may say what. */
static enum wait_class class_of(const struct stat_object *is)
{
    if (is->kind != WAIT_FUTEX)
        return wait_class_of(is->kind);
    return is->need == WAIT_NEED_WORK ? WAIT_CLASS_LOCK : WAIT_CLASS_SIGNAL;
}

/* ---- a wait begins ---------------------------------------------------------------------------------------------- */

static struct finding_object *object_at(struct findings *f, uint32_t number)
{
    while (number >= f->objects.n && !f->failed) {
        if (VEC_ROOM(&f->objects))
            f->objects.v[f->objects.n++] = (struct finding_object){.batch.waker = SPANS_NOBODY};
        else
            f->failed = true;
    }
    return f->failed ? NULL : &f->objects.v[number];
}

/* The thread has not waited for the object before. */
static bool is_first_wait(struct findings *f, struct finding_thread *t, uint32_t number)
{
    uint64_t bit = UINT64_C(1) << number % 64;
    while (number / 64 >= t->objects.n) {
        if (!VEC_ROOM(&t->objects)) {
            f->failed = true;
            return false;
        }
        t->objects.v[t->objects.n++] = 0;
    }
    bool first = !(t->objects.v[number / 64] & bit);
    t->objects.v[number / 64] |= bit;
    return first;
}

/* It was woken for what it waits for again, and did nothing in between. */
static void note_futile(struct finding_object *o, const struct finding_thread *t, int64_t now)
{
    if (o->batch.waker == t->waker && t->woken_at >= o->batch.first && t->woken_at <= o->batch.last) {
        o->batch.again++;
        o->again_time += (uint64_t)now - (uint64_t)t->woken_at;
    }
}

void findings_wait_begins(struct findings *f, uint32_t thread)
{
    const struct span_thread *span = &f->spans->live.v[thread];
    struct finding_thread *t = &f->threads.v[thread];
    uint32_t number = number_of(f, thread);
    t->stack = span->stack;
    if (!number) {
        t->woken = 0;
        if (!strcmp(text(f, span->reason), "sleep"))
            findings_nap(f, thread, span->doing ? span->doing : span->what);
        else
            findings_naps_end(f, thread, true);
        t->did = true;
        return;
    }
    struct finding_object *o = object_at(f, number - 1);
    if (!o)
        return;
    if (!o->nthreads)
        o->class = class_of(&span->object);
    findings_naps_end(f, thread, o->class != WAIT_CLASS_LOCK); /* who looks may have to wait for a lock for that */
    o->nthreads += is_first_wait(f, t, number - 1);
    if (!o->nwaiting++)
        o->since = span->since;
    if (t->woken == number && !t->did && t->ran < LIMIT_FUTILE_RUN * US)
        note_futile(o, t, span->since);
    t->did = true;
    t->woken = 0;
    t->holds = 0;
    t->turn = o->releases;
    t->place = stat_text_stack(&f->spans->texts, t->stack, STAT_PLACE);
    t->write = span->object.kind == WAIT_RWLOCK && strstr(text(f, span->what), "wrlock");
    o->nreaders += span->object.kind == WAIT_RWLOCK && !t->write;
    if (o->class == WAIT_CLASS_MEETING)
        t->met = number;
}

/* ---- a wait ends ------------------------------------------------------------------------------------------------ */

static void note_owner(struct findings *f, uint32_t waker, uint32_t thread, uint64_t ns)
{
    const struct span_thread *span = &f->spans->live.v[waker];
    uint32_t known = idmap_get(&f->owner_index, span->id);
    if (!known && f->owners.n < FINDINGS_OWNERS) {
        if (!VEC_ROOM(&f->owners) || !idmap_add(&f->owner_index, span->id, (uint32_t)f->owners.n + 1)) {
            f->failed = true;
            return;
        }
        f->owners.v[f->owners.n++] = (struct finding_owner){.id = span->id};
        known = (uint32_t)f->owners.n;
    }
    if (!known)
        return;
    struct finding_owner *o = &f->owners.v[known - 1];
    o->name = span->name;
    o->time += ns;
    o->waits++;
    o->nthreads += put(f, &f->victims, (uint64_t)known << 48 ^ f->spans->live.v[thread].id);
}

/* A function of the program's other than the thread's own is in both stacks. */
static bool have_common_frame(const char *a, const char *b)
{
    for (const char *line = strchr(a, '\n'); line; line = strchr(line, '\n')) {
        line++;
        if (!strchr(line, '\n')) /* the outermost one that is shown */
            return false;
        size_t len = strcspn(line, " \n");
        for (const char *other = strchr(b, '\n'); other; other = strchr(other, '\n')) {
            other++;
            if (strchr(other, '\n') && !strncmp(line, other, len) && other[len] == ' ')
                return true;
        }
    }
    return false;
}

static bool is_related(struct findings *f, uint32_t a, uint32_t b)
{
    uint64_t key = (uint64_t)a << 16 | b;
    uint32_t known = idmap_get(&f->related, key);
    if (known)
        return known == 2;
    bool related = have_common_frame(text(f, a), text(f, b));
    if (f->related.count < FINDINGS_PAIRS)
        f->failed |= !idmap_add(&f->related, key, 1 + related);
    return related;
}

/* Who signals was in a blocking call before, for most of the wait, called by what signals. */
static void note_late(struct findings *f, struct finding_object *o, uint32_t number, const struct finding_thread *w,
                      int64_t since, int64_t now, struct gotrace_stack stack)
{
    int64_t from = w->longest.begin > since ? w->longest.begin : since;
    struct stat_texts *texts = &f->spans->texts;
    if (w->longest.end <= from || 2 * (w->longest.end - from) < now - since ||
        !is_related(f, stat_text_stack(texts, w->longest.stack, STAT_WHERE), stat_text_stack(texts, stack, STAT_WHERE)))
        return;
    uint64_t ns = (uint64_t)w->longest.end - (uint64_t)from;
    o->late++;
    o->late_time += ns;
    stat_groups_add(&f->late, finding_key(number, w->longest.what, stat_text_stack(texts, stack, STAT_PLACE)), ns);
}

/* Those that are woken one right after the other by a thread are woken by one call. */
static void note_batch(struct finding_object *o, uint32_t waker, int64_t now)
{
    struct finding_batch *b = &o->batch;
    if (b->waker == waker && now - b->last < BATCH) {
        b->woken++;
        b->last = now;
        return;
    }
    findings_batch_ends(o);
    *b = (struct finding_batch){.waker = waker, .woken = 1, .first = now, .last = now};
}

void findings_batch_ends(struct finding_object *o)
{
    struct finding_batch *b = &o->batch;
    bool several = b->woken > 1, mixed = several && b->again < b->woken && 2 * b->again > b->woken;
    o->broadcasts += several;
    b->waker = SPANS_NOBODY;
    if (!mixed)
        return;
    o->mixed++;
    o->mixed_woken += b->woken;
    o->mixed_again += b->again;
    o->herds += b->woken >= LIMIT_HERD && b->again + 1 == b->woken;
}

static void note_mode(struct findings *f, struct finding_object *o, uint32_t number, struct finding_thread *w,
                      const struct finding_thread *t, uint32_t site, uint64_t ns)
{
    bool writer = !t->write, reader = t->write && o->nreaders;
    if (!writer && !reader && w->holds == number + 1)
        writer = w->write, reader = !w->write;
    if (writer || reader)
        stat_groups_add(&f->modes, finding_key(number, site, writer), 1);
    if (t->write)
        stat_groups_add(&f->writes, finding_key(number, 0, site), ns);
    w->holds = 0;
}

void findings_pair_ends(struct findings *f, uint32_t number)
{
    struct finding_pair *p = &f->objects.v[number].pair;
    if (!p->count)
        return;
    stat_groups_add_late(&f->waits, finding_key(number, p->waiter, p->place), p->count, p->time);
    stat_groups_add_late(&f->sites, finding_key(number, p->owner, p->site), p->count, p->time);
    stat_groups_add_late(&f->pairs, finding_key(number, p->waiter, p->owner), p->count, p->time);
    stat_groups_add_late(&f->turns, finding_key(number, p->waiter, 0), p->count, p->turns);
    p->count = p->time = p->turns = 0;
}

/* Those that follow each other and are alike are added up first. */
static void note_pair(struct findings *f, uint32_t number, const struct finding_pair *it, uint64_t ns, uint64_t turns)
{
    struct finding_pair *p = &f->objects.v[number].pair;
    if (p->waiter != it->waiter || p->owner != it->owner || p->place != it->place ||
        !gotrace_stack_equal(p->release, it->release)) {
        findings_pair_ends(f, number);
        *p = *it;
        p->site = stat_text_stack(&f->spans->texts, p->release, STAT_PLACE);
    }
    p->count++;
    p->time += ns;
    p->turns += turns;
}

static void note_waker(struct findings *f, uint32_t number, uint32_t thread, uint32_t waker, int64_t now,
                       struct gotrace_stack stack)
{
    const struct span_thread *span = &f->spans->live.v[thread], *by = &f->spans->live.v[waker];
    struct finding_thread *t = &f->threads.v[thread], *w = &f->threads.v[waker];
    struct finding_object *o = &f->objects.v[number];
    uint64_t ns = now > span->since ? (uint64_t)now - (uint64_t)span->since : 0;
    note_pair(f, number,
              &(struct finding_pair){.waiter = span->name, .owner = by->name, .place = t->place, .release = stack}, ns,
              o->releases - t->turn);
    o->releases++;
    if (o->class != WAIT_CLASS_LOCK)
        put(f, &f->talks, (uint64_t)by->name << 16 | span->name);
    else
        findings_lock_is_released(f, number, waker, thread, now, stack);
    if (o->class == WAIT_CLASS_SIGNAL || o->class == WAIT_CLASS_DATA)
        note_owner(f, waker, thread, ns);
    if (span->object.kind == WAIT_RWLOCK)
        note_mode(f, o, number, w, t, stat_text_stack(&f->spans->texts, stack, STAT_PLACE), ns);
    if (o->class == WAIT_CLASS_SIGNAL) {
        o->wakes++;
        note_batch(o, waker, now);
        note_late(f, o, number, w, span->since, now, stack);
    }
    if (o->class == WAIT_CLASS_MEETING)
        w->met = number + 1;
    t->waker = waker;
    t->waker_id = by->id;
    t->woken = number + 1;
    t->woken_at = now;
    t->waited_out = false;
    t->holds = span->object.kind == WAIT_RWLOCK ? number + 1 : 0;
    t->release = stack;
    if (o->class == WAIT_CLASS_LOCK && span->since < w->last.end)
        findings_naps_end(f, waker, false); /* it slept with the lock, and not until there was something */
    w->did = true;
    w->woke = true;
}

static void note_call(struct finding_thread *t, int64_t begin, int64_t end, uint32_t what)
{
    t->last = (struct finding_call){begin, end, what, t->stack};
    if (t->woke || end - begin > t->longest.end - t->longest.begin)
        t->longest = t->last;
    t->woke = false;
}

void findings_wait_ends(struct findings *f, uint32_t thread, int64_t now, const struct gotrace_event *by)
{
    const struct span_thread *span = &f->spans->live.v[thread];
    struct finding_thread *t = &f->threads.v[thread];
    uint32_t number = number_of(f, thread);
    uint32_t waker = spans_waker(f->spans, thread, by);
    uint64_t ns = now > span->since ? (uint64_t)now - (uint64_t)span->since : 0;
    t->woken = 0;
    if (number && number <= f->objects.n) {
        struct finding_object *o = &f->objects.v[number - 1];
        if (!--o->nwaiting && now > o->since)
            o->held += (uint64_t)now - (uint64_t)o->since;
        o->nreaders -= span->object.kind == WAIT_RWLOCK && !t->write;
        if (waker != SPANS_NOBODY)
            note_waker(f, number - 1, thread, waker, now, gotrace_event_stack(by));
    } else if (waker != SPANS_NOBODY) {
        f->threads.v[waker].did = true;
    } else if (!strcmp(text(f, span->reason), "sleep")) {
        t->nap = ns;
        t->slept += ns;
        note_call(t, span->since, now, span->doing ? span->doing : span->what);
    }
    t->did = false;
    t->ran = 0;
}

/* ---- it executes again ------------------------------------------------------------------------------------------ */

/*
 * A thread that is woken from a condition executes when it has the mutex again. If who signalled was in a call from
 * shortly after that, and it is over, that one held the mutex; if the call is not over, it did not.
 */
void findings_wait_is_over(struct findings *f, uint32_t thread)
{
    struct finding_thread *t = &f->threads.v[thread];
    const struct span_thread *span = &f->spans->live.v[thread];
    findings_arrives(f, t, span->since);
    if (!t->woken || t->waited_out || f->blame->objects.v[t->woken - 1].is.kind != WAIT_COND)
        return;
    t->waited_out = true;
    const struct span_thread *by = &f->spans->live.v[t->waker];
    const struct finding_thread *w = &f->threads.v[t->waker];
    struct finding_object *o = &f->objects.v[t->woken - 1];
    int64_t now = span->since;
    if (by->id != t->waker_id || now - t->woken_at < SLACK)
        return;
    bool sleeps = by->state == GOTRACE_STATE_WAITING && !number_of(f, t->waker);
    if (((by->state == GOTRACE_STATE_SYSCALL && by->call) || sleeps) && by->since >= t->woken_at) {
        o->without_mutex += now - by->since > SLACK;
        return;
    }
    if (w->last.begin < t->woken_at || w->last.end > now || 2 * (w->last.end - w->last.begin) < now - t->woken_at)
        return;
    uint64_t ns = (uint64_t)w->last.end - (uint64_t)w->last.begin;
    o->with_mutex++;
    o->mutex_time += ns;
    o->mutex_wall += w->last.end != o->mutex_until ? ns : 0;
    o->mutex_until = w->last.end;
    stat_groups_add(&f->mutex,
                    finding_key(t->woken - 1, w->last.what, stat_text_stack(&f->spans->texts, t->release, STAT_PLACE)),
                    ns);
}

/* ---- calls ------------------------------------------------------------------------------------------------------ */

void findings_call_begins(struct findings *f, uint32_t thread)
{
    struct finding_thread *t = &f->threads.v[thread];
    findings_naps_end(f, thread, true);
    t->did = true;
    t->stack = f->spans->live.v[thread].stack;
}

void findings_call_ends(struct findings *f, uint32_t thread, int64_t now)
{
    const struct span_thread *span = &f->spans->live.v[thread];
    struct finding_thread *t = &f->threads.v[thread];
    note_call(t, span->since, now, span->doing ? span->doing : span->what);
}
