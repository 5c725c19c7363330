#include "cmd/stat_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int stat_by_total(const void *a, const void *b)
{
    const struct stat_group *x = a, *y = b;
    if (x->total != y->total)
        return (x->total < y->total) - (x->total > y->total);
    if (x->count != y->count)
        return (x->count < y->count) - (x->count > y->count);
    return (x->number > y->number) - (x->number < y->number);
}

bool stat_rank(struct ranking *r, const struct stat_groups *gs, uint64_t mask, uint64_t value, size_t rows)
{
    *r = (struct ranking){.rest = mask ? (struct stat_group){0} : gs->others};
    if (gs->list.n && !(r->groups = malloc(gs->list.n * sizeof *r->groups)))
        return false;
    for (size_t i = 0; i < gs->list.n; i++)
        if ((gs->list.v[i].key & mask) == value)
            r->groups[r->n++] = gs->list.v[i];
    if (r->n)
        qsort(r->groups, r->n, sizeof *r->groups, stat_by_total);
    r->shown = r->n < rows ? r->n : rows;
    for (size_t i = r->shown; i < r->n; i++) {
        r->rest.count += r->groups[i].count;
        r->rest.total += r->groups[i].total;
        if (r->groups[i].max > r->rest.max)
            r->rest.max = r->groups[i].max;
    }
    return true;
}

const char *stat_state_name(uint64_t state)
{
    static const char *const names[] = {[GOTRACE_STATE_RUNNABLE] = "runnable",
                                        [GOTRACE_STATE_RUNNING] = "running",
                                        [GOTRACE_STATE_WAITING] = "waiting",
                                        [GOTRACE_STATE_SYSCALL] = "system call"};
    return names[state];
}

void stat_indent(FILE *out, const char *stack, const char *by)
{
    for (; *stack; stack++) {
        putc(*stack, out);
        if (*stack == '\n')
            fputs(by, out);
    }
}

void stat_place(struct table *t, const char *stack)
{
    size_t len = strcspn(stack, "\n");
    if (wait_object_named((struct gotrace_str){stack, len}) == WAIT_NO_OBJECT) {
        table_none(t, "");
        table_stack(t, stack);
        return;
    }
    table_cell(t, "%.*s", (int)len, stack);
    table_stack(t, stack + len + (stack[len] == '\n'));
}

enum { SCHEMA = 1 };

static void text_only(const struct span_options *only, uint64_t ncounted, FILE *out)
{
    fputs("Only what passes ", out);
    span_options_print(only, out);
    fputs(ncounted ? "\n" : ": nothing does\n", out);
}

void stat_headline(const struct spans *s, int version, const struct stat_input *in, uint64_t ncounted, struct report *r)
{
    stat_headline_of("thrace-stat", s, version, in, ncounted, r);
}

void stat_headline_of(const char *schema, const struct spans *s, int version, const struct stat_input *in,
                      uint64_t ncounted, struct report *r)
{
    char time[TABLE_TIME_SIZE];
    uint64_t ns = (uint64_t)s->end - (uint64_t)s->begin;
    report_note(r, "%s: go 1.%d, %s, %" PRIu64 " thread%s, %" PRIu64 " events\n", in->path, version,
                table_format_time(time, ns), s->nthreads, s->nthreads == 1 ? "" : "s", s->nevents);
    if (in->only && !report_is_data(r))
        text_only(in->only, ncounted, r->out);
    report_begin(r, schema, SCHEMA);
    if (r->format != REPORT_JSON)
        return;
    struct json *j = &r->json;
    snprintf(time, sizeof time, "1.%d", version);
    json_key(j, "trace");
    json_open(j, '{');
    json_key(j, "file");
    json_text(j, in->path);
    json_key(j, "complete");
    json_bool(j, in->complete);
    json_key(j, "go");
    json_text(j, time);
    json_key(j, "duration_ns");
    json_number(j, ns);
    json_key(j, "threads");
    json_number(j, s->nthreads);
    json_key(j, "events");
    json_number(j, s->nevents);
    json_key(j, "names_objects");
    json_bool(j, s->has_objects);
    json_close(j, '}');
    if (!in->only)
        return;
    json_key(j, "filter");
    span_options_json(in->only, ncounted, j);
}
