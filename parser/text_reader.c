/*
 * The text form into raw events. It is read as Go reads it, but for two things: a comment may also follow what ends a
 * line, and there is no limit of 64 KiB to a line.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "parser/quote.h"
#include "parser/raw_reader.h"
#include "parser/utf8.h"

enum { LINE_MAX_SIZE = 8 << 20 };

struct span {
    const uint8_t *p, *end;
};

static size_t space_size(const uint8_t *p, const uint8_t *end)
{
    uint32_t rune;
    size_t n = utf8_get(p, end, &rune);
    return n && go_is_space(rune) ? n : 0;
}

static void skip_space(struct span *s)
{
    for (size_t n; (n = space_size(s->p, s->end));)
        s->p += n;
}

/* Whether nothing but white space and a comment is left of the line. */
static bool at_line_end(struct span *s)
{
    skip_space(s);
    return s->p == s->end || *s->p == '#';
}

/* The next word of the line, empty at its end. */
static struct span word(struct span *s)
{
    skip_space(s);
    struct span w = {s->p, s->p};
    while (w.end < s->end && *w.end != '#' && !space_size(w.end, s->end))
        w.end++;
    s->p = w.end;
    return w;
}

static bool is(struct span s, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(s.end - s.p) == n && !memcmp(s.p, text, n);
}

/* Fails with a message about some of the input, quoted and shortened. */
static int fail_at(struct gotrace_raw_reader *r, enum gotrace_status status, const char *what, struct span s)
{
    size_t size = (size_t)(s.end - s.p), shown = utf8_prefix(s.p, size, 40);
    struct raw_buffer quoted = {0};
    go_quote(&quoted, s.p, shown);
    raw_buffer_add(&quoted, "", 1);
    raw_fail(r, status, "%s: %s%s", what, quoted.failed ? "" : (const char *)quoted.at, shown < size ? "…" : "");
    raw_buffer_free(&quoted);
    return -1;
}

/* The next line, without its end: 1, 0 at the end of the input, or -1 having failed. */
static int next_line(struct gotrace_raw_reader *r, struct span *line)
{
    struct raw_input *in = &r->in;
    size_t seen = 0;
    const uint8_t *newline;
    for (;;) {
        size_t there = (size_t)(in->end - in->p);
        newline = there > seen ? memchr(in->p + seen, '\n', there - seen) : NULL;
        if (newline)
            break;
        seen = there;
        if (seen > LINE_MAX_SIZE) {
            r->position = r->line + 1;
            return raw_fail(r, GOTRACE_EBROKEN, "the line is longer than any event");
        }
        if (!raw_input_more(in))
            break;
    }
    if (in->error) {
        r->position = r->line + 1;
        return raw_fail_short(r, "a line");
    }
    if (!newline && in->p == in->end)
        return 0;
    const uint8_t *end = newline ? newline : in->end;
    *line = (struct span){in->p, end > in->p && end[-1] == '\r' ? end - 1 : end};
    in->p = newline ? newline + 1 : in->end;
    r->line++;
    return 1;
}

/* The next line that is neither empty nor a comment. */
static int next_full_line(struct gotrace_raw_reader *r, struct span *line)
{
    for (;;) {
        int rc = next_line(r, line);
        struct span rest = *line;
        if (rc <= 0 || !at_line_end(&rest))
            return rc;
    }
}

static bool read_decimal(struct span s, uint64_t *v)
{
    uint64_t sum = 0;
    if (s.p == s.end)
        return false;
    for (; s.p < s.end; s.p++)
        if (*s.p < '0' || *s.p > '9' || __builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_add_overflow(sum, *s.p - '0', &sum))
            return false;
    *v = sum;
    return true;
}

int text_read_header(struct gotrace_raw_reader *r)
{
    struct span line;
    int rc = next_full_line(r, &line);
    r->position = r->line + (rc == 0);
    if (rc < 0)
        return -1;
    if (rc == 0)
        return raw_fail(r, GOTRACE_EFORMAT, "not a trace: no line \"Trace Go1.NN\"");
    struct span whole = line, trace = word(&line), go = word(&line);
    if (!is(trace, "Trace"))
        return fail_at(r, GOTRACE_EFORMAT, "the first line is not \"Trace Go1.NN\"", whole);
    uint64_t version;
    static const char prefix[] = "Go1.";
    size_t n = sizeof prefix - 1;
    struct span digits = {go.p + n, go.end};
    if ((size_t)(go.end - go.p) < n || memcmp(go.p, prefix, n) || !read_decimal(digits, &version))
        return fail_at(r, GOTRACE_EFORMAT, "not a Go version", go);
    if (version > 99 || !gotrace_version_known((int)version))
        return raw_fail(r, GOTRACE_EVERSION, "unsupported trace version 1.%" PRIu64, version);
    if (!at_line_end(&line))
        return fail_at(r, GOTRACE_EFORMAT, "unexpected after the header", line);
    r->version = (int)version;
    return 1;
}

/* Reads " name=value" for each name, and that nothing more is on the line. */
static int read_args(struct gotrace_raw_reader *r, struct span line, const char *const *names, unsigned n,
                     uint64_t *values)
{
    for (unsigned i = 0; i < n; i++) {
        struct span arg = word(&line);
        if (arg.p == arg.end)
            return raw_fail(r, GOTRACE_EBROKEN, "argument \"%s\" is missing", names[i]);
        const uint8_t *eq = memchr(arg.p, '=', (size_t)(arg.end - arg.p));
        if (!eq)
            return fail_at(r, GOTRACE_EBROKEN, "not an argument of the form name=value", arg);
        if (!is((struct span){arg.p, eq}, names[i])) {
            char what[64];
            snprintf(what, sizeof what, "expected argument \"%s\", but got", names[i]);
            return fail_at(r, GOTRACE_EBROKEN, what, (struct span){arg.p, eq});
        }
        if (!read_decimal((struct span){eq + 1, arg.end}, &values[i]))
            return fail_at(r, GOTRACE_EBROKEN, "not an unsigned 64-bit integer", (struct span){eq + 1, arg.end});
    }
    return at_line_end(&line) ? 1 : fail_at(r, GOTRACE_EBROKEN, "unexpected after the event", line);
}

/* A further line that belongs to the event: 1, or -1 having failed. */
static int more_line(struct gotrace_raw_reader *r, struct span *line, const char *what)
{
    int rc = next_full_line(r, line);
    if (rc == 0)
        return raw_fail_short(r, what);
    r->position = r->line;
    return rc;
}

static int read_frames(struct gotrace_raw_reader *r, struct gotrace_raw_event *ev)
{
    static const char *const names[] = {"pc", "func", "file", "line"};
    if (ev->args[1] > GOTRACE_RAW_MAX_FRAMES)
        return raw_fail(r, GOTRACE_EBROKEN, "a stack of %" PRIu64 " frames is beyond any limit", ev->args[1]);
    for (uint64_t i = 0; i < ev->args[1]; i++) {
        struct span line;
        uint64_t v[4];
        if (more_line(r, &line, "a stack") < 0 || read_args(r, line, names, 4, v) < 0)
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
    struct span line;
    if (more_line(r, &line, name) < 0)
        return -1;
    struct span whole = line, key = {line.p, memchr(line.p, '=', (size_t)(line.end - line.p))};
    struct span data = key.end ? word(&(struct span){key.p, key.end}) : key;
    struct span after = {data.end, key.end};
    if (!key.end || !is(data, "data") || (skip_space(&after), after.p != after.end))
        return fail_at(r, GOTRACE_EBROKEN, "expected data=\"…\", but got", whole);
    line.p = key.end + 1;
    skip_space(&line);
    r->data.size = 0;
    struct span literal = line;
    line.p = go_unquote(&r->data, literal.p, literal.end);
    if (r->data.failed) {
        r->in.error = ENOMEM;
        return raw_fail_short(r, name);
    }
    if (!line.p || !at_line_end(&line))
        return fail_at(r, GOTRACE_EBROKEN, "not a quoted string", literal);
    if (r->data.size > GOTRACE_RAW_MAX_DATA)
        return raw_fail(r, GOTRACE_EBROKEN, "%zu bytes of data after %s are beyond any limit", r->data.size, name);
    ev->data = r->data.size ? r->data.at : (const uint8_t *)"";
    ev->size = r->data.size;
    return 1;
}

static unsigned find_event(int version, struct span name)
{
    for (unsigned id = 1; id < 256; id++)
        if (raw_event_known(version, id) && is(name, event_table[id].name))
            return id;
    return EV_None;
}

int text_read_event(struct gotrace_raw_reader *r, struct gotrace_raw_event *ev)
{
    struct span line;
    int rc = next_full_line(r, &line);
    if (rc <= 0)
        return rc;
    r->position = r->line;
    struct span name = word(&line);
    ev->id = (uint8_t)find_event(r->version, name);
    if (!ev->id) {
        char what[48];
        snprintf(what, sizeof what, "no event of a Go 1.%d trace", r->version);
        return fail_at(r, GOTRACE_EBROKEN, what, name);
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
