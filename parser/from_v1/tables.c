/* Strings and stacks: written when an event first has them. */
#include <stdio.h>
#include <string.h>

#include "parser/from_v1/world.h"

static uint64_t string(struct world *w, struct gotrace_str s)
{
    w->done->short_strings += s.len > STRING_MAX_SIZE;
    return gotrace_builder_string(w->out, s.data, s.len);
}

/* One string is another each time: what was logged. */
static uint64_t string_id(struct world *w, uint64_t id)
{
    struct gotrace_str s = generation_string(w->tables, id);
    if (!s.len || id == w->from->ids.message || id >= w->tables->strings.n)
        return string(w, s);
    if (!w->strings[id])
        w->strings[id] = string(w, s);
    return w->strings[id];
}

/* The strict rules want a function, a file and a line, which frames before 1.7 do not have. */
static struct gotrace_raw_frame frame(struct world *w, struct gotrace_frame f)
{
    char pc[2 + 16 + 1];
    struct gotrace_str name = f.function;
    if (f.pc && !name.len)
        name = (struct gotrace_str){pc, (size_t)snprintf(pc, sizeof pc, "0x%llx", (unsigned long long)f.pc)};
    if (f.pc && !f.file.len)
        f.file = (struct gotrace_str){"?", 1};
    return (struct gotrace_raw_frame){f.pc, string(w, name), string(w, f.file), f.pc && !f.line ? 1 : f.line};
}

static uint64_t stack(struct world *w, struct gotrace_stack stack)
{
    struct gotrace_raw_frame frames[STACK_MAX_FRAMES];
    struct gotrace_frame f;
    size_t n = 0;
    for (; n < STACK_MAX_FRAMES && gotrace_stack_frame(stack, n, &f); n++)
        frames[n] = frame(w, f);
    w->done->short_stacks += gotrace_stack_len(stack) > n;
    return gotrace_builder_stack_of_ids(w->out, frames, n);
}

static uint64_t stack_id(struct world *w, const struct gotrace_event *ev, uint64_t id)
{
    if (!id || id >= w->tables->stacks.n)
        return 0;
    if (!w->stacks[id])
        w->stacks[id] = stack(w, event_stack(ev, id));
    return w->stacks[id];
}

void translate(struct world *w, const struct gotrace_event *ev, uint64_t args[EVENT_MAX_ARGS])
{
    memcpy(args, ev->args, EVENT_MAX_ARGS * sizeof *args);
    if (!w->writes)
        return;
    const struct event_info *info = &event_table[ev->type];
    if (ev->type == EV_CPUSample) {
        args[0] = stack_id(w, ev, args[0]);
        return;
    }
    for (unsigned i = 1; i < info->nargs; i++) {
        if (info->strings >> i & 1)
            args[i - 1] = string_id(w, args[i - 1]);
        else if (info->stacks >> i & 1)
            args[i - 1] = stack_id(w, ev, args[i - 1]);
    }
}
