#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/golden/golden.h"
#include "parser/quote.h"
#include "parser/v1/raw.h"

struct span {
    const char *p, *end;
};

__attribute__((format(printf, 2, 3))) static bool malformed(struct golden *g, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(g->error, sizeof g->error, fmt, ap);
    va_end(ap);
    return false;
}

static struct span take_line(struct span *s)
{
    const char *newline = s->p < s->end ? memchr(s->p, '\n', (size_t)(s->end - s->p)) : NULL;
    struct span line = {s->p, newline ? newline : s->end};
    s->p = newline ? newline + 1 : s->end;
    if (line.end > line.p && line.end[-1] == '\r')
        line.end--;
    return line;
}

static bool starts_with(struct span s, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(s.end - s.p) >= n && !memcmp(s.p, text, n);
}

static bool is(struct span s, const char *text)
{
    return starts_with(s, text) && (size_t)(s.end - s.p) == strlen(text);
}

/* Whether the line is "-- NAME --". */
static bool is_marker(struct span line)
{
    return starts_with(line, "-- ") && line.end - line.p > 6 && !memcmp(line.end - 3, " --", 3);
}

/* Takes the archive's next file, which shall have the name. */
static bool take_file(struct golden *g, struct span *archive, const char *name, struct span *file)
{
    if (archive->p == archive->end)
        return malformed(g, "the archive has no file \"%s\"", name);
    struct span marker = take_line(archive);
    struct span got = {marker.p + 3, marker.end - 3};
    if (!is(got, name))
        return malformed(g, "expected the file \"%s\", but got \"%.*s\"", name,
                         (int)(got.end - got.p < 60 ? got.end - got.p : 60), got.p);
    file->p = archive->p;
    for (;;) {
        file->end = archive->p;
        if (archive->p == archive->end)
            return true;
        struct span rest = *archive;
        if (is_marker(take_line(&rest)))
            return true;
        *archive = rest;
    }
}

static bool parse_pattern(struct golden *g, struct expectation *x, struct span quoted)
{
    struct raw_buffer pattern = {0}, posix = {0};
    const uint8_t *end = go_unquote(&pattern, (const uint8_t *)quoted.p, (const uint8_t *)quoted.end);
    const char *why = "it contains a NUL";
    int flags = 0;
    bool ok = end && end == (const uint8_t *)quoted.end;
    if (!ok)
        malformed(g, "the pattern is not a quoted string");
    raw_buffer_add(&pattern, "", 1);
    if (ok && pattern.failed)
        ok = malformed(g, "out of memory");
    if (ok && (memchr(pattern.at, 0, pattern.size - 1) ||
               !golden_regex((const char *)pattern.at, pattern.size - 1, &posix, &flags, &why)))
        ok = malformed(g, "cannot match the pattern \"%.100s\": %s", (const char *)pattern.at, why);
    if (ok) {
        raw_buffer_add(&posix, "", 1);
        int rc = posix.failed ? REG_ESPACE
                              : regcomp(&x->matcher, (const char *)posix.at, flags | REG_EXTENDED | REG_NOSUB);
        if (rc) {
            char message[100];
            regerror(rc, &x->matcher, message, sizeof message);
            ok = malformed(g, "cannot match the pattern \"%.100s\": %s", (const char *)pattern.at, message);
        } else {
            x->pattern = (char *)pattern.at;
            pattern = (struct raw_buffer){0};
        }
    }
    raw_buffer_free(&pattern);
    raw_buffer_free(&posix);
    return ok;
}

static const char failure[] = "FAILURE ";

static bool parse_expectation(struct golden *g, struct expectation *x, struct span expect)
{
    struct span line = take_line(&expect);
    if (is(line, "SUCCESS") || starts_with(line, "SUCCESS "))
        return true;
    if (!starts_with(line, failure))
        return malformed(g, "the expectation is neither SUCCESS nor FAILURE \"pattern\"");
    x->failure = true;
    return parse_pattern(g, x, (struct span){line.p + sizeof failure - 1, line.end});
}

static int collect(void *arg, const void *data, size_t size)
{
    raw_buffer_add(arg, data, size);
    return 0;
}

/* Makes bytes of what r reads. False: that failed, or memory is short. */
static bool parse_v1(struct golden *g, struct gotrace_raw_reader *r)
{
    struct v1_raw raw = v1_raw_of(r);
    int rc;
    g->is_v1 = true;
    v1_raw_header(&raw, GOTRACE_RAW_BYTES, &g->bytes);
    while ((rc = v1_raw_next(&raw, GOTRACE_RAW_BYTES, &g->bytes)) > 0)
        continue;
    return rc == 0 && !g->bytes.failed;
}

static bool parse_v2(struct golden *g, struct gotrace_raw_reader *r, int version)
{
    struct gotrace_raw_writer *w = gotrace_raw_writer_new_callback(GOTRACE_RAW_BYTES, version, collect, &g->bytes);
    struct gotrace_raw_event ev;
    int rc = -1;
    while (w && (rc = gotrace_raw_reader_next(r, &ev)) > 0 && !gotrace_raw_writer_event(w, &ev))
        continue;
    bool lost = !w || gotrace_raw_writer_finish(w) || g->bytes.failed;
    gotrace_raw_writer_free(w);
    return rc == 0 && !lost;
}

static bool parse_trace(struct golden *g, struct span trace)
{
    struct gotrace_raw_reader *r =
        gotrace_raw_reader_open_memory(GOTRACE_RAW_TEXT, trace.p, (size_t)(trace.end - trace.p));
    if (!r)
        return malformed(g, "out of memory");
    r->takes_v1 = true;
    int version = gotrace_raw_reader_version(r);
    bool ok = version > 0 &&
              (wire_version_is_old((uint64_t)version) ? parse_v1(g, r) : parse_v2(g, r, version));
    const struct gotrace_error *e = gotrace_raw_reader_error(r);
    if (e)
        malformed(g, "the trace: %s", e->message);
    else if (!ok)
        malformed(g, "out of memory");
    gotrace_raw_reader_free(r);
    return ok;
}

/* A file that may be missing, if it is the next one of the archive. */
static void take_optional(struct golden *g, struct span *archive, const char *name, struct golden_text *text)
{
    struct span rest = *archive, file;
    struct span marker = rest.p < rest.end ? take_line(&rest) : rest;
    if (marker.p < rest.end && is((struct span){marker.p + 3, marker.end - 3}, name) &&
        take_file(g, archive, name, &file))
        *text = (struct golden_text){file.p, (size_t)(file.end - file.p)};
}

/* What Go 1.21 makes of it: lines, or an expectation. */
static bool parse_v1_outcome(struct golden *g)
{
    if (!g->v1_events.p)
        return true;
    struct span lines = {g->v1_events.p, g->v1_events.p + g->v1_events.size};
    if (!g->is_v1)
        return malformed(g, "the archive has a file \"v1\", but the trace is of v2");
    g->v1_differs = true;
    if (!starts_with(lines, failure))
        return true;
    g->v1_events = (struct golden_text){0};
    return parse_expectation(g, &g->v1, lines);
}

bool golden_parse(struct golden *g, const void *test, size_t size)
{
    *g = (struct golden){0};
    struct span archive = {test, (const char *)test + size}, expect, trace;
    /* What comes before the first file is the archive's comment. */
    for (struct span rest = archive; rest.p < rest.end && !is_marker(take_line(&rest)); archive = rest)
        continue;
    if (!take_file(g, &archive, "expect", &expect) || !take_file(g, &archive, "trace", &trace))
        return false;
    take_optional(g, &archive, "events", &g->events);
    take_optional(g, &archive, "v1", &g->v1_events);
    if (archive.p < archive.end)
        return malformed(g, "the archive has more than the files \"expect\", \"trace\", \"events\" and \"v1\"");
    return parse_trace(g, trace) && parse_expectation(g, &g->expect, expect) && parse_v1_outcome(g);
}

bool golden_check(struct golden *g, const struct expectation *x, const char *message)
{
    if (!x->failure)
        return message ? malformed(g, "unexpected error: %.250s", message) : true;
    if (!message)
        return malformed(g, "expected an error that matches \"%.200s\", but there was none", x->pattern);
    if (regexec(&x->matcher, message, 0, NULL, 0))
        return malformed(g, "expected an error that matches \"%.100s\", but got: %.150s", x->pattern, message);
    return true;
}

bool golden_check_lines(struct golden *g, const char *name, const struct golden_text *wanted,
                        const struct raw_buffer *got)
{
    if (!wanted->p)
        return true;
    struct span want = {wanted->p, wanted->p + wanted->size};
    const char *at = got->size ? (const char *)got->at : "";
    struct span have = {at, at + got->size};
    for (int number = 1; want.p < want.end || have.p < have.end; number++) {
        struct span w = take_line(&want), h = take_line(&have);
        if (w.end - w.p != h.end - h.p || (w.p < w.end && memcmp(w.p, h.p, (size_t)(w.end - w.p))))
            return malformed(g, "%s, line %d: expected \"%.*s\", but got \"%.*s\"", name, number,
                             (int)(w.end - w.p < 100 ? w.end - w.p : 100), w.p,
                             (int)(h.end - h.p < 100 ? h.end - h.p : 100), h.p);
    }
    return true;
}

static void free_expectation(struct expectation *x)
{
    if (x->pattern)
        regfree(&x->matcher);
    free(x->pattern);
}

void golden_free(struct golden *g)
{
    free_expectation(&g->expect);
    free_expectation(&g->v1);
    raw_buffer_free(&g->bytes);
}
