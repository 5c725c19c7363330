/* Text into raw records. What the text leaves out is as Go writes it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/wire/varint.h"
#include "parser/text_line.h"
#include "parser/v1/raw.h"

/* Takes the next word if it is name=VALUE: 1, 0 if it is not, or -1 having failed, as the value is beyond most. */
static int option(struct gotrace_raw_reader *r, struct span *line, const char *name, uint64_t most, uint64_t *v)
{
    struct span rest = *line, arg = text_word(&rest);
    size_t n = strlen(name);
    if ((size_t)(arg.end - arg.p) <= n || memcmp(arg.p, name, n) || arg.p[n] != '=')
        return 0;
    struct span value = {arg.p + n + 1, arg.end};
    if (!text_decimal(value, v) || *v > most) {
        char what[48];
        snprintf(what, sizeof what, "%s is at most %" PRIu64 ", but got", name, most);
        return text_fail_at(r, GOTRACE_EBROKEN, what, value);
    }
    *line = rest;
    return 1;
}

/* The width that s says for v, or the least one. */
static bool width(struct span s, uint64_t v, uint8_t *bytes)
{
    uint64_t said = varint_size(v);
    if (s.p < s.end && (!text_decimal(s, &said) || said < varint_size(v) || said > VARINT_MAX))
        return false;
    *bytes = (uint8_t)said;
    return true;
}

static bool integer(struct v1_raw *raw, struct span *line, const char *name, struct v1_raw_record *rec)
{
    struct v1_integer i;
    struct span value;
    if (text_arg(raw->r, line, name, &value) < 0)
        return false;
    const uint8_t *colon = memchr(value.p, ':', (size_t)(value.end - value.p));
    if (!text_decimal((struct span){value.p, colon ? colon : value.end}, &i.v)) {
        text_fail_at(raw->r, GOTRACE_EBROKEN, "not an unsigned 64-bit integer", value);
        return false;
    }
    if (colon && (colon + 1 == value.end || !width((struct span){colon + 1, value.end}, i.v, &i.width))) {
        text_fail_at(raw->r, GOTRACE_EBROKEN, "not an integer that takes so many bytes", value);
        return false;
    }
    if (!colon)
        i.width = (uint8_t)varint_size(i.v);
    return v1_raw_add(raw, rec, i);
}

static bool is_at_end(struct v1_raw *raw, struct span *line)
{
    return text_at_end(line) || text_fail_at(raw->r, GOTRACE_EBROKEN, "unexpected after the record", *line) > 0;
}

static bool frames(struct v1_raw *raw, struct v1_raw_record *rec)
{
    uint64_t nframes = rec->integers[1].v;
    unsigned per_frame = v1_frame_args(&raw->form);
    for (uint64_t i = 0; i < nframes; i++) {
        struct span line;
        if (text_more_line(raw->r, &line, "a stack") < 0)
            return false;
        for (unsigned j = 0; j < per_frame; j++)
            if (!integer(raw, &line, v1_integer_name(&raw->form, V1_Stack, V1_STACK_ARGS + j), rec))
                return false;
        if (!is_at_end(raw, &line))
            return false;
    }
    return true;
}

static bool data(struct v1_raw *raw, struct v1_raw_record *rec)
{
    struct gotrace_raw_reader *r = raw->r;
    struct span rest;
    if (text_data(r, v1_events[rec->id].name, &rest) < 0)
        return false;
    rec->data = r->data.size ? r->data.at : (const uint8_t *)"";
    rec->size = r->data.size;
    rec->data_width = (uint8_t)varint_size(rec->size);
    if (rest.p < rest.end && *rest.p == ':') {
        rest.p++;
        struct span said = text_word(&rest);
        if (said.p == said.end || !width(said, rec->size, &rec->data_width)) {
            text_fail_at(r, GOTRACE_EBROKEN, "not a size that takes so many bytes", said);
            return false;
        }
    }
    return is_at_end(raw, &rest);
}

/* Finds the kind of record that the line begins with, and takes what says it. */
static bool kind(struct v1_raw *raw, struct span *line, struct v1_raw_record *rec)
{
    struct gotrace_raw_reader *r = raw->r;
    const struct v1_shape *shapes = raw->form.shapes;
    struct span name = text_word(line), value;
    uint64_t id;
    for (unsigned i = 0; i < V1_IDS; i++)
        if (shapes[i].cls != V1_IS_NONE && text_is(name, v1_events[i].name)) {
            rec->id = (uint8_t)i;
            return true;
        }
    if (!text_is(name, "Unknown")) {
        char what[48];
        snprintf(what, sizeof what, "no record of a Go 1.%d trace", raw->nn);
        text_fail_at(r, GOTRACE_EBROKEN, what, name);
        return false;
    }
    if (text_arg(r, line, "id", &value) < 0)
        return false;
    if (!text_decimal(value, &id) || id >= V1_IDS || shapes[id].cls != V1_IS_NONE) {
        text_fail_at(r, GOTRACE_EBROKEN, "not the number of an unknown record", value);
        return false;
    }
    rec->id = (uint8_t)id;
    return true;
}

/* The arguments of a line, and those on the lines of frames. */
static bool integers(struct v1_raw *raw, struct span *line, struct v1_raw_record *rec, const uint64_t *said)
{
    const struct v1_form *form = &raw->form;
    const struct v1_shape *shape = &form->shapes[rec->id];
    unsigned usual = shape->cls == V1_IS_STRING ? 1 : shape->nargs;
    uint64_t n = said ? *said : usual;
    for (uint64_t i = 0; i < n; i++) {
        const char *name = i < usual ? v1_integer_name(form, rec->id, i) : NULL;
        if (!integer(raw, line, name ? name : "arg", rec))
            return false;
    }
    return is_at_end(raw, line) && (shape->cls != V1_IS_STACK || said || frames(raw, rec));
}

/* How many bytes of size are in front of the integers. */
static bool sized(struct v1_raw *raw, struct v1_raw_record *rec, const uint64_t *said)
{
    rec->size_width = said ? (uint8_t)*said : v1_usual_size_width(&raw->form, rec);
    if (rec->size_width ? rec->size_width < varint_size(v1_integers_size(rec)) : !v1_is_short(&raw->form, rec->n)) {
        raw_fail(raw->r, GOTRACE_EBROKEN, "the size of %zu integers takes other than %u bytes", rec->n,
                 (unsigned)rec->size_width);
        return false;
    }
    return true;
}

int v1_text_read(struct v1_raw *raw, struct v1_raw_record *rec)
{
    struct gotrace_raw_reader *r = raw->r;
    struct span line;
    uint64_t upper = 0, nargs, size;
    int rc = text_next_line(r, &line), has_nargs = 0, has_size = 0;
    if (rc <= 0)
        return rc;
    uint64_t first_line = r->position = r->line;
    if (!kind(raw, &line, rec))
        return -1;
    bool is_string = raw->form.shapes[rec->id].cls == V1_IS_STRING;
    if (is_string) {
        if (option(r, &line, "upper", 3, &upper) < 0)
            return -1;
        rec->upper = (uint8_t)upper;
    } else if ((has_nargs = option(r, &line, "nargs", V1_RAW_MAX_INTEGERS, &nargs)) < 0 ||
               (has_size = option(r, &line, "sized", VARINT_MAX, &size)) < 0) {
        return -1;
    }
    if (!integers(raw, &line, rec, has_nargs ? &nargs : NULL) ||
        (!is_string && !sized(raw, rec, has_size ? &size : NULL)) ||
        (v1_has_data(&raw->form, rec->id) && !data(raw, rec)))
        return -1;
    r->position = first_line;
    return 1;
}
