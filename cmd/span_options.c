#include "cmd/span_options.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/complain.h"

static const char *const names[] = {"thread", "function", "reason", "object", "from", "to", "min"};
_Static_assert(sizeof names / sizeof *names == SPAN_OPTION_LAST - SPAN_OPTION_THREAD, "each option has a name");

static unsigned place(enum span_option option) { return (unsigned)option - SPAN_OPTION_THREAD; }

void span_options_free(struct span_options *o)
{
    span_filter_free(o->filter);
    free(o->first);
}

/* ---- times ------------------------------------------------------------------------------------------------------ */

/* "1.25" in units of 1/scale; what is finer than that is none. */
static bool take_number(const char **s, uint64_t scale, uint64_t *v)
{
    unsigned __int128 n = 0, whole = scale;
    bool digits = false, point = false;
    for (; (**s >= '0' && **s <= '9') || (**s == '.' && !point); (*s)++) {
        if (**s == '.') {
            point = true;
            continue;
        }
        unsigned digit = (unsigned)(**s - '0');
        digits = true;
        if (!point)
            n = n * 10 + digit * (unsigned __int128)scale;
        else if (whole >= 10)
            n += digit * (whole /= 10);
        else if (digit)
            return false;
        if (n > INT64_MAX)
            return false;
    }
    *v = (uint64_t)n;
    return digits;
}

bool span_options_time(const char *text, uint64_t *ns)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"µs", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    const char *unit = text + strspn(text, "0123456789.");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(unit, units[i].name))
            return take_number(&text, units[i].ns, ns) && text == unit;
    *ns = 0;
    return !strcmp(text, "0");
}

static bool parse_moment(const char *text, struct span_moment *m)
{
    size_t len = strlen(text);
    if (!len || text[len - 1] != '%') {
        m->kind = SPAN_NS;
        return span_options_time(text, &m->value);
    }
    m->kind = SPAN_PART;
    return take_number(&text, SPAN_WHOLE / 100, &m->value) && !strcmp(text, "%") && m->value <= SPAN_WHOLE;
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

static bool take_expression(struct span_options *o, const char *verb, enum span_option option, const char *value)
{
    static const enum span_expression which[] = {[SPAN_OPTION_THREAD - SPAN_OPTION_THREAD] = SPAN_THREAD,
                                                 [SPAN_OPTION_FUNCTION - SPAN_OPTION_THREAD] = SPAN_FUNCTION,
                                                 [SPAN_OPTION_OBJECT - SPAN_OPTION_THREAD] = SPAN_OBJECT};
    char why[256];
    if (!*value)
        complain(verb, "--%s: the expression is empty", names[place(option)]);
    else if (!span_filter_expression(o->filter, which[place(option)], value, why, sizeof why))
        complain(verb, "--%s %s: %s", names[place(option)], value, why);
    else
        return true;
    return false;
}

static bool take_moment(const char *verb, enum span_option option, const char *value, struct span_moment *m)
{
    if (parse_moment(value, m))
        return true;
    complain(verb, "--%s %s: not a time of the trace, such as 1.5s, 20ms, 100us or 10%%", names[place(option)], value);
    return false;
}

/* "10%..20%" is the same as --from 10% --to 20%. */
static bool take_both(struct span_options *o, const char *verb, const char *value)
{
    const char *dots = strstr(value, "..");
    o->first = strndup(value, (size_t)(dots - value));
    if (!o->first) {
        complain(verb, "out of memory");
        return false;
    }
    o->given[place(SPAN_OPTION_FROM)] = o->first;
    return take_moment(verb, SPAN_OPTION_FROM, o->first, &o->filter->from) &&
           span_options_take(o, verb, SPAN_OPTION_TO, dots + 2);
}

bool span_options_take(struct span_options *o, const char *verb, int option, const char *value)
{
    unsigned i = place((enum span_option)option);
    if (!o->filter && !(o->filter = span_filter_new())) {
        complain(verb, "out of memory");
        return false;
    }
    if (o->given[i]) {
        complain(verb, "--%s is given twice%s", names[i],
                 option == SPAN_OPTION_FROM || option >= SPAN_OPTION_TO || option == SPAN_OPTION_REASON
                     ? ""
                     : "; a|b means either");
        return false;
    }
    o->given[i] = value;
    switch (option) {
    case SPAN_OPTION_REASON:
        o->filter->reason = value;
        if (!*value)
            complain(verb, "--reason: the name is empty");
        return *value;
    case SPAN_OPTION_FROM:
        if (strstr(value, ".."))
            return take_both(o, verb, value);
        return take_moment(verb, SPAN_OPTION_FROM, value, &o->filter->from);
    case SPAN_OPTION_TO: return take_moment(verb, SPAN_OPTION_TO, value, &o->filter->to);
    case SPAN_OPTION_MIN:
        if (span_options_time(value, &o->filter->min))
            return true;
        complain(verb, "--min %s: not a duration, such as 1.5s, 20ms or 100us", value);
        return false;
    default: return take_expression(o, verb, (enum span_option)option, value);
    }
}

bool span_options_check(const struct span_options *o, const char *verb)
{
    const struct span_filter *f = o->filter;
    if (!f || !f->from.kind || !f->to.kind)
        return true;
    bool same = f->from.kind == f->to.kind;
    bool learned = f->mode == SPAN_HAS_LEARNED;
    bool before = same      ? f->from.value < f->to.value
                  : learned ? span_moment_ns(f, &f->from) < span_moment_ns(f, &f->to)
                            : true;
    if (!before)
        complain(verb, "--from %s is not before --to %s", o->given[place(SPAN_OPTION_FROM)],
                 o->given[place(SPAN_OPTION_TO)]);
    return before;
}

/* ---- what was given --------------------------------------------------------------------------------------------- */

void span_options_print(const struct span_options *o, FILE *out)
{
    const char *blank = "";
    for (unsigned i = 0; i < place(SPAN_OPTION_LAST); i++) {
        if (!o->given[i])
            continue;
        fprintf(out, "%s--%s %s", blank, names[i], o->given[i]);
        blank = " ";
    }
}

static void json_ns(struct json *j, const char *key, uint64_t ns)
{
    json_key(j, key);
    if (ns == UINT64_MAX)
        json_null(j);
    else
        json_number(j, ns);
}

void span_options_json(const struct span_options *o, uint64_t nstretches, struct json *j)
{
    const struct span_filter *f = o->filter;
    json_open(j, '{');
    for (unsigned i = 0; i < place(SPAN_OPTION_FROM); i++) {
        json_key(j, names[i]);
        json_text(j, o->given[i]);
    }
    json_ns(j, "from_ns", f->from.kind ? span_moment_ns(f, &f->from) : 0);
    json_ns(j, "to_ns", span_moment_ns(f, &f->to));
    json_ns(j, "min_ns", f->min);
    json_key(j, "stretches");
    json_number(j, nstretches);
    json_close(j, '}');
}
