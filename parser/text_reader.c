/*
 * The text form into raw events. It is read as Go reads it, but for two things: a comment may also follow what ends a
 * line, and there is no limit of 64 KiB to a line.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "parser/text_line.h"

int text_read_header(struct gotrace_raw_reader *r)
{
    struct span line;
    int rc = text_next_line(r, &line);
    r->position = r->line + (rc == 0);
    if (rc < 0)
        return -1;
    if (rc == 0)
        return raw_fail(r, GOTRACE_EFORMAT, "not a trace: no line \"Trace Go1.NN\"");
    struct span whole = line, trace = text_word(&line), go = text_word(&line);
    if (!text_is(trace, "Trace"))
        return text_fail_at(r, GOTRACE_EFORMAT, "the first line is not \"Trace Go1.NN\"", whole);
    uint64_t version;
    static const char prefix[] = "Go1.";
    size_t n = sizeof prefix - 1;
    struct span digits = {go.p + n, go.end};
    if ((size_t)(go.end - go.p) < n || memcmp(go.p, prefix, n) || !text_decimal(digits, &version))
        return text_fail_at(r, GOTRACE_EFORMAT, "not a Go version", go);
    if (version > 99 ||
        !(gotrace_version_known((int)version) || (r->takes_v1 && wire_version_is_old(version))))
        return raw_fail(r, GOTRACE_EVERSION, "unsupported trace version 1.%" PRIu64, version);
    if (!text_at_end(&line))
        return text_fail_at(r, GOTRACE_EFORMAT, "unexpected after the header", line);
    r->version = (int)version;
    return 1;
}

/* Reads " name=value" for each name, and that nothing more is on the line. */
static int read_args(struct gotrace_raw_reader *r, struct span line, const char *const *names, unsigned n,
                     uint64_t *values)
{
    for (unsigned i = 0; i < n; i++) {
        struct span value;
        if (text_arg(r, &line, names[i], &value) < 0)
            return -1;
        if (!text_decimal(value, &values[i]))
            return text_fail_at(r, GOTRACE_EBROKEN, "not an unsigned 64-bit integer", value);
    }
    return text_at_end(&line) ? 1 : text_fail_at(r, GOTRACE_EBROKEN, "unexpected after the event", line);
}

static int read_frames(struct gotrace_raw_reader *r, struct gotrace_raw_event *ev)
{
    static const char *const names[] = {"pc", "func", "file", "line"};
    if (ev->args[1] > GOTRACE_RAW_MAX_FRAMES)
        return raw_fail(r, GOTRACE_EBROKEN, "a stack of %" PRIu64 " frames is beyond any limit", ev->args[1]);
    for (uint64_t i = 0; i < ev->args[1]; i++) {
        struct span line;
        uint64_t v[4];
        if (text_more_line(r, &line, "a stack") < 0 || read_args(r, line, names, 4, v) < 0)
            return -1;
        struct gotrace_raw_frame *f = raw_reader_frame(r, i);
        if (!f)
            return -1;
        *f = (struct gotrace_raw_frame){v[0], v[1], v[2], v[3]};
    }
    ev->frames = ev->args[1] ? (const struct gotrace_raw_frame *)r->frames.at : NULL;
    return 1;
}

static int read_data(struct gotrace_raw_reader *r, struct gotrace_raw_event *ev, const char *name)
{
    struct span rest;
    if (text_data(r, name, &rest) < 0)
        return -1;
    if (!text_at_end(&rest))
        return text_fail_at(r, GOTRACE_EBROKEN, "unexpected after the data", rest);
    ev->data = r->data.size ? r->data.at : (const uint8_t *)"";
    ev->size = r->data.size;
    return 1;
}

static unsigned find_event(int version, struct span name)
{
    for (unsigned id = 1; id < 256; id++)
        if (raw_event_known(version, id) && text_is(name, event_table[id].name))
            return id;
    return EV_None;
}

int text_read_event(struct gotrace_raw_reader *r, struct gotrace_raw_event *ev)
{
    struct span line;
    int rc = text_next_line(r, &line);
    if (rc <= 0)
        return rc;
    r->position = r->line;
    struct span name = text_word(&line);
    ev->id = (uint8_t)find_event(r->version, name);
    if (!ev->id) {
        char what[48];
        snprintf(what, sizeof what, "no event of a Go 1.%d trace", r->version);
        return text_fail_at(r, GOTRACE_EBROKEN, what, name);
    }
    const struct event_info *info = &event_table[ev->id];
    ev->nargs = info->nargs;
    if (read_args(r, line, info->args, info->nargs, ev->args) < 0)
        return -1;
    uint64_t first_line = r->position;
    rc = ev->id == EV_Stack ? read_frames(r, ev) : raw_event_has_data(ev->id) ? read_data(r, ev, info->name) : 1;
    if (rc > 0)
        r->position = first_line;
    return rc;
}
