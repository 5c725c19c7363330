#include "lib/options/probes.h"

#include <string.h>

enum strings { STRINGS_NONE, STRINGS_NAMED, STRINGS_ONLY, STRINGS_SECOND };

static const struct action {
    const char *text;
    unsigned least, most; /* of the probe's arguments */
    enum strings strings;
} actions[] = {
#define THRACE_PROBE_ACTION(name, text, least, most, strings) {text, least, most, strings},
#include "lib/options/probe_actions.def"
#undef THRACE_PROBE_ACTION
};

enum { NACTIONS = sizeof actions / sizeof actions[0] };

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static struct piece trimmed(struct piece s)
{
    for (; s.len && is_blank(*s.text); s.len--)
        s.text++;
    while (s.len && is_blank(s.text[s.len - 1]))
        s.len--;
    return s;
}

/* Up to the first of these that is not between quotes, which is taken off as well. */
static struct piece take_until(struct piece *from, const char *ends)
{
    size_t n = 0;
    bool quoted = false;
    for (; n < from->len && (quoted || !strchr(ends, from->text[n]) || !from->text[n]); n++)
        quoted ^= from->text[n] == '"';
    struct piece first = {from->text, n};
    n += n < from->len;
    *from = (struct piece){from->text + n, from->len - n};
    return first;
}

/* arg1, arg2, … */
static bool read_number(struct piece s, uint8_t *number)
{
    uint64_t v;
    if (s.len < 4 || memcmp(s.text, "arg", 3) != 0 || !value_number((struct piece){s.text + 3, s.len - 3}, &v) ||
        v < 1 || v > PROBE_ARGUMENTS_MAX)
        return false;
    *number = (uint8_t)v;
    return true;
}

/* What stands between "str(" and ")". */
static bool take_call(struct piece *s)
{
    if (s->len < 5 || memcmp(s->text, "str(", 4) != 0 || s->text[s->len - 1] != ')')
        return false;
    *s = trimmed((struct piece){s->text + 4, s->len - 5});
    return true;
}

/* A name for what begins: between quotes, or a word that is no argument. */
static bool read_text(struct piece s, struct probe_mapping *m)
{
    bool quoted = s.len >= 2 && *s.text == '"' && s.text[s.len - 1] == '"';
    if (quoted)
        s = (struct piece){s.text + 1, s.len - 2};
    if (!s.len || m->text.len || memchr(s.text, '"', s.len) || (!quoted && memchr(s.text, '(', s.len)))
        return false;
    m->text = s;
    return m->action == PROBE_REGION_BEGIN || m->action == PROBE_REGION_NEXT || m->action == PROBE_TASK_BEGIN;
}

static bool read_argument(struct piece s, struct probe_mapping *m)
{
    const struct action *a = &actions[m->action];
    s = trimmed(s);
    bool string = take_call(&s);
    uint8_t number;
    if (!read_number(s, &number))
        return !string && m->n == a->least && read_text(s, m);
    bool takes_string = a->strings == STRINGS_NAMED || a->strings == STRINGS_ONLY ||
                        (a->strings == STRINGS_SECOND && m->n == 1);
    if (m->n >= a->most || m->text.len || (string && !takes_string))
        return false;
    m->argument[m->n].number = number;
    m->argument[m->n++].string = takes_string && (string || a->strings != STRINGS_NAMED);
    return true;
}

static bool read_action(struct piece s, struct probe_mapping *m)
{
    struct piece name = take_until(&s, "(");
    bool called = name.text + name.len < s.text, found = false;
    name = trimmed(name);
    for (unsigned i = 0; i < NACTIONS && !found; i++)
        if ((found = piece_is(name, actions[i].text)))
            m->action = (enum probe_action)i;
    if (!found)
        return false;
    if (called) {
        s = trimmed(s);
        if (s.len < 2 || s.text[s.len - 1] != ')')
            return false;
        s.len--;
        do {
            if (!read_argument(take_until(&s, ","), m))
                return false;
        } while (s.len);
        if (s.text[-1] == ',')
            return false;
    }
    return m->n >= actions[m->action].least;
}

static bool is_pattern(struct piece s)
{
    for (size_t i = 0; i < s.len; i++)
        if (is_blank(s.text[i]) || s.text[i] == '"' || s.text[i] == '(')
            return false;
    return s.len;
}

static bool read_mapping(struct piece s, struct probe_mapping *m)
{
    static const char perfs[] = "sdt_";
    *m = (struct probe_mapping){0};
    struct piece probe = take_until(&s, "=");
    m->name = trimmed(probe);
    m->provider = piece_take(&m->name, ':');
    if (m->provider.len >= sizeof perfs && !memcmp(m->provider.text, perfs, sizeof perfs - 1))
        m->provider = (struct piece){m->provider.text + sizeof perfs - 1, m->provider.len - (sizeof perfs - 1)};
    return is_pattern(m->provider) && is_pattern(m->name) && !memchr(m->name.text, ':', m->name.len) &&
           read_action(s, m);
}

/* Leaves rest where a mapping begins. */
static void skip_blank(struct piece *rest)
{
    while (rest->len && (is_blank(*rest->text) || strchr("\n;#", *rest->text))) {
        size_t n = *rest->text == '#' ? piece_take(&(struct piece){rest->text, rest->len}, '\n').len : 1;
        *rest = (struct piece){rest->text + n, rest->len - n};
    }
}

bool probe_mapping_take(struct piece *rest, struct probe_mapping *m)
{
    skip_blank(rest);
    if (!rest->len)
        return false;
    struct piece after = *rest, line = take_until(&after, ";\n#");
    if (!read_mapping(trimmed(line), m))
        return false;
    /* A comment may stand behind it. */
    size_t taken = line.len;
    *rest = (struct piece){rest->text + taken, rest->len - taken};
    skip_blank(rest);
    return true;
}

bool probe_mappings_ok(struct piece text, struct piece *bad)
{
    struct probe_mapping m;
    unsigned n = 0;
    while (n <= PROBE_MAPPINGS_MAX && probe_mapping_take(&text, &m))
        n++;
    *bad = take_until(&text, ";\n");
    return !bad->len && n && n <= PROBE_MAPPINGS_MAX;
}

/* Only the last star is ever tried again: what came before it can stay where it is. */
static bool matches(struct piece p, const char *s)
{
    const char *star = NULL, *from = NULL;
    size_t i = 0;
    for (;;) {
        if (i < p.len && p.text[i] == '*') {
            star = p.text + ++i;
            from = s;
        } else if (i < p.len && p.text[i] == '-' && s[0] == '_' && s[1] == '_') {
            i++;
            s += 2;
        } else if (i < p.len && *s && (p.text[i] == *s || p.text[i] == '?')) {
            i++;
            s++;
        } else if (i == p.len && !*s) {
            return true;
        } else if (star && *from) {
            s = ++from;
            i = (size_t)(star - p.text);
        } else {
            return false;
        }
    }
}

bool probe_mapping_matches(const struct probe_mapping *m, const char *provider, const char *name)
{
    return matches(m->provider, provider) && matches(m->name, name);
}
