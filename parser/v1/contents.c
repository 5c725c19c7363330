/* What events, stacks and strings of a v1 trace say: decoded where they stand. */
#include "parser/v1/trace.h"

#include <string.h>

#include "parser/v1/wire.h"

struct v1_text v1_message(const struct v1_trace *t, const struct v1_event *ev)
{
    struct v1_said r;
    v1_reread_at(t, ev->at, &r);
    return ev->id == V1_UserLog ? r.message : (struct v1_text){NULL, 0};
}

struct v1_text v1_string(const struct v1_trace *t, uint64_t id)
{
    uint32_t index = idmap_get(&t->string_ids, id);
    if (!index)
        return (struct v1_text){"", 0};
    return (struct v1_text){(const char *)t->data + t->strings[index].at, t->strings[index].size};
}

static struct v1_text text(const char *s) { return (struct v1_text){s, strlen(s)}; }

/* Why the world stopped: Go 1.21 has a list of reasons, earlier ones stop it for two that a trace shows. */
static struct v1_text stop_reason(const struct v1_form *form, uint64_t kind)
{
    static const char *const reasons[] = {
#define V1_STOP_REASON(number, text, text_v2) [number] = text,
#include "parser/v1/stop_reasons.def"
#undef V1_STOP_REASON
    };
    if (!form->stop_reasons)
        return text(kind ? "sweep termination" : "mark termination");
    return text(reasons[kind < sizeof reasons / sizeof reasons[0] ? kind : 0]);
}

struct v1_text v1_words(const struct v1_trace *t, const struct v1_event *ev, bool *is_there)
{
    int arg = v1_events[ev->id].text;
    *is_there = arg != V1_TEXT_NONE;
    if (!*is_there)
        return text("");
    return ev->id == V1_STWStart ? stop_reason(&t->form, ev->args[arg]) : v1_string(t, ev->args[arg]);
}

struct v1_frames v1_frames(const struct v1_trace *t, uint32_t stack)
{
    if (!stack)
        return (struct v1_frames){0};
    const struct v1_stack *s = &t->stacks[stack];
    return (struct v1_frames){.p = s->is_pc ? NULL : t->data + s->at,
                              .end = t->data + t->size,
                              .pc = s->at,
                              .left = s->nframes,
                              .names = t->form.names && !s->is_pc};
}

bool v1_next_frame(struct v1_frames *f, struct v1_frame *frame)
{
    if (!f->left)
        return false;
    f->left--;
    *frame = (struct v1_frame){.pc = f->pc};
    if (f->p)
        f->p = varint_get(f->p, f->end, &frame->pc);
    if (f->names) {
        f->p = varint_get(f->p, f->end, &frame->function);
        f->p = varint_get(f->p, f->end, &frame->file);
        f->p = varint_get(f->p, f->end, &frame->line);
    }
    return true;
}
