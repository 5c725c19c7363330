/* The raw reader's handle: where its bytes come from, its errors, and which format's functions do the work. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/wire/version.h"
#include "parser/raw_reader.h"

int raw_fail(struct gotrace_raw_reader *r, const char *fmt, ...)
{
    const char *unit = r->format == GOTRACE_RAW_TEXT ? "line" : "byte";
    int n = snprintf(r->error, sizeof r->error, "%s %" PRIu64 ": ", unit, r->position);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(r->error + n, sizeof r->error - (size_t)n, fmt, ap);
    va_end(ap);
    r->failed = true;
    return -1;
}

int raw_fail_short(struct gotrace_raw_reader *r, const char *what)
{
    if (r->in.error)
        return raw_fail(r, "cannot read %s: %s", what, strerror(r->in.error));
    return raw_fail(r, "the trace ends inside %s", what);
}

struct gotrace_raw_frame *raw_reader_frame(struct gotrace_raw_reader *r, uint64_t i)
{
    if (i == 0)
        r->frames.size = 0;
    uint8_t *room = raw_buffer_reserve(&r->frames, sizeof(struct gotrace_raw_frame));
    if (!room) {
        r->in.error = ENOMEM;
        raw_fail_short(r, "a stack");
        return NULL;
    }
    r->frames.size += sizeof(struct gotrace_raw_frame);
    return (struct gotrace_raw_frame *)room;
}

static struct gotrace_raw_reader *new_reader(enum gotrace_raw_format format, struct raw_input in)
{
    struct gotrace_raw_reader *r = calloc(1, sizeof *r);
    if (r) {
        r->format = format;
        r->in = in;
    }
    return r;
}

struct gotrace_raw_reader *gotrace_raw_reader_open_memory(enum gotrace_raw_format format, const void *data, size_t size)
{
    const uint8_t *p = size ? data : (const uint8_t *)"";
    return new_reader(format, (struct raw_input){.p = p, .end = p + size, .end_offset = size});
}

struct gotrace_raw_reader *gotrace_raw_reader_open_callback(enum gotrace_raw_format format, gotrace_raw_read_fn *fn, void *ctx)
{
    const uint8_t *p = (const uint8_t *)"";
    return new_reader(format, (struct raw_input){.p = p, .end = p, .fn = fn, .ctx = ctx});
}

static ptrdiff_t read_file(void *ctx, void *buf, size_t size)
{
    FILE *file = ctx;
    errno = 0;
    size_t n = fread(buf, 1, size, file);
    return n || !ferror(file) ? (ptrdiff_t)n : -1;
}

struct gotrace_raw_reader *gotrace_raw_reader_open_file(enum gotrace_raw_format format, FILE *file)
{
    return gotrace_raw_reader_open_callback(format, read_file, file);
}

int gotrace_raw_reader_version(struct gotrace_raw_reader *r)
{
    if (!r->version && !r->failed) {
        int rc = r->format == GOTRACE_RAW_TEXT ? text_read_header(r) : bytes_read_header(r);
        if (rc < 0)
            return -1;
    }
    return r->version ? r->version : -1;
}

int gotrace_raw_reader_next(struct gotrace_raw_reader *r, struct gotrace_raw_event *ev)
{
    *ev = (struct gotrace_raw_event){0};
    if (r->failed || gotrace_raw_reader_version(r) < 0)
        return -1;
    if (r->ended)
        return 0;
    int rc = r->format == GOTRACE_RAW_TEXT ? text_read_event(r, ev) : bytes_read_event(r, ev);
    r->ended = rc == 0;
    return rc;
}

uint64_t gotrace_raw_reader_position(const struct gotrace_raw_reader *r) { return r->position; }

const char *gotrace_raw_reader_error(const struct gotrace_raw_reader *r) { return r->error; }

int gotrace_raw_reader_errno(const struct gotrace_raw_reader *r) { return r->in.error; }

int gotrace_version_known(int version)
{
    return wire_version((uint64_t)version) != NULL;
}

void gotrace_raw_reader_free(struct gotrace_raw_reader *r)
{
    if (!r)
        return;
    raw_buffer_free(&r->in.buf);
    raw_buffer_free(&r->frames);
    raw_buffer_free(&r->data);
    free(r);
}
