#include "config.h"

#include "cmd/finish/samples.h"

#include <stdlib.h>
#include <string.h>

#include "lib/meta.h"
#include "lib/stacktab.h"
#include "lib/wire/events.h"
#include "parser/vec.h"

/* --- generations -------------------------------------------------------------------------------------------------- */

/* The batches are in order of generation, then of time. */
bool samples_begin(struct samples *s, const struct spool_file *f)
{
    s->generations = calloc(f->events.n + 1, sizeof *s->generations);
    if (!s->generations)
        return false;
    s->repeats = f->header->samples.repeats;
    for (size_t i = 0; i < f->events.n; i++) {
        const struct spool_batch *b = &f->events.v[i];
        if (s->ngenerations && s->generations[s->ngenerations - 1].generation == b->generation)
            continue;
        s->generations[s->ngenerations].generation = b->generation;
        s->generations[s->ngenerations++].time = b->time;
    }
    return true;
}

/* The last one that had begun. */
static uint64_t generation_at(const struct samples *s, uint64_t time)
{
    size_t low = 0, high = s->ngenerations;
    while (high - low > 1) {
        size_t mid = (low + high) / 2;
        if (s->generations[mid].time <= time)
            low = mid;
        else
            high = mid;
    }
    return s->ngenerations ? s->generations[low].generation : 0;
}

/* --- stacks ------------------------------------------------------------------------------------------------------- */

static size_t slot_of(const struct samples *s, uint64_t generation, size_t epoch, const uintptr_t *pcs, int n)
{
    uint64_t h = (stack_hash(pcs, n) ^ generation ^ (uint64_t)epoch << 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(h >> 20) & (s->table_size - 1);
}

static bool is_same(const struct stack_table *t, const struct rec_stack *a, uint64_t generation, size_t epoch,
                    const uintptr_t *pcs, int n)
{
    if (a->generation != generation || a->epoch != epoch || a->n != (size_t)n)
        return false;
    for (int i = 0; i < n; i++)
        if (t->pcs[a->first + (size_t)i].pc != pcs[i])
            return false;
    return true;
}

static bool grow_table(struct samples *s, const struct stack_table *t)
{
    uint32_t *old = s->table;
    size_t old_size = s->table_size;
    if (2 * s->nstacks < old_size)
        return true;
    s->table_size = old_size ? 2 * old_size : 1024;
    if (!(s->table = calloc(s->table_size, sizeof *s->table))) {
        s->table = old;
        s->table_size = old_size;
        return false;
    }
    for (size_t i = 0; i < old_size; i++) {
        uintptr_t pcs[STACK_MAX_FRAMES];
        if (!old[i])
            continue;
        const struct rec_stack *a = &t->v[old[i] - 1];
        for (size_t k = 0; k < a->n; k++)
            pcs[k] = (uintptr_t)t->pcs[a->first + k].pc;
        size_t at = slot_of(s, a->generation, a->epoch, pcs, (int)a->n);
        while (s->table[at])
            at = (at + 1) & (s->table_size - 1);
        s->table[at] = old[i];
    }
    free(old);
    return true;
}

/* The id of the stack, which is made when the generation does not have it yet. 0: no stack. False: no memory. */
static bool intern(struct samples *s, struct stack_table *t, uint64_t generation, size_t epoch, const uintptr_t *pcs,
                   int n, uint64_t *id)
{
    *id = 0;
    if (!n)
        return true;
    if (!grow_table(s, t))
        return false;
    size_t at = slot_of(s, generation, epoch, pcs, n);
    for (; s->table[at]; at = (at + 1) & (s->table_size - 1)) {
        const struct rec_stack *a = &t->v[s->table[at] - 1];
        if (is_same(t, a, generation, epoch, pcs, n)) {
            *id = a->id;
            return true;
        }
    }
    struct rec_stack *a = stack_table_add(t, generation, SAMPLE_STACK_BASE + s->nstacks, epoch, pcs, (size_t)n);
    if (!a)
        return false;
    s->nstacks++;
    s->table[at] = (uint32_t)t->n;
    *id = a->id;
    return true;
}

/* --- samples ------------------------------------------------------------------------------------------------------ */

static bool add(struct samples *s, const struct sample *one)
{
    if (!VEC_ROOM(s))
        return false;
    s->v[s->n++] = *one;
    return true;
}

/* A damaged record must not make a trace of any size. */
static uint64_t weight(struct samples *s, uint64_t wanted)
{
    if (!wanted || wanted > SAMPLE_WEIGHT_MAX || wanted - 1 > s->repeats)
        return 1;
    s->repeats -= wanted - 1;
    return wanted;
}

bool samples_read(struct samples *s, struct stack_table *stacks, const struct rec_modules *modules, const uint8_t *p,
                  const uint8_t *end)
{
    uint64_t head[6] = {0}, pc = 0;
    uintptr_t pcs[STACK_MAX_FRAMES];
    int n = 0;
    for (int i = 0; i < 6 && p; i++)
        p = varint_get(p, end, &head[i]);
    for (; p && n < STACK_MAX_FRAMES && (uint64_t)n < head[5]; n++) {
        uint64_t v = 0;
        p = varint_get(p, end, &v);
        pc = n ? pc + (uint64_t)zigzag_decode(v) : v;
        pcs[n] = (uintptr_t)pc;
    }
    struct sample one = {.generation = generation_at(s, head[0]), .time = head[0], .m = head[1]};
    one.p = head[2] ? head[2] - 1 : GOTRACE_NONE;
    one.g = head[3];
    one.weight = weight(s, head[4]);
    size_t epoch = rec_modules_epoch(modules, one.time);
    return intern(s, stacks, one.generation, epoch, pcs, n, &one.stack_id) && add(s, &one);
}

static int by_time(const void *a, const void *b)
{
    const struct sample *x = a, *y = b;
    if (x->generation != y->generation)
        return x->generation < y->generation ? -1 : 1;
    return x->time < y->time ? -1 : x->time > y->time;
}

struct spent {
    uint64_t m, weight;
    bool used;
};

static struct spent *spent_by(struct spent *table, size_t size, uint64_t m)
{
    size_t at = (size_t)(m * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (size - 1);
    while (table[at].used && table[at].m != m)
        at = (at + 1) & (size - 1);
    table[at].used = true;
    table[at].m = m;
    return &table[at];
}

/* Repeats that a trace may have whatever times its header has, and for each record. */
enum { REPEATS_ANYWAY = 4 << 20, REPEATS_OF_EACH = 64, MAX_HZ = 10000, SLACK = 16 };

/* The CPU time that a thread can have used by then, in samples, and a quarter more, as clocks are not exact. */
static uint64_t most_by(const struct spool_header *h, uint64_t time, uint64_t ticks_hz)
{
    uint64_t hz = h->samples.hz < MAX_HZ ? h->samples.hz : MAX_HZ;
    uint64_t ticks = time > h->first.ticks ? time - h->first.ticks : 0;
    unsigned __int128 n = (unsigned __int128)ticks * hz / ticks_hz;
    return n < UINT32_MAX ? (uint64_t)n + (uint64_t)n / 4 + SLACK : UINT32_MAX;
}

uint64_t samples_bound(struct samples *s, const struct spool_header *h, uint64_t ticks_hz)
{
    size_t size = 16;
    uint64_t cut = 0, left = REPEATS_ANYWAY + (uint64_t)s->n * REPEATS_OF_EACH;
    while (size < 2 * s->n)
        size *= 2;
    struct spent *table = calloc(size, sizeof *table);
    for (size_t i = 0; i < s->n; i++) {
        struct sample *one = &s->v[i];
        struct spent *spent = table ? spent_by(table, size, one->m) : NULL;
        uint64_t most = most_by(h, one->time, ticks_hz);
        uint64_t room = spent && most > spent->weight ? most - spent->weight : 1;
        uint64_t weight = one->weight < room ? one->weight : room;
        if (weight - 1 > left)
            weight = left + 1;
        left -= weight - 1;
        cut += one->weight - weight;
        one->weight = weight;
        if (spent)
            spent->weight += weight;
    }
    free(table);
    return cut;
}

void samples_end(struct samples *s)
{
    free(s->table);
    free(s->generations);
    s->table = NULL;
    s->generations = NULL;
    if (s->n)
        qsort(s->v, s->n, sizeof *s->v, by_time);
}

int samples_write(const struct samples *s, struct gotrace_builder *b, uint64_t generation,
                  const struct trace_time *time)
{
    size_t low = 0, high = s->n;
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (s->v[mid].generation < generation)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < s->n && s->v[low].generation == generation; low++) {
        const struct sample *one = &s->v[low];
        for (uint64_t i = 0; i < one->weight; i++)
            if (gotrace_builder_cpu_sample(b, trace_time_of(time, one->time), one->m, one->p, one->g, one->stack_id))
                return -1;
    }
    return 0;
}

void samples_free(struct samples *s)
{
    free(s->v);
    free(s->table);
    free(s->generations);
}
