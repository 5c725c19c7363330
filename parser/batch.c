#include "parser/batch.h"

#include <errno.h>
#include <string.h>

#include "lib/events.h"
#include "lib/varint.h"

enum { BATCH_HEADER_MAX = 2 + 4 * VARINT_MAX };

_Static_assert(BATCH_HEADER_MAX + BATCH_MAX_SIZE <= SOURCE_MAX, "a batch is contiguous");

const char *event_name(unsigned id)
{
    return id < 256 && event_table[id].name ? event_table[id].name : "invalid event";
}

static void fail_short(const struct source *s, struct failure *f, struct place at, const char *what)
{
    if (s->error)
        fail(f, s->error == ENOMEM ? GOTRACE_ENOMEM : GOTRACE_EREAD, at, "cannot read: %s", strerror(s->error));
    else
        fail(f, GOTRACE_EBROKEN, at, "the trace is cut off: %s", what);
}

int read_header(struct source *s, struct failure *f)
{
    static const char form[TRACE_HEADER_SIZE] = "go 1.NN trace";
    enum { DIGITS = 5 };
    struct place at = {.thread = GOTRACE_NONE};
    size_t n = source_need(s, TRACE_HEADER_SIZE);
    if (s->error) {
        fail_short(s, f, at, "");
        return 0;
    }
    const uint8_t *h = s->p;
    if (n < TRACE_HEADER_SIZE || memcmp(h, form, DIGITS) || h[DIGITS] < '0' || h[DIGITS] > '9' || h[DIGITS + 1] < '0' ||
        h[DIGITS + 1] > '9' || memcmp(h + DIGITS + 2, form + DIGITS + 2, TRACE_HEADER_SIZE - DIGITS - 2)) {
        fail(f, GOTRACE_EFORMAT, at, "not a Go execution trace: it does not begin with \"go 1.NN trace\"");
        return 0;
    }
    int version = 10 * (h[DIGITS] - '0') + h[DIGITS + 1] - '0';
    s->p += TRACE_HEADER_SIZE;
    switch (version) {
    case 22:
    case 23:
    case 25:
    case 26:
        return version;
    case 5:
    case 7:
    case 8:
    case 9:
    case 10:
    case 11:
    case 19:
    case 21:
        fail(f, GOTRACE_EVERSION, at, "a trace of the old format (go 1.%d), which this reader does not read", version);
        break;
    default:
        fail(f, GOTRACE_EVERSION, at, "unknown trace version go 1.%d", version);
    }
    return 0;
}

static bool take_data(struct source *s, struct batch *b)
{
    if (s->is_file && b->size && !b->experiment) {
        if (!source_need(s, 1))
            return false;
        if (event_table[*s->p].cls == EVENT_TIMED)
            return source_skip(s, b->size);
    }
    if (source_need(s, b->size) < b->size)
        return false;
    b->data = s->p;
    s->p += b->size;
    return true;
}

enum batch_result read_batch(struct source *s, uint64_t generation, struct batch *b, struct failure *f)
{
    static const char *const fields[] = {"generation", "thread", "timestamp", "size"};
    struct place at = {.generation = generation, .thread = GOTRACE_NONE, .offset = source_offset(s)};
    size_t have = source_need(s, BATCH_HEADER_MAX);
    *b = (struct batch){.thread = GOTRACE_NONE, .offset = at.offset};
    if (!have) {
        if (!s->error)
            return BATCH_NONE;
        fail_short(s, f, at, "");
        return BATCH_BROKEN;
    }
    const uint8_t *p = s->p, *end = p + (have < BATCH_HEADER_MAX ? have : BATCH_HEADER_MAX);
    uint8_t id = *p++;
    at.event = event_name(id);
    if (id == EV_EndOfGeneration) {
        s->p = p;
        b->end_of_generation = true;
        return BATCH_OK;
    }
    if (id != EV_EventBatch && id != EV_ExperimentalBatch) {
        fail(f, GOTRACE_EBROKEN, at, "expected a batch, got event %u", id);
        return BATCH_BROKEN;
    }
    if (id == EV_ExperimentalBatch) {
        if (p == end) {
            fail_short(s, f, at, "in the experiment of a batch's header");
            return BATCH_BROKEN;
        }
        b->experiment = *p++;
    }
    uint64_t size = 0, *const values[] = {&b->generation, &b->thread, &b->time, &size};
    for (int i = 0; i < 4; i++) {
        const uint8_t *next = varint_get(p, end, values[i]);
        if (!next) {
            if (end - p >= VARINT_MAX)
                fail(f, GOTRACE_EBROKEN, at, "the %s in a batch's header does not fit 64 bits", fields[i]);
            else
                fail_short(s, f, at, "in a batch's header");
            return BATCH_BROKEN;
        }
        p = next;
    }
    at.thread = b->thread;
    if (size > BATCH_MAX_SIZE) {
        fail(f, GOTRACE_EBROKEN, at, "invalid batch size %llu, the maximum is %d", (unsigned long long)size,
             BATCH_MAX_SIZE);
        return BATCH_BROKEN;
    }
    b->size = (uint32_t)size;
    s->p = p;
    if (!take_data(s, b)) {
        fail_short(s, f, at, "in the middle of a batch");
        return BATCH_BROKEN;
    }
    return BATCH_OK;
}
