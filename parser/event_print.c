/* An event as text, byte for byte as Go's tools show it. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "parser/event_print.h"
#include "parser/quote.h"

static void put(struct raw_buffer *o, const char *s)
{
    raw_buffer_add(o, s, strlen(s));
}

static void put_base(struct raw_buffer *o, uint64_t v, unsigned base)
{
    char digits[20], *p = digits + sizeof digits;
    do
        *--p = "0123456789abcdef"[v % base];
    while (v /= base);
    raw_buffer_add(o, p, (size_t)(digits + sizeof digits - p));
}

static void put_u64(struct raw_buffer *o, uint64_t v)
{
    put_base(o, v, 10);
}

static void put_i64(struct raw_buffer *o, int64_t v)
{
    if (v < 0)
        put(o, "-");
    put_base(o, v < 0 ? -(uint64_t)v : (uint64_t)v, 10);
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

static void frames(struct raw_buffer *o, const char *title, struct gotrace_stack stack)
{
    struct gotrace_frame f;
    put(o, title);
    for (size_t i = 0; gotrace_stack_frame(stack, i, &f); i++) {
        put(o, "\t");
        raw_buffer_add(o, f.function.data, f.function.len);
        put(o, " @ 0x");
        put_base(o, f.pc, 16);
        put(o, "\n\t\t");
        raw_buffer_add(o, f.file.data, f.file.len);
        put(o, ":");
        put_u64(o, f.line);
        put(o, "\n");
    }
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

static void transition(struct raw_buffer *o, const struct gotrace_event *ev)
{
    struct gotrace_transition t;
    gotrace_event_transition(ev, &t);
    put(o, t.resource.kind == GOTRACE_RESOURCE_GOROUTINE ? " GoID=" : " ProcID=");
    put_i64(o, (int64_t)t.resource.id);
    put(o, " ");
    put(o, gotrace_state_name(t.from));
    put(o, "->");
    put(o, gotrace_state_name(t.to));
    quoted_field(o, " Reason=", t.reason);
    if (t.stack.reader) /* a creation shows even the stack without frames */
        frames(o, "\nTransitionStack=\n", t.stack);
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

/* Go knows zones by their files alone: to it a rule in TZ, like "CET-1CEST", is UTC, and so is what has no file. */
static bool is_utc(void)
{
    static const char *const folders[] = {"/usr/share/zoneinfo/", "/etc/zoneinfo/"};
    const char *zone = getenv("TZ");
    if (!zone)
        return false;
    zone += *zone == ':';
    if (*zone == '/')
        return access(zone, R_OK);
    for (size_t i = 0; *zone && i < sizeof folders / sizeof folders[0]; i++) {
        char path[PATH_MAX];
        int n = snprintf(path, sizeof path, "%s%s", folders[i], zone);
        if (n < (int)sizeof path && !access(path, R_OK))
            return false;
    }
    return true;
}

/*
 * The C library cannot tell a year that needs more than 32 bits, and loses the rules of summer time long before that;
 * but the calendar repeats itself every 400 years, so what is far away is moved to years without surprises. As in Go,
 * seconds count from a first of March, and what would be before that is at the other end of time.
 */
static bool local_time(int64_t sec, struct tm *tm, long long *year)
{
    const int64_t first = -INT64_C(9223372028741760000), march_2000 = INT64_C(951868800), cycle = INT64_C(12622780800);
    const uint64_t since = (uint64_t)sec - (uint64_t)first;
    int64_t moved = sec, cycles = sec < 0 ? -2 : 1;
    *year = 1900;
    if (sec < march_2000 - 2 * cycle || sec > march_2000 + 2 * cycle) {
        moved = march_2000 + cycles * cycle + (int64_t)(since % (uint64_t)cycle);
        *year += -292277022400LL - 2000 + 400 * ((long long)(since / (uint64_t)cycle) - cycles);
    }
    time_t t = (time_t)moved;
    if (!(is_utc() ? gmtime_r(&t, tm) : localtime_r(&t, tm)))
        return false;
    *year += tm->tm_year;
    return true;
}

/* RFC 3339 in the local time zone, without the zeros that the nanoseconds end in. */
static void wall(struct raw_buffer *o, const struct gotrace_clock_snapshot *c)
{
    struct tm tm = {0};
    long long year;
    char text[80];
    if (!local_time(c->sec, &tm, &year))
        return;
    int n = snprintf(text, sizeof text, "%s%04lld-%02d-%02dT%02d:%02d:%02d", year < 0 ? "-" : "", llabs(year),
                     tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec);
    if (c->nsec) {
        n += snprintf(text + n, sizeof text - (size_t)n, ".%09lld", (long long)c->nsec);
        while (text[n - 1] == '0')
            n--;
    }
    raw_buffer_add(o, text, (size_t)n);
    long minutes = tm.tm_gmtoff / 60;
    if (tm.tm_gmtoff == 0) {
        put(o, "Z");
        return;
    }
    snprintf(text, sizeof text, "%c%02ld:%02ld", minutes < 0 ? '-' : '+', labs(minutes) / 60, labs(minutes) % 60);
    put(o, text);
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
    wall(o, &s.clock);
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
        [GOTRACE_KIND_TRANSITION] = transition,
        [GOTRACE_KIND_EXPERIMENTAL] = experimental,
    };
    unsigned kind = event_kinds[ev->type];
    if (kind < sizeof by_kind / sizeof by_kind[0] && by_kind[kind])
        by_kind[kind](o, ev);
}

void event_print(struct raw_buffer *o, const struct gotrace_event *ev)
{
    put(o, "M=");
    put_i64(o, (int64_t)ev->thread);
    put(o, " P=");
    put_i64(o, (int64_t)ev->proc);
    put(o, " G=");
    put_i64(o, (int64_t)ev->goroutine);
    put(o, " ");
    put(o, gotrace_kind_name(gotrace_event_kind(ev)));
    put(o, " Time=");
    put_i64(o, ev->time);
    details(o, ev);
    struct gotrace_stack stack = gotrace_event_stack(ev);
    if (stack.reader)
        frames(o, "\nStack=\n", stack);
    put(o, "\n");
}

int gotrace_event_print(const struct gotrace_event *ev, FILE *out)
{
    struct raw_buffer o = {0};
    event_print(&o, ev);
    bool ok = !o.failed && fwrite(o.at, 1, o.size, out) == o.size;
    raw_buffer_free(&o);
    return ok ? 0 : -1;
}
