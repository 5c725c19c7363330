#include "cmd/diff_html.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/complain.h"
#include "cmd/export/flame_svg.h"
#include "cmd/input.h"
#include "cmd/table.h"

/* Numbers of trees are whole, and so that much finer than ns and samples. */
enum { FINE_NS = 1000, FINE_SAMPLES = 1000000 };

struct look {
    bool samples;
    const char *per;
};

static void put_number(const struct look *l, uint64_t n, FILE *to)
{
    char time[TABLE_TIME_SIZE];
    if (l->samples)
        fprintf(to, "%.3g samples", (double)n / FINE_SAMPLES);
    else
        fputs(table_format_time(time, n / FINE_NS), to);
}

static void put_amount(const void *arg, const struct flame_node *f, FILE *to)
{
    const struct look *l = arg;
    uint64_t now = f->total - f->before;
    put_number(l, f->before, to);
    fputs(" → ", to);
    put_number(l, now, to);
    fputs(" per ", to);
    flame_svg_text(l->per, to);
    if (f->before)
        fprintf(to, ", %+.1f %%", 100 * ((double)now / (double)f->before - 1));
    else
        fputs(", new", to);
}

/* From blue by white to red, which people tell apart who do not tell red from green. Full at twice or half. */
static void put_color(const void *arg, const struct flame_node *f, FILE *to)
{
    static const double less[] = {33, 102, 172}, more[] = {178, 24, 43}, same[] = {247, 247, 247};
    double before = (double)f->before, now = (double)(f->total - f->before);
    double x = before > 0 && now > 0 ? log2(now / before) : now > before ? 1 : before > now ? -1 : 0;
    (void)arg;
    x = x > 1 ? 1 : x < -1 ? -1 : x;
    const double *end = x > 0 ? more : less;
    int rgb[3];
    for (int i = 0; i < 3; i++)
        rgb[i] = (int)(same[i] + (end[i] - same[i]) * fabs(x) * .8 + .5);
    fprintf(to, "rgb(%d,%d,%d)", rgb[0], rgb[1], rgb[2]);
}

static void put_head(const char *const names[2], const char *per, FILE *to)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", to);
    flame_svg_text(names[0], to);
    fputs(" → ", to);
    flame_svg_text(names[1], to);
    fputs("</title>\n<style>body{font-family:sans-serif;background:#fff;color:#222;max-width:1220px}svg{max-width:100%;"
          "height:auto}.key span{padding:2px 10px;color:#111}@media(prefers-color-scheme:dark){body{background:#181a1e;"
          "color:#ddd}}</style></head><body>\n<p class=\"key\">A: ",
          to);
    flame_svg_text(names[0], to);
    fputs(". B: ", to);
    flame_svg_text(names[1], to);
    fputs(". Per ", to);
    flame_svg_text(per, to);
    fputs(". As wide as A and B together. <span style=\"background:#4d85bd\">half or less in B</span>"
          "<span style=\"background:#f7f7f7\">the same</span><span style=\"background:#c04654\">twice or more, or new"
          "</span></p>\n",
          to);
}

static bool put_graph(const struct diff_profile *profiles, size_t n, enum profile_kind kind, const double units[2],
                      const char *const names[2], const char *per, FILE *to)
{
    static const char *const titles[PROFILE_KINDS] = {"CPU samples", "Waits", "System calls", "Runnable, not running"};
    struct look own = {kind == PROFILE_CPU, per};
    struct flame_look look = {titles[kind], names[1], true, &own, put_amount, put_color};
    struct flame_tree t;
    bool ok = flame_tree_begin(&t);
    for (size_t i = 0; ok && i < n; i++) {
        double fine = kind == PROFILE_CPU ? FINE_SAMPLES : FINE_NS;
        ok = flame_tree_add(&t, &profiles[i].profile, kind, PROFILE_THREAD, fine / units[!profiles[i].before],
                            profiles[i].before);
    }
    if (ok && t.nodes.n > 1) {
        flame_tree_end(&t, profiles[0].profile.stacks);
        flame_svg_put(&t, &look, to);
    }
    flame_tree_free(&t);
    return ok;
}

bool diff_html_put(const struct diff_profile *profiles, size_t n, const double units[2], const char *per,
                   const char *const names[2], FILE *to)
{
    bool ok = true;
    per = per ? per : "second";
    put_head(names, per, to);
    for (int k = 0; ok && k < PROFILE_KINDS; k++)
        ok = put_graph(profiles, n, (enum profile_kind)k, units, names, per, to);
    fputs("</body></html>\n", to);
    return ok;
}

bool diff_html_has_place(const char *path, char *const *traces, size_t n)
{
    const char *wrong = NULL;
    if (path && !strcmp(path, "-"))
        wrong = "the report goes to standard output; name a file for the page";
    for (size_t i = 0; path && !wrong && i < n; i++)
        if (is_same_file(traces[i], path))
            wrong = "is one of the traces, too";
    if (wrong)
        complain("diff", "--html %s: %s", path, wrong);
    return !wrong;
}
