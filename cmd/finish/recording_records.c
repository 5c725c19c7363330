#include "config.h"

#include "cmd/finish/recording_records.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/finish/record_cursor.h"
#include "cmd/finish/recording_locks.h"
#include "cmd/finish/recording_switches.h"
#include "lib/meta.h"
#include "lib/sched.h"
#include "parser/vec.h"

/* Room for one more element at the end of an array; NULL when memory runs out. */
static void *grow(void **v, size_t *n, size_t *cap, size_t size)
{
    if (*n == *cap && !vec_grow(v, cap, size))
        return NULL;
    void *element = (char *)*v + (*n)++ * size;
    memset(element, 0, size);
    return element;
}

#define ADD(r, what) grow((void **)&(r)->what, &(r)->n##what, &(r)->cap_##what, sizeof *(r)->what)

static char *get_string(struct cursor *c)
{
    size_t len;
    const uint8_t *text = get_text(c, &len);
    return text ? strndup((const char *)text, len) : NULL;
}

static struct rec_stack *read_pcs(struct stack_table *t, struct cursor *c, uint64_t generation, uint64_t id)
{
    struct rec_stack *s = stack_table_begin(t, generation, id);
    uint64_t n = s ? get_int(c) : 0;
    for (uint64_t i = 0; i < n && c->p; i++, s->n++)
        if (!stack_table_add_pc(t, get_int(c), generation))
            return NULL;
    return s;
}

static bool read_stack(struct recording *r, struct cursor *c, uint64_t generation)
{
    uint64_t id = get_int(c);
    return read_pcs(&r->stacks, c, generation, id);
}

/* A kind that there is not, which only a damaged spool has, is none. */
static enum object_kind object_kind(uint64_t v) { return v < OBJECT_KINDS ? (enum object_kind)v : NO_OBJECT; }

/* The object in front of a stack, if it is any. */
static bool add_object(struct recording *r, const struct rec_object *o, struct rec_stack *s)
{
    if (!o->kind)
        return true;
    if (!VEC_ROOM(&r->objects))
        return false;
    r->objects.v[r->objects.n++] = *o;
    s->object = r->objects.n;
    return true;
}

static bool read_wait_stack(struct recording *r, struct cursor *c, uint64_t generation)
{
    struct rec_object o = {.generation = generation};
    uint64_t id = get_int(c), base = get_int(c);
    o.kind = object_kind(get_int(c));
    o.address = get_int(c);
    o.text = (const char *)get_text(c, &o.len);
    o.site = r->stacks.npcs;
    for (uint64_t n = get_int(c); n && c->p; n--, o.nsite++)
        if (!stack_table_add_pc(&r->stacks, get_int(c), generation))
            return false;
    uint64_t local[3] = {0}, nlocal = get_int(c);
    for (uint64_t i = 0; i < nlocal && c->p; i++)
        local[i < 2 ? i : 2] = get_int(c);
    if (nlocal == 3)
        o.local = (struct rec_local){local[0], local[1], local[2]};
    struct rec_stack *s = stack_table_begin(&r->stacks, generation, id);
    if (!s || !add_object(r, &o, s))
        return false;
    s->base = base;
    s->on_base = true;
    return true;
}

static bool read_thread(struct recording *r, struct cursor *c, uint64_t generation)
{
    struct rec_thread *t = ADD(r, threads);
    if (!t)
        return false;
    t->generation = generation;
    t->order = r->nthreads;
    t->g = get_int(c);
    t->start_pc = get_int(c);
    t->stack_id = get_int(c);
    t->pc = r->stacks.npcs;
    return stack_table_add_pc(&r->stacks, t->start_pc, generation);
}

static bool read_name(struct rec_names *names, struct cursor *c)
{
    uint64_t g = get_int(c), at = get_int(c);
    char *text = get_string(c);
    struct rec_name *n = text ? ADD(names, names) : NULL;
    if (n)
        *n = (struct rec_name){.g = g, .at = at, .text = text};
    else
        free(text);
    return n;
}

static bool read_module(struct rec_modules *ms, struct cursor *c, uint64_t generation)
{
    struct rec_module m = {.generation = generation};
    m.time = get_int(c);
    m.start = get_int(c);
    m.end = get_int(c);
    m.bias = get_int(c);
    m.path = get_string(c);
    m.build_id = get_text(c, &m.build_id_len);
    if (!m.path)
        return false;
    const char *slash = strrchr(m.path, '/'), *base = slash ? slash + 1 : m.path;
    m.ours = !strcmp(base, "libthrace-preload.so");
    m.runtime = !strncmp(base, "libstdc++.so", 12) || !strncmp(base, "libc++.so", 9) ||
                !strncmp(base, "libglib-2.0.so", 14);
    m.libc = !strncmp(base, "libc.so", 7) || !strncmp(base, "libc-2.", 7) || !strncmp(base, "libpthread", 10);
    bool ok = rec_modules_add(ms, &m);
    if (!ok)
        free(m.path);
    return ok;
}

/* IDs of other strings, which only a damaged spool has here, are passed over. */
static bool read_string(struct recording *r, struct cursor *c, uint64_t generation)
{
    struct rec_string read = {.generation = generation, .id = get_int(c)}, *s;
    read.text = (const char *)get_text(c, &read.len);
    if (!read.text || read.id < PROGRAM_STRING_BASE || read.id >= PROGRAM_STRING_END)
        return true;
    if (!(s = ADD(r, strings)))
        return false;
    *s = read;
    return true;
}

static bool read_hook(struct recording *r, struct cursor *c)
{
    uint64_t pc = get_int(c);
    char *name = get_string(c);
    struct rec_hook *h = name ? ADD(r, hooks) : NULL;
    if (h)
        *h = (struct rec_hook){pc, name};
    else
        free(name);
    return h;
}

/* Every generation of a flight recorder has them; the first one that is left counts. */
static bool read_status(struct recording *r, struct cursor *c, uint64_t generation)
{
    if (generation != r->first_generation)
        return true;
    struct rec_status *s = ADD(r, statuses);
    if (!s)
        return false;
    s->g = get_int(c);
    s->m = get_int(c);
    s->reason = get_int(c);
    if (s->reason > REASON_COUNT)
        s->reason = 0;
    struct rec_object o = {.generation = generation};
    o.kind = object_kind(get_int(c));
    o.address = get_int(c);
    o.text = (const char *)get_text(c, &o.len);
    struct cursor rest = *c;
    if (!get_int(&rest))
        return true;
    s->stack_id = STATUS_STACK_BASE + s->g;
    if (s->g < r->seen.ngoroutines)
        r->seen.first[s->g] = (struct first_stack){generation, s->stack_id};
    struct rec_stack *stack = read_pcs(&r->stacks, c, generation, s->stack_id);
    return stack && add_object(r, &o, stack);
}

static bool read_calls(struct recording *r, struct cursor *c)
{
    struct rec_calls *calls = ADD(r, calls);
    if (!calls)
        return false;
    calls->pc = get_int(c);
    calls->calls = get_int(c);
    calls->ticks = get_int(c);
    return true;
}

static bool read_block(struct recording *r, struct cursor *c, uint64_t generation)
{
    struct rec_block *b = ADD(r, blocks);
    if (!b)
        return false;
    b->id = get_int(c);
    get_int(c);
    b->bytes = get_int(c);
    b->generation = generation;
    b->stack_id = get_int(c);
    return true;
}

static bool read_free(struct recording *r, struct cursor *c)
{
    uint64_t *id = ADD(r, frees);
    if (id)
        *id = get_int(c);
    return id;
}

static bool read_record(struct recording *r, struct rec_names *names, struct cursor *c, uint64_t generation)
{
    switch (*c->p++) {
    case META_STACK: return read_stack(r, c, generation);
    case META_WAIT_STACK: return read_wait_stack(r, c, generation);
    case META_THREAD: return read_thread(r, c, generation);
    case META_NAME: return read_name(names, c);
    case META_MODULE: return read_module(&r->modules, c, generation);
    case META_HOOK: return read_hook(r, c);
    case META_STRING: return read_string(r, c, generation);
    case META_STATUS: return read_status(r, c, generation);
    case META_SAMPLE: return samples_read(&r->samples, &r->stacks, &r->modules, c->p, c->end);
    case META_HEAP_BLOCK: return read_block(r, c, generation);
    case META_HEAP_FREE: return read_free(r, c);
    case META_CALLS: return read_calls(r, c);
    case META_LOCK: return recording_read_lock(r, c, generation);
    case META_SWITCHES: return recording_read_switches(r, c);
    case META_WAKINGS: return recording_read_wakings(r, c);
    case META_LOCK_NOTE: return recording_read_lock_note(r, c);
    case META_ASLEEP: return recording_read_asleep(r, c);
    case META_WAKER: return recording_read_waker(r, c);
    case META_DELAYS: return recording_read_delays(r, c);
    default: return false;
    }
}

const char *recording_read_records(struct recording *r, struct rec_names *names, const struct spool_batch *b,
                                   bool samples)
{
    static const uint8_t *starts[SPOOL_CHUNK_SIZE / 2]; /* larger than a stack should carry */
    size_t n = 0;
    struct cursor c = {b->data, b->data + b->size};
    while (c.p && c.p < c.end && n < sizeof starts / sizeof starts[0]) {
        starts[n] = c.p;
        n += (*c.p == META_SAMPLE) == samples;
        record_skip(&c);
    }
    if (c.p != c.end)
        return "the spool's records are damaged";
    while (n--)
        if (!read_record(r, names, &(struct cursor){starts[n], c.end}, b->generation))
            return "out of memory";
    return NULL;
}
