#include "parser/rewrite/switches_moves.h"

#include <inttypes.h>

#include "parser/rewrite/rewriter.h"

static struct moves_thread *thread_of(struct moves *m, uint64_t id)
{
    uint32_t at = idmap_get(&m->thread_of, id);
    if (!at) {
        if (m->threads.n >= UINT32_MAX - 1 || !VEC_ROOM(&m->threads) ||
            !idmap_add(&m->thread_of, id, at = (uint32_t)m->threads.n + 1))
            return NULL;
        m->threads.v[m->threads.n++] = (struct moves_thread){.go = ID_NONE};
    }
    return &m->threads.v[at - 1];
}

/* It is on the CPU that it comes to, and on the one that it leaves. */
bool moves_switch(struct moves *m, const struct thread_switch *s)
{
    struct moves_thread *t = s->kind == SWITCHES_LOST ? NULL : thread_of(m, s->thread);
    uint32_t cpu = s->cpu % MOVES_CPUS;
    if (!t)
        return s->kind == SWITCHES_LOST;
    t->migrations += t->at && t->at != cpu + 1;
    t->at = cpu + 1;
    t->cpus[cpu / 64] |= UINT64_C(1) << cpu % 64;
    return true;
}

static bool keep(struct moves *m, const struct moves_thread *t)
{
    struct thread_moves moves = {t->go, t->migrations, 0};
    if (t->go == ID_NONE || !t->migrations)
        return true;
    for (size_t i = 0; i < MOVES_CPUS / 64; i++)
        moves.cpus += (uint32_t)__builtin_popcountll(t->cpus[i]);
    if (!VEC_ROOM(&m->list))
        return false;
    m->list.v[m->list.n++] = moves;
    return true;
}

static void arrive(struct moves_thread *t, uint64_t go, uint32_t at)
{
    *t = (struct moves_thread){.go = go, .at = at};
    if (at)
        t->cpus[(at - 1) / 64] |= UINT64_C(1) << (at - 1) % 64;
}

/* It executes, so the last switch of the thread is its own; those before may be of one that had the same number. */
bool moves_begin(struct moves *m, uint64_t thread, uint64_t go)
{
    struct moves_thread *t = thread_of(m, thread);
    if (!t || t->go == go)
        return t;
    bool ok = keep(m, t);
    arrive(t, go, t->at);
    return ok;
}

bool moves_leave(struct moves *m, uint64_t thread)
{
    uint32_t at = idmap_get(&m->thread_of, thread);
    if (!at)
        return true;
    bool ok = keep(m, &m->threads.v[at - 1]);
    arrive(&m->threads.v[at - 1], ID_NONE, 0);
    return ok;
}

bool moves_end(struct moves *m)
{
    bool ok = true;
    for (size_t i = 0; i < m->threads.n && ok; i++)
        ok = keep(m, &m->threads.v[i]);
    m->threads.n = 0;
    return ok;
}

bool moves_write(const struct moves *m, struct rewriter *w)
{
    bool ok = rewriter_note(w, "thrace switches lost %" PRIu64, m->lost);
    if (!ok || w->generation > 1)
        return ok;
    ok = rewriter_note(w, "thrace moves threads %zu", m->list.n);
    for (size_t i = 0; ok && i < m->list.n; i++) {
        const struct thread_moves *t = &m->list.v[i];
        ok = rewriter_note(w, "thrace moves of %" PRIu64 " migrations %" PRIu64 " cpus %" PRIu32, t->go, t->migrations,
                           t->cpus);
    }
    return ok;
}

void moves_free(struct moves *m)
{
    idmap_free(&m->thread_of);
    VEC_FREE(&m->threads);
    VEC_FREE(&m->list);
}
