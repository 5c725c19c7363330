/* A flame graph as a file of its own. */
#include <inttypes.h>

#include "cmd/export/flame_svg.h"
#include "cmd/export/format.h"

/* The same name has the same colour: warm ones for the CPU, cold ones for time off it. */
static void put_hue(const char *name, enum profile_kind kind, FILE *to)
{
    uint32_t h = 2166136261;
    for (const char *p = name; *p; p++)
        h = (h ^ (uint8_t)*p) * 16777619;
    unsigned hue = kind == PROFILE_CPU ? 10 + h % 45 : 185 + h % 60;
    fprintf(to, "hsl(%u,%u%%,%u%%)", hue, 62 + h / 64 % 20, 66 + h / 4096 % 12);
}

static void put_number(uint64_t n, enum profile_kind kind, FILE *to)
{
    static const struct {
        uint64_t ns;
        const char *unit;
    } units[] = {{1000000000, "s"}, {1000000, "ms"}, {1000, "µs"}};
    if (kind == PROFILE_CPU) {
        fprintf(to, "%" PRIu64 " sample%s", n, n == 1 ? "" : "s");
        return;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (n >= units[i].ns) {
            fprintf(to, "%.3g %s", (double)n / (double)units[i].ns, units[i].unit);
            return;
        }
    fprintf(to, "%" PRIu64 " ns", n);
}

struct look {
    enum profile_kind kind;
    uint64_t all;
};

static void put_amount(const void *arg, const struct flame_node *f, FILE *to)
{
    const struct look *l = arg;
    put_number(f->total, l->kind, to);
    fprintf(to, ", %.2f %%", 100.0 * (double)f->total / (double)l->all);
}

static void put_color(const void *arg, const struct flame_node *f, FILE *to)
{
    const struct look *l = arg;
    put_hue(f->name, l->kind, to);
}

static void put_graph(struct export_job *job, const struct flame_tree *t)
{
    static const char *const titles[PROFILE_KINDS] = {
        [PROFILE_CPU] = "CPU time",
        [PROFILE_WAIT] = "Waits",
        [PROFILE_SYSCALL] = "System calls",
        [PROFILE_RUNNABLE] = "Runnable, not running",
    };
    uint64_t all = t->nodes.v[0].total;
    struct look own = {job->sample, all ? all : 1};
    struct flame_look look = {titles[job->sample], job->in, false, &own, put_amount, put_color};
    uint64_t left = flame_svg_put(t, &look, job->to);
    if (left)
        snprintf(job->text, sizeof job->text, "%" PRIu64 " frames that would be narrower than 0.1 px are left out",
                 left);
}

enum export_result export_svg(struct export_job *job)
{
    struct profile p;
    struct flame_tree t;
    enum export_result result = export_profile(job, &p);
    if (result != EXPORT_DONE)
        return result;
    if (!flame_tree_make(&t, &p, job->sample, job->by)) {
        job->why = "out of memory";
        result = EXPORT_UNREAD;
    } else if (t.nodes.n == 1) {
        result = export_nothing(job);
    } else {
        put_graph(job, &t);
        result = export_written(job->to);
    }
    flame_tree_free(&t);
    profile_free(&p);
    return result;
}
