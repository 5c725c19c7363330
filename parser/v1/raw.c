#include "parser/v1/raw.h"

#include <errno.h>
#include <stdio.h>

#include "lib/wire/varint.h"
#include "parser/raw_writer.h"
#include "parser/v1/trace.h"

struct v1_raw v1_raw_of(struct gotrace_raw_reader *r)
{
    return (struct v1_raw){.r = r, .form = v1_form((unsigned)r->version), .nn = r->version};
}

void v1_raw_header(const struct v1_raw *raw, enum gotrace_raw_format to, struct raw_buffer *out)
{
    char header[V1_HEADER_SIZE + 1] = {0};
    if (to == GOTRACE_RAW_TEXT) {
        text_put_header(out, raw->nn);
    } else {
        snprintf(header, sizeof header, "go 1.%d trace", raw->nn);
        raw_buffer_add(out, header, V1_HEADER_SIZE);
    }
}

int v1_raw_next(struct v1_raw *raw, enum gotrace_raw_format to, struct raw_buffer *out)
{
    struct v1_raw_record rec = {0};
    raw->r->frames.size = 0;
    int rc = raw->r->format == GOTRACE_RAW_TEXT ? v1_text_read(raw, &rec) : v1_bytes_read(raw, &rec);
    if (rc > 0)
        (to == GOTRACE_RAW_TEXT ? v1_text_put : v1_bytes_put)(out, &raw->form, &rec);
    return rc;
}

size_t v1_integers_size(const struct v1_raw_record *rec)
{
    size_t size = 0;
    for (size_t i = 0; i < rec->n; i++)
        size += rec->integers[i].width;
    return size;
}

uint8_t v1_usual_size_width(const struct v1_form *form, const struct v1_raw_record *rec)
{
    bool is_stack = form->shapes[rec->id].cls == V1_IS_STACK;
    if (!is_stack && v1_is_short(form, rec->n))
        return 0;
    return is_stack && form->pads_stacks ? VARINT_MAX : (uint8_t)varint_size(v1_integers_size(rec));
}

bool v1_is_whole_stack(const struct v1_form *form, const struct v1_raw_record *rec)
{
    unsigned per_frame = v1_frame_args(form);
    return rec->id == V1_Stack && rec->n >= V1_STACK_ARGS && (rec->n - V1_STACK_ARGS) % per_frame == 0 &&
           (rec->n - V1_STACK_ARGS) / per_frame == rec->integers[1].v;
}

bool v1_raw_add(struct v1_raw *raw, struct v1_raw_record *rec, struct v1_integer i)
{
    struct gotrace_raw_reader *r = raw->r;
    if (rec->n == V1_RAW_MAX_INTEGERS) {
        raw_fail(r, GOTRACE_EBROKEN, "more than %d integers in one record are beyond any limit", V1_RAW_MAX_INTEGERS);
        return false;
    }
    raw_buffer_add(&r->frames, &i, sizeof i);
    if (r->frames.failed) {
        r->in.error = ENOMEM;
        raw_fail_short(r, "a record");
        return false;
    }
    rec->integers = (const struct v1_integer *)r->frames.at;
    rec->n++;
    return true;
}
