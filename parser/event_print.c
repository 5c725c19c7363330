/* An event as text, byte for byte as Go's tools show it. */
#include <string.h>
#include <time.h>

#include "parser/event_print.h"

static void field(struct out *o, const char *name, uint64_t v)
{
    out_str(o, name);
    out_u64(o, v);
}

static void quoted_field(struct out *o, const char *name, struct gotrace_str s)
{
    out_str(o, name);
    out_quoted(o, s);
}

static void value(struct out *o, uint64_t v)
{
    field(o, "Value{Uint64(", v);
    out_str(o, ")}");
}

static void resource(struct out *o, struct gotrace_resource r)
{
    if (r.kind == GOTRACE_RESOURCE_NONE) {
        out_str(o, "None");
        return;
    }
    out_str(o, r.kind == GOTRACE_RESOURCE_GOROUTINE ? "Goroutine(" : "Proc(");
    out_i64(o, (int64_t)r.id);
    out_str(o, ")");
}

static void frames(struct out *o, const char *title, struct gotrace_stack stack)
{
    struct gotrace_frame f;
    out_str(o, title);
    for (size_t i = 0; gotrace_stack_frame(stack, i, &f); i++) {
        out_str(o, "\t");
        out_bytes(o, f.function.data, f.function.len);
        out_str(o, " @ 0x");
        out_hex(o, f.pc);
        out_str(o, "\n\t\t");
        out_bytes(o, f.file.data, f.file.len);
        out_str(o, ":");
        out_u64(o, f.line);
        out_str(o, "\n");
    }
}

static void metric(struct out *o, const struct gotrace_event *ev)
{
    struct gotrace_metric m;
    gotrace_event_metric(ev, &m);
    quoted_field(o, " Name=", (struct gotrace_str){m.name, strlen(m.name)});
    out_str(o, " Value=");
    value(o, m.value);
}

static void label(struct out *o, const struct gotrace_event *ev)
{
    struct gotrace_label l;
    gotrace_event_label(ev, &l);
    quoted_field(o, " Label=", l.label);
    out_str(o, " Resource=");
    resource(o, l.resource);
}

static void range_name(struct out *o, const struct gotrace_event *ev, const struct gotrace_range *r)
{
    struct out name = {0};
    out_str(&name, r->name);
    if (ev->type == EV_STWBegin || ev->type == EV_STWEnd) {
        out_str(&name, " (");
        out_bytes(&name, r->detail.data, r->detail.len);
        out_str(&name, ")");
    }
    quoted_field(o, " Name=", (struct gotrace_str){name.v, name.n});
    o->failed |= name.failed;
    free(name.v);
}

static void range(struct out *o, const struct gotrace_event *ev)
{
    struct gotrace_range r;
    gotrace_event_range(ev, &r);
    range_name(o, ev, &r);
    out_str(o, " Scope=");
    resource(o, r.scope);
    if (event_kinds[ev->type] != GOTRACE_RANGE_END)
        return;
    out_str(o, " Attributes=[");
    for (size_t i = 0; i < r.nattributes; i++) {
        out_str(o, i ? " \"" : "\"");
        out_str(o, r.attributes[i].name);
        out_str(o, "\"=");
        value(o, r.attributes[i].value);
    }
    out_str(o, "]");
}

static void task(struct out *o, const struct gotrace_event *ev)
{
    struct gotrace_task t;
    gotrace_event_task(ev, &t);
    field(o, " ID=", t.id);
    field(o, " Parent=", t.parent);
    quoted_field(o, " Type=", t.type);
}

static void region(struct out *o, const struct gotrace_event *ev)
{
    struct gotrace_region r;
    gotrace_event_region(ev, &r);
    field(o, " Task=", r.task);
    quoted_field(o, " Type=", r.type);
}

static void log_message(struct out *o, const struct gotrace_event *ev)
{
    struct gotrace_log l;
    gotrace_event_log(ev, &l);
    field(o, " Task=", l.task);
    quoted_field(o, " Category=", l.category);
    quoted_field(o, " Message=", l.message);
}

static void transition(struct out *o, const struct gotrace_event *ev)
{
    struct gotrace_transition t;
    gotrace_event_transition(ev, &t);
    out_str(o, t.resource.kind == GOTRACE_RESOURCE_GOROUTINE ? " GoID=" : " ProcID=");
    out_i64(o, (int64_t)t.resource.id);
    out_str(o, " ");
    out_str(o, gotrace_state_name(t.from));
    out_str(o, "->");
    out_str(o, gotrace_state_name(t.to));
    quoted_field(o, " Reason=", t.reason);
    if (t.stack.generation) /* a creation shows even the stack without frames */
        frames(o, "\nTransitionStack=\n", t.stack);
}

static void experimental(struct out *o, const struct gotrace_event *ev)
{
    struct gotrace_experimental e;
    gotrace_event_experimental(ev, &e);
    out_str(o, " Name=");
    out_str(o, e.name);
    out_str(o, " Args=[");
    for (size_t i = 0; i < e.nargs; i++) {
        out_str(o, i ? ", " : "");
        out_str(o, e.args[i]);
        out_str(o, "=");
        value(o, e.values[i]);
    }
    out_str(o, "]");
}

/* RFC 3339 in the local time zone, without the zeros that the nanoseconds end in. */
static void wall(struct out *o, const struct gotrace_clock_snapshot *c)
{
    time_t sec = (time_t)c->sec;
    struct tm tm = {0};
    char text[80];
    if (!localtime_r(&sec, &tm))
        return;
    int n = snprintf(text, sizeof text, "%04lld-%02d-%02dT%02d:%02d:%02d", tm.tm_year + 1900LL, tm.tm_mon + 1, tm.tm_mday,
                     tm.tm_hour, tm.tm_min, tm.tm_sec);
    if (c->nsec) {
        n += snprintf(text + n, sizeof text - (size_t)n, ".%09lld", (long long)c->nsec);
        while (text[n - 1] == '0')
            n--;
    }
    out_bytes(o, text, (size_t)n);
    long minutes = tm.tm_gmtoff / 60;
    if (tm.tm_gmtoff == 0) {
        out_str(o, "Z");
        return;
    }
    snprintf(text, sizeof text, "%c%02ld:%02ld", minutes < 0 ? '-' : '+', labs(minutes) / 60, labs(minutes) % 60);
    out_str(o, text);
}

static void sync(struct out *o, const struct gotrace_event *ev)
{
    struct gotrace_sync s;
    gotrace_event_sync(ev, &s);
    field(o, " N=", s.n);
    if (!s.has_clock)
        return;
    out_str(o, " Trace=");
    out_i64(o, s.clock.trace);
    field(o, " Mono=", s.clock.mono);
    out_str(o, " Wall=");
    wall(o, &s.clock);
}

static void details(struct out *o, const struct gotrace_event *ev)
{
    static void (*const by_kind[])(struct out *, const struct gotrace_event *) = {
        [GOTRACE_SYNC] = sync,
        [GOTRACE_METRIC] = metric,
        [GOTRACE_LABEL] = label,
        [GOTRACE_RANGE_BEGIN] = range,
        [GOTRACE_RANGE_ACTIVE] = range,
        [GOTRACE_RANGE_END] = range,
        [GOTRACE_TASK_BEGIN] = task,
        [GOTRACE_TASK_END] = task,
        [GOTRACE_REGION_BEGIN] = region,
        [GOTRACE_REGION_END] = region,
        [GOTRACE_LOG] = log_message,
        [GOTRACE_TRANSITION] = transition,
        [GOTRACE_EXPERIMENTAL] = experimental,
    };
    unsigned kind = event_kinds[ev->type];
    if (kind < sizeof by_kind / sizeof by_kind[0] && by_kind[kind])
        by_kind[kind](o, ev);
}

void event_print(struct out *o, const struct gotrace_event *ev)
{
    out_str(o, "M=");
    out_i64(o, (int64_t)ev->thread);
    out_str(o, " P=");
    out_i64(o, (int64_t)ev->proc);
    out_str(o, " G=");
    out_i64(o, (int64_t)ev->goroutine);
    out_str(o, " ");
    out_str(o, gotrace_kind_name(gotrace_event_kind(ev)));
    out_str(o, " Time=");
    out_i64(o, ev->time);
    details(o, ev);
    struct gotrace_stack stack = gotrace_event_stack(ev);
    if (stack.generation)
        frames(o, "\nStack=\n", stack);
    out_str(o, "\n");
}

int gotrace_event_print(const struct gotrace_event *ev, FILE *out)
{
    struct out o = {0};
    event_print(&o, ev);
    bool ok = !o.failed && fwrite(o.v, 1, o.n, out) == o.n;
    free(o.v);
    return ok ? 0 : -1;
}
