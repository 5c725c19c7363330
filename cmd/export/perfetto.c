/*
 * A trace for Perfetto. One sequence of packets, whose interned data stand before their first use. All times are of the
 * trace's own clock, without a clock of their own, so nothing has to be converted: Perfetto takes them as they are. A
 * stretch is written when it ends, so packets are not in the order of time; trace_processor sorts them.
 */
#include <stdlib.h>

#include "cmd/export/protobuf.h"
#include "cmd/export/timeline.h"
#include "parser/utf8.h"

/* Numbers of fields and values, as in protos/perfetto/trace/trace_packet.proto and those that it includes. */
enum { TRACE_PACKET = 1 };
enum { TIMESTAMP = 8, SEQUENCE_ID = 10, TRACK_EVENT = 11, INTERNED_DATA = 12, SEQUENCE_FLAGS = 13,
       TRACK_DESCRIPTOR = 60, PERF_SAMPLE = 66, FIRST_ON_SEQUENCE = 87 };
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6, THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { EVENT_CATEGORY = 3, EVENT_ANNOTATION = 4, EVENT_TYPE = 9, EVENT_NAME_IID = 10, EVENT_TRACK = 11,
       EVENT_NAME = 23, EVENT_VALUE = 30, EVENT_FLOW = 47, EVENT_FLOW_END = 48 };
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };
enum { ANNOTATION_NAME_IID = 1, ANNOTATION_STRING = 6, ANNOTATION_STRING_IID = 17 };
enum { INTERNED_CATEGORY = 1, INTERNED_NAME = 2, INTERNED_ANNOTATION = 3, INTERNED_FUNCTION = 5, INTERNED_FRAME = 6,
       INTERNED_STACK = 7, INTERNED_PATH = 17, INTERNED_SOURCE = 18, INTERNED_MAPPING = 19, INTERNED_STRING = 29 };
enum { FRAME_FUNCTION = 2, FRAME_MAPPING = 3, FRAME_PC = 4, FRAME_SOURCE = 5, FRAME_LINE = 6 };
enum { SAMPLE_CPU = 1, SAMPLE_PID = 2, SAMPLE_TID = 3, SAMPLE_STACK = 4, SAMPLE_MODE = 5, MODE_USER = 2 };

enum { WRITTEN_AT_ONCE = 1 << 16 };
enum { SEQUENCE = 1, PROCESS_TRACK = 1, FIRST_COUNTER = 2, FIRST_THREAD = 64 };
#define FIRST_TASK (UINT64_C(1) << 62)
#define BESIDE (UINT64_C(1) << 61)
#define REGIONS (UINT64_C(1) << 63)

enum { NAME_WAKES = GOTRACE_STATE_IDLE + 1, NAMES };
enum { ARG_REASON = 1, ARG_OBJECT, ARG_WAKER, ARG_CALL, ARG_STACK, ARG_CATEGORY, ARG_MESSAGE, ARGS };
static const char *const names[NAMES] = {[GOTRACE_STATE_RUNNABLE] = "runnable", [GOTRACE_STATE_RUNNING] = "running",
                                         [GOTRACE_STATE_WAITING] = "waiting", [GOTRACE_STATE_SYSCALL] = "system call",
                                         [NAME_WAKES] = "wakes"};
static const char *const args[ARGS] = {[ARG_REASON] = "reason",     [ARG_OBJECT] = "object",  [ARG_WAKER] = "waker",
                                       [ARG_CALL] = "call",         [ARG_STACK] = "stack",    [ARG_CATEGORY] = "category",
                                       [ARG_MESSAGE] = "message"};

struct bits {
    uint8_t *v;
    size_t n, cap;
};

struct perfetto {
    struct timeline t;
    struct protobuf packet; /* and those before it that are not written so far */
    VEC(char) text; /* of a stack */
    uint64_t pid;
    FILE *to;
    const char *in;
    struct bits said_texts, said_stacks, said_frames, said_store; /* as below, by their numbers */
    bool failed;
};
enum { SAID_STRING = 1, SAID_STACK = 2 };

/* Whether it has been said already; from now on it has. */
#define SAID(p, list, number, bit) (room_for((p), &(p)->list, (number)) || said(&(p)->list.v[number], (bit)))

static bool said(uint8_t *bits, uint8_t bit)
{
    bool was = *bits & bit;
    *bits |= bit;
    return was;
}

/* True: memory is short. */
static bool room_for(struct perfetto *p, struct bits *list, size_t number)
{
    for (; list->n <= number; list->n++) {
        if (!VEC_ROOM(list)) {
            p->failed = true;
            return true;
        }
        list->v[list->n] = 0;
    }
    return false;
}

/* ---- packets ---------------------------------------------------------------------------------------------------- */

static size_t packet(struct perfetto *p)
{
    size_t from = protobuf_open(&p->packet, TRACE_PACKET);
    protobuf_number(&p->packet, SEQUENCE_ID, SEQUENCE);
    return from;
}

static void flush(struct perfetto *p)
{
    fwrite(p->packet.bytes.v, 1, p->packet.bytes.n, p->to);
    p->packet.bytes.n = 0;
}

static void packet_done(struct perfetto *p, size_t from)
{
    protobuf_close(&p->packet, from);
    p->t.failed |= p->failed | p->packet.failed;
    if (p->packet.bytes.n >= WRITTEN_AT_ONCE && !p->t.failed)
        flush(p);
}

/* Traces of v1 may begin before 0, which a timestamp cannot: then 0 is their begin. */
static size_t timed(struct perfetto *p, int64_t now)
{
    size_t from = packet(p);
    int64_t zero = p->t.spans.begin < 0 ? p->t.spans.begin : 0;
    protobuf_number(&p->packet, TIMESTAMP, (uint64_t)now - (uint64_t)zero);
    protobuf_number(&p->packet, SEQUENCE_FLAGS, NEEDS_STATE);
    return from;
}

static void intern(struct perfetto *p, unsigned field, uint64_t iid, const char *text, size_t len)
{
    size_t entry = protobuf_open(&p->packet, field);
    protobuf_number(&p->packet, 1, iid);
    protobuf_bytes(&p->packet, 2, text, len);
    protobuf_close(&p->packet, entry);
}

/* ---- what is interned ------------------------------------------------------------------------------------------- */

static uint64_t text_iid(uint32_t text) { return 2 * (uint64_t)text + 1; }
static uint64_t stack_iid(uint32_t stack) { return 2 * (uint64_t)stack + 2; }

static size_t interned(struct perfetto *p, size_t *data)
{
    size_t from = packet(p);
    protobuf_number(&p->packet, SEQUENCE_FLAGS, NEEDS_STATE);
    *data = protobuf_open(&p->packet, INTERNED_DATA);
    return from;
}

static void intern_string(struct perfetto *p, uint64_t iid, const char *text, size_t len)
{
    size_t data, from = interned(p, &data);
    intern(p, INTERNED_STRING, iid, text, len);
    protobuf_close(&p->packet, data);
    packet_done(p, from);
}

static void need_text(struct perfetto *p, uint32_t text)
{
    const char *s = stat_text_of(&p->t.spans.texts, text);
    if (text != p->t.none && !SAID(p, said_texts, text, SAID_STRING))
        intern_string(p, text_iid(text), s, strlen(s));
}

static void add_text(struct perfetto *p, const char *text)
{
    for (; *text; text++) {
        if (!VEC_ROOM(&p->text)) {
            p->failed = true;
            return;
        }
        p->text.v[p->text.n++] = *text;
    }
}

/* The stack as an argument: a frame in each line, the innermost first. */
static void need_stack_text(struct perfetto *p, uint32_t number)
{
    const struct stack_store *s = p->t.stacks;
    if (!number || SAID(p, said_stacks, number, SAID_STRING))
        return;
    p->text.n = 0;
    for (size_t i = 0; i < s->stacks.v[number].n; i++) {
        const struct stored_frame *f = &s->frames.v[stack_store_frame(s, &s->stacks.v[number], i)];
        const char *file = stack_store_text_of(s, f->file);
        char line[32];
        snprintf(line, sizeof line, ":%llu)", (unsigned long long)f->line);
        add_text(p, i ? "\n" : "");
        add_text(p, stack_store_text_of(s, f->function));
        if (*file) {
            add_text(p, " (");
            add_text(p, file);
            add_text(p, f->line ? line : ")");
        }
    }
    intern_string(p, stack_iid(number), p->text.n ? p->text.v : "", p->text.n);
}

static void intern_store_text(struct perfetto *p, uint32_t text)
{
    const char *s = stack_store_text_of(p->t.stacks, text);
    if (SAID(p, said_store, text, SAID_STRING))
        return;
    intern(p, INTERNED_FUNCTION, (uint64_t)text + 1, s, strlen(s));
    intern(p, INTERNED_SOURCE, (uint64_t)text + 1, s, strlen(s));
}

static void intern_frame(struct perfetto *p, uint32_t number)
{
    const struct stored_frame *f = &p->t.stacks->frames.v[number];
    if (SAID(p, said_frames, number, SAID_STRING))
        return;
    intern_store_text(p, f->function);
    intern_store_text(p, f->file);
    size_t frame = protobuf_open(&p->packet, INTERNED_FRAME);
    protobuf_number(&p->packet, 1, (uint64_t)number + 1);
    protobuf_number(&p->packet, FRAME_FUNCTION, (uint64_t)f->function + 1);
    protobuf_number(&p->packet, FRAME_MAPPING, 1);
    protobuf_number(&p->packet, FRAME_PC, f->pc);
    protobuf_number(&p->packet, FRAME_SOURCE, (uint64_t)f->file + 1);
    protobuf_number(&p->packet, FRAME_LINE, f->line > UINT32_MAX ? 0 : f->line);
    protobuf_close(&p->packet, frame);
}

static void need_stack(struct perfetto *p, uint32_t number)
{
    const struct stack_store *s = p->t.stacks;
    const struct stored_stack *stack = &s->stacks.v[number];
    if (!number || SAID(p, said_stacks, number, SAID_STACK))
        return;
    size_t data, from = interned(p, &data);
    for (size_t i = 0; i < stack->n; i++)
        intern_frame(p, stack_store_frame(s, stack, i));
    size_t entry = protobuf_open(&p->packet, INTERNED_STACK);
    protobuf_number(&p->packet, 1, (uint64_t)number);
    for (size_t i = stack->n; i-- > 0;)
        protobuf_number(&p->packet, 2, (uint64_t)stack_store_frame(s, stack, i) + 1);
    protobuf_close(&p->packet, entry);
    protobuf_close(&p->packet, data);
    packet_done(p, from);
}

/* ---- tracks ----------------------------------------------------------------------------------------------------- */

static size_t track(struct perfetto *p, uint64_t uuid, uint64_t parent, const char *name, size_t len, size_t *from)
{
    *from = packet(p);
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
    size_t from = packet(p);
    protobuf_number(&p->packet, SEQUENCE_FLAGS, STATE_CLEARED | NEEDS_STATE);
    protobuf_number(&p->packet, FIRST_ON_SEQUENCE, 1);
    size_t data = protobuf_open(&p->packet, INTERNED_DATA);
    for (unsigned i = 0; i < NAMES; i++) {
        if (!names[i])
            continue;
        intern(p, INTERNED_CATEGORY, i, names[i], strlen(names[i]));
        intern(p, INTERNED_NAME, i, names[i], strlen(names[i]));
    }
    for (unsigned i = 1; i < ARGS; i++)
        intern(p, INTERNED_ANNOTATION, i, args[i], strlen(args[i]));
    /* Frames need a mapping; the trace has none. */
    intern(p, INTERNED_PATH, 1, "trace", strlen("trace"));
    size_t mapping = protobuf_open(&p->packet, INTERNED_MAPPING);
    protobuf_number(&p->packet, 1, 1);
    protobuf_number(&p->packet, 7, 1);
    protobuf_close(&p->packet, mapping);
    protobuf_close(&p->packet, data);
    packet_done(p, from);

    char name[STACK_TEXT_MAX];
    size_t len = stack_text_clean((struct gotrace_str){p->in, strlen(p->in)}, name);
    size_t t = track(p, PROCESS_TRACK, 0, NULL, 0, &from), process = protobuf_open(&p->packet, TRACK_PROCESS);
    protobuf_number(&p->packet, PROCESS_PID, p->pid);
    protobuf_bytes(&p->packet, PROCESS_NAME, name, len);
    protobuf_close(&p->packet, process);
    protobuf_close(&p->packet, t);
    packet_done(p, from);
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
    packet_done(p, from);
    if (of->is_again)
        return;
    t = track(p, REGIONS | of->number, thread_uuid(of->number), "regions", strlen("regions"), &from);
    protobuf_close(&p->packet, t);
    packet_done(p, from);
}

static void add_counter(void *arg, unsigned counter, const char *name)
{
    struct perfetto *p = arg;
    size_t from, t = track(p, FIRST_COUNTER + counter, PROCESS_TRACK, name, strlen(name), &from);
    protobuf_close(&p->packet, protobuf_open(&p->packet, TRACK_COUNTER));
    protobuf_close(&p->packet, t);
    packet_done(p, from);
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

static size_t track_event(struct perfetto *p, unsigned type, uint64_t uuid, int64_t now, size_t *from)
{
    *from = timed(p, now);
    size_t event = protobuf_open(&p->packet, TRACK_EVENT);
    protobuf_number(&p->packet, EVENT_TYPE, type);
    protobuf_number(&p->packet, EVENT_TRACK, uuid);
    return event;
}

static void done(struct perfetto *p, size_t event, size_t from)
{
    protobuf_close(&p->packet, event);
    packet_done(p, from);
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
        annotate(p, name, text_iid(text));
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
    need_text(p, s->reason);
    need_text(p, s->object);
    need_text(p, s->waker);
    need_text(p, s->call);
    need_stack_text(p, s->stack);
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
        annotate(p, ARG_STACK, stack_iid(s->stack));
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
    need_stack(p, stack);
    size_t from = timed(p, now), sample = protobuf_open(&p->packet, PERF_SAMPLE);
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
    static const struct timeline_writer writer = {begin, thread, slice, sample, add_counter, count, task, region, message};
    struct perfetto p = {.to = job->to, .in = job->in};
    enum export_result result = timeline_export(job, &p.t, &writer, &p);
    if (result == EXPORT_DONE) {
        flush(&p);
        result = export_written(job->to);
    }
    timeline_free(&p.t);
    VEC_FREE(&p.packet.bytes);
    VEC_FREE(&p.text);
    VEC_FREE(&p.said_texts);
    VEC_FREE(&p.said_stacks);
    VEC_FREE(&p.said_frames);
    VEC_FREE(&p.said_store);
    return result;
}
