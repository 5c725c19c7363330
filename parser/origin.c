#include "parser/origin.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char clock_format[] = "thrace clock at %" SCNd64 " mono %" SCNu64 " wall %" SCNd64 " boot %36s";
enum { BILLION = 1000000000 };

static void take_clock(struct origin *o, const char *text)
{
    struct origin said = {.has_clock = true};
    if (sscanf(text, clock_format, &said.trace, &said.mono, &said.wall, said.boot) != 4)
        return;
    o->has_clock = true;
    o->trace = said.trace;
    o->mono = said.mono;
    o->wall = said.wall;
    *o->boot = 0;
    if (strcmp(said.boot, "-") != 0)
        memcpy(o->boot, said.boot, sizeof o->boot);
}

void origin_set_name(struct origin *o, const char *name)
{
    size_t n = 0;
    for (; *name && n < ORIGIN_NAME; name++)
        o->name[n++] = (unsigned char)*name <= ' ' || *name == 0x7f || *name == '/' ? '_' : *name;
    o->name[n] = 0;
}

static bool begins(struct gotrace_str s, const char *with)
{
    return s.len >= strlen(with) && !memcmp(s.data, with, strlen(with));
}

static void take(struct origin *o, struct gotrace_str string)
{
    char text[ORIGIN_NOTE];
    int at = 0;
    o->has_sums |= begins(string, "thrace heap.") || begins(string, "thrace lock") ||
                   begins(string, "thrace moves ");
    if (string.len >= sizeof text || !begins(string, "thrace "))
        return;
    memcpy(text, string.data, string.len);
    text[string.len] = 0;
    take_clock(o, text);
    if (sscanf(text, "thrace process %" SCNu64 " %n", &o->pid, &at) == 1 && at)
        origin_set_name(o, text + at);
    sscanf(text, "thrace cpu-hz %" SCNu64, &o->cpu_hz);
}

void origin_learn(struct origin *o, const struct gotrace_event *event)
{
    struct gotrace_sync sync;
    struct gotrace_str string;
    gotrace_event_sync(event, &sync);
    for (size_t i = 0; gotrace_event_sync_string(event, i, &string); i++)
        take(o, string);
    if (o->has_clock || !sync.has_clock)
        return;
    o->has_clock = !__builtin_mul_overflow(sync.clock.sec, BILLION, &o->wall) &&
                   !__builtin_add_overflow(o->wall, sync.clock.nsec, &o->wall);
    o->trace = sync.clock.trace;
    o->mono = sync.clock.mono;
}

size_t origin_clock_note(const struct origin *o, char note[ORIGIN_NOTE])
{
    return (size_t)snprintf(note, ORIGIN_NOTE, "thrace clock at %" PRId64 " mono %" PRIu64 " wall %" PRId64 " boot %s",
                            o->trace, o->mono, o->wall, *o->boot ? o->boot : "-");
}

size_t origin_process_note(const struct origin *o, char note[ORIGIN_NOTE])
{
    return (size_t)snprintf(note, ORIGIN_NOTE, "thrace process %" PRIu64 " %s", o->pid, o->name);
}

size_t origin_rate_note(const struct origin *o, char note[ORIGIN_NOTE])
{
    return (size_t)snprintf(note, ORIGIN_NOTE, "thrace cpu-hz %" PRIu64, o->cpu_hz);
}
