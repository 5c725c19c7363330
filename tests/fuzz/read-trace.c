/* The whole of the reader over one input: from memory and piecemeal, which must give the same. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gotrace/gotrace.h"
#include "tests/fuzz/fuzz.h"

void fuzz_fail(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    abort();
}

/* The result of reading, as far as it can be compared. */
struct outcome {
    uint64_t events, checksum;
    enum gotrace_status status;
    char message[300];
};

static void mix(struct outcome *o, const void *p, size_t size)
{
    const uint8_t *at = p;
    for (size_t i = 0; i < size; i++)
        o->checksum = (o->checksum ^ at[i]) * UINT64_C(0x100000001b3);
}

static void mix_str(struct outcome *o, struct gotrace_str s) { mix(o, s.data, s.len); }

static void mix_stack(struct outcome *o, struct gotrace_stack stack)
{
    struct gotrace_frame f;
    size_t n = gotrace_stack_len(stack);
    for (size_t i = 0; i < n; i++) {
        if (!gotrace_stack_frame(stack, i, &f))
            fuzz_fail("a stack of %zu frames has no frame %zu", n, i);
        mix(o, &f.pc, sizeof f.pc);
        mix_str(o, f.function);
        mix_str(o, f.file);
        mix(o, &f.line, sizeof f.line);
    }
    if (gotrace_stack_frame(stack, n, &f))
        fuzz_fail("a stack of %zu frames has one more", n);
}

/* Asks every event for what any kind has. */
static void look_at(struct outcome *o, const struct gotrace_event *ev)
{
    struct gotrace_transition transition;
    struct gotrace_metric metric;
    struct gotrace_label label;
    struct gotrace_range range;
    struct gotrace_task task;
    struct gotrace_region region;
    struct gotrace_log log;
    struct gotrace_sync sync;
    struct gotrace_experimental experimental;
    struct gotrace_experimental_batch batch;
    uint64_t numbers[] = {(uint64_t)gotrace_event_time(ev), gotrace_event_thread(ev), gotrace_event_proc(ev),
                          gotrace_event_goroutine(ev), (uint64_t)gotrace_event_kind(ev), gotrace_event_generation(ev)};
    mix(o, numbers, sizeof numbers);
    mix(o, gotrace_event_name(ev), strlen(gotrace_event_name(ev)));
    mix_stack(o, gotrace_event_stack(ev));
    if (gotrace_event_transition(ev, &transition)) {
        mix(o, gotrace_state_name(transition.from), 1);
        mix(o, gotrace_state_name(transition.to), 1);
        mix_str(o, transition.reason);
        mix_stack(o, transition.stack);
    }
    if (gotrace_event_metric(ev, &metric))
        mix(o, &metric.value, sizeof metric.value);
    if (gotrace_event_label(ev, &label))
        mix_str(o, label.label);
    if (gotrace_event_range(ev, &range))
        mix_str(o, range.detail);
    if (gotrace_event_task(ev, &task))
        mix_str(o, task.type);
    if (gotrace_event_region(ev, &region))
        mix_str(o, region.type);
    if (gotrace_event_log(ev, &log)) {
        mix_str(o, log.category);
        mix_str(o, log.message);
    }
    if (gotrace_event_experimental(ev, &experimental))
        mix(o, experimental.values, experimental.nargs * sizeof *experimental.values);
    size_t nbatches = gotrace_event_sync(ev, &sync) ? sync.nbatches : 0;
    for (size_t i = 0; i < nbatches; i++) {
        if (!gotrace_event_sync_batch(ev, i, &batch))
            fuzz_fail("a Sync of %zu batches has no batch %zu", nbatches, i);
        mix(o, batch.data, batch.size);
    }
    if (gotrace_event_sync_batch(ev, nbatches, &batch))
        fuzz_fail("an event of %zu experimental batches has one more", nbatches);
    o->events++;
}

static FILE *nowhere(void)
{
    static FILE *file;
    if (!file && !(file = fopen("/dev/null", "w")))
        abort();
    return file;
}

static struct outcome read_all(struct gotrace_reader *r)
{
    struct outcome o = {0};
    const struct gotrace_event *ev;
    struct gotrace_validator *v = gotrace_validator_new(gotrace_reader_version(r), NULL, NULL);
    int64_t last = INT64_MIN;
    while ((ev = gotrace_reader_next(r))) {
        look_at(&o, ev);
        if (gotrace_event_time(ev) < last)
            fuzz_fail("time runs backwards");
        last = gotrace_event_time(ev);
        if (v && gotrace_validator_event(v, ev) < 0)
            fuzz_fail("the validator is out of memory");
        if (gotrace_event_print(ev, nowhere()))
            fuzz_fail("cannot print");
    }
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (e) {
        o.status = e->status;
        snprintf(o.message, sizeof o.message, "%s", e->message);
        if (!o.message[0])
            fuzz_fail("an error without a message");
    }
    if (gotrace_reader_next(r))
        fuzz_fail("an event after the end");
    gotrace_validator_free(v);
    gotrace_reader_free(r);
    return o;
}

struct drip {
    const uint8_t *p;
    size_t left, step;
};

static ssize_t drip(void *arg, void *buf, size_t size)
{
    struct drip *d = arg;
    size_t n = d->left < size ? d->left : size;
    if (n > d->step)
        n = d->step;
    memcpy(buf, d->p, n);
    d->p += n;
    d->left -= n;
    d->step = d->step * 5 % 97 + 1;
    return (ssize_t)n;
}

void fuzz_read_trace(const uint8_t *data, size_t size)
{
    /* An allocation of its own, of exactly this size, shows every read beyond it. */
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact)
        return;
    if (size)
        memcpy(exact, data, size);
    struct drip d = {exact, size, 3};
    struct outcome whole = read_all(gotrace_reader_open_memory(exact, size));
    struct outcome pieces = read_all(gotrace_reader_open_callback(drip, &d));
    if (whole.events != pieces.events || whole.checksum != pieces.checksum || whole.status != pieces.status ||
        strcmp(whole.message, pieces.message))
        fuzz_fail("from memory %llu events, \"%s\"; piecemeal %llu events, \"%s\"", (unsigned long long)whole.events,
                  whole.message, (unsigned long long)pieces.events, pieces.message);
    free(exact);
}
