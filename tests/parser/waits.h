/* Traces of waits, made event by event, and what must hold for what is summed up of them. */
#ifndef THRACE_TESTS_PARSER_WAITS_H
#define THRACE_TESTS_PARSER_WAITS_H

#include "tests/unit/unit.h"

#include <string.h>

#include "gotrace/builder.h"
#include "lib/wire/events.h"
#include "parser/analyze/stat_collect.h"

enum { THREADS = 128 };

/* A trace in the making. Goroutine g is executed by thread and proc g. */
struct made {
    struct gotrace_builder *b;
    uint64_t on, seq[THREADS], calls[THREADS];
};

static inline void event(struct made *m, uint64_t g, uint64_t time, unsigned id, const uint64_t *args, size_t nargs)
{
    if (m->on != g)
        assert_int_equal(gotrace_builder_batch(m->b, g, time), 0);
    m->on = g;
    assert_int_equal(gotrace_builder_event(m->b, time, id, args, nargs), 0);
}
#define EVENT(m, g, time, name, ...)                                                                                   \
    event(m, g, time, EV_##name, (uint64_t[]){0, ##__VA_ARGS__} + 1,                                                   \
          sizeof((uint64_t[]){0, ##__VA_ARGS__}) / sizeof(uint64_t) - 1)

/* All n goroutines run when it begins, from 10 on; no two events have the same time. */
static inline struct made begin(uint64_t n)
{
    struct made m = {.b = gotrace_builder_new_memory(22)};
    assert_int_equal(gotrace_builder_generation(m.b, 1), 0);
    assert_int_equal(gotrace_builder_sync(m.b, 1000000000, 1, 0, 0, 0), 0);
    for (uint64_t g = 1; g <= n; g++) {
        EVENT(&m, g, 10, ProcStatus, g, 1);
        EVENT(&m, g, 10, GoStatus, g, g, 2);
    }
    return m;
}

static inline uint64_t pc_of(const char *function, uint64_t line)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325) ^ line;
    for (; *function; function++)
        h = (h ^ (unsigned char)*function) * UINT64_C(0x100000001b3);
    return h >> 8;
}

/* A thread's stack: the function is libc's, its caller at that line of a.c; object, function and caller may be NULL. */
static inline uint64_t stack(struct made *m, const char *object, const char *function, const char *caller, uint64_t line,
                      const char *thread)
{
    struct gotrace_builder_frame f[4];
    size_t n = 0;
    if (object)
        f[n++] = (struct gotrace_builder_frame){pc_of(object, 1), object, "[object]", 1};
    if (function)
        f[n++] = (struct gotrace_builder_frame){pc_of(function, 1), function, "libc", 1};
    if (caller)
        f[n++] = (struct gotrace_builder_frame){pc_of(caller, line), caller, "/src/a.c", line};
    f[n++] = (struct gotrace_builder_frame){pc_of(thread, 2), thread, "/src/a.c", 2};
    return gotrace_builder_stack(m->b, f, n);
}

static inline void block(struct made *m, uint64_t g, uint64_t at, const char *reason, uint64_t stack_id)
{
    EVENT(m, g, at, GoBlock, gotrace_builder_string(m->b, reason, strlen(reason)), stack_id);
}

static inline void wake(struct made *m, uint64_t by, uint64_t g, uint64_t at, uint64_t stack_id)
{
    EVENT(m, by, at, GoUnblock, g, ++m->seq[g], stack_id);
}

static inline void start(struct made *m, uint64_t g, uint64_t at) { EVENT(m, g, at, GoStart, g, ++m->seq[g]); }

static inline void call(struct made *m, uint64_t g, uint64_t from, uint64_t to, uint64_t stack_id)
{
    EVENT(m, g, from, GoSyscallBegin, ++m->calls[g], stack_id);
    EVENT(m, g, to, GoSyscallEnd);
}

/* The sums of the owners are those of the waits, and no less than those of what they did. */
static inline void assert_adds_up(const struct blame *b, bool all_kept)
{
    uint64_t waits = b->waits.others.total, owners = b->sums.owners.others.total, deeds = b->sums.deeds.others.total;
    uint64_t nobody = 0;
    for (size_t i = 0; i < b->waits.list.n; i++) {
        uint64_t owned = 0;
        waits += b->waits.list.v[i].total;
        for (size_t k = 0; k < b->sums.owners.list.n; k++)
            if ((b->sums.owners.list.v[k].key & BLAME_OBJECT_MASK) ==
                blame_object_key((uint32_t)b->waits.list.v[i].key))
                owned += b->sums.owners.list.v[k].total;
        if (all_kept)
            assert_int_equal(owned, b->waits.list.v[i].total);
    }
    for (size_t i = 0; i < b->sums.owners.list.n; i++) {
        const struct stat_group *o = &b->sums.owners.list.v[i];
        bool is_nobody = !*stat_text_of(&b->spans->texts, blame_owner_name(o->key));
        uint64_t done = 0;
        owners += o->total;
        nobody += is_nobody ? o->total : 0;
        for (size_t k = 0; k < b->sums.deeds.list.n && all_kept; k++)
            if ((b->sums.deeds.list.v[k].key & BLAME_OWNER_MASK) == o->key)
                done += b->sums.deeds.list.v[k].total;
        if (all_kept)
            assert_int_equal(done, is_nobody ? 0 : o->total);
    }
    for (size_t i = 0; i < b->sums.deeds.list.n; i++)
        deeds += b->sums.deeds.list.v[i].total;
    assert_int_equal(owners, waits);
    if (b->sums.owners.others.count == 0)
        assert_int_equal(deeds + nobody, owners);
    assert_int_equal(b->nwaiting, 0);
}

static inline void read_all(struct stat *s, struct made *m, bool all_kept)
{
    size_t size;
    assert_int_equal(gotrace_builder_finish(m->b), 0);
    const void *bytes = gotrace_builder_bytes(m->b, &size);
    struct gotrace_reader *r = gotrace_reader_open_memory(bytes, size);
    stat_init(s, 10);
    bool ok = consume_events(r, &stat_consumer, s);
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (e)
        fail_msg("%s", e->message);
    assert_true(ok);
    assert_adds_up(&s->blame, all_kept);
    gotrace_reader_free(r);
    gotrace_builder_free(m->b);
}

#endif
