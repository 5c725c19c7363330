#include "cmd/stat_cpu.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 3, SECOND = 1000000000 };

static uint64_t hz(const struct stat *s)
{
    return s->hz ? s->hz : cpu_hz(&s->cpu, s->is_gos ? CPU_HZ_GO : CPU_HZ_THRACE);
}

uint64_t stat_cpu_time(const struct stat *s, uint64_t samples)
{
    uint64_t rate = hz(s);
    return samples / rate * SECOND + samples % rate * SECOND / rate;
}

void stat_cpu_line(const struct stat *s, struct report *r)
{
    char cpu[TABLE_TIME_SIZE], running[TABLE_TIME_SIZE];
    int64_t begin = s->spans.begin, end = s->spans.end;
    uint64_t ns = stat_cpu_time(s, s->cpu.samples), ran = stat_threads_time(&s->threads, GOTRACE_STATE_RUNNING);
    uint64_t wall = spans_part(&s->spans, &begin, &end) ? (uint64_t)end - (uint64_t)begin : 0;
    if (r->format == REPORT_JSON) {
        json_key(&r->json, "samples");
        json_number(&r->json, s->cpu.samples);
        json_key(&r->json, "samples_hz");
        json_number(&r->json, hz(s));
        json_key(&r->json, "processors");
        if (s->procs)
            json_number(&r->json, s->procs);
        else
            json_null(&r->json);
    }
    if (!s->cpu.samples)
        return;
    report_note(r, "CPU %s", table_format_time(cpu, ns));
    /* What runs passes no filter for functions, though its samples may; system calls and spinning have some, too. */
    if (ran)
        report_note(r, ns <= ran ? " of %s running" : ", %s running", table_format_time(running, ran));
    report_note(r, " (%" PRIu64 " sample%s at %" PRIu64 " Hz)", s->cpu.samples, s->cpu.samples == 1 ? "" : "s", hz(s));
    if (s->procs && wall)
        report_note(r, "; %" PRIu64 " processor%s %.0f %% used", s->procs, s->procs == 1 ? "" : "s",
                    100.0 * (double)ns / (double)wall / (double)s->procs);
    report_note(r, "\n");
}

struct function {
    struct cpu_function is;
    uint32_t text;
};

static int by_self(const void *a, const void *b)
{
    const struct function *x = a, *y = b;
    if (x->is.self != y->is.self)
        return x->is.self < y->is.self ? 1 : -1;
    if (x->is.total != y->is.total)
        return x->is.total < y->is.total ? 1 : -1;
    return (x->text > y->text) - (x->text < y->text);
}

static void add_row(const struct stat *s, const struct cpu_function *f, const char *name, struct table *t)
{
    table_time(t, stat_cpu_time(s, f->self));
    table_share(t, f->self, s->cpu.samples);
    table_time(t, stat_cpu_time(s, f->total));
    table_share(t, f->total, s->cpu.samples);
    table_count(t, f->self);
    table_count(t, f->total);
    table_text(t, name);
}

bool stat_cpu(const struct stat *s, struct report *r)
{
    static const struct table_column columns[] = {
        {"self_ns", "self"}, {"self_share", "share"}, {"total_ns", "total"}, {"total_share", "share"},
        {"self_samples", NULL}, {"total_samples", NULL}, {"function", "<function"}, {NULL, NULL}};
    struct function *v = calloc(STAT_NTEXTS, sizeof *v);
    struct table t;
    size_t n = 0, most = report_rows(r, FEW), i = 0;
    table_init(&t, "cpu", columns);
    for (uint32_t text = 0; v && s->cpu.functions && text < STAT_NTEXTS; text++)
        if (s->cpu.functions[text].total)
            v[n++] = (struct function){s->cpu.functions[text], text};
    if (n)
        qsort(v, n, sizeof *v, by_self);
    for (; i < n && i < most; i++)
        add_row(s, &v[i].is, stat_text_of(&s->spans.texts, v[i].text), &t);
    struct cpu_function rest = {0};
    for (; i < n; i++)
        rest.self += v[i].is.self;
    if (rest.self) {
        table_time(&t, stat_cpu_time(s, rest.self));
        table_share(&t, rest.self, s->cpu.samples);
        table_none(&t, "-");
        table_none(&t, "-");
        table_count(&t, rest.self);
        table_none(&t, "-");
        table_text(&t, "others");
    }
    t.failed |= !v;
    free(v);
    return report_table(r, &t, "CPU time by function");
}
