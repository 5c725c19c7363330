/*
 * A flame graph that any browser shows: the outermost frames at the top, as wide as what all below them took. A click
 * or Enter on a frame zooms in, / searches. The picture refers to nothing outside of it.
 */
#include "cmd/export/flame_svg.h"

#include <inttypes.h>

static const char script[] = {
#include "cmd/export/flame_js.h"
};

enum { WIDTH = 1200, MARGIN = 10, ROW = 18, TOP = 64, BOTTOM = 34 };
static const double inner = WIDTH - 2 * MARGIN, least = 0.1; /* px: what is narrower is left out */

/* Texts have no control characters. */
void flame_svg_text(const char *text, FILE *to)
{
    for (; *text; text++)
        switch (*text) {
        case '&': fputs("&amp;", to); break;
        case '<': fputs("&lt;", to); break;
        case '>': fputs("&gt;", to); break;
        case '"': fputs("&quot;", to); break;
        default: putc(*text, to);
        }
}

static void put_frame(const struct flame_node *f, double x, double w, const struct flame_look *look, FILE *to)
{
    fprintf(to,
            "<g class=\"frame\" tabindex=\"0\" role=\"button\" data-x=\"%.9f\" data-w=\"%.9f\" data-depth=\"%u\" "
            "data-name=\"",
            x, w, f->depth);
    flame_svg_text(f->name, to);
    fputs("\"><title>", to);
    flame_svg_text(f->name, to);
    fputs(": ", to);
    look->put_amount(look->arg, f, to);
    fprintf(to, "</title><rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" rx=\"2\" fill=\"", MARGIN + x * inner,
            TOP + f->depth * ROW, w * inner, ROW - 1);
    look->put_color(look->arg, f, to);
    fprintf(to, "\"/><text x=\"%.2f\" y=\"%u\"></text></g>\n", MARGIN + x * inner + 3, TOP + f->depth * ROW + ROW - 5);
}

/* Each node's place is where its parent begins, and what its siblings before it took. Returns what was left out. */
static uint64_t put_frames(const struct flame_tree *t, const struct flame_look *look, FILE *to)
{
    const struct flame_node *v = t->nodes.v;
    uint64_t all = v[0].total ? v[0].total : 1, at = 0, left = 0;
    uint32_t n = 0;
    for (;;) {
        double w = (double)v[n].total / (double)all;
        bool shown = w * inner >= least;
        left += !shown;
        if (shown)
            put_frame(&v[n], (double)at / (double)all, w, look, to);
        if (shown && v[n].child) {
            n = v[n].child;
            continue;
        }
        at += v[n].total;
        while (n && !v[n].next) {
            const struct flame_node *up = &v[v[n].parent];
            uint64_t children = 0;
            for (uint32_t c = up->child; c; c = v[c].next)
                children += v[c].total;
            at += up->total - children; /* what the parent took itself is behind them */
            n = v[n].parent;
        }
        if (!n)
            return left;
        n = v[n].next;
    }
}

static void put_head(const struct flame_look *look, const struct flame_tree *t, FILE *to)
{
    unsigned height = TOP + (t->depth + 1) * ROW + BOTTOM;
    if (!look->is_part)
        fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", to);
    fprintf(to,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" width=\"%d\" height=\"%u\" "
            "font-family=\"ui-monospace,monospace\" font-size=\"12\">\n"
            "<style>svg{background:#fff;color:#222}text{fill:currentColor;pointer-events:none}.frame{cursor:pointer}"
            ".frame text{fill:#111}.frame:hover rect,.frame:focus rect{stroke:currentColor;stroke-width:1}"
            ".frame:focus{outline:none}.match rect{fill:#c2f}.match text{fill:#fff}#reset,#search{cursor:pointer;"
            "pointer-events:auto;text-decoration:underline}"
            "@media(prefers-color-scheme:dark){svg{background:#181a1e;color:#ddd}}</style>\n"
            "<text x=\"%d\" y=\"24\" font-size=\"17\">%s: ",
            WIDTH, height, WIDTH, height, MARGIN, look->title);
    flame_svg_text(look->name, to);
    fprintf(to,
            "</text>\n<text id=\"reset\" x=\"%d\" y=\"46\" tabindex=\"0\" role=\"button\">Reset (Esc)</text>\n"
            "<text id=\"search\" x=\"%d\" y=\"46\" tabindex=\"0\" role=\"button\">Search (/)</text>\n"
            "<text id=\"found\" x=\"%d\" y=\"46\" role=\"status\"></text>\n"
            "<text id=\"details\" x=\"%d\" y=\"%u\" role=\"status\"></text>\n",
            MARGIN, MARGIN + 100, MARGIN + 200, MARGIN, height - 12);
}

uint64_t flame_svg_put(const struct flame_tree *t, const struct flame_look *look, FILE *to)
{
    put_head(look, t, to);
    uint64_t left = put_frames(t, look, to);
    fputs("<script><![CDATA[\n", to);
    fwrite(script, 1, sizeof script, to);
    fputs("]]></script>\n</svg>\n", to);
    return left;
}
