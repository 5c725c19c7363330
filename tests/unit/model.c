#include "tests/unit/model.h"

#include <stdio.h>

#include "lib/wire/cursor.h"

struct sched *model_new(uint32_t gomaxprocs)
{
    struct sched *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->gomaxprocs = gomaxprocs;
    s->generation = 1;
    return s;
}

struct chunk *model_chunk(void)
{
    struct chunk *c = calloc(1, SPOOL_CHUNK_SIZE);
    assert_non_null(c);
    return c;
}

void model_thread(struct sched *s, struct sched_thread *t, uint64_t g, uint64_t m)
{
    memset(t, 0, sizeof *t);
    t->g = g;
    t->m = m;
    t->proc_taken = PROC_NONE;
    t->state[0].proc = t->state[1].proc = PROC_NONE;
    sched_attach_chunk(s, t, model_chunk(), 1);
}

void model_drop(struct sched_thread *t) { free(sched_detach_chunk(t)); }

struct chunk *model_next_chunk(struct sched *s, struct sched_thread *t, uint64_t now)
{
    struct chunk *c = sched_detach_chunk(t);
    sched_attach_chunk(s, t, model_chunk(), now);
    return c;
}

static const char *text(const uint8_t *p, const uint8_t *end, bool timed, uint64_t time)
{
    static char buf[64 << 10];
    size_t n = 0;
    buf[0] = 0;
    struct wire_cursor c = {.p = p, .end = end, .time = time};
    struct wire_event ev;
    enum wire_result result;
    while ((result = wire_next(&c, &ev)) == WIRE_EVENT) {
        const struct event_info *e = &event_table[ev.id];
        assert_true(n + 256 < sizeof buf);
        n += (size_t)sprintf(buf + n, "%s", n ? " " : "");
        if (timed)
            n += (size_t)sprintf(buf + n, "%llu:", (unsigned long long)ev.time);
        n += (size_t)sprintf(buf + n, "%s", e->name);
        for (int i = 1; i < e->nargs; i++) {
            n += (size_t)sprintf(buf + n, i > 1 ? "," : "(");
            uint64_t v = ev.args[i - 1];
            n += v == ID_NONE ? (size_t)sprintf(buf + n, "none")
                              : (size_t)sprintf(buf + n, "%llu", (unsigned long long)v);
        }
        if (e->nargs > 1)
            n += (size_t)sprintf(buf + n, ")");
    }
    assert_int_equal(result, WIRE_END);
    return buf;
}

const char *model_text(const uint8_t *p, const uint8_t *end) { return text(p, end, false, 0); }

const char *model_written(const struct sched_thread *t)
{
    return text(t->chunk->data, sched_current(t)->pos, false, 0);
}

const char *model_timed_text(const struct chunk *c) { return text(c->data, c->data + c->used, true, c->time); }

bool model_busy(const struct sched *s, uint32_t p) { return sched_proc_is_busy(s, p); }
