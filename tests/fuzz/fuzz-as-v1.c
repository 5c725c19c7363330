/* Any bytes as a trace, written as one of v1: whatever the first is, a reader takes the second. */
#include "gotrace/gotrace.h"
#include "parser/as_v1/as_v1.h"
#include "parser/raw_buffer.h"
#include "tests/fuzz/fuzz.h"

const char *const fuzz_corpora[] = {"binary", "v1", NULL};

static bool write_buffer(void *arg, const void *data, size_t size)
{
    raw_buffer_add(arg, data, size);
    return true;
}

static void read_back(const struct raw_buffer *out, unsigned nn)
{
    struct gotrace_reader *r = gotrace_reader_open_memory(out->at, out->size);
    while (gotrace_reader_next(r))
        continue;
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (e)
        fuzz_fail("what was written as 1.%u is broken at byte %llu: %s", nn, (unsigned long long)e->offset, e->message);
    gotrace_reader_free(r);
}

static void write_as(const uint8_t *data, size_t size, unsigned nn)
{
    struct as_v1_losses losses = {0};
    struct failure f = {0};
    struct raw_buffer out = {0};
    struct gotrace_reader *r = gotrace_reader_open_memory(data, size);
    if (r && as_v1_convert(r, nn, write_buffer, &out, &losses, &f))
        read_back(&out, nn);
    else if (r && !f.error.status)
        fuzz_fail("an error without a reason");
    gotrace_reader_free(r);
    raw_buffer_free(&out);
}

/* One version with names, and one of the others. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned versions[] = {5, 7, 8, 9, 10, 11, 19};
    write_as(data, size, 21);
    write_as(data, size, versions[size % (sizeof versions / sizeof versions[0])]);
    return 0;
}
