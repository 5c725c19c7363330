#include <inttypes.h>

#include "parser/event_print.h"
#include "tests/v1/as-v2.h" /* after the parser: cmocka has a macro named fail */

/* What stands behind "Time=…" in Go's text, in one line. */
static void show_details(struct raw_buffer *o, struct raw_buffer *text)
{
    raw_buffer_add(text, "", 1);
    assert_false(text->failed);
    char *at = strstr((char *)text->at, "Time=");
    assert_non_null(at);
    bool blank = false;
    for (at += strcspn(at, " \n"); *at; at++) {
        blank = blank || *at == ' ' || *at == '\n' || *at == '\t';
        if (*at == ' ' || *at == '\n' || *at == '\t')
            continue;
        if (blank)
            raw_buffer_add_text(o, " ");
        blank = false;
        raw_buffer_add(o, at, 1);
    }
}

void show_event(struct raw_buffer *o, const struct gotrace_event *ev)
{
    struct raw_buffer text = {0};
    raw_buffer_printf(o, "%s %" PRId64 " M=%" PRId64 " P=%" PRId64 " G=%" PRId64,
                      gotrace_kind_name(gotrace_event_kind(ev)), gotrace_event_time(ev),
                      (int64_t)gotrace_event_thread(ev), (int64_t)gotrace_event_proc(ev),
                      (int64_t)gotrace_event_goroutine(ev));
    event_print(&text, ev, NULL);
    show_details(o, &text);
    raw_buffer_add_text(o, "\n");
    raw_buffer_free(&text);
}

/* In memory of its own size, so that a sanitizer sees who reads on. */
static struct raw_buffer read_all(struct made *m)
{
    struct raw_buffer o = {0};
    uint8_t *data = malloc(m->b.size);
    assert_non_null(data);
    memcpy(data, m->b.at, m->b.size);
    struct gotrace_reader *r = gotrace_reader_open_memory(data, m->b.size);
    assert_int_equal(gotrace_reader_version(r), m->nn);
    for (const struct gotrace_event *ev; (ev = gotrace_reader_next(r));)
        show_event(&o, ev);
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (e)
        raw_buffer_printf(&o, "%s: %s", e->event ? e->event : "", e->message);
    assert_null(gotrace_reader_next(r));
    gotrace_reader_free(r);
    free(data);
    raw_buffer_free(&m->b);
    raw_buffer_add(&o, "", 1);
    assert_false(o.failed);
    return o;
}

void shows(struct made *m, const char *wanted)
{
    struct raw_buffer o = read_all(m);
    assert_string_equal((char *)o.at, wanted);
    raw_buffer_free(&o);
}

void refuses(struct made *m, const char *wanted) { shows(m, wanted); }
