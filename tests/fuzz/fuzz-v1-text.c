/*
 * Any bytes as the records of a v1 trace, or any text as such: bytes made into text and back are the same bytes, and
 * text made into bytes is, made into text, a text that stays the same from then on.
 */
#include <stdlib.h>
#include <string.h>

#include "parser/v1/raw.h"
#include "tests/fuzz/fuzz.h"

const char *const fuzz_corpora[] = {"v1", "v1-text", NULL};

struct outcome {
    struct raw_buffer out;
    uint64_t end; /* of the input that was read: a byte or a line */
    bool taken, whole;
};

static struct outcome convert(enum gotrace_raw_format from, const struct raw_buffer *in, enum gotrace_raw_format to)
{
    struct outcome o = {0};
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_memory(from, in->at, in->size);
    r->takes_v1 = true;
    int version = gotrace_raw_reader_version(r), rc = -1;
    if (version > 0 && wire_version_is_old((uint64_t)version)) {
        struct v1_raw raw = v1_raw_of(r);
        v1_raw_header(&raw, to, &o.out);
        while ((rc = v1_raw_next(&raw, to, &o.out)) > 0)
            continue;
        o.taken = true;
        o.end = gotrace_raw_reader_position(r);
        const struct gotrace_error *e = gotrace_raw_reader_error(r);
        if ((rc < 0) != (e != NULL) || (e && !e->message[0]))
            fuzz_fail("an end without a reason, or a reason without an end");
    }
    o.whole = rc == 0;
    if (o.out.failed)
        fuzz_fail("out of memory");
    gotrace_raw_reader_free(r);
    return o;
}

static void expect_same(const char *what, const uint8_t *a, size_t asize, const struct raw_buffer *b)
{
    if (asize != b->size || (asize && memcmp(a, b->at, asize)))
        fuzz_fail("%s: %zu bytes became %zu others", what, asize, b->size);
}

/* What was made can be read to its end. */
static struct outcome convert_all(enum gotrace_raw_format from, const struct raw_buffer *in, enum gotrace_raw_format to)
{
    struct outcome o = convert(from, in, to);
    if (!o.whole)
        fuzz_fail("what was written cannot be read, at %llu", (unsigned long long)o.end);
    return o;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool is_bytes = size && data[0] == 'g';
    enum gotrace_raw_format from = is_bytes ? GOTRACE_RAW_BYTES : GOTRACE_RAW_TEXT;
    enum gotrace_raw_format to = is_bytes ? GOTRACE_RAW_TEXT : GOTRACE_RAW_BYTES;
    /* Read-only: it is neither freed nor written to. */
    struct raw_buffer input = {.at = (uint8_t *)data, .size = size};
    struct outcome there = convert(from, &input, to);
    if (there.taken) {
        struct outcome back = convert_all(to, &there.out, from), again = convert_all(from, &back.out, to);
        expect_same("there, back and there", there.out.at, there.out.size, &again.out);
        if (is_bytes)
            expect_same("there and back", data, there.whole ? size : (size_t)there.end, &back.out);
        struct outcome copy = convert_all(from, &back.out, from);
        expect_same("copying", back.out.at, back.out.size, &copy.out);
        raw_buffer_free(&back.out);
        raw_buffer_free(&again.out);
        raw_buffer_free(&copy.out);
    }
    raw_buffer_free(&there.out);
    return 0;
}
