/*
 * Go's regular expressions in POSIX extended syntax, as far as error messages call for them: everything that decides
 * only whether there is a match. Classes are worked out as sets of ASCII characters.
 */
#include "config.h"

#include <regex.h>
#include <string.h>

#include "cmd/golden/golden.h"

enum { NCHARS = 128 };

struct rewriting {
    const char *p, *end;
    struct raw_buffer *out;
    const char *why;
};

struct set {
    bool has[NCHARS];
};

static bool refuse(struct rewriting *w, const char *why)
{
    w->why = why;
    return false;
}

static void add_range(struct set *s, int from, int to)
{
    for (int c = from; c <= to; c++)
        s->has[c] = true;
}

/* The class that \d and so on stand for; false when c is no such letter. */
static bool letter_class(char c, struct set *s, bool *negated)
{
    static const char white[] = "\t\n\f\r ";
    *negated = c >= 'A' && c <= 'Z';
    switch (c | 0x20) {
    case 'w':
        add_range(s, 'a', 'z');
        add_range(s, 'A', 'Z');
        s->has['_'] = true;
        /* fallthrough */
    case 'd':
        add_range(s, '0', '9');
        return true;
    case 's':
        for (const char *p = white; *p; p++)
            s->has[(int)*p] = true;
        return true;
    }
    return false;
}

/* The character that the escape at w->p, behind its backslash, stands for; -1 having refused. */
static int escaped_character(struct rewriting *w)
{
    static const char letters[] = "aftnrv", bytes[] = "\a\f\t\n\r\v";
    if (w->p == w->end) {
        refuse(w, "it ends in a backslash");
        return -1;
    }
    char c = *w->p++;
    const char *letter = strchr(letters, c);
    if (letter)
        return bytes[letter - letters];
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c & 0x80) {
        refuse(w, "it has an escape without an equal");
        return -1;
    }
    return c;
}

static void put_literal(struct rewriting *w, char c)
{
    if (strchr("\\^$.[]|()*+?{}", c))
        raw_buffer_add(w->out, "\\", 1);
    raw_buffer_add(w->out, &c, 1);
}

/* Only the places of ], ^ and - matter within brackets. */
static bool put_set(struct rewriting *w, const struct set *s, bool negated)
{
    struct raw_buffer *out = w->out;
    int count = 0, last = 0;
    for (int c = 1; c < NCHARS; c++)
        if (s->has[c]) {
            count++;
            last = c;
        }
    if (!count)
        return refuse(w, "it has an empty class");
    if (count == 1 && !negated) {
        put_literal(w, (char)last);
        return true;
    }
    raw_buffer_add_text(out, negated ? "[^" : "[");
    size_t start = out->size;
    if (s->has[']'])
        raw_buffer_add(out, "]", 1);
    for (int c = 1; c < NCHARS; c++)
        if (s->has[c] && c != ']' && c != '^' && c != '-')
            raw_buffer_add(out, &(char){(char)c}, 1);
    bool caret_last = out->size == start && !negated;
    if (s->has['^'] && !caret_last)
        raw_buffer_add(out, "^", 1);
    if (s->has['-'])
        raw_buffer_add(out, "-", 1);
    if (s->has['^'] && caret_last)
        raw_buffer_add(out, "^", 1);
    raw_buffer_add(out, "]", 1);
    return true;
}

static bool merge_letter_class(struct rewriting *w, struct set *s)
{
    struct set more = {0};
    bool negated;
    if (!letter_class(*w->p, &more, &negated))
        return false;
    for (int c = 0; c < NCHARS; c++)
        s->has[c] |= more.has[c] != negated;
    w->p++;
    return true;
}

static bool rewrite_brackets(struct rewriting *w)
{
    struct set s = {0};
    bool negated = w->p < w->end && *w->p == '^', first = true;
    w->p += negated;
    for (; w->p < w->end && (*w->p != ']' || first); first = false) {
        int from = *w->p++, to;
        if (from == '[' && w->p < w->end && *w->p == ':')
            return refuse(w, "it has a named class");
        if (from == '\\') {
            if (w->p < w->end && merge_letter_class(w, &s))
                continue;
            if ((from = escaped_character(w)) < 0)
                return false;
        }
        to = from;
        if (w->end - w->p >= 2 && w->p[0] == '-' && w->p[1] != ']') {
            to = w->p[1];
            w->p += 2;
            if (to == '\\' && (to = escaped_character(w)) < 0)
                return false;
        }
        if (from < 0 || to < from)
            return refuse(w, from < 0 || to < 0 ? "it has a class beyond ASCII" : "it has a range that runs backwards");
        add_range(&s, from, to);
    }
    if (w->p == w->end)
        return refuse(w, "it has a bracket that is not closed");
    w->p++;
    return put_set(w, &s, negated);
}

/* \Q…\E: literally. */
static void rewrite_quotation(struct rewriting *w)
{
    for (w->p++; w->p < w->end; w->p++) {
        if (w->end - w->p >= 2 && w->p[0] == '\\' && w->p[1] == 'E') {
            w->p += 2;
            return;
        }
        put_literal(w, *w->p);
    }
}

static bool rewrite_escape(struct rewriting *w)
{
    struct set s = {0};
    bool negated;
    char c = w->p < w->end ? *w->p : 0;
    if (c == 'Q') {
        rewrite_quotation(w);
    } else if (c == 'A' || c == 'z') {
        raw_buffer_add_text(w->out, c == 'A' ? "^" : "$");
        w->p++;
    } else if (c && letter_class(c, &s, &negated)) {
        w->p++;
        return put_set(w, &s, negated);
    } else {
        int literal = escaped_character(w);
        if (literal < 0)
            return false;
        put_literal(w, (char)literal);
    }
    return true;
}

/* Copies {n}, {n,} or {n,m}: true. Any other brace is a character like others to Go. */
static bool rewrite_brace(struct rewriting *w)
{
    const char *p = w->p, *digits = p;
    while (p < w->end && *p >= '0' && *p <= '9')
        p++;
    bool counted = p > digits;
    if (p < w->end && *p == ',')
        for (p++; p < w->end && *p >= '0' && *p <= '9';)
            p++;
    if (!counted || p == w->end || *p != '}') {
        put_literal(w, '{');
        return false;
    }
    raw_buffer_add_text(w->out, "{");
    raw_buffer_add(w->out, w->p, (size_t)(p + 1 - w->p));
    w->p = p + 1;
    return true;
}

bool golden_regex(const char *go, size_t size, struct raw_buffer *posix, int *flags, const char **why)
{
    struct rewriting w = {.p = go, .end = go + size, .out = posix};
    bool ok = true, repeatable = false; /* whether something that can be repeated comes before */
    *flags = 0;
    if (size >= 4 && !memcmp(w.p, "(?i)", 4)) {
        *flags = REG_ICASE;
        w.p += 4;
    }
    while (ok && w.p < w.end) {
        char c = *w.p++;
        bool was_repeatable = repeatable, repeats = false;
        repeatable = c != '(' && c != '|';
        if (c == '\\') {
            ok = rewrite_escape(&w);
        } else if (c == '[') {
            ok = rewrite_brackets(&w);
        } else if (c == '{') {
            repeats = rewrite_brace(&w);
        } else if (c == '}' || c == ']') {
            put_literal(&w, c);
        } else {
            repeats = c == '*' || c == '+' || c == '?';
            raw_buffer_add(posix, &c, 1);
        }
        if (repeats && !was_repeatable)
            ok = refuse(&w, "it repeats nothing");
        /* How much a repetition prefers to take does not decide whether there is a match. */
        if (repeats && w.p < w.end && *w.p == '?')
            w.p++;
        if (c == '(' && w.p < w.end && *w.p == '?') {
            if (w.end - w.p < 2 || w.p[1] != ':')
                ok = refuse(&w, "it has a group that is neither plain nor (?:…)");
            else
                w.p += 2;
        }
    }
    if (ok && posix->failed)
        ok = refuse(&w, "out of memory");
    *why = w.why;
    return ok;
}
