#include "config.h"

#include "cmd/top/open_waits.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/finish/record_cursor.h"
#include "lib/meta.h"
#include "lib/wire/cursor.h"

enum { BATCH_SIZE = CHUNK_CAPACITY, RECORD_MAX = CHUNK_CAPACITY / 2 };

/* A stack of a generation that a wait was begun with. */
struct wanted_stack {
    uint64_t generation, id;
    bool found;
    uint64_t base, kind, address; /* of a META_WAIT_STACK */
    uint8_t *text, *pcs;          /* as they are in the record: length and bytes, number and PCs */
    size_t text_size, pcs_size;
};

void open_waits_free(struct open_waits *w)
{
    for (size_t i = 0; i < w->list.n; i++)
        free(w->list.v[i].record);
    for (size_t i = 0; i < w->wanted.n; i++) {
        free(w->wanted.v[i].text);
        free(w->wanted.v[i].pcs);
    }
    VEC_FREE(&w->list);
    VEC_FREE(&w->wanted);
    idmap_free(&w->index);
    idmap_free(&w->running);
    idmap_free(&w->ended);
    idmap_free(&w->wanted_index);
    memset(w, 0, sizeof *w);
}

const struct open_wait *open_waits_find(const struct open_waits *w, uint64_t g)
{
    uint32_t at = idmap_get(&w->index, g);
    return at ? &w->list.v[at - 1] : NULL;
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static bool runs(struct open_waits *w, uint64_t m, uint64_t g)
{
    idmap_remove(&w->running, m);
    return !g || g > UINT32_MAX || idmap_add(&w->running, m, (uint32_t)g);
}

/* The last one takes its place. */
static void close_wait(struct open_waits *w, uint64_t g)
{
    uint32_t at = idmap_get(&w->index, g);
    if (!at)
        return;
    idmap_remove(&w->index, g);
    free(w->list.v[at - 1].record);
    struct open_wait last = w->list.v[--w->list.n];
    if (at - 1 == w->list.n)
        return;
    w->list.v[at - 1] = last;
    idmap_remove(&w->index, last.g);
    idmap_add(&w->index, last.g, at); /* there was room for it */
}

static bool open_wait(struct open_waits *w, const struct spool_batch *b, uint64_t time, uint64_t reason, uint64_t stack)
{
    uint64_t g = idmap_get(&w->running, b->m);
    close_wait(w, g);
    if (!g)
        return true;
    if (!VEC_ROOM(&w->list) || !idmap_add(&w->index, g, (uint32_t)w->list.n + 1))
        return false;
    w->list.v[w->list.n++] = (struct open_wait){
        .g = g, .m = b->m, .reason = reason, .time = time, .generation = b->generation, .stack = stack};
    return true;
}

/* A wait whose begin is not in the recording, as far as was read; else that is known. */
static bool goes_on(struct open_waits *w, const struct spool_batch *b, const struct wire_event *ev)
{
    uint64_t g = ev->args[0];
    if (!g || idmap_get(&w->index, g))
        return true;
    if (!VEC_ROOM(&w->list) || !idmap_add(&w->index, g, (uint32_t)w->list.n + 1))
        return false;
    w->list.v[w->list.n++] = (struct open_wait){
        .g = g, .m = ev->args[1], .time = ev->time, .generation = b->generation, .older = true};
    return true;
}

static bool end(struct open_waits *w, uint64_t m)
{
    uint64_t g = idmap_get(&w->running, m);
    close_wait(w, g);
    return runs(w, m, 0) && (!g || idmap_get(&w->ended, g) || idmap_add(&w->ended, g, 1));
}

static bool see(struct open_waits *w, const struct spool_batch *b, const struct wire_event *ev)
{
    switch (ev->id) {
    case EV_GoStatus:
        if (ev->args[2] == GO_WAITING)
            return goes_on(w, b, ev);
        return (ev->args[2] != GO_RUNNING && ev->args[2] != GO_SYSCALL) || runs(w, ev->args[1], ev->args[0]);
    case EV_GoStart:
        close_wait(w, ev->args[0]);
        return runs(w, b->m, ev->args[0]);
    case EV_GoBlock:
        return open_wait(w, b, ev->time, ev->args[0], ev->args[1]) && runs(w, b->m, 0);
    case EV_GoSyscallBegin:
        return open_wait(w, b, ev->time, 0, ev->args[1]);
    case EV_GoStop:
    case EV_GoSyscallEndBlocked:
        close_wait(w, idmap_get(&w->running, b->m));
        return runs(w, b->m, 0);
    case EV_GoSyscallEnd:
        close_wait(w, idmap_get(&w->running, b->m));
        return true;
    case EV_GoDestroy:
    case EV_GoDestroySyscall:
        return end(w, b->m);
    default:
        return true;
    }
}

bool open_waits_events(struct open_waits *w, const struct spool_batch *b)
{
    struct wire_cursor c = {.p = b->data, .end = b->data + b->size, .time = b->time};
    struct wire_event ev;
    bool ok = true;
    while (ok && wire_next(&c, &ev) == WIRE_EVENT)
        ok = see(w, b, &ev);
    return ok;
}

/* --- records ------------------------------------------------------------------------------------------------------ */

static uint64_t key_of(uint64_t generation, uint64_t id) { return generation << 22 | (id & (WAIT_STACK_END - 1)); }

static struct wanted_stack *find(const struct open_waits *w, uint64_t generation, uint64_t id)
{
    uint32_t at = id && id < WAIT_STACK_END ? idmap_get(&w->wanted_index, key_of(generation, id)) : 0;
    struct wanted_stack *s = at ? &w->wanted.v[at - 1] : NULL;
    return s && s->generation == generation && s->id == id ? s : NULL;
}

static bool want(struct open_waits *w, uint64_t generation, uint64_t id)
{
    if (!id || id >= WAIT_STACK_END || idmap_get(&w->wanted_index, key_of(generation, id)))
        return true;
    if (!VEC_ROOM(&w->wanted) || !idmap_add(&w->wanted_index, key_of(generation, id), (uint32_t)w->wanted.n + 1))
        return false;
    w->wanted.v[w->wanted.n++] = (struct wanted_stack){.generation = generation, .id = id};
    return true;
}

bool open_waits_want(struct open_waits *w)
{
    bool ok = true;
    for (size_t i = 0; i < w->list.n && ok; i++)
        ok = w->list.v[i].record || want(w, w->list.v[i].generation, w->list.v[i].stack);
    return ok;
}

static bool copy(uint8_t **to, size_t *size, const uint8_t *from, const uint8_t *until)
{
    *size = (size_t)(until - from);
    *to = malloc(*size + 1);
    if (*to)
        memcpy(*to, from, *size);
    return *to;
}

/* The record of a wait whose begin is not known. */
static bool take_status(struct open_waits *w, const uint8_t *record, struct cursor c)
{
    uint32_t at = idmap_get(&w->index, get_int(&c));
    struct open_wait *o = at ? &w->list.v[at - 1] : NULL;
    return !o || !o->older || o->record || copy(&o->record, &o->size, record, c.end);
}

static bool take(struct open_waits *w, uint64_t generation, struct cursor c)
{
    size_t len;
    const uint8_t *record = c.p;
    uint8_t tag = *c.p++;
    if (tag == META_STATUS)
        return take_status(w, record, c);
    if (tag != META_STACK && tag != META_WAIT_STACK)
        return true;
    struct wanted_stack *s = find(w, generation, get_int(&c));
    if (!s || s->found)
        return true;
    s->found = true;
    if (tag == META_STACK)
        return copy(&s->pcs, &s->pcs_size, c.p, c.end);
    uint64_t base = s->base = get_int(&c);
    s->kind = get_int(&c);
    s->address = get_int(&c);
    const uint8_t *text = c.p;
    get_text(&c, &len);
    return copy(&s->text, &s->text_size, text, c.p) && want(w, generation, base);
}

bool open_waits_offer(struct open_waits *w, const struct spool_batch *b)
{
    struct cursor c = {b->data, b->data + b->size};
    bool ok = true;
    while (ok && c.p && c.p < c.end) {
        const uint8_t *start = c.p;
        record_skip(&c);
        ok = !c.p || take(w, b->generation, (struct cursor){start, c.p});
    }
    return ok;
}

static bool make_record(const struct open_waits *w, struct open_wait *o)
{
    static const uint8_t none[] = {0};
    uint8_t buf[RECORD_MAX];
    struct meta_record r;
    const struct wanted_stack *s = find(w, o->generation, o->stack),
                              *base = s && s->base ? find(w, o->generation, s->base) : NULL;
    const struct wanted_stack *pcs = base ? base : s;
    bool has_pcs = pcs && pcs->pcs;
    meta_begin(&r, buf, sizeof buf, META_STATUS);
    meta_int(&r, o->g);
    meta_int(&r, o->m);
    meta_int(&r, o->reason);
    meta_int(&r, s ? s->kind : 0);
    meta_int(&r, s ? s->address : 0);
    const uint8_t *parts[] = {s && s->text ? s->text : none, has_pcs ? pcs->pcs : none};
    size_t sizes[] = {s && s->text ? s->text_size : 1, has_pcs ? pcs->pcs_size : 1};
    if (sizes[0] + sizes[1] > (size_t)(r.end - r.p)) /* a name that is out of all proportion */
        return true;
    for (int i = 0; i < 2; i++) {
        memcpy(r.p, parts[i], sizes[i]);
        r.p += sizes[i];
    }
    return copy(&o->record, &o->size, buf, r.p);
}

bool open_waits_settle(struct open_waits *w)
{
    bool ok = true;
    for (size_t i = 0; i < w->list.n && ok; i++)
        ok = w->list.v[i].record || w->list.v[i].older || make_record(w, &w->list.v[i]);
    for (size_t i = 0; i < w->wanted.n; i++) {
        free(w->wanted.v[i].text);
        free(w->wanted.v[i].pcs);
    }
    w->wanted.n = 0;
    idmap_clear(&w->wanted_index);
    return ok;
}

bool open_waits_put(const struct open_waits *w, uint64_t generation, struct spool_batches *to, uint8_t **bytes)
{
    size_t size = 0, begin = 0, at = 0;
    for (size_t i = 0; i < w->list.n; i++)
        size += w->list.v[i].size;
    *bytes = malloc(size + 1);
    if (!*bytes)
        return false;
    for (size_t i = 0; i < w->list.n || begin < at; i++) {
        size_t next = i < w->list.n ? w->list.v[i].size : 0;
        if (at > begin && (i >= w->list.n || at + next - begin > BATCH_SIZE)) {
            if (!VEC_ROOM(to))
                return false;
            to->v[to->n++] = (struct spool_batch){.generation = generation,
                                                  .m = ID_NONE,
                                                  .data = *bytes + begin,
                                                  .size = at - begin};
            begin = at;
        }
        if (next)
            memcpy(*bytes + at, w->list.v[i].record, next);
        at += next;
    }
    return true;
}
