/* Any bytes as a v1 trace, written as one of v2: whatever the first is, a reader takes the second. */
#include "gotrace/gotrace.h"
#include "parser/batch.h"
#include "parser/from_v1/from_v1.h"
#include "tests/fuzz/fuzz.h"

const char *const fuzz_corpora[] = {"v1", NULL};

static bool write_buffer(void *arg, const void *data, size_t size)
{
    raw_buffer_add(arg, data, size);
    return true;
}

/* From 2^53 ns on readers round times, so that events may change places. */
static bool is_late(const uint8_t *data, size_t size)
{
    struct gotrace_reader *r = gotrace_reader_open_memory(data, size);
    bool late = false;
    for (const struct gotrace_event *ev; !late && (ev = gotrace_reader_next(r));)
        late = gotrace_event_time(ev) < -1 || gotrace_event_time(ev) >= INT64_C(1) << 52;
    gotrace_reader_free(r);
    return late;
}

static void read_back(const struct raw_buffer *out)
{
    struct gotrace_reader *r = gotrace_reader_open_memory(out->at, out->size);
    while (gotrace_reader_next(r))
        continue;
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (e)
        fuzz_fail("what was written is broken at byte %llu: %s", (unsigned long long)e->offset, e->message);
    gotrace_reader_free(r);
}

static void write_as(const uint8_t *data, size_t size, uint64_t nn)
{
    struct source s = {.p = data, .end = data + size, .offset = size};
    struct failure f = {0};
    struct converted done;
    struct raw_buffer out = {0};
    const struct wire_version *from = read_any_header(&s, &f);
    if (from && from->old) {
        if (convert_v1(&s, wire_version(nn), write_buffer, &out, &done, &f)) {
            if (!is_late(data, size))
                read_back(&out);
        } else if (!f.error.status) {
            fuzz_fail("an error without a reason");
        }
    }
    raw_buffer_free(&out);
    source_free(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    write_as(data, size, 22);
    write_as(data, size, 26);
    return 0;
}
