#include "parser/analyze/phases.h"

void phases_free(struct phases *p)
{
    VEC_FREE(&p->list);
    idmap_free(&p->index);
}

static uint32_t find(struct phases *p, uint64_t maker, uint32_t name)
{
    uint64_t key = maker << 16 | name;
    uint32_t known = idmap_get(&p->index, key);
    if (known || p->list.n == PHASES_MAX || p->failed)
        return known;
    if (!VEC_ROOM(&p->list) || !idmap_add(&p->index, key, (uint32_t)p->list.n + 1)) {
        p->failed = true;
        return 0;
    }
    p->list.v[p->list.n++] = (struct phase){.name = name};
    return (uint32_t)p->list.n;
}

uint32_t phases_enter(struct phases *p, uint64_t maker, uint32_t name, int64_t now)
{
    uint32_t number = find(p, maker, name);
    if (!number)
        return 0;
    struct phase *ph = &p->list.v[number - 1];
    if (!ph->alive++) {
        ph->begin = now;
        ph->n = ph->samples = 0;
    }
    return number;
}

static void judge(struct phase *ph)
{
    uint64_t alone = (uint64_t)ph->last.end - (uint64_t)ph->before;
    if (ph->n > 1 && alone > ph->worst.alone)
        ph->worst = (struct phase_worst){.alone = alone,
                                         .length = (uint64_t)ph->last.end - (uint64_t)ph->begin,
                                         .n = ph->n,
                                         .others = ph->samples - ph->last.samples,
                                         .last = ph->last};
}

void phases_leave(struct phases *p, uint32_t phase, const struct phase_member *m)
{
    struct phase *ph = &p->list.v[phase - 1];
    ph->n++;
    ph->samples += m->samples;
    ph->before = ph->last.end;
    ph->last = *m;
    if (!--ph->alive)
        judge(ph);
}
