#include "parser/v1/parse.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "parser/v1/wire.h"

bool v1_no_memory(struct v1_parse *s) { return v1_fail(s->e, V1_NO_MEMORY, 0, V1_None, "out of memory"); }

uint32_t v1_number(struct v1_parse *s, uint64_t g)
{
    uint32_t number = idmap_get(&s->gs, g);
    if (LIKELY(number))
        return number;
    number = (uint32_t)s->gs.count + 1;
    if (number == UINT32_MAX || !idmap_add(&s->gs, g, number)) {
        v1_no_memory(s);
        return 0;
    }
    return number;
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
    bool as_21 = s->view == V1_AS_GO_1_21;
    if (as_21 && !s->samples.n)
        return true;
    if (!VEC_ROOM(&s->procs))
        return v1_no_memory(s);
    size_t at = as_21 ? s->procs_before_samples : s->procs.n;
    memmove(s->procs.v + at + 1, s->procs.v + at, (s->procs.n - at) * sizeof *s->procs.v);
    s->procs.v[at] = (struct v1_proc){.samples = true};
    s->procs.n++;
    return v1_sort_samples(s);
}

/* Events are gone through several times: of many, the pages are large where there are such. */
static struct v1_event *alloc_events(size_t n)
{
    enum { HUGE_PAGE = 2 << 20 };
    size_t size = n * sizeof(struct v1_event);
    if (size < HUGE_PAGE)
        return malloc(size);
    size = (size + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
    struct v1_event *events = aligned_alloc(HUGE_PAGE, size);
    if (events)
        madvise(events, size, MADV_HUGEPAGE); /* or not */
    return events;
}

static bool order(struct v1_parse *s)
{
    struct v1_trace *t = s->t;
    t->events = alloc_events(t->nevents);
    if (!t->events)
        return v1_no_memory(s);
    if (t->form.sequences)
        return v1_sequence(s);
    return add_samples(s) && v1_merge(s);
}

static bool header(struct v1_parse *s)
{
    struct v1_trace *t = s->t;
    t->nn = v1_version(t->data, t->size);
    if (!t->nn)
        return v1_fail(s->e, V1_BROKEN, 0, V1_None, "not a trace of Go 1.5 to 1.21");
    t->form = v1_form(t->nn);
    return true;
}

bool v1_parse(struct v1_trace *t, const void *data, size_t size, enum v1_view view, struct v1_error *e)
{
    *t = (struct v1_trace){.data = data, .size = size};
    *e = (struct v1_error){0};
    struct v1_parse s = {.t = t, .e = e, .view = view};
    bool ok = header(&s) && v1_scan(&s) && order(&s) && v1_clock(&s) &&
              (view != V1_AS_GO_1_21 || v1_futile(&s)) && v1_check(&s);
    VEC_FREE(&s.runs);
    VEC_FREE(&s.procs);
    VEC_FREE(&s.samples);
    VEC_FREE(&s.exits);
    idmap_free(&s.proc_ids);
    idmap_free(&s.timers);
    idmap_free(&s.gs);
    if (!ok)
        v1_free(t);
    return ok;
}

void v1_free(struct v1_trace *t)
{
    free(t->events);
    free(t->stacks);
    free(t->strings);
    idmap_free(&t->stack_ids);
    idmap_free(&t->string_ids);
    *t = (struct v1_trace){0};
}
