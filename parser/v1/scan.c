/* The first time over the bytes: every record is checked, tables are filled in, and events are found but not kept. */
#include "parser/v1/parse.h"

#include <inttypes.h>

#include "parser/v1/wire.h"

struct scan {
    struct v1_parse *s;
    struct v1_record r;
    uint64_t pid;         /* of the batch */
    int64_t ticks, seq;   /* of the event read last */
    struct v1_run *run;   /* that the next event may continue */
    struct v1_proc *proc; /* of the run; NULL: not looked up yet */
    uint8_t plain[256];   /* by the first byte of an event that is like most: how many integers follow; else 0 */
};

#define BROKEN(...) v1_fail(c->s->e, V1_BROKEN, (uint64_t)(c->r.at - c->s->t->data), c->r.id, __VA_ARGS__)

static bool is_proc(uint64_t pid) { return pid <= INT32_MAX || pid == UINT64_MAX; }

static bool batch(struct scan *c)
{
    const uint64_t *a = c->r.args;
    bool sequences = c->s->t->form.sequences;
    if (!is_proc(a[0]))
        return BROKEN("the proc ID %" PRIu64 " is too large", a[0]);
    c->pid = a[0];
    c->seq = sequences ? (int64_t)a[1] : 0;
    c->ticks = (int64_t)a[sequences ? 2 : 1];
    c->proc = NULL;
    return true;
}

static bool frequency(struct scan *c)
{
    /* What was counted between two readings of the clock; of procs whose clocks differ, it may be anything. */
    c->s->t->ticks_per_second = (int64_t)c->r.args[0];
    return c->s->t->ticks_per_second > 0 || BROKEN("time stamps out of order: the frequency is not positive");
}

static bool timers(struct scan *c)
{
    struct idmap *timers = &c->s->timers;
    return idmap_get(timers, c->r.args[0]) || idmap_add(timers, c->r.args[0], 1) || v1_no_memory(c->s);
}

static bool stack(struct scan *c)
{
    struct v1_trace *t = c->s->t;
    uint64_t id = c->r.args[0];
    if (!id || !c->r.nframes)
        return true;
    struct v1_stack stack = {id, (uint64_t)((const uint8_t *)c->r.data.data - t->data), c->r.nframes, false};
    uint32_t index = idmap_get(&t->stack_ids, id);
    if (index) {
        t->stacks[index] = stack; /* the last one counts */
        return true;
    }
    return v1_add_stack(c->s, &stack) && (idmap_add(&t->stack_ids, id, (uint32_t)t->nstacks) || v1_no_memory(c->s));
}

static bool string(struct scan *c)
{
    struct v1_trace *t = c->s->t;
    uint64_t id = c->r.args[0];
    if (idmap_get(&t->string_ids, id))
        return BROKEN("the string ID %" PRIu64 " is there twice", id);
    if (t->nstrings == UINT32_MAX - 1 || (t->nstrings + 1 >= c->s->strings_cap &&
                                          !vec_grow((void **)&t->strings, &c->s->strings_cap, sizeof *t->strings)))
        return v1_no_memory(c->s);
    t->strings[++t->nstrings] = (struct v1_string){id, (uint64_t)((const uint8_t *)c->r.data.data - t->data),
                                                   (uint32_t)c->r.data.size};
    return idmap_add(&t->string_ids, id, (uint32_t)t->nstrings) || v1_no_memory(c->s);
}

/* Of the batch that the scan is in. */
static struct v1_proc *proc_of(struct scan *c)
{
    struct v1_parse *s = c->s;
    uint32_t index = idmap_get(&s->proc_ids, c->pid);
    if (index)
        return &s->t->procs.v[index - 1];
    uint16_t p;
    if (!v1_index_p(s, (int32_t)c->pid, (uint64_t)(c->r.at - s->t->data), c->r.id, &p))
        return NULL;
    if (!VEC_ROOM(&s->t->procs) || !idmap_add(&s->proc_ids, c->pid, (uint32_t)s->t->procs.n + 1)) {
        v1_no_memory(s);
        return NULL;
    }
    struct v1_proc *proc = &s->t->procs.v[s->t->procs.n++];
    *proc = (struct v1_proc){.p_index = p};
    return proc;
}

static bool begin_run(struct scan *c)
{
    struct v1_parse *s = c->s;
    if (!c->proc && !(c->proc = proc_of(c)))
        return false;
    if (!VEC_ROOM(&s->t->runs))
        return v1_no_memory(s);
    size_t number = ++s->t->runs.n;
    c->run = &s->t->runs.v[number - 1];
    *c->run = (struct v1_run){.at = (uint64_t)(c->r.at - s->t->data), .ticks = c->ticks, .seq = c->seq};
    if (c->proc->last_run)
        s->t->runs.v[c->proc->last_run - 1].next = number;
    else
        c->proc->first_run = number;
    c->proc->last_run = number;
    return true;
}

static void advance(struct scan *c)
{
    const uint64_t *a = c->r.args;
    if (c->s->t->form.sequences)
        c->seq = (int64_t)((uint64_t)c->seq + *a++);
    c->ticks = (int64_t)((uint64_t)c->ticks + *a);
}

static bool event(struct scan *c, const uint8_t *end)
{
    if (!c->run && !begin_run(c))
        return false;
    advance(c);
    c->s->t->nevents++;
    c->run->end = (uint64_t)(end - c->s->t->data);
    c->s->nfutile += c->r.id == V1_FutileWakeup;
    const struct v1_form *form = &c->s->t->form;
    if (UNLIKELY(c->r.id == V1_STWStart) && c->s->t->view == V1_AS_GO_1_21 && form->stops_all && !form->stop_reasons &&
        c->r.args[1] > 1)
        return BROKEN("unknown kind %" PRIu64 " of a stop of the world", c->r.args[1]);
    return true;
}

/*
 * Samples are written by a thread of their own, later: they are put into order by themselves. To Go 1.21 they are
 * events of the batch besides, whose ticks count.
 */
static bool sample(struct scan *c)
{
    struct v1_parse *s = c->s;
    const uint64_t *a = c->r.args + 1;
    if (!is_proc(a[1]))
        return BROKEN("the proc ID %" PRIu64 " is too large", a[1]);
    if (s->t->view == V1_AS_GO_1_21)
        advance(c);
    if (!s->t->kept.n)
        s->procs_before_samples = s->t->procs.n;
    uint64_t at = (uint64_t)(c->r.at - s->t->data);
    uint16_t p;
    uint32_t g;
    if (!v1_index_p(s, (int32_t)a[1], at, c->r.id, &p) || !v1_index_g(s, a[2], &g))
        return false;
    if (!VEC_ROOM(&s->t->kept))
        return v1_no_memory(s);
    s->t->kept.v[s->t->kept.n++] = (struct v1_kept){.ticks = (int64_t)a[0], .at = at, .p = p, .g = g};
    s->t->nevents++;
    return true;
}

static bool record(struct scan *c, const uint8_t *end)
{
    unsigned cls = c->s->t->form.shapes[c->r.id].cls;
    if (LIKELY(cls == V1_IS_EVENT))
        return event(c, end);
    if (cls == V1_IS_SAMPLE)
        return sample(c);
    c->run = NULL;
    return cls == V1_IS_BATCH    ? batch(c)
           : cls == V1_IS_CLOCK  ? frequency(c)
           : cls == V1_IS_TIMERS ? timers(c)
           : cls == V1_IS_STACK  ? stack(c)
                                 : string(c);
}

/* Events whose number of integers is in the first byte, and which are counted and no more. */
static void find_plain(struct scan *c)
{
    const struct v1_form *form = &c->s->t->form;
    for (unsigned id = 0; id < V1_IDS && !form->sequences; id++) {
        const struct v1_shape *shape = &form->shapes[id];
        if (shape->cls == V1_IS_EVENT && shape->nargs <= 3 && id != V1_FutileWakeup && id != V1_STWStart)
            c->plain[id | (shape->nargs - 1U) << 6] = shape->nargs;
    }
}

/* An event like most, behind another one and far from the end. Returns the byte after it, NULL: it is none. */
static inline const uint8_t *plain_event(struct scan *c, const uint8_t *p, const uint8_t *end)
{
    enum { FAR = 1 + sizeof(uint64_t) };
    unsigned n = c->plain[*p];
    uint64_t ticks;
    if (UNLIKELY(!n || !c->run || end - p < FAR))
        return NULL;
    const uint8_t *next = varint_skip(p + 1, n);
    if (UNLIKELY(!next))
        return NULL;
    v1_reread(p + 1, &ticks);
    c->ticks = (int64_t)((uint64_t)c->ticks + ticks);
    c->s->t->nevents++;
    c->run->end = (uint64_t)(next - c->s->t->data);
    return next;
}

bool v1_scan(struct v1_parse *s)
{
    struct v1_trace *t = s->t;
    struct scan c = {.s = s};
    const uint8_t *p = t->data + v1_header_size(t->nn), *end = t->data + t->size;
    find_plain(&c);
    while (p < end) {
        const uint8_t *next = plain_event(&c, p, end);
        if (!next && (!(next = v1_read(t, p, &c.r, s->e)) || !record(&c, next)))
            return false;
        p = next;
    }
    t->nsamples = t->kept.n;
    if (!t->nevents)
        return v1_fail(s->e, V1_BROKEN, 0, V1_None, "the trace is empty: it has no events");
    if (!t->ticks_per_second)
        return v1_fail(s->e, V1_BROKEN, 0, V1_None, "the trace has no Frequency event");
    return true;
}
