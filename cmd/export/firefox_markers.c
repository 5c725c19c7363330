/*
 * Markers of a processed profile, a column after the other. Begins and ends are pairs, three columns follow from the
 * type, and what the long one has needs the numbers of stacks: so that is written when all is known.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/export/firefox.h"
#include "lib/meta.h"
#include "lib/wire/varint.h"

enum { INSTANT = 0, INTERVAL = 1 };

static bool has_name(unsigned type) { return type >= FIREFOX_REGION; }

/*
 * A record: how many bytes follow, the type, and numbers, the last of which is not 0. That of a text is one more, as 0 is
 * none.
 */
enum { NUMBERS = 6, RECORD_MAX = 2 + NUMBERS * VARINT_MAX };
enum number { STACK, REASON, OBJECT, WAKER, FROM, CALL };
enum message_number { CATEGORY, LENGTH, AT };

static uint64_t of_text(const struct firefox *f, uint32_t text) { return text == f->t.none ? 0 : (uint64_t)text + 1; }

static void add_data(struct firefox *f, struct spill_list *l, const struct firefox_data *d)
{
    uint8_t *to = (uint8_t *)spill_room(&f->spill, l, RECORD_MAX);
    if (!to)
        return;
    uint64_t numbers[NUMBERS] = {[STACK] = d->stack,
                                 [REASON] = of_text(f, d->reason),
                                 [OBJECT] = of_text(f, d->object),
                                 [WAKER] = of_text(f, d->waker),
                                 [FROM] = d->from,
                                 [CALL] = of_text(f, d->call)};
    if (d->type == FIREFOX_MESSAGE)
        memcpy(numbers, (uint64_t[NUMBERS]){of_text(f, d->message.category), d->message.len, d->message.at},
               sizeof numbers);
    int n = NUMBERS;
    while (n && !numbers[n - 1])
        n--;
    to[1] = (uint8_t)d->type;
    uint8_t *end = to + 2;
    for (int i = 0; i < n; i++)
        end = varint_put(end, numbers[i]);
    to[0] = (uint8_t)(end - to - 1);
    spill_put(l, (const char *)end);
    l->n++;
}

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
    uint64_t from = firefox_since(f, begin), until = firefox_since(f, end > begin ? end : begin);
    firefox_add_pair(f, &thread->times, zigzag_encode((int64_t)(from - thread->ended)), until - from);
    thread->ended = until;
    add_data(f, &thread->data, data);
    f->t.failed |= f->spill.err != 0;
}

/* ---- what follows from the type --------------------------------------------------------------------------------- */

enum { VALUE_MAX = 16 };
struct values {
    struct out *out;
    uint32_t of_type[FIREFOX_TYPES];
    struct {
        char text[VALUE_MAX];
        unsigned len;
    } texts[FIREFOX_TYPES]; /* of the same, behind a comma */
    bool names;             /* of a marker that has one, that */
    bool follows;           /* a value stands before */
};

static void show_kinds(void *arg, const char *bytes, size_t n)
{
    struct values *v = arg;
    for (const char *end = bytes + n; bytes < end;) {
        unsigned type = (uint8_t)*bytes++;
        uint32_t name;
        char *to = out_room(v->out);
        memcpy(to, v->texts[type].text + !v->follows, VALUE_MAX - 1);
        to += v->texts[type].len - !v->follows;
        if (has_name(type)) {
            memcpy(&name, bytes, sizeof name);
            bytes += sizeof name;
            if (v->names)
                to = out_digits(v->out->bytes + v->out->n + v->follows, name);
        }
        out_end(v->out, to);
        v->follows = true;
    }
}

static void put_values(struct json *j, struct firefox *f, const char *key, const struct firefox_thread *t,
                       struct values v)
{
    v.out = &j->out;
    for (unsigned type = 0; type < FIREFOX_TYPES; type++) {
        v.texts[type].text[0] = ',';
        v.texts[type].len = (unsigned)(out_digits(v.texts[type].text + 1, v.of_type[type]) - v.texts[type].text);
    }
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

/* The number of a text, if there is one. */
static inline __attribute__((always_inline)) char *put_string(char *to, const char *key, uint64_t number)
{
    return number ? out_digits(out_literal(to, key), number - 1) : to;
}

static void show_message(struct column *c, const uint64_t *numbers)
{
    char text[STACK_TEXT_MAX];
    size_t len = numbers[LENGTH] < sizeof text ? numbers[LENGTH] : sizeof text;
    spill_read(&c->f->spill, numbers[AT], text, len);
    json_open(c->json, '{');
    put_text(c->json, "type", firefox_types[FIREFOX_MESSAGE]);
    if (numbers[CATEGORY])
        put_number(c->json, "category", numbers[CATEGORY] - 1);
    json_key(c->json, "message");
    json_string(c->json, text, len);
    json_close(c->json, '}');
}

static char *put_data(const struct column *c, char *to, unsigned type, const uint64_t *numbers)
{
    uint64_t stack = firefox_stack(c->f, (uint32_t)numbers[STACK]);
    to = mempcpy(to, c->begins[type].text, c->begins[type].len);
    to = put_string(to, ",\"reason\":", numbers[REASON]);
    to = put_string(to, ",\"object\":", numbers[OBJECT]);
    to = put_string(to, ",\"waker\":", numbers[WAKER]);
    to = put_string(to, ",\"call\":", numbers[CALL]);
    if (numbers[FROM])
        to = firefox_tid(c->f, numbers[FROM], out_literal(to, ",\"from\":"));
    if (stack != FIREFOX_NO_STACK)
        to = out_literal(out_digits(out_literal(to, ",\"cause\":{\"stack\":"), stack), "}");
    *to++ = '}';
    return to;
}

/* Texts of records, each at a place that follows from the record: most have been met before. */
enum { KNOWN = 512, KNOWN_MAX = 232 };
struct firefox_known {
    uint64_t record[2];
    uint32_t len; /* of the text; 0: there is none */
    char text[KNOWN_MAX];
};

struct firefox_known *firefox_known_new(void) { return calloc(KNOWN, sizeof(struct firefox_known)); }

static struct firefox_known *known_of(const struct column *c, const uint64_t record[2])
{
    uint64_t hash = (record[0] ^ record[1] * 31) * UINT64_C(0x9e3779b97f4a7c15);
    return &c->f->known[hash >> 32 & (KNOWN - 1)];
}

static void show_record(struct column *c, const uint8_t *record, size_t n)
{
    uint64_t key[2] = {0, 0}, numbers[NUMBERS] = {0};
    bool fits = n <= sizeof key;
    if (fits)
        memcpy(key, record, n);
    struct firefox_known *known = known_of(c, key);
    if (fits && known->len && known->record[0] == key[0] && known->record[1] == key[1]) {
        json_bytes(c->json, known->text, known->len);
        return;
    }
    const uint8_t *p = record + 1, *end = record + n;
    for (int i = 0; i < NUMBERS && p && p < end; i++)
        p = varint_get(p, end, &numbers[i]);
    if (record[0] == FIREFOX_MESSAGE) {
        show_message(c, numbers);
        return;
    }
    char *to = json_room(c->json), *until = put_data(c, to, record[0], numbers);
    json_put(c->json, until);
    if (!fits || until - to > KNOWN_MAX)
        return;
    memcpy(known->record, key, sizeof key);
    known->len = (uint32_t)(until - to);
    memcpy(known->text, to, known->len);
}

static void show_data(void *arg, const char *bytes, size_t n)
{
    const uint8_t *p = (const uint8_t *)bytes, *end = p + n;
    for (; p < end; p += 1 + *p)
        show_record(arg, p + 1, *p);
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
    spill_each_piece(&f->spill, &t->data, show_data, &c);
    json_close(j, ']');
    firefox_put_column(j, f, "startTime", &t->times, FIREFOX_BEGIN);
    firefox_put_column(j, f, "endTime", &t->times, FIREFOX_END);
    put_kinds(j, f, t);
    json_close(j, '}');
}
