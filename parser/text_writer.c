/* Raw events as text, byte for byte as Go writes them. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "parser/quote.h"
#include "parser/raw_reader.h"
#include "parser/raw_writer.h"

void text_put_header(struct raw_buffer *out, int version) { raw_buffer_printf(out, "Trace Go1.%d\n", version); }

void text_put_arg(struct raw_buffer *out, const char *separator, const char *name, uint64_t v)
{
    char digits[20], *p = digits + sizeof digits;
    do
        *--p = (char)('0' + v % 10);
    while (v /= 10);
    raw_buffer_add_text(out, separator);
    raw_buffer_add_text(out, name);
    raw_buffer_add(out, "=", 1);
    raw_buffer_add(out, p, (size_t)(digits + sizeof digits - p));
}

void text_put_event(struct raw_buffer *out, const struct gotrace_raw_event *ev)
{
    const struct event_info *info = &event_table[ev->id];
    raw_buffer_add_text(out, info->name);
    for (unsigned i = 0; i < info->nargs; i++)
        text_put_arg(out, " ", info->args[i], ev->args[i]);
    if (ev->id == EV_Stack) {
        for (uint64_t i = 0; i < ev->args[1]; i++) {
            text_put_arg(out, "\n\t", "pc", ev->frames[i].pc);
            text_put_arg(out, " ", "func", ev->frames[i].function);
            text_put_arg(out, " ", "file", ev->frames[i].file);
            text_put_arg(out, " ", "line", ev->frames[i].line);
        }
    }
    if (raw_event_has_data(ev->id)) {
        raw_buffer_add_text(out, "\n\tdata=");
        go_quote(out, ev->data, ev->size);
    }
}

char *gotrace_raw_event_text(int version, const struct gotrace_raw_event *ev, size_t *size)
{
    if (!raw_event_writable(version, ev)) {
        errno = EINVAL;
        return NULL;
    }
    struct raw_buffer text = {0};
    text_put_event(&text, ev);
    raw_buffer_add(&text, "", 1);
    if (text.failed) {
        raw_buffer_free(&text);
        errno = ENOMEM;
        return NULL;
    }
    if (size)
        *size = text.size - 1;
    return (char *)text.at;
}
