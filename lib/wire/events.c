#include <stddef.h>

#include "lib/wire/events.h"

/* The wire ids are the format: a line of the table moved by mistake must not compile. */
_Static_assert(EV_EventBatch == 1 && EV_Stacks == 2 && EV_Strings == 4 && EV_CPUSamples == 6, "batch ids");
_Static_assert(EV_Stack == 3 && EV_String == 5 && EV_CPUSample == 7 && EV_Frequency == 8, "table ids");
_Static_assert(EV_ProcsChange == 9 && EV_ProcStart == 10 && EV_ProcStop == 11 && EV_ProcSteal == 12, "proc ids");
_Static_assert(EV_ProcStatus == 13 && EV_GoCreate == 14 && EV_GoStart == 16 && EV_GoDestroy == 17, "goroutine ids");
_Static_assert(EV_GoStop == 19 && EV_GoBlock == 20 && EV_GoUnblock == 21 && EV_GoStatus == 25, "goroutine ids");
_Static_assert(EV_GoSyscallBegin == 22 && EV_GoSyscallEnd == 23 && EV_GoSyscallEndBlocked == 24, "syscall ids");
_Static_assert(EV_STWBegin == 26 && EV_GCBegin == 29 && EV_GCSweepBegin == 32 && EV_HeapAlloc == 37, "range ids");
_Static_assert(EV_UserTaskBegin == 40 && EV_UserLog == 44 && EV_GoSwitch == 45 && EV_GoStatusStack == 48, "1.23 ids");
_Static_assert(EV_ExperimentalBatch == 49 && EV_Sync == 50 && EV_EndOfGeneration == 52, "1.25 and 1.26 ids");
_Static_assert(EV_Span == 128 && EV_GoroutineStackFree == 136, "experimental ids");

/* The leading NULL lets an event without arguments have an array at all; args points behind it. */
#define GOTRACE_EVENT(id, name, since, cls, exp, strs, stks, pair, ...)                                                \
    static const char *const args_##name[] = {NULL, ##__VA_ARGS__};                                                    \
    _Static_assert(sizeof args_##name / sizeof args_##name[0] - 1 <= EVENT_MAX_ARGS, #name " has too many arguments");
#include "gotrace/events.def"
#undef GOTRACE_EVENT

const struct event_info event_table[256] = {
#define GOTRACE_EVENT(id, ename, esince, ecls, exp, strs, stks, epair, ...)                                            \
    [id] = {.name = #ename,                                                                                            \
            .args = args_##ename + 1,                                                                                  \
            .nargs = sizeof args_##ename / sizeof args_##ename[0] - 1,                                                 \
            .since = esince,                                                                                           \
            .cls = EVENT_##ecls,                                                                                       \
            .experiment = EXPERIMENT_##exp,                                                                            \
            .strings = strs,                                                                                           \
            .stacks = stks,                                                                                            \
            .pair = EV_##epair},
#include "gotrace/events.def"
#undef GOTRACE_EVENT
};
