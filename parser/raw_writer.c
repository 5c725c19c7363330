/* The raw writer: a buffer in front of the output, the wire format, and which format's functions do the work. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/wire/file_header.h"
#include "lib/wire/varint.h"
#include "parser/raw_reader.h"
#include "parser/raw_writer.h"

enum { FLUSH_SIZE = 64 << 10 };

struct gotrace_raw_writer {
    enum gotrace_raw_format format;
    int version;
    bool finished;
    struct failure failure;
    gotrace_write_fn *write;
    void *arg;
    struct raw_buffer out;
};

void bytes_put_header(struct raw_buffer *out, int version)
{
    uint8_t header[TRACE_HEADER_SIZE];
    file_header_put(header, (unsigned)version);
    raw_buffer_add(out, header, sizeof header);
}

void bytes_put_integer(struct raw_buffer *out, uint64_t v, int width)
{
    uint8_t *room = raw_buffer_reserve(out, VARINT_MAX);
    if (!room)
        return;
    bool padded = width > (int)varint_size(v);
    out->size += (size_t)((padded ? varint_put_padded(room, v, width) : varint_put(room, v)) - room);
}

void bytes_put_event(struct raw_buffer *out, const struct gotrace_raw_event *ev)
{
    raw_buffer_add(out, &ev->id, 1);
    unsigned nargs = event_table[ev->id].nargs;
    for (unsigned i = 0; i < nargs; i++)
        bytes_put_integer(out, ev->args[i], ev->id == EV_EventBatch && i == nargs - 1 ? ev->size_width : 0);
    if (ev->id == EV_Stack) {
        for (uint64_t i = 0; i < ev->args[1]; i++) {
            bytes_put_integer(out, ev->frames[i].pc, 0);
            bytes_put_integer(out, ev->frames[i].function, 0);
            bytes_put_integer(out, ev->frames[i].file, 0);
            bytes_put_integer(out, ev->frames[i].line, 0);
        }
    }
    if (raw_event_has_data(ev->id)) {
        bytes_put_integer(out, ev->size, ev->size_width);
        raw_buffer_add(out, ev->data, ev->size);
    }
}

bool raw_event_writable(int version, const struct gotrace_raw_event *ev)
{
    if (!gotrace_version_known(version) || !raw_event_known(version, ev->id) || ev->size_width > VARINT_MAX)
        return false;
    if (ev->id == EV_Stack && ev->args[1] && (ev->args[1] > GOTRACE_RAW_MAX_FRAMES || !ev->frames))
        return false;
    return !raw_event_has_data(ev->id) || (ev->size <= GOTRACE_RAW_MAX_DATA && (ev->data || !ev->size));
}

struct gotrace_raw_writer *gotrace_raw_writer_new_callback(enum gotrace_raw_format format, int version,
                                                           gotrace_write_fn *write, void *arg)
{
    if (!gotrace_version_known(version)) {
        errno = EINVAL;
        return NULL;
    }
    struct gotrace_raw_writer *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    *w = (struct gotrace_raw_writer){.format = format, .version = version, .write = write, .arg = arg};
    (format == GOTRACE_RAW_TEXT ? text_put_header : bytes_put_header)(&w->out, version);
    return w;
}

static int write_file(void *arg, const void *buf, size_t size) { return fwrite(buf, 1, size, arg) == size ? 0 : -1; }

struct gotrace_raw_writer *gotrace_raw_writer_new_file(enum gotrace_raw_format format, int version, FILE *file)
{
    return gotrace_raw_writer_new_callback(format, version, write_file, file);
}

/* Of what does not change by trying again. */
static bool failed(const struct gotrace_raw_writer *w)
{
    return w->failure.error.status && w->failure.error.status != GOTRACE_EINVAL;
}

static int cannot_write(struct gotrace_raw_writer *w, int error)
{
    fail_system(&w->failure, GOTRACE_EWRITE, (struct place){.thread = GOTRACE_NONE}, error ? error : EIO,
                "cannot write");
    return -1;
}

static int flush(struct gotrace_raw_writer *w)
{
    if (w->out.failed)
        return cannot_write(w, ENOMEM);
    errno = 0;
    if (w->out.size && w->write(w->arg, w->out.at, w->out.size))
        return cannot_write(w, errno);
    w->out.size = 0;
    return 0;
}

static int refuse(struct gotrace_raw_writer *w, const struct gotrace_raw_event *ev)
{
    const struct place nowhere = {.thread = GOTRACE_NONE};
    if (w->finished)
        fail(&w->failure, GOTRACE_EINVAL, nowhere, "the trace is finished");
    else if (raw_event_known(w->version, ev->id))
        fail(&w->failure, GOTRACE_EINVAL, nowhere, "%s is incomplete or beyond any limit", event_table[ev->id].name);
    else
        fail(&w->failure, GOTRACE_EINVAL, nowhere, "%u is no event of a Go 1.%d trace", ev->id, w->version);
    return -1;
}

int gotrace_raw_writer_event(struct gotrace_raw_writer *w, const struct gotrace_raw_event *ev)
{
    if (failed(w))
        return -1;
    w->failure.error.status = GOTRACE_OK;
    if (w->finished || !raw_event_writable(w->version, ev))
        return refuse(w, ev);
    (w->format == GOTRACE_RAW_TEXT ? text_put_event : bytes_put_event)(&w->out, ev);
    if (w->format == GOTRACE_RAW_TEXT)
        raw_buffer_add(&w->out, "\n", 1);
    return w->out.failed || w->out.size >= FLUSH_SIZE ? flush(w) : 0;
}

int gotrace_raw_writer_finish(struct gotrace_raw_writer *w)
{
    if (failed(w))
        return -1;
    w->failure.error.status = GOTRACE_OK;
    if (flush(w))
        return -1;
    errno = 0;
    if (w->write == write_file && fflush(w->arg))
        return cannot_write(w, errno);
    w->finished = true;
    return 0;
}

const struct gotrace_error *gotrace_raw_writer_error(const struct gotrace_raw_writer *w)
{
    return failure_error(&w->failure);
}

void gotrace_raw_writer_free(struct gotrace_raw_writer *w)
{
    if (!w)
        return;
    raw_buffer_free(&w->out);
    free(w);
}
