#include "parser/analyze/cpu.h"

#include <stdlib.h>

struct cpu_cached {
    uint64_t serial; /* of a stack: what its frames point to is there as long as others have it */
    const char *function, *file;
    uint32_t text;
};

/* Samples of a thread that are no further apart, ns, are of one look of the kernel's, which ended several periods. */
enum { SAME_LOOK = 5000 };

void cpu_free(struct cpu *c)
{
    free(c->functions);
    free(c->cache);
    free(c->gaps);
}

static bool is_ready(struct cpu *c)
{
    if (c->functions)
        return true;
    c->functions = calloc(STAT_NTEXTS, sizeof *c->functions);
    c->cache = calloc(CPU_NCACHED, sizeof *c->cache);
    c->gaps = spread_new(SPREAD_FINE);
    c->failed = !c->functions || !c->cache || !c->gaps;
    return !c->failed;
}

static uint32_t text_of(struct cpu *c, struct stat_texts *texts, const struct gotrace_stack *stack,
                        const struct gotrace_frame *f)
{
    uint64_t h = ((uint64_t)(uintptr_t)f->function.data ^ (uint64_t)(uintptr_t)f->file.data << 7 ^ stack->serial) *
                 UINT64_C(0x9e3779b97f4a7c15);
    struct cpu_cached *e = &c->cache[h % CPU_NCACHED];
    if (e->serial == stack->serial && e->function == f->function.data && e->file == f->file.data && e->function)
        return e->text;
    uint32_t text = stat_text_frame(texts, f);
    *e = (struct cpu_cached){stack->serial, f->function.data, f->file.data, text};
    return text;
}

void cpu_skip(struct cpu *c, uint64_t gap)
{
    if (c->failed || !is_ready(c))
        return;
    if (gap > SAME_LOOK) {
        spread_add(c->gaps, SPREAD_FINE, gap);
        c->widest = gap > c->widest ? gap : c->widest;
    }
}

void cpu_sample(struct cpu *c, struct stat_texts *texts, struct gotrace_stack stack, uint64_t gap)
{
    struct gotrace_frame f;
    cpu_skip(c, gap);
    if (c->failed)
        return;
    c->samples++;
    size_t n = 0;
    for (; gotrace_stack_frame(stack, n, &f); n++) {
        struct cpu_function *function = &c->functions[text_of(c, texts, &stack, &f)];
        function->self += !n;
        function->total += function->met != c->samples;
        function->met = c->samples;
    }
    if (!n) {
        struct cpu_function *none = &c->functions[stat_literal(texts, "(no stack)")];
        none->self++;
        none->total++;
    }
}

uint64_t cpu_hz(const struct cpu *c, uint64_t usual)
{
    enum { QUARTER = 25, SECOND = 1000000000, SHORT = 6000000 };
    uint64_t gap = c->gaps ? spread_percentile(c->gaps, SPREAD_FINE, QUARTER, c->widest) : 0;
    if (!gap || gap >= SHORT) /* the kernel looks every few ms */
        return usual;
    uint64_t hz = (SECOND + gap / 2) / gap, step = 1;
    while (hz / step >= 100)
        step *= 10;
    return (hz + step / 2) / step * step;
}

uint64_t cpu_hz_said(const struct gotrace_event *sync)
{
    static const char mark[] = "thrace cpu-hz ";
    struct gotrace_str string;
    char text[32];
    for (size_t i = 0; gotrace_event_sync_string(sync, i, &string); i++) {
        if (string.len < sizeof mark || string.len >= sizeof text || memcmp(string.data, mark, sizeof mark - 1) != 0)
            continue;
        memcpy(text, string.data, string.len);
        text[string.len] = 0;
        return strtoull(text + sizeof mark - 1, NULL, 10);
    }
    return 0;
}
