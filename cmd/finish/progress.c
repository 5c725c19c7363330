#include "config.h"

#include "cmd/finish/progress.h"

#include <unistd.h>

enum { WIDTH = 30 };

#define PATIENCE_NS UINT64_C(1000000000)

void progress_start(struct progress *p, FILE *to, const char *what, uint64_t now_ns)
{
    *p = (struct progress){.to = to && isatty(fileno(to)) ? to : NULL, .what = what, .start_ns = now_ns};
}

void progress_update(struct progress *p, uint64_t now_ns, size_t done, size_t total)
{
    if (!p->to || now_ns - p->start_ns < PATIENCE_NS)
        return;
    unsigned percent = total ? (unsigned)((done < total ? done : total) * 100.0 / total) : 100;
    if (p->shown && percent == p->percent)
        return;
    p->shown = true;
    p->percent = percent;
    char bar[WIDTH + 1] = {0};
    for (unsigned i = 0; i < WIDTH; i++)
        bar[i] = i * 100 < percent * WIDTH ? '#' : '.';
    fprintf(p->to, "\r%s [%s] %u %%\033[K", p->what, bar, percent);
    fflush(p->to);
}

void progress_end(struct progress *p)
{
    if (p->shown) {
        fputs("\r\033[K", p->to);
        fflush(p->to);
    }
    p->shown = false;
}
