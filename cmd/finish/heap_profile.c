#include "config.h"

#include "cmd/finish/heap_profile.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/export/heap_pprof.h"
#include "cmd/finish/recording_frames.h"
#include "lib/meta.h"
#include "parser/analyze/place.h"
#include "lib/wire/events.h"

struct heap_profile {
    struct heap_site *sites; /* the largest holders first */
    size_t nsites;
    uint64_t interval, start_ns, duration_ns;
};

static int compare_stacks(const struct heap_site *a, const struct heap_site *b)
{
    for (size_t i = 0; i < a->nframes && i < b->nframes; i++)
        if (a->frames[i].pc != b->frames[i].pc)
            return a->frames[i].pc < b->frames[i].pc ? -1 : 1;
    return a->nframes < b->nframes ? -1 : a->nframes > b->nframes;
}

static int by_stack(const void *a, const void *b) { return compare_stacks(a, b); }

static int by_bytes_held(const void *a, const void *b)
{
    const struct heap_site *x = a, *y = b;
    if (x->live_bytes != y->live_bytes)
        return x->live_bytes < y->live_bytes ? 1 : -1;
    return x->bytes < y->bytes ? 1 : x->bytes > y->bytes ? -1 : 0;
}

/*
 * A block of n bytes is sampled with the probability p = 1 - exp(-n / interval), so it stands for 1 / p blocks of its
 * kind.
 */
static double stands_for(uint64_t bytes, uint64_t interval)
{
    return interval > 1 ? -1 / expm1(-(double)bytes / (double)interval) : 1;
}

static void add_block(struct heap_site *s, const struct rec_block *b, uint64_t interval)
{
    double n = stands_for(b->bytes ? b->bytes : 1, interval);
    s->objects = n;
    s->bytes = n * (double)b->bytes;
    s->live_objects = b->freed ? 0 : s->objects;
    s->live_bytes = b->freed ? 0 : s->bytes;
    s->live_samples = !b->freed;
}

static void merge(struct heap_profile *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->nsites; i++) {
        struct heap_site *s = &p->sites[i], *last = n ? &p->sites[n - 1] : NULL;
        if (!last || compare_stacks(last, s)) {
            p->sites[n++] = *s;
            continue;
        }
        last->objects += s->objects;
        last->bytes += s->bytes;
        last->live_objects += s->live_objects;
        last->live_bytes += s->live_bytes;
        last->live_samples += s->live_samples;
        free(s->frames);
    }
    p->nsites = n;
}

struct heap_profile *heap_profile_new(const struct recording *r, const struct spool_header *h)
{
    struct gotrace_builder_frame frames[STACK_MAX_FRAMES];
    struct heap_profile *p = calloc(1, sizeof *p);
    if (p && !(p->sites = calloc(r->nblocks + 1, sizeof *p->sites))) {
        free(p);
        return NULL;
    }
    for (size_t i = 0; p && i < r->nblocks; i++) {
        struct heap_site *s = &p->sites[p->nsites];
        const struct rec_block *b = &r->blocks[i];
        s->nframes = recording_frames(r, b->generation, b->stack_id, frames);
        if (!(s->frames = malloc((s->nframes + 1) * sizeof *s->frames))) {
            heap_profile_free(p);
            return NULL;
        }
        memcpy(s->frames, frames, s->nframes * sizeof *frames);
        add_block(s, b, h->heap.interval);
        p->nsites++;
    }
    if (!p)
        return NULL;
    p->interval = h->heap.interval;
    p->start_ns = h->start_realtime_ns;
    p->duration_ns = h->last.mono_ns - h->first.mono_ns;
    qsort(p->sites, p->nsites, sizeof *p->sites, by_stack);
    merge(p);
    qsort(p->sites, p->nsites, sizeof *p->sites, by_bytes_held);
    return p;
}

void heap_profile_free(struct heap_profile *p)
{
    for (size_t i = 0; p && i < p->nsites; i++)
        free(p->sites[i].frames);
    if (p)
        free(p->sites);
    free(p);
}

const char *heap_profile_make(const struct heap_profile *p, void **file, size_t *size)
{
    return heap_pprof_make(p->sites, p->nsites, p->interval, p->start_ns, p->duration_ns, file, size);
}

enum { FRAMES_REPORTED = 6 };

static void print_frame(const struct gotrace_builder_frame *f, FILE *to)
{
    const char *slash = strrchr(f->file, '/'), *name = slash ? slash + 1 : f->file;
    fprintf(to, " %s@%s", f->function, name);
    if (place_has_line(name, strlen(name), f->line))
        fprintf(to, ":%" PRIu64, (uint64_t)f->line);
}

static const char *plural(uint64_t n) { return n == 1 ? "" : "s"; }

/* Names the number of samples: few of them make a poor estimate. */
void heap_profile_report(const struct heap_profile *p, FILE *to, size_t n)
{
    for (size_t i = 0; i < p->nsites && i < n && p->sites[i].live_bytes > 0; i++) {
        const struct heap_site *s = &p->sites[i];
        uint64_t blocks = (uint64_t)(s->live_objects + 0.5);
        fprintf(to, "thrace: still in use: about %.0f bytes in %" PRIu64 " block%s (%" PRIu64 " sample%s):",
                s->live_bytes, blocks, plural(blocks), s->live_samples, plural(s->live_samples));
        for (size_t j = 0; j < s->nframes && j < FRAMES_REPORTED; j++) {
            fputs(j ? " <" : "", to);
            print_frame(&s->frames[j], to);
        }
        fputs(s->nframes > FRAMES_REPORTED ? " < …\n" : "\n", to);
    }
}
