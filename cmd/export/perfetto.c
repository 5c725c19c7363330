/*
 * A trace for Perfetto. One sequence of packets, whose interned data stand before their first use. All times are of the
 * trace's own clock, without a clock of their own, so nothing has to be converted: Perfetto takes them as they are. A
 * stretch is written when it ends, so packets are not in the order of time; trace_processor sorts them.
 */
#include <stdlib.h>

#include "cmd/export/out.h"
#include "cmd/export/perfetto.h"
#include "parser/utf8.h"

enum { NAME_WAKES = GOTRACE_STATE_IDLE + 1, NAMES };
enum { ARG_REASON = 1, ARG_OBJECT, ARG_WAKER, ARG_CALL, ARG_STACK, ARG_CATEGORY, ARG_MESSAGE, ARGS };
static const char *const names[NAMES] = {[GOTRACE_STATE_RUNNABLE] = "runnable", [GOTRACE_STATE_RUNNING] = "running",
                                         [GOTRACE_STATE_WAITING] = "waiting", [GOTRACE_STATE_SYSCALL] = "system call",
                                         [NAME_WAKES] = "wakes"};
static const char *const args[ARGS] = {
    [ARG_REASON] = "reason", [ARG_OBJECT] = "object",     [ARG_WAKER] = "waker",    [ARG_CALL] = "call",
    [ARG_STACK] = "stack",   [ARG_CATEGORY] = "category", [ARG_MESSAGE] = "message"};

/* ---- tracks ----------------------------------------------------------------------------------------------------- */

static size_t track(struct perfetto *p, uint64_t uuid, uint64_t parent, const char *name, size_t len, size_t *from)
{
    *from = perfetto_packet(p);
    size_t track = protobuf_open(&p->packet, TRACK_DESCRIPTOR);
    protobuf_number(&p->packet, TRACK_UUID, uuid);
    if (parent)
        protobuf_number(&p->packet, TRACK_PARENT, parent);
    if (name)
        protobuf_bytes(&p->packet, TRACK_NAME, name, len);
    return track;
}

static void begin(void *arg, uint64_t pid)
{
    struct perfetto *p = arg;
    p->pid = pid ? pid : 1;
    size_t from = perfetto_packet(p);
    protobuf_number(&p->packet, SEQUENCE_FLAGS, STATE_CLEARED | NEEDS_STATE);
    protobuf_number(&p->packet, FIRST_ON_SEQUENCE, 1);
    size_t data = protobuf_open(&p->packet, INTERNED_DATA);
    for (unsigned i = 0; i < NAMES; i++) {
        if (!names[i])
            continue;
        perfetto_intern(p, INTERNED_CATEGORY, i, names[i], strlen(names[i]));
        perfetto_intern(p, INTERNED_NAME, i, names[i], strlen(names[i]));
    }
    for (unsigned i = 1; i < ARGS; i++)
        perfetto_intern(p, INTERNED_ANNOTATION, i, args[i], strlen(args[i]));
    /* Frames need a mapping; the trace has none. */
    perfetto_intern(p, INTERNED_PATH, 1, "trace", strlen("trace"));
    size_t mapping = protobuf_open(&p->packet, INTERNED_MAPPING);
    protobuf_number(&p->packet, 1, 1);
    protobuf_number(&p->packet, 7, 1);
    protobuf_close(&p->packet, mapping);
    protobuf_close(&p->packet, data);
    perfetto_packet_done(p, from);

    char name[STACK_TEXT_MAX];
    size_t len = stack_text_clean((struct gotrace_str){p->in, strlen(p->in)}, name);
    size_t t = track(p, PROCESS_TRACK, 0, NULL, 0, &from), process = protobuf_open(&p->packet, TRACK_PROCESS);
    protobuf_number(&p->packet, PROCESS_PID, p->pid);
    protobuf_bytes(&p->packet, PROCESS_NAME, name, len);
    protobuf_close(&p->packet, process);
    protobuf_close(&p->packet, t);
    perfetto_packet_done(p, from);
}

static uint64_t thread_uuid(uint64_t number) { return FIRST_THREAD + number; }

static void thread(void *arg, const struct timeline_track *of)
{
    struct perfetto *p = arg;
    char text[STACK_TEXT_MAX + 32];
    size_t from, t;
    bool has_tid = of->tid <= INT32_MAX;
    const char *name = of->name ? stat_text_of(&p->t.spans.texts, of->name) : "";
    int len = has_tid ? snprintf(text, sizeof text, "%s", name)
                      : snprintf(text, sizeof text, "G%llu %s", (unsigned long long)of->goroutine, name);
    size_t n = len < (int)sizeof text ? (size_t)len : utf8_prefix((uint8_t *)text, sizeof text - 1, sizeof text - 2);
    t = track(p, thread_uuid(of->number), PROCESS_TRACK, has_tid ? NULL : text, n, &from);
    if (has_tid) {
        size_t thread = protobuf_open(&p->packet, TRACK_THREAD);
        protobuf_number(&p->packet, THREAD_PID, p->pid);
        protobuf_number(&p->packet, THREAD_TID, of->tid);
        protobuf_bytes(&p->packet, THREAD_NAME, text, n);
        protobuf_close(&p->packet, thread);
    }
    protobuf_close(&p->packet, t);
    perfetto_packet_done(p, from);
    if (of->is_again)
        return;
    t = track(p, REGIONS | of->number, thread_uuid(of->number), "regions", strlen("regions"), &from);
    protobuf_close(&p->packet, t);
    perfetto_packet_done(p, from);
}

static void add_counter(void *arg, unsigned counter, const char *name)
{
    struct perfetto *p = arg;
    size_t from, t = track(p, FIRST_COUNTER + counter, PROCESS_TRACK, name, strlen(name), &from);
    protobuf_close(&p->packet, protobuf_open(&p->packet, TRACK_COUNTER));
    protobuf_close(&p->packet, t);
    perfetto_packet_done(p, from);
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

static size_t track_event(struct perfetto *p, unsigned type, uint64_t uuid, int64_t now, size_t *from)
{
    *from = perfetto_timed(p, now);
    size_t event = protobuf_open(&p->packet, TRACK_EVENT);
    protobuf_number(&p->packet, EVENT_TYPE, type);
    protobuf_number(&p->packet, EVENT_TRACK, uuid);
    return event;
}

static void done(struct perfetto *p, size_t event, size_t from)
{
    protobuf_close(&p->packet, event);
    perfetto_packet_done(p, from);
}

static void annotate(struct perfetto *p, unsigned name, uint64_t iid)
{
    size_t a = protobuf_open(&p->packet, EVENT_ANNOTATION);
    protobuf_number(&p->packet, ANNOTATION_NAME_IID, name);
    protobuf_number(&p->packet, ANNOTATION_STRING_IID, iid);
    protobuf_close(&p->packet, a);
}

static void annotate_text(struct perfetto *p, unsigned name, uint32_t text)
{
    if (text != p->t.none)
        annotate(p, name, perfetto_text_iid(text));
}

static void slice(void *arg, const struct timeline_slice *s)
{
    struct perfetto *p = arg;
    size_t event, from;
    uint64_t uuid = thread_uuid(s->track) | (s->beside ? BESIDE : 0);
    if (s->beside) {
        event = track(p, uuid, thread_uuid(s->track), "meanwhile", strlen("meanwhile"), &from);
        done(p, event, from);
    }
    perfetto_need_text(p, s->reason);
    perfetto_need_text(p, s->object);
    perfetto_need_text(p, s->waker);
    perfetto_need_text(p, s->call);
    perfetto_need_stack_text(p, s->stack);
    if (s->flow) {
        event = track_event(p, INSTANT, thread_uuid(s->from), s->begin, &from);
        protobuf_number(&p->packet, EVENT_NAME_IID, NAME_WAKES);
        protobuf_fixed(&p->packet, EVENT_FLOW, s->flow);
        done(p, event, from);
    }
    event = track_event(p, SLICE_BEGIN, uuid, s->begin, &from);
    protobuf_number(&p->packet, EVENT_NAME_IID, s->state);
    protobuf_number(&p->packet, EVENT_CATEGORY, s->state);
    annotate_text(p, ARG_REASON, s->reason);
    annotate_text(p, ARG_OBJECT, s->object);
    annotate_text(p, ARG_WAKER, s->waker);
    annotate_text(p, ARG_CALL, s->call);
    if (s->stack)
        annotate(p, ARG_STACK, perfetto_stack_iid(s->stack));
    if (s->flow)
        protobuf_fixed(&p->packet, EVENT_FLOW_END, s->flow);
    done(p, event, from);
    event = track_event(p, SLICE_END, uuid, s->end, &from);
    done(p, event, from);
}

static void sample(void *arg, uint64_t tid, uint64_t number, int64_t now, uint32_t stack)
{
    struct perfetto *p = arg;
    (void)number;
    perfetto_need_stack(p, stack);
    size_t from = perfetto_timed(p, now), sample = protobuf_open(&p->packet, PERF_SAMPLE);
    protobuf_number(&p->packet, SAMPLE_CPU, 0);
    protobuf_number(&p->packet, SAMPLE_PID, p->pid);
    protobuf_number(&p->packet, SAMPLE_TID, tid > INT32_MAX ? p->pid : tid);
    protobuf_number(&p->packet, SAMPLE_MODE, MODE_USER);
    if (stack)
        protobuf_number(&p->packet, SAMPLE_STACK, stack);
    done(p, sample, from);
}

static void count(void *arg, unsigned counter, int64_t now, uint64_t value)
{
    struct perfetto *p = arg;
    size_t from, event = track_event(p, COUNTER, FIRST_COUNTER + counter, now, &from);
    protobuf_number(&p->packet, EVENT_VALUE, value < INT64_MAX ? value : INT64_MAX);
    done(p, event, from);
}

/* type NULL: what is open on the track ends. */
static void begin_or_end(struct perfetto *p, uint64_t uuid, int64_t now, const struct timeline_text *type)
{
    size_t from, event = track_event(p, type ? SLICE_BEGIN : SLICE_END, uuid, now, &from);
    if (type)
        protobuf_bytes(&p->packet, EVENT_NAME, type->text, type->len);
    done(p, event, from);
}

static void task(void *arg, uint64_t number, int64_t now, const struct timeline_text *type)
{
    struct perfetto *p = arg;
    size_t from;
    if (type) {
        size_t t = track(p, FIRST_TASK | number, PROCESS_TRACK, "tasks", strlen("tasks"), &from);
        done(p, t, from);
    }
    begin_or_end(p, FIRST_TASK | number, now, type);
}

static void region(void *arg, uint64_t number, int64_t now, const struct timeline_text *type)
{
    begin_or_end(arg, REGIONS | number, now, type);
}

static void message(void *arg, uint64_t number, int64_t now, const struct timeline_text *category,
                    const struct timeline_text *text)
{
    struct perfetto *p = arg;
    const struct timeline_text *of[] = {category, text};
    size_t from, event = track_event(p, INSTANT, thread_uuid(number), now, &from);
    protobuf_text(&p->packet, EVENT_NAME, "log");
    for (unsigned i = 0; i < 2; i++) {
        size_t a = protobuf_open(&p->packet, EVENT_ANNOTATION);
        protobuf_number(&p->packet, ANNOTATION_NAME_IID, ARG_CATEGORY + i);
        protobuf_bytes(&p->packet, ANNOTATION_STRING, of[i]->text, of[i]->len);
        protobuf_close(&p->packet, a);
    }
    done(p, event, from);
}

enum export_result export_perfetto(struct export_job *job)
{
    static const struct timeline_writer writer = {begin, thread, slice,  sample, add_counter,
                                                  count, task,   region, message};
    struct perfetto p = {.to = job->to, .in = job->in};
    out_alone(job->to);
    enum export_result result = timeline_export(job, &p.t, &writer, &p);
    if (result == EXPORT_DONE) {
        perfetto_flush(&p);
        result = export_written(job->to);
    }
    perfetto_free(&p);
    return result;
}
