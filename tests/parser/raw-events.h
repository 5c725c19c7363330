/* Helpers of the tests that read and write raw traces in memory. */
#ifndef THRACE_TESTS_RAW_EVENTS_H
#define THRACE_TESTS_RAW_EVENTS_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/unit.h"
#include "gotrace/raw.h"

/* What a conversion made, or why it failed and where. */
struct converted {
    uint8_t *at;
    size_t size;
    char error[400];
    uint64_t position;
};

static inline struct converted convert(enum gotrace_raw_format from, const void *data, size_t size,
                                       enum gotrace_raw_format to)
{
    struct converted c = {0};
    FILE *file = open_memstream((char **)&c.at, &c.size);
    struct gotrace_raw_reader *in = gotrace_raw_reader_open_memory(from, data, size);
    struct gotrace_raw_writer *out = NULL;
    struct gotrace_raw_event ev;
    int version = gotrace_raw_reader_version(in), rc = version;
    if (version > 0) {
        out = gotrace_raw_writer_new_file(to, version, file);
        while ((rc = gotrace_raw_reader_next(in, &ev)) > 0)
            assert_int_equal(gotrace_raw_writer_event(out, &ev), 0);
        assert_int_equal(gotrace_raw_writer_finish(out), 0);
        gotrace_raw_writer_free(out);
    }
    if (rc < 0) {
        snprintf(c.error, sizeof c.error, "%s", gotrace_raw_reader_error(in)->message);
        assert_string_not_equal(c.error, "");
        c.position = gotrace_raw_reader_position(in);
    }
    gotrace_raw_reader_free(in);
    fclose(file);
    return c;
}

#endif
