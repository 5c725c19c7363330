/* The wire format into raw events, one after the other: batches are not taken apart, nor are their sizes believed. */
#include "config.h"

#include <inttypes.h>

#include "lib/wire/file_header.h"
#include "lib/wire/varint.h"
#include "parser/raw_reader.h"
#include "parser/v1/trace.h"

int bytes_read_header(struct gotrace_raw_reader *r)
{
    if (!raw_input_need(&r->in, TRACE_HEADER_SIZE)) {
        if (r->in.error)
            return raw_fail_short(r, "the header");
        return raw_fail(r, GOTRACE_EFORMAT, "not a Go execution trace: too short for a header");
    }
    int version = r->takes_v1 ? (int)v1_version(r->in.p, V1_HEADER_SIZE) : 0;
    bool known = version != 0;
    if (!known) {
        version = file_header_get(r->in.p);
        known = gotrace_version_known(version);
    }
    if (version < 0)
        return raw_fail(r, GOTRACE_EFORMAT, "not a Go execution trace: no header \"go 1.NN trace\"");
    if (!known)
        return raw_fail(r, GOTRACE_EVERSION, "unsupported trace version 1.%d", version);
    r->in.p += TRACE_HEADER_SIZE;
    r->version = version;
    return 1;
}

size_t bytes_read_integer(struct gotrace_raw_reader *r, const char *what, uint64_t *v)
{
    raw_input_need(&r->in, VARINT_MAX);
    const uint8_t *p = varint_get(r->in.p, r->in.end, v);
    if (!p) {
        if (r->in.end - r->in.p < VARINT_MAX)
            raw_fail_short(r, what);
        else
            raw_fail(r, GOTRACE_EBROKEN, "an integer of %s does not fit 64 bits", what);
        return 0;
    }
    size_t n = (size_t)(p - r->in.p);
    r->in.p = p;
    return n;
}

static int read_frames(struct gotrace_raw_reader *r, struct gotrace_raw_event *ev)
{
    if (ev->args[1] > GOTRACE_RAW_MAX_FRAMES)
        return raw_fail(r, GOTRACE_EBROKEN, "a stack of %" PRIu64 " frames is beyond any limit", ev->args[1]);
    for (uint64_t i = 0; i < ev->args[1]; i++) {
        struct gotrace_raw_frame *f = raw_reader_frame(r, i);
        if (!f || !bytes_read_integer(r, "Stack", &f->pc) || !bytes_read_integer(r, "Stack", &f->function) ||
            !bytes_read_integer(r, "Stack", &f->file) || !bytes_read_integer(r, "Stack", &f->line))
            return -1;
    }
    ev->frames = ev->args[1] ? (const struct gotrace_raw_frame *)r->frames.at : NULL;
    return 1;
}

int bytes_read_data(struct gotrace_raw_reader *r, struct gotrace_raw_event *ev, const char *name)
{
    uint64_t size;
    size_t width = bytes_read_integer(r, name, &size);
    if (!width)
        return -1;
    if (size > GOTRACE_RAW_MAX_DATA)
        return raw_fail(r, GOTRACE_EBROKEN, "%" PRIu64 " bytes of data after %s are beyond any limit", size, name);
    if (!raw_input_need(&r->in, size))
        return raw_fail_short(r, name);
    ev->size_width = (uint8_t)width;
    ev->data = r->in.p;
    ev->size = size;
    r->in.p += size;
    return 1;
}

int bytes_read_event(struct gotrace_raw_reader *r, struct gotrace_raw_event *ev)
{
    r->position = raw_input_offset(&r->in);
    if (!raw_input_need(&r->in, 1))
        return r->in.error ? raw_fail_short(r, "an event") : 0;
    ev->id = *r->in.p++;
    if (!raw_event_known(r->version, ev->id))
        return raw_fail(r, GOTRACE_EBROKEN, "%u is no event of a Go 1.%d trace", ev->id, r->version);
    const struct event_info *info = &event_table[ev->id];
    ev->nargs = info->nargs;
    for (unsigned i = 0; i < info->nargs; i++) {
        size_t width = bytes_read_integer(r, info->name, &ev->args[i]);
        if (!width)
            return -1;
        if (ev->id == EV_EventBatch)
            ev->size_width = (uint8_t)width;
    }
    if (ev->id == EV_Stack)
        return read_frames(r, ev);
    if (raw_event_has_data(ev->id))
        return bytes_read_data(r, ev, info->name);
    return 1;
}
