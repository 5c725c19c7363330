#include "config.h"

#include "tests/unit/model-trace.h"

#include "gotrace/validate.h"

static void begin_tables(struct model_trace *tr, uint64_t now)
{
    assert_int_equal(gotrace_builder_generation(tr->b, tr->s->generation), 0);
    assert_int_equal(gotrace_builder_sync(tr->b, 1000000000, now, 0, 0, 0), 0);
    for (int r = 0; r < REASON_COUNT; r++)
        assert_int_equal(gotrace_builder_string_as(tr->b, reason_string_id((enum sched_reason)r), sched_reason_text[r],
                                                   strlen(sched_reason_text[r])),
                         0);
    assert_int_equal(gotrace_builder_string_as(tr->b, 100, "f", 1), 0);
    const struct gotrace_raw_frame frame = {.pc = 1, .function = 100, .file = 100, .line = 1};
    assert_int_equal(gotrace_builder_stack_as(tr->b, MODEL_STACK, &frame, 1), 0);
}

void trace_begin(struct model_trace *tr, struct sched *s, uint64_t now)
{
    memset(tr, 0, sizeof *tr);
    tr->s = s;
    tr->service.m = ID_NONE;
    tr->service.proc_taken = PROC_NONE;
    tr->b = gotrace_builder_new_memory(22);
    begin_tables(tr, now);
}

void trace_hand_in(struct model_trace *tr, struct chunk *c, uint64_t latest)
{
    uint8_t buf[BATCH_HEADER_MAX + CHUNK_CAPACITY];
    if (!c)
        return;
    if (c->used) {
        const struct batch_header h = {EV_EventBatch, 0, c->generation, c->m, c->time, c->used};
        uint8_t *p = batch_header_put(buf, &h);
        memcpy(p, c->data, c->used);
        assert_int_equal(gotrace_builder_copy(tr->b, buf, (size_t)(p - buf) + c->used, latest), 0);
    }
    free(c);
}

static void attach(struct model_trace *tr, struct sched_thread *t, uint64_t now)
{
    trace_hand_in(tr, sched_detach_chunk(t), now);
    sched_attach_chunk(tr->s, t, model_chunk(), now);
}

/* Where the next status goes, in the batch without a thread. */
static uint8_t *service_room(struct model_trace *tr, uint64_t now)
{
    if (!tr->service.chunk || !sched_has_room(&tr->service, 0))
        attach(tr, &tr->service, now);
    return sched_own(&tr->service)->pos;
}

static void service_commit(struct model_trace *tr, uint8_t *end, uint64_t time)
{
    struct sched_state *s = sched_own(&tr->service);
    s->pos = end;
    s->time = time;
    tr->service.chunk->used = (uint32_t)(end - tr->service.chunk->data);
}

static void write_status(struct model_trace *tr, struct sched_thread *t, bool woken, uint64_t now)
{
    if (sched_has_proc(tr->s, t)) {
        attach(tr, t, now);
        sched_status_with_proc(tr->s, t, now);
        return;
    }
    uint32_t status = sched_current(t)->status;
    if (status == GO_NOT_EXIST || status == GO_DEAD)
        return;
    uint8_t *p = service_room(tr, now);
    uint64_t time = sched_current(&tr->service)->time;
    p = sched_status_other(t, woken, p, &time, now > time ? now : time);
    service_commit(tr, p, time);
}

void trace_generation(struct model_trace *tr, struct sched_thread *const *threads, size_t n,
                      bool (*woken)(struct sched_thread *), uint64_t now)
{
    for (size_t i = 0; i < n; i++)
        if (threads[i])
            trace_hand_in(tr, sched_detach_chunk(threads[i]), now);
    trace_hand_in(tr, sched_detach_chunk(&tr->service), now);
    sched_advance(tr->s, tr->s->generation + 1);
    begin_tables(tr, now);
    for (size_t i = 0; i < n; i++)
        if (threads[i])
            write_status(tr, threads[i], woken && woken(threads[i]), now);
    for (uint32_t p = 0; p < tr->s->nprocs_known; p++) {
        if (model_busy(tr->s, p))
            continue;
        uint8_t *pos = service_room(tr, now);
        uint64_t time = sched_current(&tr->service)->time;
        pos = sched_status_idle_proc(tr->s, p, pos, &time, now > time ? now : time);
        service_commit(tr, pos, time);
    }
}

static void report(void *arg, const struct gotrace_error *violation)
{
    print_error("%s: generation %llu, %s: %s\n", (const char *)arg, (unsigned long long)violation->generation,
                violation->event ? violation->event : "-", violation->message);
}

/* In the folder that the test runs in: what threads do at once may not come again. */
static void keep(const void *bytes, size_t size)
{
    static const char name[] = "model-rejected.trace";
    FILE *f = fopen(name, "w");
    if (f && fwrite(bytes, 1, size, f) == size && !fclose(f))
        print_error("%s has the trace\n", name);
}

uint64_t trace_judge(struct model_trace *tr, uint64_t now, const char *what)
{
    size_t size;
    struct gotrace_summary sum = {0};
    trace_hand_in(tr, sched_detach_chunk(&tr->service), now);
    assert_int_equal(gotrace_builder_finish(tr->b), 0);
    const void *bytes = gotrace_builder_bytes(tr->b, &size);
    struct gotrace_reader *r = gotrace_reader_open_memory(bytes, size);
    assert_non_null(r);
    bool read = gotrace_reader_validate(r, report, (void *)what, &sum);
    gotrace_reader_free(r);
    bool valid = read && !sum.violations;
    if (!valid)
        keep(bytes, size);
    gotrace_builder_free(tr->b);
    if (!valid)
        fail_msg("%s: not valid", what);
    assert_int_equal(sum.generations, tr->s->generation);
    return sum.events;
}
