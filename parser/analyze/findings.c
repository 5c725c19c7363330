#include "parser/analyze/findings.h"

#include <string.h>

#include "parser/analyze/findings_waits.h"

void findings_init(struct findings *f, struct blame *b)
{
    *f = (struct findings){.blame = b, .spans = b->spans};
    struct stat_groups *all[] = {&f->waits, &f->sites, &f->writes, &f->modes, &f->pairs, &f->turns, &f->late, &f->mutex,
                                 &f->polls, &f->naps,  &f->inside, &f->lines, &f->hot,  &f->makers, &f->denied};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        stat_groups_init_many(all[i], FINDINGS_OWNERS);
}

void findings_free(struct findings *f)
{
    struct stat_groups *all[] = {&f->waits, &f->sites, &f->writes, &f->modes, &f->pairs, &f->turns, &f->late, &f->mutex,
                                 &f->polls, &f->naps,  &f->inside, &f->lines, &f->hot,  &f->makers, &f->denied};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        stat_groups_free(all[i]);
    struct idmap *maps[] = {&f->owner_index, &f->victims, &f->talks, &f->related};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        idmap_free(maps[i]);
    phases_free(&f->phases);
    for (size_t i = 0; i < f->threads.n; i++)
        VEC_FREE(&f->threads.v[i].objects);
    VEC_FREE(&f->objects);
    VEC_FREE(&f->threads);
    VEC_FREE(&f->owners);
    VEC_FREE(&f->polled);
}

bool findings_are_fine(const struct findings *f)
{
    const struct stat_groups *all[] = {&f->waits, &f->sites, &f->writes, &f->modes, &f->pairs, &f->turns, &f->late,
                                       &f->mutex, &f->polls, &f->naps,   &f->inside, &f->lines, &f->hot,   &f->makers, &f->denied};
    bool fine = !f->failed && !f->phases.failed;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        fine &= !all[i]->failed;
    return fine;
}

/* ---- what else is said ------------------------------------------------------------------------------------------- */

/* Processors: the least that GOMAXPROCS ever is; thrace counts that up when more execute at once. */
void findings_metric(struct findings *f, const struct gotrace_metric *m)
{
    if (!strcmp(m->name, "/sched/gomaxprocs:threads") && (!f->ncpu || m->value < f->ncpu))
        f->ncpu = m->value;
}

void findings_sample(struct findings *f, const struct gotrace_event *ev)
{
    uint32_t thread = spans_find(f->spans, gotrace_event_goroutine(ev));
    if (f->failed || thread == SPANS_NOBODY)
        return;
    struct stat_texts *texts = &f->spans->texts;
    uint32_t function = stat_text_stack(texts, gotrace_event_stack(ev), STAT_SAMPLED);
    f->nsamples++;
    struct finding_thread *t = &f->threads.v[thread];
    t->sampled[t->samples++ % (sizeof t->sampled / sizeof *t->sampled)] =
        (struct finding_sample){gotrace_event_time(ev), function, gotrace_event_stack(ev)};
    t->latest = gotrace_event_time(ev) > t->latest ? gotrace_event_time(ev) : t->latest;
    t->did = true;
    if (f->lines.list.n < FINDINGS_LINES)
        stat_groups_add(&f->lines,
                        finding_key(0, function, stat_text_stack(texts, gotrace_event_stack(ev), STAT_PLACE)), 1);
    stat_groups_add(&f->hot, finding_key(0, f->spans->live.v[thread].name, function), 1);
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

void findings_appears(struct findings *f, uint32_t thread, uint32_t maker, int64_t now)
{
    const struct span_thread *span = &f->spans->live.v[thread];
    if (thread == f->threads.n && !f->failed && VEC_ROOM(&f->threads))
        f->threads.n++;
    f->failed |= thread >= f->threads.n;
    if (f->failed)
        return;
    struct finding_thread *t = &f->threads.v[thread];
    *t = (struct finding_thread){.born = now, .latest = INT64_MIN};
    if (maker == SPANS_NOBODY || !span->name)
        return;
    f->threads.v[maker].did = true;
    t->phase = phases_enter(&f->phases, f->spans->live.v[maker].id, span->name, now);
    if (f->makers.list.n == FINDINGS_MAKERS)
        return;
    uint32_t place = stat_text_stack(&f->spans->texts, gotrace_event_stack(f->event), STAT_PLACE);
    stat_groups_add(&f->makers, finding_key(0, span->name, place), 1);
}

void findings_begins(struct findings *f, uint32_t thread)
{
    const struct span_thread *span = &f->spans->live.v[thread];
    if (f->failed)
        return;
    if (span->state == GOTRACE_STATE_RUNNING) {
        findings_run_begins(f, span->since);
        findings_wait_is_over(f, thread);
    } else if (span->state == GOTRACE_STATE_WAITING) {
        findings_wait_begins(f, thread);
    } else if (span->state == GOTRACE_STATE_SYSCALL) {
        findings_call_begins(f, thread);
    } else if (span->state == GOTRACE_STATE_RUNNABLE) {
        findings_queue_begins(f, thread);
    }
}

void findings_ends(struct findings *f, uint32_t thread, int64_t now, const struct gotrace_event *by)
{
    const struct span_thread *span = &f->spans->live.v[thread];
    if (f->failed)
        return;
    struct finding_thread *t = &f->threads.v[thread];
    uint64_t ns = now > span->since ? (uint64_t)now - (uint64_t)span->since : 0;
    t->cut = !by;
    if (span->state == GOTRACE_STATE_RUNNING) {
        findings_run_ends(f, now);
        t->run += ns;
        t->ran += ns;
    } else if (span->state == GOTRACE_STATE_WAITING) {
        findings_wait_ends(f, thread, now, by);
    } else if (span->state == GOTRACE_STATE_RUNNABLE) {
        findings_queue_ends(f, thread, now);
    } else if (span->state == GOTRACE_STATE_SYSCALL && span->call) {
        t->called += ns;
        findings_call_ends(f, thread, now);
    }
}

static void meet(struct findings *f, const struct finding_thread *t, const struct span_thread *span)
{
    struct finding_met *met = &f->objects.v[t->met - 1].met;
    met->n++;
    met->samples += t->samples;
    if (t->samples <= met->most)
        return;
    met->most = t->samples;
    met->who = span->id;
    met->name = span->name;
}

void findings_gone(struct findings *f, uint32_t thread)
{
    if (f->failed)
        return;
    const struct span_thread *span = &f->spans->live.v[thread];
    struct finding_thread *t = &f->threads.v[thread];
    findings_arrives(f, t, f->spans->end);
    uint32_t owner = idmap_get(&f->owner_index, span->id);
    if (owner) {
        struct finding_owner *o = &f->owners.v[owner - 1];
        o->run = t->run + t->called;
        o->life = (uint64_t)f->spans->end - (uint64_t)t->born;
    }
    VEC_FREE(&t->objects);
    if (t->met)
        meet(f, t, span);
    if (t->phase && !t->cut)
        phases_leave(&f->phases, t->phase,
                     &(struct phase_member){.id = span->id, .samples = t->samples, .end = f->spans->end});
}

void findings_end(struct findings *f)
{
    for (size_t i = 0; i < f->objects.n; i++) {
        findings_batch_ends(&f->objects.v[i]);
        findings_pair_ends(f, (uint32_t)i);
    }
    struct stat_groups *late[] = {&f->waits, &f->sites, &f->pairs, &f->turns};
    for (size_t i = 0; i < sizeof late / sizeof *late; i++)
        stat_groups_settle(late[i]);
}
