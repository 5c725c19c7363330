#include "parser/text_line.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "parser/quote.h"
#include "parser/utf8.h"

enum { LINE_MAX_SIZE = 8 << 20 };

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

bool text_at_end(struct span *s)
{
    skip_space(s);
    return s->p == s->end || *s->p == '#';
}

struct span text_word(struct span *s)
{
    skip_space(s);
    struct span w = {s->p, s->p};
    while (w.end < s->end && *w.end != '#' && !space_size(w.end, s->end))
        w.end++;
    s->p = w.end;
    return w;
}

bool text_is(struct span s, const char *text)
{
    size_t n = strlen(text);
    return (size_t)(s.end - s.p) == n && !memcmp(s.p, text, n);
}

int text_fail_at(struct gotrace_raw_reader *r, enum gotrace_status status, const char *what, struct span s)
{
    size_t size = (size_t)(s.end - s.p), shown = utf8_prefix(s.p, size, 40);
    struct raw_buffer quoted = {0};
    go_quote(&quoted, s.p, shown);
    raw_buffer_add(&quoted, "", 1);
    raw_fail(r, status, "%s: %s%s", what, quoted.failed ? "" : (const char *)quoted.at, shown < size ? "…" : "");
    raw_buffer_free(&quoted);
    return -1;
}

/* The next line, without its end, be it empty. */
static int any_line(struct gotrace_raw_reader *r, struct span *line)
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

int text_next_line(struct gotrace_raw_reader *r, struct span *line)
{
    for (;;) {
        int rc = any_line(r, line);
        struct span rest = *line;
        if (rc <= 0 || !text_at_end(&rest))
            return rc;
    }
}

bool text_decimal(struct span s, uint64_t *v)
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

int text_more_line(struct gotrace_raw_reader *r, struct span *line, const char *what)
{
    int rc = text_next_line(r, line);
    if (rc == 0)
        return raw_fail_short(r, what);
    r->position = r->line;
    return rc;
}

int text_arg(struct gotrace_raw_reader *r, struct span *line, const char *name, struct span *value)
{
    struct span arg = text_word(line);
    if (arg.p == arg.end)
        return raw_fail(r, GOTRACE_EBROKEN, "argument \"%s\" is missing", name);
    const uint8_t *eq = memchr(arg.p, '=', (size_t)(arg.end - arg.p));
    if (!eq)
        return text_fail_at(r, GOTRACE_EBROKEN, "not an argument of the form name=value", arg);
    if (!text_is((struct span){arg.p, eq}, name)) {
        char what[64];
        snprintf(what, sizeof what, "expected argument \"%s\", but got", name);
        return text_fail_at(r, GOTRACE_EBROKEN, what, (struct span){arg.p, eq});
    }
    *value = (struct span){eq + 1, arg.end};
    return 1;
}

int text_data(struct gotrace_raw_reader *r, const char *name, struct span *rest)
{
    struct span line;
    if (text_more_line(r, &line, name) < 0)
        return -1;
    struct span whole = line, key = {line.p, memchr(line.p, '=', (size_t)(line.end - line.p))};
    struct span data = key.end ? text_word(&(struct span){key.p, key.end}) : key;
    struct span after = {data.end, key.end};
    if (!key.end || !text_is(data, "data") || (skip_space(&after), after.p != after.end))
        return text_fail_at(r, GOTRACE_EBROKEN, "expected data=\"…\", but got", whole);
    line.p = key.end + 1;
    skip_space(&line);
    r->data.size = 0;
    struct span literal = line;
    line.p = go_unquote(&r->data, literal.p, literal.end);
    if (r->data.failed) {
        r->in.error = ENOMEM;
        return raw_fail_short(r, name);
    }
    if (!line.p)
        return text_fail_at(r, GOTRACE_EBROKEN, "not a quoted string", literal);
    if (r->data.size > GOTRACE_RAW_MAX_DATA)
        return raw_fail(r, GOTRACE_EBROKEN, "%zu bytes of data after %s are beyond any limit", r->data.size, name);
    *rest = line;
    return 1;
}
