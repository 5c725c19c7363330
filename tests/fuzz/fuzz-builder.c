/* Any bytes as calls of the builder: what it makes can be read raw, its batches fit, its errors have reasons. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gotrace/builder.h"
#include "lib/wire/events.h"
#include "lib/wire/varint.h"
#include "tests/fuzz/fuzz.h"

const char *const fuzz_corpora[] = {"binary", "text", NULL};

struct bytes {
    const uint8_t *p, *end;
};

static uint64_t number(struct bytes *in)
{
    uint64_t v = 0;
    const uint8_t *p = varint_get(in->p, in->end, &v);
    in->p = p ? p : in->end;
    return v;
}

static void call(struct gotrace_builder *b, struct bytes *in, uint64_t *now)
{
    uint64_t args[EVENT_MAX_ARGS];
    struct gotrace_raw_frame frames[200];
    unsigned op = *in->p++;
    size_t n = number(in) % 2000, left = (size_t)(in->end - in->p);
    const char *text = (const char *)in->p;
    switch (op % 10) {
    case 0:
        gotrace_builder_generation(b, number(in));
        break;
    case 1:
        gotrace_builder_sync(b, number(in), number(in), number(in), number(in), number(in));
        break;
    case 2:
        *now = number(in);
        gotrace_builder_batch(b, number(in), *now);
        break;
    case 3:
        n = n < left ? n : left;
        gotrace_builder_string(b, text, n);
        in->p += n;
        break;
    case 4:
        n %= 200;
        for (size_t i = 0; i < n; i++)
            frames[i] = (struct gotrace_raw_frame){number(in), n, i, 1};
        gotrace_builder_stack_of_ids(b, frames, n);
        break;
    case 5:
        gotrace_builder_cpu_sample(b, number(in), number(in), number(in), number(in), number(in));
        break;
    case 6:
        n = n < left ? n : left;
        gotrace_builder_experimental(b, number(in), number(in), number(in), text, n);
        break;
    case 7:
        n = n < left ? n : left;
        gotrace_builder_string_as(b, number(in), text, n);
        break;
    default:
        for (size_t i = 0; i < EVENT_MAX_ARGS; i++)
            args[i] = number(in);
        *now += op;
        if (event_table[n & 0xff].nargs)
            gotrace_builder_event(b, *now, (unsigned)n, args, event_table[n & 0xff].nargs - 1u);
    }
}

static void check(const void *bytes, size_t size)
{
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_memory(GOTRACE_RAW_BYTES, bytes, size);
    struct gotrace_raw_event ev;
    uint64_t end = 0;
    int rc;
    while ((rc = gotrace_raw_reader_next(r, &ev)) > 0) {
        bool frame = ev.id == EV_EventBatch || ev.id == EV_ExperimentalBatch || ev.id == EV_EndOfGeneration;
        if (end && frame && gotrace_raw_reader_position(r) != end)
            fuzz_fail("a batch ends at %llu, not %llu", (unsigned long long)gotrace_raw_reader_position(r),
                      (unsigned long long)end);
        if (frame)
            end = 0;
        if (ev.id == EV_EventBatch) {
            end = gotrace_raw_reader_position(r) + 1 + ev.args[3];
            for (int i = 0; i < 4; i++)
                end += varint_size(ev.args[i]);
            if (ev.args[3] > BATCH_MAX_SIZE)
                fuzz_fail("a batch is too large");
        }
        if (ev.id == EV_String && ev.size > STRING_MAX_SIZE)
            fuzz_fail("a string is too long");
    }
    if (rc < 0)
        fuzz_fail("cannot read what was built: %s", gotrace_raw_reader_error(r)->message);
    gotrace_raw_reader_free(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int versions[] = {22, 23, 25, 26};
    struct bytes in = {data, data + size};
    uint64_t now = 0;
    if (!size)
        return 0;
    struct gotrace_builder *b = gotrace_builder_new_memory(versions[*in.p++ % 4]);
    gotrace_builder_generation(b, 1);
    gotrace_builder_batch(b, 1, 0);
    while (in.p < in.end && !gotrace_builder_error(b))
        call(b, &in, &now);
    if (!gotrace_builder_finish(b)) {
        const void *bytes = gotrace_builder_bytes(b, &size);
        check(bytes, size);
    } else if (!gotrace_builder_error(b)) {
        fuzz_fail("an error without a reason");
    }
    gotrace_builder_free(b);
    return 0;
}
