/*
 * Stacks in lines, as flamegraph.pl, inferno, speedscope and others take them: frames from the outermost to the
 * innermost one with semicolons between, a blank, and a number: CPU samples, or ns.
 */
#include <inttypes.h>
#include <string.h>

#include "cmd/export/format.h"

/* A semicolon would end the frame, and a newline the line. */
static void put(const char *text, FILE *to)
{
    for (; *text; text++)
        putc(*text == ';' ? ':' : (unsigned char)*text < ' ' ? ' ' : *text, to);
}

static void put_row(const struct profile *p, const struct profile_row *row, enum profile_label by, FILE *to)
{
    const struct stored_stack *stack = &p->stacks->stacks.v[row->stack];
    if (by != PROFILE_LABELS) {
        const char *label = stat_text_of(&p->spans.texts, row->labels[by]);
        put(*label ? label : "(none)", to);
        putc(';', to);
    }
    for (size_t i = stack->n; i-- > 0;) {
        const struct stored_frame *f = &p->stacks->frames.v[stack_store_frame(p->stacks, stack, i)];
        put(stack_store_text_of(p->stacks, f->function), to);
        if (i)
            putc(';', to);
    }
    if (!stack->n)
        fputs("(no stack)", to);
    fprintf(to, " %" PRIu64 "\n", row->kind == PROFILE_CPU ? row->count : row->ns);
}

enum export_result export_folded(struct export_job *job)
{
    struct profile p;
    enum export_result result = export_profile(job, &p);
    size_t n = 0;
    if (result != EXPORT_DONE)
        return result;
    for (size_t i = 0; i < p.rows.n; i++)
        if (p.rows.v[i].kind == job->sample) {
            put_row(&p, &p.rows.v[i], job->by, job->to);
            n++;
        }
    result = n ? export_written(job->to) : export_nothing(job);
    profile_free(&p);
    return result;
}
