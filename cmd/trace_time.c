#include "config.h"

#include "cmd/trace_time.h"

#include <string.h>

#include "lib/wire/events.h"
#include "lib/wire/varint.h"

enum { NS = 1000000000 };

void trace_time_init(struct trace_time *t, uint64_t recording_hz)
{
    uint64_t ns = recording_hz < NS ? NS / recording_hz : 1;
    while (NS % ns)
        ns--;
    t->hz = NS / ns;
    t->factor = (uint64_t)(((unsigned __int128)t->hz << TRACE_TIME_SHIFT) / recording_hz);
}

static const uint8_t *skip_integers(const uint8_t *p, const uint8_t *end, int n)
{
    for (; n && p < end; p++)
        n -= *p < 0x80;
    return n ? NULL : p;
}

uint8_t *trace_time_copy(const struct trace_time *t, uint8_t out[TRACE_TIME_BATCH_MAX], const struct spool_batch *b)
{
    const uint8_t *p = b->data, *end = p + b->size;
    uint64_t ticks = b->time, last = trace_time_of(t, ticks);
    if (b->size > SPOOL_CHUNK_SIZE)
        return NULL;
    while (p < end) {
        const struct event_info *event = &event_table[*p];
        uint64_t distance;
        *out++ = *p++;
        const uint8_t *args = varint_get(p, end, &distance);
        if (event->cls != EVENT_TIMED || !args || !(p = skip_integers(args, end, event->nargs - 1)))
            return NULL;
        uint64_t time = trace_time_of(t, ticks += distance);
        out = varint_put(out, time - last);
        last = time;
        memcpy(out, args, (size_t)(p - args));
        out += p - args;
    }
    return out;
}
