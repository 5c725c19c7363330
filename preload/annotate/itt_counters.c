#include "preload/annotate/itt_counters.h"

#include <stdbool.h>
#include <stddef.h>

/* A place whose name is set stays as it is but for the value. */
static struct itt_counter counters[ITT_COUNTERS_MAX];

struct itt_counter *itt_counter_named(struct name *name, enum itt_type type)
{
    for (int i = 0; name && i < ITT_COUNTERS_MAX; i++) {
        struct itt_counter *c = &counters[i];
        struct name *has = __atomic_load_n(&c->name, __ATOMIC_ACQUIRE);
        if (!has && __atomic_compare_exchange_n(&c->name, &has, name, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            has = name;
        if (has == name) {
            __atomic_store_n(&c->type, type, __ATOMIC_RELAXED); /* in programs that make sense always the same */
            return c;
        }
    }
    return NULL;
}

static int64_t of_float(double v)
{
    const double limit = 9223372036854775808.0;
    return v >= limit ? INT64_MAX : v < -limit ? INT64_MIN : v == v ? (int64_t)v : 0;
}

int64_t itt_number(const void *value, enum itt_type type)
{
    switch (type) {
    case ITT_U64: return *(const uint64_t *)value > INT64_MAX ? INT64_MAX : (int64_t) * (const uint64_t *)value;
    case ITT_S64: return *(const int64_t *)value;
    case ITT_U32: return *(const uint32_t *)value;
    case ITT_S32: return *(const int32_t *)value;
    case ITT_U16: return *(const uint16_t *)value;
    case ITT_S16: return *(const int16_t *)value;
    case ITT_FLOAT: return of_float(*(const float *)value);
    case ITT_DOUBLE: return of_float(*(const double *)value);
    default: return 0;
    }
}
