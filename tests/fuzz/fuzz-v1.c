/* Any bytes as a v1 trace, by the rules of both of Go's readers. */
#include <stdlib.h>
#include <string.h>

#include "parser/v1/print.h"
#include "tests/fuzz/fuzz.h"

const char *const fuzz_corpora[] = {"v1", NULL};

/* Asks for all that a stack has. */
static uint32_t count_frames(const struct v1_trace *t, uint32_t stack)
{
    struct v1_frames frames = v1_frames(t, stack);
    struct v1_frame f;
    uint32_t n = 0;
    for (; v1_next_frame(&frames, &f); n++) {
        struct v1_text function = v1_string(t, f.function), file = v1_string(t, f.file);
        if (function.size > t->size || file.size > t->size)
            fuzz_fail("a string of %zu bytes in a trace of %zu", function.size + file.size, t->size);
    }
    return n;
}

/* Goes over all events. Returns how many there are. */
static size_t look_at(struct v1_trace *t, struct raw_buffer *text)
{
    for (size_t i = 1; i <= t->nstacks; i++)
        if (count_frames(t, (uint32_t)i) != t->stacks[i].nframes)
            fuzz_fail("stack %zu has not %u frames", i, t->stacks[i].nframes);
    size_t i = 0;
    for (const struct v1_event *ev; (ev = v1_next(t)); i++) {
        if (ev->at >= t->size || !v1_events[ev->id].name || ev->stack > t->nstacks)
            fuzz_fail("event %zu is at %llu with id %u and stack %u", i, (unsigned long long)ev->at, (unsigned)ev->id,
                      ev->stack);
        text->size = 0;
        v1_print(text, t, ev);
        if (!text->failed && (!text->size || text->at[text->size - 1] != '\n'))
            fuzz_fail("event %zu is no line", i);
    }
    return i;
}

/* The number of events, or -1. */
static long read_trace(const uint8_t *data, size_t size, enum v1_view view)
{
    struct raw_buffer text = {0};
    struct v1_trace t;
    struct v1_error e;
    if (!v1_parse(&t, data, size, view, &e)) {
        if (e.status == V1_OK || !e.message[0] || e.offset > size)
            fuzz_fail("an error without a reason or beyond the trace");
        return -1;
    }
    if (t.nevents > size / 2)
        fuzz_fail("%zu events in %zu bytes", t.nevents, size);
    for (int again = 0; again < 2; again++, v1_rewind(&t))
        if (look_at(&t, &text) != t.nevents)
            fuzz_fail("not %zu events", t.nevents);
    long n = (long)t.nevents;
    v1_free(&t);
    raw_buffer_free(&text);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    long by_21 = read_trace(data, size, V1_AS_GO_1_21), by_22 = read_trace(data, size, V1_AS_GO_1_22);
    if (by_21 >= 0 && by_22 >= 0 && by_21 > by_22)
        fuzz_fail("Go 1.21 leaves events out and has %ld, of %ld", by_21, by_22);
    return 0;
}
