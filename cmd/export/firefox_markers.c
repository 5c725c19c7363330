/*
 * Markers of a processed profile: columns, each of which goes through all markers of a thread. Their times are in a
 * list of their own, and what the long column has in a marker is put together by hand: there are millions.
 */
#include <string.h>

#include "cmd/export/firefox.h"

enum { INSTANT = 0, INTERVAL = 1 };

/* What writes a column. */
struct column {
    struct json *json;
    struct firefox *f;
};

typedef void show_fn(void *arg, const void *record);

void firefox_add_marker(struct firefox *f, struct firefox_thread *thread, int64_t begin, int64_t end,
                        const struct firefox_data *data)
{
    if (!thread)
        return;
    spill_add(&f->spill, &thread->spans,
              &(struct firefox_span){begin, end > begin ? (uint64_t)end - (uint64_t)begin : 0});
    spill_add(&f->spill, &thread->data, data);
    f->t.failed |= f->spill.err != 0;
}

/* ---- what it is of ---------------------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) char *put_literal(char *to, const char *text)
{
    size_t n = strlen(text);
    memcpy(to, text, n);
    return to + n;
}

/* The number of a text, if there is one. */
static char *put_string(const struct column *c, char *to, const char *key, uint32_t text)
{
    return text == c->f->t.none ? to : out_digits(put_literal(to, key), text);
}

static void show_message(struct column *c, const struct firefox_data *d)
{
    char text[STACK_TEXT_MAX];
    size_t len = d->message.len < sizeof text ? d->message.len : sizeof text;
    spill_read(&c->f->spill, d->message.at[0] | (uint64_t)d->message.at[1] << 32, text, len);
    json_open(c->json, '{');
    put_text(c->json, "type", firefox_types[d->type]);
    if (d->message.category != c->f->t.none)
        put_number(c->json, "category", d->message.category);
    json_key(c->json, "message");
    json_string(c->json, text, len);
    json_close(c->json, '}');
}

static void show_data(void *arg, const void *record)
{
    enum { KEYS = 160, NUMBERS = 5 };
    struct column *c = arg;
    const struct firefox_data *d = record;
    if (d->type == FIREFOX_MESSAGE) {
        show_message(c, d);
        return;
    }
    uint64_t stack = firefox_stack(c->f, d->stack);
    char *to = json_room(c->json, KEYS + NUMBERS * OUT_NUMBER + FIREFOX_TID);
    to = put_literal(put_literal(put_literal(to, "{\"type\": \""), firefox_types[d->type]), "\"");
    to = put_string(c, to, ", \"reason\": ", d->reason);
    to = put_string(c, to, ", \"object\": ", d->object);
    to = put_string(c, to, ", \"waker\": ", d->waker);
    to = put_string(c, to, ", \"call\": ", d->call);
    if (d->from)
        to = firefox_tid(c->f, d->from, put_literal(to, ", \"from\": "));
    if (stack != FIREFOX_NO_STACK)
        to = put_literal(out_digits(put_literal(to, ", \"cause\": {\"stack\": "), stack), "}");
    *to++ = '}';
    json_put(c->json, to);
}

/* ---- when it was, and what kind of marker it is ----------------------------------------------------------------- */

static void show_name(void *arg, const void *record)
{
    json_number(((struct column *)arg)->json, ((const struct firefox_data *)record)->name);
}

static void show_begin(void *arg, const void *record)
{
    struct column *c = arg;
    firefox_put_time(c->json, firefox_since(c->f, ((const struct firefox_span *)record)->begin));
}

static void show_end(void *arg, const void *record)
{
    struct column *c = arg;
    const struct firefox_span *span = record;
    firefox_put_time(c->json, firefox_since(c->f, (int64_t)((uint64_t)span->begin + span->lasts)));
}

static void show_phase(void *arg, const void *record)
{
    uint32_t type = ((const struct firefox_data *)record)->type;
    json_number(((struct column *)arg)->json, type == FIREFOX_MESSAGE ? INSTANT : INTERVAL);
}

static void show_category(void *arg, const void *record)
{
    uint32_t type = ((const struct firefox_data *)record)->type;
    json_number(((struct column *)arg)->json, FIREFOX_CATEGORY + (type < FIREFOX_REGION ? type : FIREFOX_REGION));
}

static void put_column(struct json *j, struct firefox *f, const char *key, const struct spill_list *l, show_fn *show)
{
    struct column c = {j, f};
    open_named(j, key, '[');
    spill_each(&f->spill, l, show, &c);
    json_close(j, ']');
}

void firefox_put_markers(struct json *j, struct firefox *f, const struct firefox_thread *t)
{
    open_named(j, "markers", '{');
    put_number(j, "length", t->spans.n);
    put_column(j, f, "data", &t->data, show_data);
    put_column(j, f, "name", &t->data, show_name);
    put_column(j, f, "startTime", &t->spans, show_begin);
    put_column(j, f, "endTime", &t->spans, show_end);
    put_column(j, f, "phase", &t->data, show_phase);
    put_column(j, f, "category", &t->data, show_category);
    json_close(j, '}');
}
