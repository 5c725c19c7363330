/* An event as text, byte for byte as Go's tools show it. */
#include "parser/event_print.h"

#include <string.h>

#include "parser/decimal.h"
#include "parser/quote.h"
#include "parser/wall_time.h"

static void put(struct raw_buffer *o, const char *s)
{
    raw_buffer_add(o, s, strlen(s));
}

static void put_u64(struct raw_buffer *o, uint64_t v)
{
    char number[DECIMAL_ROOM];
    raw_buffer_add(o, number, (size_t)(decimal_put(number, v) - number));
}

static void put_i64(struct raw_buffer *o, int64_t v)
{
    char number[1 + DECIMAL_ROOM];
    raw_buffer_add(o, number, (size_t)(decimal_put_signed(number, v) - number));
}

static void field(struct raw_buffer *o, const char *name, uint64_t v)
{
    put(o, name);
    put_u64(o, v);
}

static void quoted_field(struct raw_buffer *o, const char *name, struct gotrace_str s)
{
    put(o, name);
    go_quote(o, (const uint8_t *)s.data, s.len);
}

static void value(struct raw_buffer *o, uint64_t v)
{
    field(o, "Value{Uint64(", v);
    put(o, ")}");
}

static void resource(struct raw_buffer *o, struct gotrace_resource r)
{
    if (r.kind == GOTRACE_RESOURCE_NONE) {
        put(o, "None");
        return;
    }
    put(o, r.kind == GOTRACE_RESOURCE_GOROUTINE ? "Goroutine(" : "Proc(");
    put_i64(o, (int64_t)r.id);
    put(o, ")");
}

static void metric(struct raw_buffer *o, const struct gotrace_event *ev)
{
    struct gotrace_metric m;
    gotrace_event_metric(ev, &m);
    quoted_field(o, " Name=", (struct gotrace_str){m.name, strlen(m.name)});
    put(o, " Value=");
    value(o, m.value);
}

static void label(struct raw_buffer *o, const struct gotrace_event *ev)
{
    struct gotrace_label l;
    gotrace_event_label(ev, &l);
    quoted_field(o, " Label=", l.label);
    put(o, " Resource=");
    resource(o, l.resource);
}

static void range_name(struct raw_buffer *o, const struct gotrace_event *ev, const struct gotrace_range *r)
{
    struct raw_buffer name = {0};
    put(&name, r->name);
    if (ev->type == EV_STWBegin || ev->type == EV_STWEnd) {
        put(&name, " (");
        raw_buffer_add(&name, r->detail.data, r->detail.len);
        put(&name, ")");
    }
    if (!name.failed)
        quoted_field(o, " Name=", (struct gotrace_str){(const char *)name.at, name.size});
    o->failed |= name.failed;
    raw_buffer_free(&name);
}

static void range(struct raw_buffer *o, const struct gotrace_event *ev)
{
    struct gotrace_range r;
    gotrace_event_range(ev, &r);
    range_name(o, ev, &r);
    put(o, " Scope=");
    resource(o, r.scope);
    if (event_kinds[ev->type] != GOTRACE_KIND_RANGE_END)
        return;
    put(o, " Attributes=[");
    for (size_t i = 0; i < r.nattributes; i++) {
        put(o, i ? " \"" : "\"");
        put(o, r.attributes[i].name);
        put(o, "\"=");
        value(o, r.attributes[i].value);
    }
    put(o, "]");
}

static void task(struct raw_buffer *o, const struct gotrace_event *ev)
{
    struct gotrace_task t;
    gotrace_event_task(ev, &t);
    field(o, " ID=", t.id);
    field(o, " Parent=", t.parent);
    quoted_field(o, " Type=", t.type);
}

static void region(struct raw_buffer *o, const struct gotrace_event *ev)
{
    struct gotrace_region r;
    gotrace_event_region(ev, &r);
    field(o, " Task=", r.task);
    quoted_field(o, " Type=", r.type);
}

static void log_message(struct raw_buffer *o, const struct gotrace_event *ev)
{
    struct gotrace_log l;
    gotrace_event_log(ev, &l);
    field(o, " Task=", l.task);
    quoted_field(o, " Category=", l.category);
    quoted_field(o, " Message=", l.message);
}

static void experimental(struct raw_buffer *o, const struct gotrace_event *ev)
{
    struct gotrace_experimental e;
    gotrace_event_experimental(ev, &e);
    put(o, " Name=");
    put(o, e.name);
    put(o, " Args=[");
    for (size_t i = 0; i < e.nargs; i++) {
        put(o, i ? ", " : "");
        put(o, e.args[i]);
        put(o, "=");
        value(o, e.values[i]);
    }
    put(o, "]");
}

static void sync_point(struct raw_buffer *o, const struct gotrace_event *ev)
{
    struct gotrace_sync s;
    gotrace_event_sync(ev, &s);
    field(o, " N=", s.n);
    if (!s.has_clock)
        return;
    put(o, " Trace=");
    put_i64(o, s.clock.trace);
    field(o, " Mono=", s.clock.mono);
    put(o, " Wall=");
    wall_time_print(o, &s.clock);
}

static void details(struct raw_buffer *o, const struct gotrace_event *ev)
{
    static void (*const by_kind[])(struct raw_buffer *, const struct gotrace_event *) = {
        [GOTRACE_KIND_SYNC] = sync_point,
        [GOTRACE_KIND_METRIC] = metric,
        [GOTRACE_KIND_LABEL] = label,
        [GOTRACE_KIND_RANGE_BEGIN] = range,
        [GOTRACE_KIND_RANGE_ACTIVE] = range,
        [GOTRACE_KIND_RANGE_END] = range,
        [GOTRACE_KIND_TASK_BEGIN] = task,
        [GOTRACE_KIND_TASK_END] = task,
        [GOTRACE_KIND_REGION_BEGIN] = region,
        [GOTRACE_KIND_REGION_END] = region,
        [GOTRACE_KIND_LOG] = log_message,
        [GOTRACE_KIND_EXPERIMENTAL] = experimental,
    };
    unsigned kind = event_kinds[ev->type];
    if (kind < sizeof by_kind / sizeof by_kind[0] && by_kind[kind])
        by_kind[kind](o, ev);
}

/* ---- what makes up most of a trace ------------------------------------------------------------------------------ */

/* Writes a literal to where p points, and moves it on: there is room. */
#define PUT(p, literal) ((p) = (char *)memcpy(p, literal, sizeof(literal) - 1) + sizeof(literal) - 1)

#define ADD(o, literal) raw_buffer_add(o, literal, sizeof(literal) - 1)

/* Whole words at a time, which is faster than the right number of bytes. */
static char *put_state(char *p, unsigned state)
{
#define NAME(state, name) [GOTRACE_STATE_##state] = {name, sizeof(name) - 1},
    static const struct {
        char name[15];
        uint8_t size;
    } names[] = {EVENT_STATES(NAME)};
#undef NAME
    if (UNLIKELY(state >= sizeof names / sizeof names[0]))
        return PUT(p, "Bad");
    memcpy(p, &names[state], sizeof names[state]);
    return p + names[state].size;
}

/* Six numbers, and what stands between them. */
enum { HEAD_ROOM = 6 * (1 + DECIMAL_ROOM) + 128 };

static char *put_context(char *p, const struct gotrace_event *ev)
{
    PUT(p, "M=");
    p = decimal_put_signed(p, (int64_t)ev->thread);
    PUT(p, " P=");
    p = decimal_put_signed(p, (int64_t)ev->proc);
    PUT(p, " G=");
    return decimal_put_signed(p, (int64_t)ev->goroutine);
}

static inline void stack(struct raw_buffer *o, const struct gotrace_event *ev, uint64_t id, struct stack_texts *texts)
{
    if (texts)
        stack_texts_add(texts, o, ev->tables, id);
    else
        stack_print(o, ev->tables, id);
}

/* The accessors of gotrace/reader.h would hand over structures, which are slow to read right after being written. */
static struct gotrace_str reason(const struct gotrace_event *ev)
{
    bool has_one = ev->type == EV_GoStop || ev->type == EV_GoBlock;
    return has_one ? generation_string(ev->tables, ev->args[0]) : (struct gotrace_str){"", 0};
}

static void transition(struct raw_buffer *o, const struct gotrace_event *ev, struct stack_texts *texts)
{
    const struct shape shape = event_shapes[ev->type];
    bool is_go = shape.kind == GOTRACE_RESOURCE_GOROUTINE;
    struct gotrace_str why = reason(ev);
    uint64_t id;
    char *start = (char *)raw_buffer_reserve(o, HEAD_ROOM), *p = start;
    if (!p)
        return;
    p = put_context(p, ev);
    PUT(p, " StateTransition Time=");
    p = decimal_put_signed(p, ev->time);
    if (is_go)
        PUT(p, " GoID=");
    else
        PUT(p, " ProcID=");
    p = decimal_put_signed(p, (int64_t)(shape.named ? ev->args[0] : is_go ? ev->goroutine : ev->proc));
    PUT(p, " ");
    p = put_state(p, shape.from == FROM_EVENT ? ev->from : shape.from);
    PUT(p, "->");
    p = put_state(p, shape.to == FROM_EVENT ? ev->to : shape.to);
    if (why.len)
        PUT(p, " Reason=");
    else
        PUT(p, " Reason=\"\"");
    o->size += (size_t)(p - start);
    if (why.len)
        go_quote(o, (const uint8_t *)why.data, why.len);
    if (event_transition_stack(ev, &id)) {
        ADD(o, "\nTransitionStack=\n");
        stack(o, ev, id, texts);
    }
}

static void other(struct raw_buffer *o, const struct gotrace_event *ev)
{
    char *start = (char *)raw_buffer_reserve(o, HEAD_ROOM);
    if (!start)
        return;
    o->size += (size_t)(put_context(start, ev) - start);
    put(o, " ");
    put(o, gotrace_kind_name(gotrace_event_kind(ev)));
    put(o, " Time=");
    put_i64(o, ev->time);
    details(o, ev);
}

void event_print(struct raw_buffer *o, const struct gotrace_event *ev, struct stack_texts *texts)
{
    if (LIKELY(event_kinds[ev->type] == GOTRACE_KIND_TRANSITION))
        transition(o, ev, texts);
    else
        other(o, ev);
    uint64_t id = event_own_stack(ev);
    if (id || ev->type == EV_CPUSample) {
        ADD(o, "\nStack=\n");
        stack(o, ev, id, texts);
    }
    ADD(o, "\n");
}

int gotrace_event_print(const struct gotrace_event *ev, FILE *out)
{
    struct raw_buffer o = {0};
    event_print(&o, ev, NULL);
    bool ok = !o.failed && fwrite(o.at, 1, o.size, out) == o.size;
    raw_buffer_free(&o);
    return ok ? 0 : -1;
}
