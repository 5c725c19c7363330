#include "tests/v1/made.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/wire/varint.h"
#include "lib/wire/version.h"

static void byte(struct made *m, unsigned v) { raw_buffer_add(&m->b, &(uint8_t){(uint8_t)v}, 1); }

static void integer(struct raw_buffer *b, uint64_t v)
{
    uint8_t *p = raw_buffer_reserve(b, VARINT_MAX);
    assert_non_null(p);
    b->size = (size_t)(varint_put(p, v) - b->at);
}

void made_bytes(struct made *m, const void *data, size_t n) { raw_buffer_add(&m->b, data, n); }

static void sized(struct made *m, unsigned id, const uint64_t *args, size_t n)
{
    struct raw_buffer body = {0};
    for (size_t i = 0; i < n; i++)
        integer(&body, args[i]);
    byte(m, id | 3 << 6);
    integer(&m->b, body.size);
    raw_buffer_add(&m->b, body.at, body.size);
    raw_buffer_free(&body);
}

void made_sized(struct made *m, unsigned id, const uint64_t *args, size_t n) { sized(m, id, args, n); }

void made_record(struct made *m, unsigned id, const uint64_t *args, size_t n)
{
    size_t least = v1_form(m->nn).sequences ? 2 : 1;
    if (n < least || n > least + 2) {
        sized(m, id, args, n);
        return;
    }
    byte(m, id | (unsigned)(n - least) << 6);
    for (size_t i = 0; i < n; i++)
        integer(&m->b, args[i]);
}

void made_string(struct made *m, uint64_t id, const char *text)
{
    byte(m, V1_String);
    integer(&m->b, id);
    integer(&m->b, strlen(text));
    raw_buffer_add_text(&m->b, text);
}

void made_log(struct made *m, uint64_t ticks, uint64_t task, uint64_t key, uint64_t stack, const char *message)
{
    RECORD(m, UserLog, ticks, task, key, stack);
    integer(&m->b, strlen(message));
    raw_buffer_add_text(&m->b, message);
}

struct made made(unsigned nn)
{
    struct made m = {.nn = nn};
    char header[V1_HEADER_SIZE + 1] = {0};
    if (nn == WIRE_FIRST_TRACER)
        memcpy(header, WIRE_FIRST_HEADER, WIRE_FIRST_HEADER_SIZE);
    else
        snprintf(header, sizeof header, "go 1.%u trace", nn);
    made_bytes(&m, header, v1_header_size(nn));
    if (v1_form(nn).sequences)
        RECORD(&m, Frequency, 1000000000, 0);
    else
        RECORD(&m, Frequency, 1000000000);
    return m;
}

struct made made_running(unsigned nn)
{
    struct made m = made(nn);
    PROC(&m, 0, 100);
    RECORD(&m, GoCreate, 0, 1, 0, 0);
    RECORD(&m, ProcStart, 0, 7);
    RECORD(&m, GoStart, 0, 1, 1);
    RECORD(&m, Gomaxprocs, 10, 2, 0);
    return m;
}

static void show(struct raw_buffer *o, const struct v1_trace *t, const struct v1_event *ev)
{
    const struct v1_info *info = &v1_events[ev->id];
    struct v1_frames frames = v1_frames(t, ev->stack);
    struct v1_frame f;
    bool says;
    raw_buffer_printf(o, "%" PRId64 " %s p%d g%" PRIu64, ev->time, info->name, v1_p(t, ev), v1_g(t, ev));
    for (unsigned i = 0; i < info->nargs; i++)
        raw_buffer_printf(o, " %" PRIu64, ev->args[i]);
    struct v1_text words = v1_words(t, ev, &says);
    if (says)
        raw_buffer_printf(o, " \"%.*s\"", (int)words.size, words.data);
    struct v1_text message = v1_message(t, ev);
    if (message.data)
        raw_buffer_printf(o, " \"%.*s\"", (int)message.size, message.data);
    while (v1_next_frame(&frames, &f)) {
        struct v1_text function = v1_string(t, f.function), file = v1_string(t, f.file);
        raw_buffer_printf(o, " @%" PRIx64 " %.*s %.*s:%" PRIu64, f.pc, (int)function.size, function.data,
                          (int)file.size, file.data, f.line);
    }
    raw_buffer_add_text(o, "\n");
}

/* How many there are. */
static size_t show_all(struct raw_buffer *o, struct v1_trace *t)
{
    size_t n = 0;
    for (const struct v1_event *ev; (ev = v1_next(t)); n++)
        show(o, t, ev);
    return n;
}

char *outcome(struct made *m, enum v1_view view)
{
    struct raw_buffer o = {0};
    struct v1_trace t;
    struct v1_error e;
    /* In memory of its own size, so that a sanitizer sees who reads on. */
    uint8_t *data = malloc(m->b.size ? m->b.size : 1);
    memcpy(data, m->b.at, m->b.size);
    if (v1_parse(&t, data, m->b.size, view, &e)) {
        assert_int_equal(show_all(&o, &t), t.nevents);
        size_t size = o.size;
        v1_rewind(&t);
        show_all(&o, &t);
        assert_int_equal(o.size, 2 * size);
        assert_memory_equal(o.at, o.at + size, size);
        o.size = size;
        v1_free(&t);
    } else {
        assert_int_equal(e.status, V1_BROKEN);
        raw_buffer_printf(&o, "%s: %s", e.event ? e.event : "", e.message);
    }
    free(data);
    raw_buffer_add(&o, "", 1);
    assert_false(o.failed);
    return (char *)o.at;
}

static void wants(struct made *m, enum v1_view view, const char *wanted)
{
    char *got = outcome(m, view);
    assert_string_equal(got, wanted);
    free(got);
}

void gives_in(struct made *m, enum v1_view view, const char *wanted)
{
    wants(m, view, wanted);
    raw_buffer_free(&m->b);
}

void gives(struct made *m, const char *wanted)
{
    wants(m, V1_AS_GO_1_21, wanted);
    gives_in(m, V1_AS_GO_1_22, wanted);
}

void fails(struct made *m, const char *wanted) { gives(m, wanted); }
