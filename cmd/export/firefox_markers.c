/*
 * Markers of a processed profile, a column after the other. Times are texts already when a marker is added, and only
 * copied; three columns follow from its type; what the long one has needs the numbers of stacks. All is put together by
 * hand: there are millions.
 */
#include <string.h>

#include "cmd/export/firefox.h"

enum { INSTANT = 0, INTERVAL = 1 };

static bool has_name(unsigned type) { return type >= FIREFOX_REGION; }

void firefox_add_marker(struct firefox *f, struct firefox_thread *thread, uint32_t name, int64_t begin, int64_t end,
                        const struct firefox_data *data)
{
    if (!thread)
        return;
    char *to = spill_room(&f->spill, &thread->kinds, 1 + sizeof name);
    if (to) {
        *to++ = (char)data->type;
        spill_put(&thread->kinds, has_name(data->type) ? mempcpy(to, &name, sizeof name) : to);
    }
    firefox_add_time(f, &thread->columns[FIREFOX_BEGIN], &thread->ended, begin);
    firefox_add_time(f, &thread->columns[FIREFOX_END], &f->now, end > begin ? end : begin);
    thread->ended = f->now;
    spill_add(&f->spill, &thread->data, data);
    f->t.failed |= f->spill.err != 0;
}

/* ---- what follows from the type --------------------------------------------------------------------------------- */

struct values {
    struct out *out;
    uint32_t of_type[FIREFOX_TYPES];
    bool names;   /* of a marker that has one, that */
    bool follows; /* a value stands before */
};

static void show_kinds(void *arg, const char *bytes, size_t n)
{
    struct values *v = arg;
    for (const char *end = bytes + n; bytes < end;) {
        unsigned type = (uint8_t)*bytes++;
        uint32_t name, value = v->of_type[type];
        if (has_name(type)) {
            memcpy(&name, bytes, sizeof name);
            bytes += sizeof name;
            value = v->names ? name : value;
        }
        char *to = out_room(v->out);
        *to = ',';
        out_end(v->out, out_digits(to + v->follows, value));
        v->follows = true;
    }
}

static void put_values(struct json *j, struct firefox *f, const char *key, const struct firefox_thread *t,
                       struct values v)
{
    v.out = &j->out;
    open_named(j, key, '[');
    spill_each_piece(&f->spill, &t->kinds, show_kinds, &v);
    json_close(j, ']');
}

static void put_kinds(struct json *j, struct firefox *f, const struct firefox_thread *t)
{
    struct values names = {.names = true}, phases = {0}, categories = {0};
    for (unsigned type = 0; type < FIREFOX_TYPES; type++) {
        names.of_type[type] = f->names[type];
        phases.of_type[type] = type == FIREFOX_MESSAGE ? INSTANT : INTERVAL;
        categories.of_type[type] = FIREFOX_CATEGORY + (type < FIREFOX_REGION ? type : FIREFOX_REGION);
    }
    put_values(j, f, "name", t, names);
    put_values(j, f, "phase", t, phases);
    put_values(j, f, "category", t, categories);
}

/* ---- what it is of ---------------------------------------------------------------------------------------------- */

enum { BEGIN_MAX = 32 };

/* What writes the long column. */
struct column {
    struct json *json;
    struct firefox *f;
    struct begin {
        char text[BEGIN_MAX];
        size_t len;
    } begins[FIREFOX_TYPES]; /* of the objects, by type */
};

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
    struct column *c = arg;
    const struct firefox_data *d = record;
    if (d->type == FIREFOX_MESSAGE) {
        show_message(c, d);
        return;
    }
    uint64_t stack = firefox_stack(c->f, d->stack);
    char *to = json_room(c->json);
    memcpy(to, c->begins[d->type].text, BEGIN_MAX);
    to += c->begins[d->type].len;
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
    struct column c = {.json = j, .f = f};
    for (unsigned type = 0; type < FIREFOX_TYPES; type++) {
        struct begin *b = &c.begins[type];
        b->len = (size_t)snprintf(b->text, sizeof b->text, "{\"type\":\"%s\"", firefox_types[type]);
    }
    open_named(j, "markers", '{');
    put_number(j, "length", t->data.n);
    open_named(j, "data", '[');
    spill_each(&f->spill, &t->data, show_data, &c);
    json_close(j, ']');
    firefox_put_column(j, f, "startTime", &t->columns[FIREFOX_BEGIN]);
    firefox_put_column(j, f, "endTime", &t->columns[FIREFOX_END]);
    put_kinds(j, f, t);
    json_close(j, '}');
}
