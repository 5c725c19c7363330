#include "config.h"

#include "cmd/finish/finish_summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/finish/trace_time.h"

void finish_summary_begin(struct finish_summary *sum, const struct spool_header *h)
{
    sum->threads = h->nthreads;
    sum->samples = h->samples;
    sum->unseen = h->unseen;
    if (h->state != SPOOL_RECORDING)
        sum->unseen.execs = SPOOL_NO_EXEC;
    if (h->state != SPOOL_COMPLETE)
        sum->samples.cpu_ns = 0; /* a second old */
    sum->lost = h->lost_events + h->lost_stacks;
    sum->lost_stacks = h->lost_stacks;
    sum->lost_most = h->lost_most;
    sum->lost_most_g = h->lost_most_g;
    memcpy(sum->losses, h->lost, sizeof sum->losses);
}

static int by_ticks(const void *a, const void *b)
{
    const struct rec_calls *x = a, *y = b;
    return x->ticks < y->ticks ? 1 : x->ticks > y->ticks ? -1 : 0;
}

static const char *function_of(const struct recording *r, uint64_t pc)
{
    for (size_t i = 0; i < r->nhooks; i++)
        if (r->hooks[i].pc == pc)
            return r->hooks[i].name;
    return "others";
}

void finish_summary_short_calls(struct finish_summary *sum, struct recording *r)
{
    double ms = 1000.0 / (double)r->time.hz;
    size_t n = 0;
    if (r->ncalls)
        qsort(r->calls, r->ncalls, sizeof *r->calls, by_ticks);
    for (size_t i = 0; i < r->ncalls && n < sizeof sum->short_calls - 128; i++)
        n += (size_t)snprintf(sum->short_calls + n, sizeof sum->short_calls - n, "%s%" PRIu64 " %s (%.3f ms)",
                              i ? ", " : "", r->calls[i].calls, function_of(r, r->calls[i].pc),
                              (double)trace_time_of(&r->time, r->calls[i].ticks) * ms);
}

void finish_summary_heap(struct finish_summary *sum, const struct spool_header *h, bool went_on)
{
    const char *when = h->state != SPOOL_RECORDING ? "" : " when last looked";
    if (went_on)
        return;
    if (h->heap.state == SPOOL_HEAP_COUNTED && (!*when || h->heap.peak)) {
        int n = snprintf(sum->heap, sizeof sum->heap, ", heap %" PRId64 " bytes%s, at most %" PRId64, h->heap.live,
                         when, h->heap.peak);
        if (h->heap.mapped > 0)
            snprintf(sum->heap + n, sizeof sum->heap - (size_t)n, ", %" PRId64 " mapped", h->heap.mapped);
    }
    else if (h->heap.state == SPOOL_HEAP_FOREIGN)
        snprintf(sum->heap, sizeof sum->heap, ", heap not counted");
}
