#include "config.h"

#include "cmd/finish/trace_time.h"

#include "lib/wire/cursor.h"

enum { NS = 1000000000 };

void trace_time_init(struct trace_time *t, uint64_t recording_hz)
{
    uint64_t ns = recording_hz < NS ? NS / recording_hz : 1;
    while (NS % ns)
        ns--;
    t->hz = NS / ns;
    t->recording_hz = recording_hz;
    t->factor = (uint64_t)(((unsigned __int128)t->hz << TRACE_TIME_SHIFT) / recording_hz);
}

uint8_t *trace_time_copy(const struct trace_time *t, uint8_t out[TRACE_TIME_BATCH_MAX], const struct spool_batch *b)
{
    struct wire_cursor c = {.p = b->data, .end = b->data + b->size, .time = b->time};
    struct wire_event ev;
    enum wire_result result;
    uint64_t last = trace_time_of(t, b->time);
    if (b->size > SPOOL_CHUNK_SIZE)
        return NULL;
    while ((result = wire_next(&c, &ev)) == WIRE_EVENT) {
        uint64_t time = trace_time_of(t, ev.time);
        out = event_put(out, ev.id, time - last, ev.args, timed_args[ev.id] - 1u);
        last = time;
    }
    return result == WIRE_END ? out : NULL;
}
