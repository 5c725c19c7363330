/*
 * Any bytes as a raw trace, or any text as one: an event-by-event copy of what can be read is the same, and a
 * conversion to the other format and back gives the same events.
 */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "gotrace/raw.h"
#include "parser/raw_buffer.h"
#include "tests/fuzz/fuzz.h"

const char *const fuzz_corpora[] = {"binary", "text", NULL};

static int collect(void *arg, const void *data, size_t size)
{
    struct raw_buffer *out = arg;
    raw_buffer_add(out, data, size);
    return out->failed ? -1 : 0;
}

/* Converts as much as can be read; *whole says whether that is all. Padding is left out unless it is kept. */
static struct raw_buffer convert(enum gotrace_raw_format from, struct raw_buffer in, enum gotrace_raw_format to,
                                 bool keep_padding, bool *whole)
{
    struct raw_buffer out = {0};
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_memory(from, in.at, in.size);
    struct gotrace_raw_writer *w = NULL;
    struct gotrace_raw_event ev;
    int rc = gotrace_raw_reader_version(r);
    if (rc > 0) {
        w = gotrace_raw_writer_new_callback(to, rc, collect, &out);
        while ((rc = gotrace_raw_reader_next(r, &ev)) > 0) {
            if (!keep_padding)
                ev.size_width = 0;
            if (gotrace_raw_writer_event(w, &ev))
                fuzz_fail("cannot write what was read");
        }
        if (gotrace_raw_writer_finish(w))
            fuzz_fail("cannot write");
        gotrace_raw_writer_free(w);
    }
    if (rc < 0 && (!gotrace_raw_reader_error(r) || !gotrace_raw_reader_error(r)->message[0]))
        fuzz_fail("an error without a message");
    *whole = rc == 0;
    gotrace_raw_reader_free(r);
    return out;
}

static void expect_same(const char *what, struct raw_buffer a, struct raw_buffer b)
{
    if (a.size != b.size || (a.size && memcmp(a.at, b.at, a.size)))
        fuzz_fail("%s: %zu bytes became %zu others", what, a.size, b.size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum gotrace_raw_format from = size && data[0] == 'g' ? GOTRACE_RAW_BYTES : GOTRACE_RAW_TEXT;
    enum gotrace_raw_format other = from == GOTRACE_RAW_BYTES ? GOTRACE_RAW_TEXT : GOTRACE_RAW_BYTES;
    bool whole, ignored;
    /* Read-only: neither is freed nor written to. */
    struct raw_buffer input = {.at = (uint8_t *)data, .size = size};
    struct raw_buffer plain = convert(from, input, from, false, &whole);
    if (plain.size) {
        struct raw_buffer again = convert(from, plain, from, true, &ignored);
        struct raw_buffer there = convert(from, plain, other, true, &ignored);
        struct raw_buffer back = convert(other, there, from, true, &ignored);
        struct raw_buffer padded = convert(from, input, from, true, &ignored);
        expect_same("copying", plain, again);
        expect_same("there and back", plain, back);
        /* Only integers elsewhere than in size fields may have been padded, or the text been laid out freely. */
        if (whole && from == GOTRACE_RAW_BYTES && padded.size > size)
            fuzz_fail("copying %zu bytes made %zu", size, padded.size);
        raw_buffer_free(&again);
        raw_buffer_free(&there);
        raw_buffer_free(&back);
        raw_buffer_free(&padded);
    }
    raw_buffer_free(&plain);
    return 0;
}
