#include "parser/analyze/path_sums.h"

static uint64_t length(const struct path_piece *p) { return (uint64_t)p->end - (uint64_t)p->begin; }

/* ---- the longest: a heap with the shortest of them at its top ---------------------------------------------------- */

static bool is_shorter(const struct path_piece *a, const struct path_piece *b)
{
    return length(a) != length(b) ? length(a) < length(b) : a->begin < b->begin;
}

static void swap(struct path_piece *a, struct path_piece *b)
{
    struct path_piece t = *a;
    *a = *b;
    *b = t;
}

static void rise(struct path_sums *s)
{
    for (size_t i = s->pieces.n - 1, up; i && (up = (i - 1) / 2, is_shorter(&s->pieces.v[i], &s->pieces.v[up])); i = up)
        swap(&s->pieces.v[i], &s->pieces.v[up]);
}

static void sink(struct path_sums *s)
{
    struct path_piece *v = s->pieces.v;
    for (size_t i = 0, down; (down = 2 * i + 1) < s->pieces.n; i = down) {
        if (down + 1 < s->pieces.n && is_shorter(&v[down + 1], &v[down]))
            down++;
        if (!is_shorter(&v[down], &v[i]))
            return;
        swap(&v[i], &v[down]);
    }
}

static void leave_out(struct path_sums *s, const struct path_piece *p)
{
    s->nothers++;
    s->others += length(p);
}

static void keep(struct path_sums *s, const struct path_piece *p)
{
    if (s->pieces.n < s->longest) {
        if (!VEC_ROOM(&s->pieces)) {
            s->failed = true;
            return;
        }
        s->pieces.v[s->pieces.n++] = *p;
        rise(s);
    } else if (!s->pieces.n || is_shorter(p, &s->pieces.v[0])) {
        leave_out(s, p);
    } else {
        leave_out(s, &s->pieces.v[0]);
        s->pieces.v[0] = *p;
        sink(s);
    }
}

static int by_begin(const void *a, const void *b)
{
    const struct path_piece *x = a, *y = b;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* ---- sums ------------------------------------------------------------------------------------------------------- */

static struct path_name *name_of(struct path_sums *s, uint32_t thread)
{
    uint32_t name = thread == PATH_NOBODY ? 0 : s->c->threads.v[thread].name;
    uint32_t known = idmap_get(&s->name_index, (uint64_t)name + 1);
    if (known)
        return &s->names.v[known - 1];
    if (!VEC_ROOM(&s->names) || !idmap_add(&s->name_index, (uint64_t)name + 1, (uint32_t)s->names.n + 1)) {
        s->failed = true;
        return NULL;
    }
    s->names.v[s->names.n] = (struct path_name){.name = name};
    return &s->names.v[s->names.n++];
}

static void add_to_thread(struct path_sums *s, uint32_t thread, uint64_t ns)
{
    struct path_name *name = name_of(s, thread);
    if (!name)
        return;
    name->ns += ns;
    if (idmap_get(&s->seen, thread))
        return;
    s->failed |= !idmap_add(&s->seen, thread, 1);
    name->nthreads++;
}

static void piece(void *arg, const struct path_piece *p)
{
    struct path_sums *s = arg;
    uint64_t ns = length(p);
    s->total += ns;
    s->state[p->state] += ns;
    stat_groups_add(&s->deeds, path_deed_key(p->state, p->sampled, p->reason, p->what, p->object), ns);
    add_to_thread(s, p->thread, ns);
    keep(s, p);
}

static void waited(void *arg, uint32_t object, uint64_t ns)
{
    struct path_sums *s = arg;
    stat_groups_add(&s->objects, object, ns);
}

bool path_sum_up(struct path_sums *s, struct path_collect *c, const struct path_end *end, size_t longest)
{
    static const struct path_watcher watcher = {piece, waited};
    *s = (struct path_sums){.c = c, .longest = longest};
    stat_groups_init_many(&s->deeds, PATH_DEEDS);
    stat_groups_init_many(&s->objects, STAT_NTEXTS);
    bool ok = path_walk(c, end, &watcher, s);
    if (s->pieces.n)
        qsort(s->pieces.v, s->pieces.n, sizeof *s->pieces.v, by_begin);
    return ok && !s->failed && !s->deeds.failed && !s->objects.failed;
}

void path_sums_free(struct path_sums *s)
{
    stat_groups_free(&s->deeds);
    stat_groups_free(&s->objects);
    VEC_FREE(&s->names);
    VEC_FREE(&s->pieces);
    idmap_free(&s->name_index);
    idmap_free(&s->seen);
}
