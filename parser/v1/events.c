#include "parser/v1/events.h"

#include <stddef.h>

#include "lib/wire/version.h"

/* The ids are the format: a line of the table moved by mistake must not compile. */
_Static_assert(V1_Batch == 1 && V1_Stack == 3 && V1_GCStart == 7 && V1_STWStart == 9 && V1_GoCreate == 13, "ids of 1.5");
_Static_assert(V1_GoStart == 14 && V1_GoEnd == 15 && V1_GoBlock == 20 && V1_GoUnblock == 21, "ids of 1.5");
_Static_assert(V1_GoSysCall == 28 && V1_GoSysExit == 29 && V1_HeapAlloc == 33 && V1_FutileWakeup == 36, "ids of 1.5");
_Static_assert(V1_String == 37 && V1_GoSysExitLocal == 40 && V1_GoStartLabel == 41, "ids of 1.7 and 1.8");
_Static_assert(V1_GCMarkAssistDone == 44 && V1_UserLog == 48 && V1_CPUSample == 49, "ids of 1.9, 1.11 and 1.19");

/* The leading NULL lets an event without arguments have an array at all; args points behind it. */
#define V1_EVENT(id, name, since, cls, stack, late, late_since, text, text_name, ...)                                  \
    static const char *const args_##name[] = {NULL, ##__VA_ARGS__};                                                    \
    _Static_assert(sizeof args_##name / sizeof args_##name[0] - 1 <= V1_MAX_ARGS, #name " has too many arguments");
#include "parser/v1/events.def"
#undef V1_EVENT

enum { V1_TEXT_0 = 0, V1_TEXT_1 = 1, V1_TEXT_2 = 2 };

const struct v1_info v1_events[V1_IDS] = {
#define V1_EVENT(id, ename, esince, ecls, estack, elate, elate_since, etext, etext_name, ...)                          \
    [id] = {.name = #ename,                                                                                            \
            .args = args_##ename + 1,                                                                                  \
            .nargs = sizeof args_##ename / sizeof args_##ename[0] - 1,                                                 \
            .since = esince,                                                                                           \
            .cls = V1_IS_##ecls,                                                                                       \
            .stack = estack,                                                                                           \
            .late = elate,                                                                                             \
            .late_since = elate_since,                                                                                 \
            .text = V1_TEXT_##etext,                                                                                   \
            .text_name = etext_name},
#include "parser/v1/events.def"
#undef V1_EVENT
};

struct v1_form v1_form(unsigned nn)
{
    struct v1_form form = {.sequences = nn >= 5 && nn < 7,
                           .by_time = nn == WIRE_FIRST_TRACER,
                           .names = nn >= 7,
                           .stops_all = nn >= 10,
                           .stop_reasons = nn >= 21};
    form.pads_stacks = nn >= 21;
    for (unsigned id = 0; id < V1_IDS; id++) {
        const struct v1_info *e = &v1_events[id];
        struct v1_shape *s = &form.shapes[id];
        if (!e->name || e->since > nn)
            continue;
        s->cls = e->cls;
        s->named = e->nargs - (nn < e->late_since ? e->late : 0);
        s->stack = e->stack || (id == V1_GoSysBlock && nn == WIRE_FIRST_TRACER);
        if (e->cls == V1_IS_EVENT || e->cls == V1_IS_SAMPLE)
            s->before = form.sequences ? 2 : 1;
        s->nargs = s->before + s->named + s->stack;
        if (form.sequences && (e->cls == V1_IS_BATCH || e->cls == V1_IS_CLOCK || e->cls == V1_IS_TIMERS))
            s->nargs++;
    }
    return form;
}

const char *v1_integer_name(const struct v1_form *form, unsigned id, size_t i)
{
    static const char *const frame[V1_FRAME_ARGS] = {"pc", "func", "file", "line"};
    const struct v1_shape *s = &form->shapes[id];
    const char *const *args = v1_events[id].args;
    size_t named = i - s->before;
    if (s->cls == V1_IS_STRING)
        return "id";
    if (i < s->before)
        return s->before - i == 2 ? "dseq" : "dt";
    if (form->sequences && s->cls == V1_IS_BATCH && i > 0)
        return i == 1 ? "seq" : args[1];
    if (named < s->named)
        return args[named];
    if (s->cls == V1_IS_STACK)
        return frame[(i - V1_STACK_ARGS) % v1_frame_args(form)];
    return s->stack ? "stk" : "unused";
}
