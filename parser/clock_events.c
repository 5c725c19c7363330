#include "parser/clock_events.h"

#include "lib/wire/varint.h"

bool is_clock_batch(const struct batch *b, bool clocks)
{
    return !b->experiment && b->size && b->data && b->data[0] == (clocks ? EV_Sync : EV_Frequency);
}

const uint8_t *clock_events(const struct batch *b, bool clocks) { return b->data + (clocks ? 1 : 0); }

const uint8_t *clock_event_get(const struct batch *b, bool clocks, const uint8_t *p, uint64_t args[EVENT_MAX_ARGS],
                               struct failure *f)
{
    const uint8_t *at = p++, *end = b->data + b->size;
    if (*at != EV_Frequency && (*at != EV_ClockSnapshot || !clocks)) {
        fail(f, GOTRACE_EBROKEN, place_in(b, at), "expected frequency or clock snapshot event, got event %u", *at);
        return NULL;
    }
    const struct event_info *info = &event_table[*at];
    for (int i = 0; i < info->nargs; i++) {
        if (!(p = varint_get(p, end, &args[i]))) {
            fail(f, GOTRACE_EBROKEN, place_in(b, at), "argument %s is cut off or does not fit 64 bits", info->args[i]);
            return NULL;
        }
    }
    return p;
}
