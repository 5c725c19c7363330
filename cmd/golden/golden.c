#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/golden/golden.h"
#include "gotrace/raw.h"
#include "parser/quote.h"

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
    const char *newline = memchr(s->p, '\n', (size_t)(s->end - s->p));
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

static bool parse_pattern(struct golden *g, struct span quoted)
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
                              : regcomp(&g->matcher, (const char *)posix.at, flags | REG_EXTENDED | REG_NOSUB);
        if (rc) {
            char message[100];
            regerror(rc, &g->matcher, message, sizeof message);
            ok = malformed(g, "cannot match the pattern \"%.100s\": %s", (const char *)pattern.at, message);
        } else {
            g->pattern = (char *)pattern.at;
            pattern = (struct raw_buffer){0};
        }
    }
    raw_buffer_free(&pattern);
    raw_buffer_free(&posix);
    return ok;
}

static bool parse_expectation(struct golden *g, struct span expect)
{
    static const char failure[] = "FAILURE ";
    struct span line = take_line(&expect);
    if (is(line, "SUCCESS") || starts_with(line, "SUCCESS "))
        return true;
    if (!starts_with(line, failure))
        return malformed(g, "the expectation is neither SUCCESS nor FAILURE \"pattern\"");
    g->failure = true;
    return parse_pattern(g, (struct span){line.p + sizeof failure - 1, line.end});
}

static int collect(void *arg, const void *data, size_t size)
{
    raw_buffer_add(arg, data, size);
    return 0;
}

static bool parse_trace(struct golden *g, struct span trace)
{
    struct gotrace_raw_reader *r =
        gotrace_raw_reader_open_memory(GOTRACE_RAW_TEXT, trace.p, (size_t)(trace.end - trace.p));
    struct gotrace_raw_writer *w = NULL;
    struct gotrace_raw_event ev;
    int rc = r ? gotrace_raw_reader_version(r) : -1;
    if (rc > 0) {
        w = gotrace_raw_writer_new_callback(GOTRACE_RAW_BYTES, rc, collect, &g->bytes);
        while (w && (rc = gotrace_raw_reader_next(r, &ev)) > 0 && !gotrace_raw_writer_event(w, &ev))
            continue;
    }
    if (rc < 0)
        malformed(g, "the trace: %s", r ? gotrace_raw_reader_error(r)->message : "out of memory");
    bool lost = !w || gotrace_raw_writer_finish(w) || g->bytes.failed;
    gotrace_raw_writer_free(w);
    if (rc >= 0 && (lost || rc > 0))
        malformed(g, "out of memory");
    gotrace_raw_reader_free(r);
    return rc == 0 && !lost;
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
    if (archive.p < archive.end)
        return malformed(g, "the archive has more than the files \"expect\" and \"trace\"");
    return parse_trace(g, trace) && parse_expectation(g, expect);
}

bool golden_check(struct golden *g, const char *message)
{
    if (!g->failure)
        return message ? malformed(g, "unexpected error: %.250s", message) : true;
    if (!message)
        return malformed(g, "expected an error that matches \"%.200s\", but there was none", g->pattern);
    if (regexec(&g->matcher, message, 0, NULL, 0))
        return malformed(g, "expected an error that matches \"%.100s\", but got: %.150s", g->pattern, message);
    return true;
}

void golden_free(struct golden *g)
{
    if (g->pattern)
        regfree(&g->matcher);
    free(g->pattern);
    raw_buffer_free(&g->bytes);
}
