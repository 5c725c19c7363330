/* The raw reader's handle: where its bytes come from, its errors, and which format's functions do the work. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "parser/raw_reader.h"

static const char *unit(const struct gotrace_raw_reader *r)
{
    return r->format == GOTRACE_RAW_TEXT ? "line" : "byte";
}

static struct place here(const struct gotrace_raw_reader *r)
{
    return (struct place){.thread = GOTRACE_NONE, .offset = r->position};
}

int raw_fail(struct gotrace_raw_reader *r, enum gotrace_status status, const char *fmt, ...)
{
    char what[sizeof r->failure.message];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(what, sizeof what, fmt, ap);
    va_end(ap);
    fail(&r->failure, status, here(r), "%s %" PRIu64 ": %s", unit(r), r->position, what);
    return -1;
}

int raw_fail_short(struct gotrace_raw_reader *r, const char *what)
{
    if (!r->in.error)
        return raw_fail(r, GOTRACE_EBROKEN, "the trace ends inside %s", what);
    char action[100];
    snprintf(action, sizeof action, "%s %" PRIu64 ": cannot read %s", unit(r), r->position, what);
    fail_system(&r->failure, GOTRACE_EREAD, here(r), r->in.error, action);
    return -1;
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

struct gotrace_raw_reader *gotrace_raw_reader_open_callback(enum gotrace_raw_format format, gotrace_read_fn *read,
                                                            void *arg)
{
    const uint8_t *p = (const uint8_t *)"";
    return new_reader(format, (struct raw_input){.p = p, .end = p, .read = read, .arg = arg});
}

static ssize_t read_file(void *arg, void *buf, size_t size)
{
    FILE *file = arg;
    errno = 0;
    size_t n = fread(buf, 1, size, file);
    return n || !ferror(file) ? (ssize_t)n : -1;
}

struct gotrace_raw_reader *gotrace_raw_reader_open_file(enum gotrace_raw_format format, FILE *file)
{
    return gotrace_raw_reader_open_callback(format, read_file, file);
}

int gotrace_raw_reader_version(struct gotrace_raw_reader *r)
{
    if (!r->version && !failure_error(&r->failure)) {
        int rc = r->format == GOTRACE_RAW_TEXT ? text_read_header(r) : bytes_read_header(r);
        if (rc < 0)
            return -1;
    }
    return r->version ? r->version : -1;
}

int gotrace_raw_reader_next(struct gotrace_raw_reader *r, struct gotrace_raw_event *ev)
{
    *ev = (struct gotrace_raw_event){0};
    if (failure_error(&r->failure) || gotrace_raw_reader_version(r) < 0)
        return -1;
    if (r->ended)
        return 0;
    int rc = r->format == GOTRACE_RAW_TEXT ? text_read_event(r, ev) : bytes_read_event(r, ev);
    r->ended = rc == 0;
    return rc;
}

uint64_t gotrace_raw_reader_position(const struct gotrace_raw_reader *r) { return r->position; }

const struct gotrace_error *gotrace_raw_reader_error(const struct gotrace_raw_reader *r)
{
    return failure_error(&r->failure);
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
