/* Sleeps in vain: rows of them, one after the other, until the thread had something to do. */
#include "parser/analyze/findings_waits.h"

enum { US = 1000 };

/* Rows of several threads at a time take wall time once. They come in the order in which they end, or nearly so. */
static void note_polled(struct findings *f, uint32_t number, const struct finding_thread *t)
{
    while (number >= f->polled.n) {
        if (!VEC_ROOM(&f->polled)) {
            f->failed = true;
            return;
        }
        f->polled.v[f->polled.n++] = (struct finding_polled){.until = INT64_MIN};
    }
    struct finding_polled *p = &f->polled.v[number];
    int64_t end = t->last.begin; /* the last one was not in vain */
    if (end <= p->until)
        return;
    uint64_t since = (uint64_t)end - (uint64_t)p->until;
    p->wall += since < t->nap_time ? since : t->nap_time;
    p->until = end;
}

void findings_naps_end(struct findings *f, uint32_t thread, bool found)
{
    struct finding_thread *t = &f->threads.v[thread];
    if (found && t->naps >= LIMIT_NAPS) {
        uint64_t key = finding_key(0, f->spans->live.v[thread].name, t->nap_what);
        uint32_t number = stat_groups_add(&f->polls, key, t->nap_time);
        stat_groups_add(&f->naps, key, t->naps);
        if (number < f->polls.list.n)
            note_polled(f, number, t);
    }
    t->naps = t->nap_what = 0;
    t->nap_time = 0;
}

void findings_nap(struct findings *f, uint32_t thread, uint32_t what)
{
    struct finding_thread *t = &f->threads.v[thread];
    bool same = t->nap_what == what;
    if (same && !t->did && t->ran < LIMIT_FUTILE_RUN * US) {
        t->naps++;
        t->nap_time += t->nap;
        return;
    }
    findings_naps_end(f, thread, t->did);
    t->nap_what = what;
}
