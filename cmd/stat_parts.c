#include "cmd/stat_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/ioctl.h>

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

bool stat_print_section(const char *title, struct table *t, FILE *out)
{
    bool ok = !t->failed;
    if (ok && t->ncells) {
        fprintf(out, "\n%s\n", title);
        table_print(t, out);
    }
    table_free(t);
    return ok;
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

size_t stat_width(FILE *out)
{
    enum { WIDTH = 120, LEAST = 40 };
    struct winsize size;
    if (fileno(out) < 0 || ioctl(fileno(out), TIOCGWINSZ, &size) || size.ws_col < LEAST)
        return WIDTH;
    return size.ws_col;
}

void stat_headline(const struct spans *s, int version, const char *path, FILE *out)
{
    char time[TABLE_TIME_SIZE];
    fprintf(out, "%s: go 1.%d, %s, %" PRIu64 " thread%s, %" PRIu64 " events\n", path, version,
            table_format_time(time, (uint64_t)s->end - (uint64_t)s->begin), s->nthreads, s->nthreads == 1 ? "" : "s",
            s->nevents);
}
