/* Raw records as text, in the style of v2: a line has a name and arguments, further lines frames and data. */
#include "lib/wire/varint.h"
#include "parser/quote.h"
#include "parser/raw_writer.h"
#include "parser/v1/raw.h"

/* Says how many bytes an integer takes when these are not as few as can be. */
static void put_width(struct raw_buffer *out, uint64_t v, unsigned width)
{
    if (width != varint_size(v))
        raw_buffer_printf(out, ":%u", width);
}

static void put_integer(struct raw_buffer *out, const char *separator, const char *name, struct v1_integer i)
{
    text_put_arg(out, separator, name ? name : "arg", i.v);
    put_width(out, i.v, i.width);
}

static void put_frames(struct raw_buffer *out, const struct v1_form *form, const struct v1_raw_record *rec)
{
    unsigned per_frame = v1_frame_args(form);
    for (size_t i = V1_STACK_ARGS; i < rec->n; i++)
        put_integer(out, (i - V1_STACK_ARGS) % per_frame ? " " : "\n\t", v1_integer_name(form, rec->id, i),
                    rec->integers[i]);
}

void v1_text_put(struct raw_buffer *out, const struct v1_form *form, const struct v1_raw_record *rec)
{
    const struct v1_shape *shape = &form->shapes[rec->id];
    bool known = shape->cls != V1_IS_NONE, is_string = shape->cls == V1_IS_STRING;
    bool has_frames = v1_is_whole_stack(form, rec);
    raw_buffer_add_text(out, known ? v1_events[rec->id].name : "Unknown");
    if (!known)
        text_put_arg(out, " ", "id", rec->id);
    if (rec->upper)
        text_put_arg(out, " ", "upper", rec->upper);
    if (!is_string && !has_frames && (rec->n != shape->nargs || shape->cls == V1_IS_STACK || !known))
        text_put_arg(out, " ", "nargs", rec->n);
    if (!is_string && rec->size_width != v1_usual_size_width(form, rec))
        text_put_arg(out, " ", "sized", rec->size_width);
    for (size_t i = 0; i < rec->n && !(has_frames && i == V1_STACK_ARGS); i++)
        put_integer(out, " ", i < shape->nargs || is_string ? v1_integer_name(form, rec->id, i) : NULL,
                    rec->integers[i]);
    if (has_frames)
        put_frames(out, form, rec);
    if (v1_has_data(form, rec->id)) {
        raw_buffer_add_text(out, "\n\tdata=");
        go_quote(out, rec->data, rec->size);
        put_width(out, rec->size, rec->data_width);
    }
    raw_buffer_add_text(out, "\n");
}
