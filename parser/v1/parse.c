#include "parser/v1/parse.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "parser/v1/wire.h"

bool v1_no_memory(struct v1_parse *s) { return v1_fail(s->e, V1_NO_MEMORY, 0, V1_None, "out of memory"); }

bool v1_new_g(struct v1_parse *s, uint64_t g, uint32_t *index)
{
    struct v1_trace *t = s->t;
    *index = (uint32_t)t->gs.n;
    if (*index == UINT32_MAX || !VEC_ROOM(&t->gs) || (g && !idmap_add(&t->g_ids, g, *index)))
        return v1_no_memory(s);
    t->gs.v[t->gs.n++] = g;
    return true;
}

bool v1_index_p(struct v1_parse *s, int32_t p, uint64_t at, unsigned id, uint16_t *index)
{
    struct v1_trace *t = s->t;
    uint64_t key = (uint64_t)(int64_t)p;
    uint32_t number = idmap_get(&s->p_ids, key);
    if (!number) {
        if (t->ps.n == V1_SPECIAL_PS + V1_MAX_PROCS)
            return v1_fail(s->e, V1_BROKEN, at, id, "has more than %d procs", V1_MAX_PROCS);
        number = (uint32_t)t->ps.n + 1;
        if (!VEC_ROOM(&t->ps) || !idmap_add(&s->p_ids, key, number))
            return v1_no_memory(s);
        t->ps.v[t->ps.n++] = p;
    }
    *index = (uint16_t)(number - 1);
    return true;
}

/* Indices that are the same in all traces: goroutine 0, and the procs that are none. */
static bool add_special(struct v1_parse *s)
{
    static const int32_t ps[V1_SPECIAL_PS] = {-1, V1_TIMER_P, V1_NETPOLL_P, V1_SYSCALL_P, V1_GC_P};
    uint32_t none;
    uint16_t p;
    for (size_t i = 0; i < V1_SPECIAL_PS; i++)
        if (!v1_index_p(s, ps[i], 0, V1_None, &p))
            return false;
    return v1_new_g(s, 0, &none);
}

bool v1_add_stack(struct v1_parse *s, const struct v1_stack *stack)
{
    struct v1_trace *t = s->t;
    if (t->nstacks == UINT32_MAX - 1 || (t->nstacks + 1 >= s->stacks_cap &&
                                         !vec_grow((void **)&t->stacks, &s->stacks_cap, sizeof *t->stacks)))
        return v1_no_memory(s);
    t->stacks[++t->nstacks] = *stack;
    return true;
}

/* Where Go has the CPU samples among the procs. */
static bool add_samples(struct v1_parse *s)
{
    bool as_21 = s->t->view == V1_AS_GO_1_21;
    struct v1_trace *t = s->t;
    if (as_21 && !t->kept.n)
        return true;
    if (!VEC_ROOM(&t->procs))
        return v1_no_memory(s);
    size_t at = as_21 ? s->procs_before_samples : t->procs.n;
    memmove(t->procs.v + at + 1, t->procs.v + at, (t->procs.n - at) * sizeof *t->procs.v);
    t->procs.v[at] = (struct v1_proc){.keeps = true};
    t->procs.n++;
    return v1_sort_samples(s);
}

/* Of many pages, large ones where there are such. */
void *v1_alloc(size_t n, size_t size)
{
    enum { HUGE_PAGE = 2 << 20 };
    size *= n;
    if (size < HUGE_PAGE)
        return malloc(size);
    size = (size + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
    void *p = aligned_alloc(HUGE_PAGE, size);
    if (p)
        madvise(p, size, MADV_HUGEPAGE); /* or not */
    return p;
}

static bool order(struct v1_parse *s)
{
    struct v1_trace *t = s->t;
    t->order = v1_alloc(t->nevents, sizeof *t->order);
    t->marks = calloc(t->nevents / V1_MARKS_A_BYTE + 1, 1);
    if (!t->order || !t->marks)
        return v1_no_memory(s);
    if (t->form.sequences)
        return v1_sequence(s);
    return add_samples(s) && v1_merge(s);
}

/* What v1_next needs to give the first event. */
static bool begin(struct v1_parse *s)
{
    struct v1_trace *t = s->t;
    t->starts = calloc(t->gs.n, sizeof *t->starts);
    if (!t->starts)
        return v1_no_memory(s);
    v1_rewind(t);
    return true;
}

static bool header(struct v1_parse *s)
{
    struct v1_trace *t = s->t;
    t->nn = v1_version(t->data, t->size);
    if (!t->nn)
        return v1_fail(s->e, V1_BROKEN, 0, V1_None, "not a trace of Go 1.5 to 1.21");
    t->form = v1_form(t->nn);
    return t->size <= V1_MAX_SIZE || v1_fail(s->e, V1_BROKEN, 0, V1_None, "the trace is too large");
}

bool v1_parse(struct v1_trace *t, const void *data, size_t size, enum v1_view view, struct v1_error *e)
{
    *t = (struct v1_trace){.view = view, .data = data, .size = size};
    *e = (struct v1_error){0};
    struct v1_parse s = {.t = t, .e = e};
    bool ok = header(&s) && add_special(&s) && v1_scan(&s) && order(&s) && v1_clock(&s) &&
              (view != V1_AS_GO_1_21 || v1_futile(&s)) && v1_check(&s) && begin(&s);
    idmap_free(&s.proc_ids);
    idmap_free(&s.p_ids);
    idmap_free(&s.timers);
    if (!ok)
        v1_free(t);
    return ok;
}

void v1_free(struct v1_trace *t)
{
    free(t->stacks);
    free(t->strings);
    VEC_FREE(&t->gs);
    VEC_FREE(&t->ps);
    idmap_free(&t->stack_ids);
    idmap_free(&t->string_ids);
    free(t->order);
    free(t->marks);
    free(t->starts);
    VEC_FREE(&t->runs);
    VEC_FREE(&t->procs);
    VEC_FREE(&t->kept);
    VEC_FREE(&t->exits);
    idmap_free(&t->g_ids);
    idmap_free(&t->start_pcs);
    *t = (struct v1_trace){0};
}
