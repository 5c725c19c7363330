/*
 * Markers of a processed profile, a column after the other. All but one are texts already when a marker is added, and
 * only copied; what the long one has in a marker needs the numbers of stacks, and is put together by hand: there are
 * millions.
 */
#include <string.h>

#include "cmd/export/firefox.h"

enum { INSTANT = 0, INTERVAL = 1 };

/* What writes the long column. */
struct column {
    struct json *json;
    struct firefox *f;
};

void firefox_add_marker(struct firefox *f, struct firefox_thread *thread, uint32_t name, int64_t begin, int64_t end,
                        const struct firefox_data *data)
{
    if (!thread)
        return;
    uint32_t type = data->type, kind = FIREFOX_CATEGORY + (type < FIREFOX_REGION ? type : FIREFOX_REGION);
    firefox_add_number(f, &thread->columns[FIREFOX_NAME], name);
    firefox_add_time(f, &thread->columns[FIREFOX_BEGIN], &thread->ended, begin);
    firefox_add_time(f, &thread->columns[FIREFOX_END], &f->now, end > begin ? end : begin);
    thread->ended = f->now;
    firefox_add_number(f, &thread->columns[FIREFOX_PHASE], type == FIREFOX_MESSAGE ? INSTANT : INTERVAL);
    firefox_add_number(f, &thread->columns[FIREFOX_KIND], kind);
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
static inline __attribute__((always_inline)) char *put_string(const struct column *c, char *to, const char *key,
                                                              uint32_t text)
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
    to = put_literal(put_literal(put_literal(to, "{\"type\":\""), firefox_types[d->type]), "\"");
    to = put_string(c, to, ",\"reason\":", d->reason);
    to = put_string(c, to, ",\"object\":", d->object);
    to = put_string(c, to, ",\"waker\":", d->waker);
    to = put_string(c, to, ",\"call\":", d->call);
    if (d->from)
        to = firefox_tid(c->f, d->from, put_literal(to, ",\"from\":"));
    if (stack != FIREFOX_NO_STACK)
        to = put_literal(out_digits(put_literal(to, ",\"cause\":{\"stack\":"), stack), "}");
    *to++ = '}';
    json_put(c->json, to);
}

/* ---- the columns ------------------------------------------------------------------------------------------------- */

void firefox_put_markers(struct json *j, struct firefox *f, const struct firefox_thread *t)
{
    struct column c = {j, f};
    open_named(j, "markers", '{');
    put_number(j, "length", t->data.n);
    open_named(j, "data", '[');
    spill_each(&f->spill, &t->data, show_data, &c);
    json_close(j, ']');
    firefox_put_column(j, f, "name", &t->columns[FIREFOX_NAME]);
    firefox_put_column(j, f, "startTime", &t->columns[FIREFOX_BEGIN]);
    firefox_put_column(j, f, "endTime", &t->columns[FIREFOX_END]);
    firefox_put_column(j, f, "phase", &t->columns[FIREFOX_PHASE]);
    firefox_put_column(j, f, "category", &t->columns[FIREFOX_KIND]);
    json_close(j, '}');
}
