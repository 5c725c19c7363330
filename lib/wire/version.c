#include "lib/wire/version.h"

#include <stddef.h>

/* A version says what it can with the events that it has, so the two tables must agree. */
enum {
#define GOTRACE_EVENT(id, name, since, ...) SINCE_##name = since,
#include "gotrace/events.def"
#undef GOTRACE_EVENT
};
#define WIRE_VERSION(nn, format, coroutines, experiments, clocks, ends)                                                \
    _Static_assert((coroutines) == (nn >= SINCE_GoSwitch) && (experiments) == (nn >= SINCE_ExperimentalBatch) &&       \
                       (clocks) == (nn >= SINCE_Sync) && (ends) == (nn >= SINCE_EndOfGeneration),                      \
                   "1." #nn " as in events.def");
#include "lib/wire/versions.def"
#undef WIRE_VERSION

enum { V1 = true, V2 = false };

static const struct wire_version versions[] = {
#define WIRE_VERSION(nn, format, ...) {nn, format, __VA_ARGS__},
#include "lib/wire/versions.def"
#undef WIRE_VERSION
};

enum { NVERSIONS = sizeof versions / sizeof versions[0] };

const char wire_version_list[] = ""
#define WIRE_VERSION(nn, ...) ", 1." #nn
#include "lib/wire/versions.def"
    ;
#undef WIRE_VERSION

const struct wire_version *wire_version_of_any_format(uint64_t nn)
{
    for (int i = 0; i < NVERSIONS; i++)
        if (versions[i].nn == nn)
            return &versions[i];
    return NULL;
}

const struct wire_version *wire_version_of_first_tracer(void)
{
    static const struct wire_version first = {.nn = WIRE_FIRST_TRACER, .old = true};
    return &first;
}

const struct wire_version *wire_version(uint64_t nn)
{
    const struct wire_version *v = wire_version_of_any_format(nn);
    return v && !v->old ? v : NULL;
}

bool wire_version_is_old(uint64_t nn)
{
    const struct wire_version *v = wire_version_of_any_format(nn);
    return v && v->old;
}

const struct wire_version *wire_version_named(const char *name)
{
    if (name[0] != '1' || name[1] != '.')
        return NULL;
    const char *digits = name + 2;
    uint64_t nn = 0;
    int n = 0;
    for (; digits[n] >= '0' && digits[n] <= '9' && n < 3; n++)
        nn = 10 * nn + (uint64_t)(digits[n] - '0');
    return n && digits[0] != '0' && !digits[n] ? wire_version_of_any_format(nn) : NULL;
}

const struct wire_version *wire_version_first(void) { return wire_version(SINCE_EventBatch); }

const struct wire_version *wire_version_of_experiments(void) { return wire_version(SINCE_ExperimentalBatch); }
