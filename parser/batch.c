#include "parser/batch.h"

#include <errno.h>
#include <string.h>

#include "lib/wire/batch_header.h"
#include "lib/wire/cursor.h"
#include "lib/wire/file_header.h"

_Static_assert(BATCH_HEADER_MAX + BATCH_MAX_SIZE <= SOURCE_MAX, "a batch is contiguous");

const char *event_name(unsigned id)
{
    return id < 256 && event_table[id].name ? event_table[id].name : "invalid event";
}

struct place place_in(const struct batch *b, const uint8_t *p)
{
    return (struct place){b->generation, b->thread, b->offset + (uint64_t)(p - b->data), event_name(*p)};
}

void fail_event(struct failure *f, struct place at, const uint8_t *p, unsigned nread)
{
    if (timed_args[*p])
        fail(f, GOTRACE_EBROKEN, at, "argument %s is cut off or does not fit 64 bits", event_table[*p].args[nread]);
    else
        fail(f, GOTRACE_EBROKEN, at, "found %s, an event without a timestamp, among timed events", event_name(*p));
}

static void fail_short(const struct source *s, struct failure *f, struct place at, const char *what)
{
    if (s->error)
        fail_system(f, GOTRACE_EREAD, at, s->error, "cannot read");
    else
        fail(f, GOTRACE_EBROKEN, at, "the trace is cut off: %s", what);
}

static bool take_header(struct source *s, struct file_header *h)
{
    enum file_header_step step = FILE_HEADER_MORE;
    size_t at = 0;
    while (step == FILE_HEADER_MORE && at < SOURCE_MAX && source_need(s, at + 1) > at)
        step = file_header_take(h, s->p[at++]);
    if (step != FILE_HEADER_DONE)
        return false;
    s->p += at;
    return true;
}

const struct wire_version *read_any_header(struct source *s, struct failure *f)
{
    struct place at = {.thread = GOTRACE_NONE};
    struct file_header h = {0};
    bool taken = take_header(s, &h);
    const struct wire_version *version = !taken       ? NULL
                                         : h.is_first ? wire_version_of_first_tracer()
                                                      : wire_version_of_any_format(h.version);
    if (s->error)
        fail_short(s, f, at, "");
    else if (!taken)
        fail(f, GOTRACE_EFORMAT, at, "not a Go execution trace: it does not begin with \"go 1.NN trace\"");
    else if (!version)
        fail(f, GOTRACE_EVERSION, at, "unknown trace version go 1.%u", h.version);
    return s->error ? NULL : version;
}

/* What is read at once is read with its header, which stays in front of it then: source_back may go back over both. */
static bool take_data(struct source *s, size_t header, struct batch *b)
{
    bool may_skip = s->is_file && b->size && !b->experiment;
    size_t wanted = header + (may_skip ? 1 : b->size), have = source_need(s, wanted);
    s->p += header;
    if (have < wanted)
        return false;
    if (may_skip && event_table[*s->p].cls == EVENT_TIMED)
        return source_skip(s, b->size);
    if (may_skip && source_need(s, b->size) < b->size)
        return false;
    b->data = s->p;
    s->p += b->size;
    return true;
}

enum batch_result read_batch(struct source *s, uint64_t generation, struct batch *b, struct failure *f)
{
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
    uint8_t id = *p;
    at.event = event_name(id);
    if (id == EV_EndOfGeneration) {
        s->p++;
        b->end_of_generation = true;
        return BATCH_OK;
    }
    if (id != EV_EventBatch && id != EV_ExperimentalBatch) {
        fail(f, GOTRACE_EBROKEN, at, "expected a batch, got event %u", id);
        return BATCH_BROKEN;
    }
    struct batch_header h;
    struct batch_header_fault fault;
    p = batch_header_get(p, end, &h, &fault);
    b->experiment = h.experiment;
    b->generation = h.generation;
    b->thread = h.thread;
    b->time = h.time;
    if (!p) {
        if (fault.too_large)
            fail(f, GOTRACE_EBROKEN, at, "the %s in a batch's header does not fit 64 bits", fault.field);
        else
            fail_short(s, f, at,
                       h.id == EV_ExperimentalBatch && have == 1 ? "in the experiment of a batch's header"
                                                                 : "in a batch's header");
        return BATCH_BROKEN;
    }
    at.thread = b->thread;
    if (h.size > BATCH_MAX_SIZE) {
        fail(f, GOTRACE_EBROKEN, at, "invalid batch size %llu, the maximum is %d", (unsigned long long)h.size,
             BATCH_MAX_SIZE);
        return BATCH_BROKEN;
    }
    b->size = (uint32_t)h.size;
    if (!take_data(s, (size_t)(p - s->p), b)) {
        fail_short(s, f, at, "in the middle of a batch");
        return BATCH_BROKEN;
    }
    b->end_of_generation = b->size && !b->experiment && b->data && *b->data == EV_EndOfGeneration;
    return BATCH_OK;
}
