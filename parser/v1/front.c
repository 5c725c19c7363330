#include "parser/v1/front.h"

#include <stdlib.h>
#include <string.h>

/* --- Go 1.21: a list that is sorted each time ----------------------------------------------------------------------- */

/* Up to so many Go sorts by insertion, which is stable. */
enum { STABLE = 12, MANY_ADDED = 8 };

/*
 * Go fills the place of the first event, which was taken, with the last one, and sorts again. So the last one is now the
 * first of all that have its time.
 */
static void last_to_front(struct v1_front *f)
{
    struct keyed last;
    size_t i = 0;
    if (f->n < 2)
        return;
    for (last = f->v[0]; i + 1 < f->n && f->v[i + 1].key == last.key; i++)
        f->v[i] = f->v[i + 1];
    f->v[i] = last;
}

/* Behind those with the same time. */
static void insert(struct v1_front *f, struct keyed k)
{
    size_t i = f->n++;
    for (; i && f->v[i - 1].key <= k.key; i--)
        f->v[i] = f->v[i - 1];
    f->v[i] = k;
    f->ties += (i > 0 && f->v[i - 1].key == k.key) || (i + 1 < f->n && f->v[i + 1].key == k.key);
}

static bool has_time(const struct v1_front *f, int64_t time)
{
    size_t low = 0, high = f->n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (f->v[mid].key == time)
            return true;
        if (f->v[mid].key > time)
            low = mid + 1;
        else
            high = mid;
    }
    return false;
}

/* Whether two events may have the same time. */
static bool may_tie(const struct v1_front *f)
{
    if (f->ties || f->nadded > MANY_ADDED)
        return true;
    for (size_t i = 0; i < f->nadded; i++) {
        if (has_time(f, f->added[i].key))
            return true;
        for (size_t j = 0; j < i; j++)
            if (f->added[j].key == f->added[i].key)
                return true;
    }
    return false;
}

/* The list as Go has it, sorted as Go sorts it. */
static void sort_as_go(struct v1_front *f)
{
    struct keyed *k = f->scratch;
    size_t n = 0;
    if (f->n)
        k[n++] = f->v[0];
    for (size_t i = f->n; i > 1; i--)
        k[n++] = f->v[i - 1];
    for (size_t i = 0; i < f->nadded; i++)
        k[n++] = f->added[i];
    gosort(k, n);
    f->n = n;
    f->ties = 0;
    for (size_t i = 0; i < n; i++) {
        f->v[n - 1 - i] = k[i];
        f->ties += i && k[i].key == k[i - 1].key;
    }
}

static void add_all(struct v1_front *f)
{
    if (f->n + f->nadded > STABLE && may_tie(f)) {
        sort_as_go(f);
    } else {
        last_to_front(f);
        for (size_t i = 0; i < f->nadded; i++)
            insert(f, f->added[i]);
    }
    f->nadded = 0;
}

static bool take_sorted(struct v1_front *f, size_t *proc)
{
    add_all(f);
    if (!f->n)
        return false;
    struct keyed first = f->v[--f->n];
    f->ties -= f->n && f->v[f->n - 1].key == first.key;
    *proc = first.value;
    return true;
}

/* --- since Go 1.22: a heap ------------------------------------------------------------------------------------------ */

static void swap(struct keyed *v, size_t i, size_t j)
{
    struct keyed t = v[i];
    v[i] = v[j];
    v[j] = t;
}

static void add_to_heap(struct v1_front *f, struct keyed k)
{
    size_t i = f->n++;
    f->v[i] = k;
    for (size_t parent; i && k.key < f->v[parent = (i - 1) / 2].key; i = parent)
        swap(f->v, i, parent);
}

static bool take_from_heap(struct v1_front *f, size_t *proc)
{
    if (!f->n)
        return false;
    *proc = f->v[0].value;
    f->v[0] = f->v[--f->n];
    for (size_t i = 0, child; (child = 2 * i + 1) < f->n; i = child) {
        if (child + 1 < f->n && f->v[child + 1].key < f->v[child].key)
            child++;
        if (f->v[child].key >= f->v[i].key)
            break;
        swap(f->v, i, child);
    }
    return true;
}

/* --- both ----------------------------------------------------------------------------------------------------------- */

bool v1_front_init(struct v1_front *f, enum v1_view view, size_t procs)
{
    *f = (struct v1_front){.view = view};
    struct keyed *v = calloc(procs ? procs : 1, 3 * sizeof *v);
    if (!v)
        return false;
    f->v = v;
    f->added = v + procs;
    f->scratch = v + 2 * procs;
    return true;
}

void v1_front_free(struct v1_front *f) { free(f->v); }

void v1_front_add(struct v1_front *f, int64_t time, size_t proc)
{
    struct keyed k = {time, proc};
    if (f->view == V1_AS_GO_1_21)
        f->added[f->nadded++] = k;
    else
        add_to_heap(f, k);
}

bool v1_front_take(struct v1_front *f, size_t *proc)
{
    return f->view == V1_AS_GO_1_21 ? take_sorted(f, proc) : take_from_heap(f, proc);
}
