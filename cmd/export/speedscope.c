/* A file for speedscope: one sampled profile for each kind that the trace has, with the thread as the outermost frame.
 */
#include <string.h>

#include "cmd/export/format.h"
#include "cmd/export/json.h"

enum { LINES = 3 };

static void put_frames(const struct profile *p, struct json *j)
{
    json_key(j, "shared");
    json_open(j, '{');
    json_key(j, "frames");
    json_open(j, '[');
    for (size_t i = 0; i < p->stacks->frames.n; i++) {
        const struct stored_frame *f = &p->stacks->frames.v[i];
        const char *file = stack_store_text_of(p->stacks, f->file);
        json_open(j, '{');
        json_key(j, "name");
        json_text(j, stack_store_text_of(p->stacks, f->function));
        if (*file) {
            json_key(j, "file");
            json_text(j, file);
        }
        if (f->line) {
            json_key(j, "line");
            json_number(j, f->line);
        }
        json_close(j, '}');
    }
    /* Labels are frames behind those of the trace, by their texts' numbers. */
    for (size_t i = 0; i < p->spans.texts.list.n; i++) {
        const char *label = p->spans.texts.list.v[i];
        json_open(j, '{');
        json_key(j, "name");
        json_text(j, *label ? label : "(none)");
        json_close(j, '}');
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void put_stack(const struct profile *p, const struct profile_row *row, enum profile_label by, struct json *j)
{
    const struct stored_stack *stack = &p->stacks->stacks.v[row->stack];
    json_open(j, '[');
    if (by != PROFILE_LABELS)
        json_number(j, p->stacks->frames.n + row->labels[by]);
    for (size_t i = stack->n; i-- > 0;)
        json_number(j, stack_store_frame(p->stacks, stack, i));
    json_close(j, ']');
}

static void put_profile(const struct profile *p, enum profile_kind kind, enum profile_label by, struct json *j)
{
    uint64_t total = 0;
    for (size_t i = 0; i < p->rows.n; i++)
        total += p->rows.v[i].kind == kind ? p->rows.v[i].ns : 0;
    json_open(j, '{');
    json_key(j, "type");
    json_text(j, "sampled");
    json_key(j, "name");
    json_text(j, profile_kind_names[kind]);
    json_key(j, "unit");
    json_text(j, "nanoseconds");
    json_key(j, "startValue");
    json_number(j, 0);
    json_key(j, "endValue");
    json_number(j, total);
    json_key(j, "samples");
    json_open(j, '[');
    for (size_t i = 0; i < p->rows.n; i++)
        if (p->rows.v[i].kind == kind)
            put_stack(p, &p->rows.v[i], by, j);
    json_close(j, ']');
    json_key(j, "weights");
    json_open(j, '[');
    for (size_t i = 0; i < p->rows.n; i++)
        if (p->rows.v[i].kind == kind)
            json_number(j, p->rows.v[i].ns);
    json_close(j, ']');
    json_close(j, '}');
}

enum export_result export_speedscope(struct export_job *job)
{
    struct profile p;
    struct json j;
    enum export_result result = export_profile(job, &p);
    bool has[PROFILE_KINDS] = {false};
    if (result != EXPORT_DONE)
        return result;
    for (size_t i = 0; i < p.rows.n; i++)
        has[p.rows.v[i].kind] = true;
    json_init(&j, job->to, LINES);
    json_open(&j, '{');
    json_key(&j, "$schema");
    json_text(&j, "https://www.speedscope.app/file-format-schema.json");
    json_key(&j, "exporter");
    json_text(&j, "thrace");
    json_key(&j, "name");
    json_text(&j, job->in);
    put_frames(&p, &j);
    json_key(&j, "profiles");
    json_open(&j, '[');
    for (enum profile_kind kind = 0; kind < PROFILE_KINDS; kind++)
        if (has[kind])
            put_profile(&p, kind, job->by, &j);
    json_close(&j, ']');
    json_close(&j, '}');
    putc('\n', job->to);
    result = p.rows.n ? export_written(job->to) : export_nothing(job);
    profile_free(&p);
    return result;
}
