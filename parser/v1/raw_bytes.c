/* Raw records as bytes, both ways: batches are not taken apart, nor are arguments counted. */
#include <inttypes.h>

#include "lib/wire/varint.h"
#include "parser/raw_writer.h"
#include "parser/v1/raw.h"

/* What a record is called in messages. */
static const char *name_of(const struct v1_form *form, unsigned id)
{
    return form->shapes[id].cls == V1_IS_NONE ? "a record" : v1_events[id].name;
}

static bool read_counted(struct v1_raw *raw, struct v1_raw_record *rec, unsigned n, const char *name)
{
    for (unsigned i = 0; i < n; i++) {
        struct v1_integer v = {0};
        if (!(v.width = (uint8_t)bytes_read_integer(raw->r, name, &v.v)) || !v1_raw_add(raw, rec, v))
            return false;
    }
    return true;
}

static bool read_sized(struct v1_raw *raw, struct v1_raw_record *rec, const char *name)
{
    struct gotrace_raw_reader *r = raw->r;
    struct raw_input *in = &r->in;
    uint64_t size;
    if (!(rec->size_width = (uint8_t)bytes_read_integer(r, name, &size)))
        return false;
    if (size > (uint64_t)V1_RAW_MAX_INTEGERS * VARINT_MAX) {
        raw_fail(r, GOTRACE_EBROKEN, "%" PRIu64 " bytes of integers of %s are beyond any limit", size, name);
        return false;
    }
    if (!raw_input_need(in, size)) {
        raw_fail_short(r, name);
        return false;
    }
    const uint8_t *end = in->p + size;
    while (in->p < end) {
        struct v1_integer v;
        const uint8_t *next = varint_get(in->p, end, &v.v);
        if (!next) {
            raw_fail(r, GOTRACE_EBROKEN,
                     end - in->p < VARINT_MAX ? "the size of %s ends within an integer"
                                              : "an integer of %s does not fit 64 bits", name);
            return false;
        }
        v.width = (uint8_t)(next - in->p);
        in->p = next;
        if (!v1_raw_add(raw, rec, v))
            return false;
    }
    return true;
}

int v1_bytes_read(struct v1_raw *raw, struct v1_raw_record *rec)
{
    struct gotrace_raw_reader *r = raw->r;
    struct gotrace_raw_event data;
    r->position = raw_input_offset(&r->in);
    if (!raw_input_need(&r->in, 1))
        return r->in.error ? raw_fail_short(r, "a record") : 0;
    unsigned upper = *r->in.p >> 6;
    rec->id = *r->in.p++ & (V1_IDS - 1);
    const char *name = name_of(&raw->form, rec->id);
    if (raw->form.shapes[rec->id].cls == V1_IS_STRING) {
        rec->upper = (uint8_t)upper;
        if (!read_counted(raw, rec, 1, name))
            return -1;
    } else if (!(upper < 3 ? read_counted(raw, rec, upper + v1_least_integers(&raw->form), name)
                           : read_sized(raw, rec, name))) {
        return -1;
    }
    if (!v1_has_data(&raw->form, rec->id))
        return 1;
    if (bytes_read_data(r, &data, name) < 0)
        return -1;
    rec->data = data.data;
    rec->size = data.size;
    rec->data_width = data.size_width;
    return 1;
}

void v1_bytes_put(struct raw_buffer *out, const struct v1_form *form, const struct v1_raw_record *rec)
{
    bool is_string = form->shapes[rec->id].cls == V1_IS_STRING;
    size_t upper = is_string ? rec->upper : rec->size_width ? 3 : rec->n - v1_least_integers(form);
    raw_buffer_add(out, &(uint8_t){(uint8_t)(rec->id | upper << 6)}, 1);
    if (rec->size_width)
        bytes_put_integer(out, v1_integers_size(rec), rec->size_width);
    for (size_t i = 0; i < rec->n; i++)
        bytes_put_integer(out, rec->integers[i].v, rec->integers[i].width);
    if (v1_has_data(form, rec->id)) {
        bytes_put_integer(out, rec->size, rec->data_width);
        raw_buffer_add(out, rec->data, rec->size);
    }
}
