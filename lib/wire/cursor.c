#include "lib/wire/cursor.h"

#define GOTRACE_EVENT(id, name, since, cls, exp, strs, stks, pair, ...)                                                \
    [id] = EVENT_##cls == EVENT_TIMED ? sizeof(const char *[]){NULL, ##__VA_ARGS__} / sizeof(const char *) - 1 : 0,
const uint8_t timed_args[256] = {
#include "gotrace/events.def"
};
#undef GOTRACE_EVENT
