/*
 * waits FILE: for what the goroutines of a trace waited, how often and how long.
 *
 *     cc waits.c $(pkg-config --cflags --libs gotrace) -o waits
 */
#include <gotrace/gotrace.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_REASONS = 64, MAX_GOROUTINES = 1 << 16 };

struct reason {
    char name[64];
    uint64_t count;
    int64_t ns;
};

static struct reason reasons[MAX_REASONS];
static int nreasons;

/* What a goroutine waits for, counted from 1, and since when. The example leaves goroutines with large IDs out. */
static struct {
    int reason;
    int64_t since;
} waiting[MAX_GOROUTINES];

static int find_reason(struct gotrace_str s)
{
    char name[sizeof reasons[0].name];
    snprintf(name, sizeof name, "%.*s", (int)s.len, s.data);
    for (int i = 0; i < nreasons; i++)
        if (!strcmp(reasons[i].name, name))
            return i;
    if (nreasons == MAX_REASONS)
        return MAX_REASONS - 1;
    strcpy(reasons[nreasons].name, name);
    return nreasons++;
}

static void follow(const struct gotrace_event *ev)
{
    struct gotrace_transition t;
    if (!gotrace_event_transition(ev, &t) || t.resource.kind != GOTRACE_RESOURCE_GOROUTINE ||
        t.resource.id >= MAX_GOROUTINES)
        return;
    if (t.from == GOTRACE_STATE_RUNNING && t.to == GOTRACE_STATE_WAITING) {
        waiting[t.resource.id].reason = find_reason(t.reason) + 1;
        waiting[t.resource.id].since = gotrace_event_time(ev);
    } else if (t.from == GOTRACE_STATE_WAITING && t.to != GOTRACE_STATE_WAITING && waiting[t.resource.id].reason) {
        struct reason *r = &reasons[waiting[t.resource.id].reason - 1];
        r->count++;
        r->ns += gotrace_event_time(ev) - waiting[t.resource.id].since;
        waiting[t.resource.id].reason = 0;
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: waits FILE\n", stderr);
        return 2;
    }
    struct gotrace_reader *r = gotrace_reader_open_path(argv[1]);
    const struct gotrace_event *ev;
    while (r && (ev = gotrace_reader_next(r)))
        follow(ev);
    const struct gotrace_error *err = r ? gotrace_reader_error(r) : NULL;
    if (err)
        fprintf(stderr, "waits: %s: %s\n", argv[1], err->message);
    for (int i = 0; i < nreasons; i++)
        printf("%-24s %10" PRIu64 " times %12" PRId64 " ns\n", reasons[i].name, reasons[i].count, reasons[i].ns);
    int status = r && !err ? 0 : 1;
    gotrace_reader_free(r);
    return status;
}
