/* The strings and stacks of a v1 trace in the tables of a generation. */
#include <string.h>

#include "parser/as_v2/as_v2.h"

static const char *const words[WORDS] = {
    [WORD_NONE] = "",
    [WORD_FOREVER] = "forever",
    [WORD_PREEMPTED] = "preempted",
    [WORD_GOSCHED] = "runtime.Gosched",
    [WORD_SLEEP] = "sleep",
    [WORD_CHAN_SEND] = "chan send",
    [WORD_CHAN_RECEIVE] = "chan receive",
    [WORD_NETWORK] = "network",
    [WORD_SYNC] = "sync",
    [WORD_COND] = "sync.(*Cond).Wait",
    [WORD_SELECT] = "select",
    [WORD_MARK_ASSIST] = "GC mark assist wait for work",
#define V1_STOP_REASON(number, text, text_v2) [WORD_STOP + (number)] = text_v2,
#include "parser/v1/stop_reasons.def"
#undef V1_STOP_REASON
};

/* With the next number. */
static bool add_string(struct generation *g, const char *data, size_t len)
{
    uint64_t id = g->strings.n;
    if (id >= UINT32_MAX || !VEC_ROOM(&g->strings) || !idmap_add(&g->string_of, id, (uint32_t)id + 1))
        return false;
    g->strings.v[g->strings.n++] = (struct gotrace_str){data, len};
    return true;
}

static bool add_strings(struct generation *g, const struct v1_trace *t, struct as_v2_ids *ids)
{
    for (size_t i = 1; i <= t->nstrings; i++)
        if (!add_string(g, (const char *)t->data + t->strings[i].at, t->strings[i].size))
            return false;
    ids->words = g->strings.n;
    for (size_t i = 0; i < WORDS; i++)
        if (!add_string(g, words[i], strlen(words[i])))
            return false;
    ids->message = g->strings.n;
    return add_string(g, "", 0);
}

static bool begin_stack(struct generation *g)
{
    uint64_t id = g->stacks.n;
    if (id >= UINT32_MAX || !VEC_ROOM(&g->stacks) || !idmap_add(&g->stack_of, id, (uint32_t)id + 1))
        return false;
    g->stacks.v[g->stacks.n++] = (struct stack){(uint32_t)g->pcs.n, 0};
    return true;
}

/* To the last stack. A PC is one frame: the first one that is met. */
static bool add_frame(struct generation *g, const struct frame *frame)
{
    uint32_t at = idmap_get(&g->frame_of, frame->pc);
    if (g->pcs.n >= UINT32_MAX || !VEC_ROOM(&g->pcs) || !VEC_ROOM(&g->frames))
        return false;
    if (!at) {
        at = (uint32_t)g->frames.n + 1;
        if (!idmap_add(&g->frame_of, frame->pc, at))
            return false;
        g->frames.v[g->frames.n++] = *frame;
    }
    g->pcs.v[g->pcs.n++] = at - 1;
    g->stacks.v[g->stacks.n - 1].n++;
    return true;
}

static bool add_stacks(struct generation *g, const struct v1_trace *t)
{
    for (uint32_t i = 1; i <= t->nstacks; i++) {
        struct v1_frames frames = v1_frames(t, i);
        struct v1_frame f;
        if (!begin_stack(g))
            return false;
        while (v1_next_frame(&frames, &f)) {
            struct frame frame = {f.pc, idmap_get(&t->string_ids, f.function), idmap_get(&t->string_ids, f.file),
                                  f.line};
            if (!add_frame(g, &frame))
                return false;
        }
    }
    return true;
}

/* Before 1.7: what goroutines start with, which is a PC; those in stacks are one behind. */
static bool add_starts(struct generation *g, struct v1_trace *t, struct as_v2_ids *ids)
{
    for (const struct v1_event *ev; (ev = v1_next(t));) {
        if (ev->id != V1_GoCreate || idmap_get(&ids->start_pcs, ev->args[1]))
            continue;
        struct frame frame = {ev->args[1] + 1, 0, 0, 0};
        uint32_t id = (uint32_t)g->stacks.n;
        if (!begin_stack(g) || !add_frame(g, &frame) || !idmap_add(&ids->start_pcs, ev->args[1], id))
            return false;
    }
    v1_rewind(t);
    return true;
}

bool as_v2_tables(struct generation *g, struct v1_trace *t, struct as_v2_ids *ids, struct failure *f)
{
    if (!tables_begin(g, f))
        return false;
    g->number = 1;
    if (add_strings(g, t, ids) && add_stacks(g, t) && (t->form.names || add_starts(g, t, ids)))
        return true;
    fail(f, GOTRACE_ENOMEM, (struct place){.thread = ID_NONE}, "out of memory");
    return false;
}
