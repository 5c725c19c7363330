#include "lib/wire/events.h"
#include "parser/batch.h"
#include "tests/v1/from-v1.h"

static bool write_buffer(void *arg, const void *data, size_t size)
{
    raw_buffer_add(arg, data, size);
    return true;
}

void convert_made(struct made *m, int nn, struct raw_buffer *out, struct converted *done)
{
    struct source s = {.p = m->b.at, .end = m->b.at + m->b.size, .offset = m->b.size};
    struct failure f = {0};
    assert_non_null(read_any_header(&s, &f));
    bool ok = convert_v1(&s, wire_version((uint64_t)nn), write_buffer, out, done, &f);
    assert_string_equal(f.message, "");
    assert_true(ok);
    source_free(&s);
    raw_buffer_free(&m->b);
}

/* What a reader of the events would not see: time that goes back, and a parent that is no number. */
static void check_bytes(const struct raw_buffer *out)
{
    struct gotrace_raw_reader *r = gotrace_raw_reader_open_memory(GOTRACE_RAW_BYTES, out->at, out->size);
    struct gotrace_raw_event ev;
    int result;
    while ((result = gotrace_raw_reader_next(r, &ev)) == 1) {
        if (event_table[ev.id].cls == EVENT_TIMED)
            assert_true(ev.args[0] < UINT64_C(1) << 32);
        if (ev.id == EV_UserTaskBegin)
            assert_true(ev.args[2] < UINT64_C(1) << 32);
    }
    assert_int_equal(result, 0);
    gotrace_raw_reader_free(r);
}

static void print_violation(void *arg, const struct gotrace_error *e) { raw_buffer_printf(arg, "%s\n", e->message); }

void becomes(struct made *m, int nn, const char *wanted)
{
    struct raw_buffer out = {0}, text = {0};
    struct converted done;
    convert_made(m, nn, &out, &done);
    check_bytes(&out);
    struct gotrace_reader *r = gotrace_reader_open_memory(out.at, out.size);
    struct gotrace_validator *v = gotrace_validator_new(nn, print_violation, &text);
    assert_int_equal(gotrace_reader_version(r), nn);
    for (const struct gotrace_event *ev; (ev = gotrace_reader_next(r));) {
        gotrace_validator_event(v, ev);
        if (gotrace_event_kind(ev) != GOTRACE_KIND_SYNC)
            show_event(&text, ev);
    }
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (e)
        raw_buffer_printf(&text, "%s", e->message);
    for (unsigned id = 0; id < 256; id++)
        if (done.dropped[id])
            raw_buffer_printf(&text, "dropped %llu %s\n", (unsigned long long)done.dropped[id], event_name(id));
    raw_buffer_add(&text, "", 1);
    assert_string_equal((char *)text.at, wanted);
    gotrace_validator_free(v);
    gotrace_reader_free(r);
    raw_buffer_free(&out);
    raw_buffer_free(&text);
}
