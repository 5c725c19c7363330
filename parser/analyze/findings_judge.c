#include "parser/analyze/findings_judge.h"

#include <stdlib.h>

uint64_t finding_wall(const struct findings *f) { return (uint64_t)f->spans->end - (uint64_t)f->spans->begin; }

const struct stat_group *finding_top(const struct stat_groups *gs, uint64_t mask, uint64_t value)
{
    const struct stat_group *best = NULL;
    for (size_t i = 0; i < gs->list.n; i++) {
        const struct stat_group *g = &gs->list.v[i];
        if ((g->key & mask) == value && (!best || g->total > best->total))
            best = g;
    }
    return best;
}

uint64_t finding_sum(const struct stat_groups *gs, uint64_t mask, uint64_t value)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < gs->list.n; i++)
        if ((gs->list.v[i].key & mask) == value)
            sum += gs->list.v[i].total;
    return sum;
}

uint32_t finding_line_of(const struct findings *f, uint32_t function)
{
    const struct stat_group *g = finding_top(&f->lines, UINT64_MAX << 16, finding_key(0, function, 0));
    return g ? finding_place_of(g->key) : function;
}

/* ---- what owners did -------------------------------------------------------------------------------------------- */

enum { TOPS = 64 };

struct tops {
    struct finding_deed v[TOPS];
    size_t n;
};

static void count(struct tops *tops, const struct finding_deed *d)
{
    size_t i = 0;
    while (i < tops->n && (tops->v[i].owner != d->owner || tops->v[i].what != d->what ||
                           tops->v[i].inner != d->inner || tops->v[i].name != d->name))
        i++;
    if (i == TOPS)
        return;
    if (i == tops->n)
        tops->v[tops->n++] = *d;
    else
        tops->v[i].ns += d->ns;
}

static struct finding_deed top(const struct tops *tops)
{
    struct finding_deed best = {0};
    for (size_t i = 0; i < tops->n; i++)
        if (tops->v[i].ns > best.ns)
            best = tops->v[i];
    return best;
}

static const struct blame_chain *first_link(const struct findings *f, uint32_t chain)
{
    const struct blame_chain *c = chain ? &f->blame->sums.chains.v[chain - 1] : NULL;
    while (c && c->before)
        c = &f->blame->sums.chains.v[c->before - 1];
    return c;
}

/* Nothing else can be done in such a call but to wait for something outside of the program. */
static bool is_blocking(const struct blame_deed *d)
{
    return !d->chain && (d->state == GOTRACE_STATE_SYSCALL || d->state == GOTRACE_STATE_WAITING);
}

static bool is_lock(const struct findings *f, uint32_t object)
{
    return object < f->objects.n && f->objects.v[object].class == WAIT_CLASS_LOCK;
}

static void count_deed(const struct findings *f, uint32_t object, const struct stat_group *g,
                       struct finding_deeds *all, struct tops *blocked, struct tops *nested, struct tops *executed)
{
    struct blame_deed d = blame_deed_of(g->key);
    const struct blame_chain *link = first_link(f, d.chain);
    uint32_t inner = link ? link->object : 0;
    enum wait_object kind = inner ? f->blame->objects.v[inner - 1].is.kind : WAIT_NO_OBJECT;
    struct finding_deed it = {.ns = g->total, .owner = blame_owner_name(g->key), .what = d.what};
    if (is_blocking(&d) || kind == WAIT_PIPE || kind == WAIT_SOCKET) {
        if (kind && *stat_text_of(&f->spans->texts, link->name))
            it.what = f->blame->objects.v[inner - 1].is.text;
        all->blocked += g->total;
        count(blocked, &it);
    } else if (kind && inner - 1 != object && is_lock(f, inner - 1)) {
        it.inner = inner;
        it.name = link->name;
        it.what = 0;
        all->nested += g->total;
        count(nested, &it);
    } else if (!link && d.state == GOTRACE_STATE_RUNNING) {
        all->executed += g->total;
        if (d.sampled) {
            it.ns = g->count;
            all->samples += g->count;
            count(executed, &it);
        }
    } else if (!link && d.state == GOTRACE_STATE_RUNNABLE) {
        all->total -= g->total < all->total ? g->total : all->total;
    }
}

struct finding_deeds finding_deeds_of(const struct findings *f, uint32_t object)
{
    static struct tops blocked, nested, executed;
    const struct stat_groups *deeds = &f->blame->sums.deeds;
    struct finding_deeds all = {.total = finding_sum(&f->blame->sums.owners, BLAME_OBJECT_MASK,
                                                     blame_object_key(object))};
    blocked.n = nested.n = executed.n = 0;
    for (size_t i = 0; i < deeds->list.n; i++)
        if ((deeds->list.v[i].key & BLAME_OBJECT_MASK) == blame_object_key(object))
            count_deed(f, object, &deeds->list.v[i], &all, &blocked, &nested, &executed);
    all.samples /= 2; /* a sample divides a stretch, and is the place of both parts */
    all.top_blocked = top(&blocked);
    all.top_nested = top(&nested);
    all.top_executed = top(&executed);
    const struct stat_group *inside = finding_top(&f->inside, FINDING_OBJECT_MASK, finding_key(object, 0, 0));
    if (is_lock(f, object)) {
        all.samples = object < f->objects.n ? f->objects.v[object].samples : 0;
        if (inside)
            all.top_executed = (struct finding_deed){
                .ns = inside->total, .owner = finding_name_of(inside->key), .what = finding_place_of(inside->key)};
    }
    return all;
}

bool finding_is_executed(const struct findings *f, uint32_t object, const struct finding_deeds *d)
{
    const struct finding_object *o = &f->objects.v[object];
    double ncpu = f->ncpu ? (double)f->ncpu : 1, share = (double)o->held / (double)finding_wall(f);
    return finding_is_share(d->executed, d->total, LIMIT_MOST) && d->samples >= LIMIT_SAMPLES &&
           (double)d->samples >= (double)f->nsamples * share / ncpu / 8 &&
           (!is_lock(f, object) || 10 * o->certain_samples >= o->samples);
}

bool finding_is_blocked(const struct findings *f, uint32_t object, const struct finding_deeds *d)
{
    return finding_is_share(d->blocked, d->total, LIMIT_MOST) &&
           (!is_lock(f, object) ||
            finding_is_share(f->objects.v[object].certain_calls, finding_wall(f), LIMIT_CERTAIN));
}

void finding_set_doing(const struct findings *f, struct finding *it, const struct finding_deeds *d, bool executes)
{
    const struct finding_deed *top = executes ? &d->top_executed : &d->top_blocked;
    finding_set_owner(f, it, it->object - 1, top->owner);
    it->executes = executes;
    it->doing = executes ? finding_line_of(f, top->what) : top->what;
    it->part = executes ? d->executed : top->ns;
    it->time = d->total;
}

/* ---- what is said ----------------------------------------------------------------------------------------------- */

void finding_set_owner(const struct findings *f, struct finding *it, uint32_t object, uint32_t name)
{
    const struct stat_group *site = finding_top(&f->sites, UINT64_MAX << 16, finding_key(object, name, 0));
    const struct stat_group *owner = finding_top(&f->blame->sums.owners, UINT64_MAX, blame_owner_key(object, name));
    const struct blame_sums *sums = &f->blame->sums;
    it->owner = name;
    it->site = site ? finding_place_of(site->key) : 0;
    it->nowners = owner && owner->number < sums->nthreads.n ? sums->nthreads.v[owner->number] : 0;
}

/* Who has a name: waits that a timeout ends have no owner. */
static const struct stat_group *main_owner(const struct findings *f, uint32_t object)
{
    const struct stat_groups *owners = &f->blame->sums.owners;
    const struct stat_group *best = NULL;
    for (size_t i = 0; i < owners->list.n; i++) {
        const struct stat_group *g = &owners->list.v[i];
        if ((g->key & BLAME_OBJECT_MASK) == blame_object_key(object) &&
            *stat_text_of(&f->spans->texts, blame_owner_name(g->key)) && (!best || g->total > best->total))
            best = g;
    }
    return best;
}

struct finding finding_about(const struct findings *f, uint32_t object, enum finding_kind kind)
{
    const struct finding_object *o = &f->objects.v[object];
    struct finding it = {.kind = kind, .cost = o->held, .object = object + 1, .nwaiters = o->nthreads};
    uint64_t value = finding_key(object, 0, 0);
    const struct stat_group *waits = finding_top(&f->blame->waits, UINT64_MAX, object);
    const struct stat_group *waiter = finding_top(&f->waits, FINDING_OBJECT_MASK, value);
    const struct stat_group *owner = main_owner(f, object);
    if (waits) {
        it.waits = waits->count;
        it.time = waits->total;
    }
    if (waiter) {
        it.waiter = finding_name_of(waiter->key);
        it.place = finding_place_of(waiter->key);
    }
    if (owner)
        finding_set_owner(f, &it, object, blame_owner_name(owner->key));
    return it;
}

void finding_add(struct finding_list *list, const struct finding *it)
{
    if (list->n < FINDINGS_MAX)
        list->v[list->n++] = *it;
}

bool finding_has_object(const struct finding_list *list, uint32_t object)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->v[i].object == object + 1)
            return true;
    return false;
}

static int by_cost(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    if (x->cost != y->cost)
        return (x->cost < y->cost) - (x->cost > y->cost);
    return (x->kind > y->kind) - (x->kind < y->kind);
}

/* The objects that somebody waited for most of the time are looked at, no more than fit into a list. */
static size_t candidates(const struct findings *f, uint32_t *which)
{
    size_t n = 0;
    for (uint32_t i = 0; i < f->objects.n && i < BLAME_OBJECTS - 1; i++) {
        uint64_t held = f->objects.v[i].held;
        size_t at = n < FINDINGS_MAX ? n++ : FINDINGS_MAX;
        for (; at && held > f->objects.v[which[at - 1]].held; at--)
            if (at < FINDINGS_MAX)
                which[at] = which[at - 1];
        if (at < FINDINGS_MAX)
            which[at] = i;
    }
    return n;
}

void findings_judge(const struct findings *f, struct finding_list *list)
{
    uint32_t which[FINDINGS_MAX];
    list->n = 0;
    size_t n = candidates(f, which);
    for (size_t i = 0; i < n; i++) {
        switch (f->objects.v[which[i]].class) {
        case WAIT_CLASS_LOCK: findings_of_locks(f, which[i], list); break;
        case WAIT_CLASS_SIGNAL: findings_of_signals(f, which[i], list); break;
        default: findings_of_others(f, which[i], list); break;
        }
    }
    findings_of_threads(f, list);
    if (list->n)
        qsort(list->v, list->n, sizeof *list->v, by_cost);
}
