/* "meta" of a processed profile: its version, when it was, its categories, and what the types of markers are. */
#include "cmd/export/firefox.h"

static const struct {
    const char *name, *color;
} categories[] = {
    [FIREFOX_OTHER] = {"other", "grey"}, /* the profiler takes the first grey one for what has none */
    [FIREFOX_IDLE] = {"idle", "transparent"},
    [FIREFOX_CATEGORY + FIREFOX_RUNNING] = {"running", "green"},
    [FIREFOX_CATEGORY + FIREFOX_RUNNABLE] = {"runnable", "yellow"},
    [FIREFOX_CATEGORY + FIREFOX_WAITING] = {"waiting", "lightblue"},
    [FIREFOX_CATEGORY + FIREFOX_SYSCALL] = {"system call", "orange"},
    [FIREFOX_CATEGORY + FIREFOX_REGION] = {"annotations", "purple"},
};

struct field {
    const char *key, *label, *format;
};
enum { FIELDS = 5 };
static const struct field reason = {"reason", "Reason", "unique-string"},
                          object = {"object", "Object", "unique-string"}, waker = {"waker", "Waker", "unique-string"},
                          call = {"call", "Call", "unique-string"}, from = {"from", "Woken by", "tid"};

static const struct {
    const char *label; /* in the chart and the table */
    bool overview;     /* stands above the threads */
    const struct field *fields[FIELDS];
} schemas[FIREFOX_TYPES] = {
    [FIREFOX_RUNNING] = {"{marker.data.reason}", false, {&reason, &from}},
    [FIREFOX_RUNNABLE] = {"{marker.data.reason}", false, {&reason, &from}},
    [FIREFOX_WAITING] = {"{marker.data.reason} {marker.data.object}", true, {&reason, &object, &waker, &from}},
    [FIREFOX_SYSCALL] = {"{marker.data.call}", true, {&call, &reason, &from}},
    [FIREFOX_REGION] = {"{marker.name}", true, {NULL}},
    [FIREFOX_TASK] = {"{marker.name}", true, {NULL}},
    [FIREFOX_MESSAGE] = {"{marker.data.category} {marker.data.message}",
                         true,
                         {&(const struct field){"category", "Category", "unique-string"},
                          &(const struct field){"message", "Message", "string"}}},
};

static void put_categories(struct json *j)
{
    open_named(j, "categories", '[');
    for (unsigned i = 0; i < sizeof categories / sizeof categories[0]; i++) {
        json_open(j, '{');
        put_text(j, "name", categories[i].name);
        put_text(j, "color", categories[i].color);
        open_named(j, "subcategories", '[');
        json_text(j, "Other");
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_schema(struct json *j, enum firefox_type type)
{
    json_open(j, '{');
    put_text(j, "name", firefox_types[type]);
    put_text(j, "tooltipLabel", "{marker.name}");
    put_text(j, "tableLabel", schemas[type].label);
    put_text(j, "chartLabel", schemas[type].label);
    open_named(j, "display", '[');
    json_text(j, "marker-chart");
    json_text(j, "marker-table");
    if (schemas[type].overview)
        json_text(j, "timeline-overview");
    json_close(j, ']');
    open_named(j, "fields", '[');
    for (unsigned i = 0; i < FIELDS && schemas[type].fields[i]; i++) {
        json_open(j, '{');
        put_text(j, "key", schemas[type].fields[i]->key);
        put_text(j, "label", schemas[type].fields[i]->label);
        put_text(j, "format", schemas[type].fields[i]->format);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

/* By itself the profiler hides threads that use no CPU: here they may be those that matter. */
static void put_visible(struct json *j, const struct firefox *f)
{
    enum { VISIBLE = 64 };
    size_t shown = 0;
    open_named(j, "initialVisibleThreads", '[');
    for (size_t i = 0; i < f->threads.n && shown < VISIBLE; i++)
        if (firefox_is_shown(f, i))
            json_number(j, shown++);
    json_close(j, ']');
    put_bool(j, "keepProfileThreadOrder", true);
}

/* When the trace began, in ms since 1970; 0: it does not say it. */
static uint64_t start_of(const struct firefox *f)
{
    enum { MS = 1000, NS = 1000000 };
    const struct gotrace_clock_snapshot *c = &f->t.clock;
    if (!f->t.has_clock || c->sec < 0 || c->sec > UINT32_MAX)
        return 0;
    uint64_t ms = (uint64_t)c->sec * MS + (uint64_t)c->nsec / NS, before = firefox_since(f, c->trace) / NS;
    return ms > before ? ms - before : 0;
}

void firefox_put_meta(struct json *j, const struct firefox *f, const char *name)
{
    enum { GECKO_VERSION = 33 };
    open_named(j, "meta", '{');
    put_number(j, "version", GECKO_VERSION);
    put_number(j, "preprocessedProfileVersion", FIREFOX_VERSION);
    put_text(j, "product", name);
    put_text(j, "importedFrom", "thrace");
    json_key(j, "interval");
    firefox_put_time(j, firefox_period(f));
    put_number(j, "startTime", start_of(f));
    put_number(j, "profilingStartTime", 0);
    json_key(j, "profilingEndTime");
    firefox_put_time(j, firefox_since(f, f->t.spans.end));
    put_number(j, "processType", 0);
    put_number(j, "stackwalk", 1);
    put_bool(j, "debug", false);
    put_bool(j, "symbolicated", true);
    put_bool(j, "symbolicationNotSupported", true);
    put_bool(j, "usesOnlyOneStackType", true);
    put_bool(j, "sourceCodeIsNotOnSearchfox", true);
    open_named(j, "sampleUnits", '{');
    put_text(j, "time", "ms");
    put_text(j, "eventDelay", "ms");
    put_text(j, "threadCPUDelta", "ns");
    json_close(j, '}');
    put_visible(j, f);
    put_categories(j);
    open_named(j, "markerSchema", '[');
    for (enum firefox_type type = 0; type < FIREFOX_TYPES; type++)
        put_schema(j, type);
    json_close(j, ']');
    json_close(j, '}');
}
