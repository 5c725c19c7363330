#include "parser/rewrite/anonymise.h"

#include <errno.h>
#include <string.h>

#include "lib/wire/batch_header.h"
#include "lib/wire/cursor.h"
#include "lib/wire/file_header.h"
#include "parser/builder_batch.h"
#include "parser/clock_events.h"
#include "parser/generation.h"
#include "parser/rewrite/public_names.h"

struct anonymising {
    const struct wire_version *version;
    struct source *source;
    FILE *to;
    struct pseudonyms names;
    struct anonymised *done;
    struct failure *f;
    VEC(struct batch) batches; /* of one generation; offset is that of the data */
    struct generation tables;
    VEC(uint8_t) said; /* which of its strings are written */
    uint64_t generation;
    struct wire_batch strings, stacks; /* that are not written yet */
};

static bool no_memory(struct anonymising *a)
{
    fail(a->f, GOTRACE_ENOMEM, (struct place){.generation = a->generation, .thread = ID_NONE}, "out of memory");
    return false;
}

/* ---- output ----------------------------------------------------------------------------------------------------- */

static bool put(struct anonymising *a, const void *data, size_t size)
{
    errno = 0;
    if (!size || fwrite(data, 1, size, a->to) == size)
        return true;
    fail_system(a->f, GOTRACE_EWRITE, (struct place){.thread = ID_NONE}, errno ? errno : EIO, "cannot write");
    return false;
}

static bool copy(struct anonymising *a, uint64_t thread, uint64_t time, const void *data, size_t size)
{
    uint8_t header[BATCH_HEADER_MAX];
    const struct batch_header h = {EV_EventBatch, 0, a->generation, thread, time, size};
    return put(a, header, (size_t)(batch_header_put(header, &h) - header)) && put(a, data, size);
}

static bool flush(struct anonymising *a, struct wire_batch *b, uint8_t kind)
{
    bool ok = b->size <= 1 || copy(a, b->m, b->base, b->at, b->size);
    wire_batch_open(b, ID_NONE, b->base, kind);
    return ok;
}

static bool put_string(struct anonymising *a, uint64_t id, struct gotrace_str s)
{
    return wire_add_string(&a->strings, id, s.data, s.len) ||
           (flush(a, &a->strings, EV_Strings) && wire_add_string(&a->strings, id, s.data, s.len));
}

static bool put_stack(struct anonymising *a, uint64_t id, const struct gotrace_raw_frame *frames, size_t n)
{
    return wire_add_stack(&a->stacks, id, frames, n) ||
           (flush(a, &a->stacks, EV_Stacks) && wire_add_stack(&a->stacks, id, frames, n));
}

/* ---- texts ------------------------------------------------------------------------------------------------------ */

/* Puts a string into the new table, under its own id, the first time that something refers to it. */
static bool say(struct anonymising *a, uint64_t id, enum pseudonym as)
{
    uint32_t at = id ? idmap_get(&a->tables.string_of, id) : 0;
    if (!at || a->said.v[at - 1])
        return true;
    a->said.v[at - 1] = true;
    struct gotrace_str s = pseudonym_of(&a->names, generation_string(&a->tables, id), as);
    if (a->names.failed)
        return no_memory(a);
    return put_string(a, id, s);
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static struct gotrace_frame public_frame(const struct generation *g, const struct frame *f)
{
    return (struct gotrace_frame){f->pc, generation_string(g, f->function), generation_string(g, f->file), f->line};
}

static bool name_frame(struct anonymising *a, const struct frame *f, bool outermost)
{
    struct gotrace_frame frame = public_frame(&a->tables, f);
    return say(a, f->function, public_function(&frame, outermost)) && say(a, f->file, public_file(&frame));
}

/* Threads are called after the outermost functions of their stacks: these come first. */
static bool name_frames(struct anonymising *a)
{
    const struct generation *g = &a->tables;
    for (size_t i = 0; i < g->stacks.n; i++) {
        const struct stack *s = &g->stacks.v[i];
        if (s->n && !name_frame(a, &g->frames.v[g->pcs.v[s->first + s->n - 1]], true))
            return false;
    }
    for (size_t i = 0; i < g->frames.n; i++)
        if (!name_frame(a, &g->frames.v[i], false))
            return false;
    return true;
}

static bool put_stacks(struct anonymising *a, const struct batch *b)
{
    struct generation *g = &a->tables;
    struct gotrace_raw_frame frames[STACK_MAX_FRAMES];
    for (const uint8_t *p = b->data + 1, *end = b->data + b->size; p < end;) {
        uint64_t id, n, word;
        if (!(p = varint_get(p + 1, end, &id)) || !(p = varint_get(p, end, &n)))
            return false;
        for (uint64_t i = 0; i < 4 * n; i++)
            if (!(p = varint_get(p, end, &word)))
                return false;
        uint32_t at = idmap_get(&g->stack_of, id);
        const struct stack *s = &g->stacks.v[at - 1];
        for (uint32_t i = 0; i < s->n; i++) {
            const struct frame *f = &g->frames.v[g->pcs.v[s->first + i]];
            frames[i] =
                (struct gotrace_raw_frame){pseudonym_of_address(&a->names, f->pc), f->function, f->file, f->line};
        }
        if (a->names.failed)
            return no_memory(a);
        if (!put_stack(a, id, frames, s->n))
            return false;
    }
    return true;
}

/* ---- batches ---------------------------------------------------------------------------------------------------- */

/* What the strings of an event are, by its arguments, of which the first is dt. */
static enum pseudonym string_as(uint8_t event, unsigned arg)
{
    switch (event) {
    case EV_GoLabel: return PSEUDONYM_LABEL;
    case EV_UserTaskBegin: return PSEUDONYM_TASK;
    case EV_UserRegionBegin:
    case EV_UserRegionEnd: return PSEUDONYM_REGION;
    case EV_UserLog: return arg == 2 ? PSEUDONYM_KEY : PSEUDONYM_MESSAGE;
    default: return PSEUDONYM_REASON; /* why a goroutine stops, or the world */
    }
}

/* The same events but those, which takes no more room than with them. */
static bool put_without_experiments(struct anonymising *a, const struct batch *b)
{
    struct wire_cursor at = {.p = b->data, .end = b->data + b->size, .time = b->time};
    struct wire_event ev;
    uint64_t last = b->time;
    uint8_t bytes[BATCH_MAX_SIZE + EVENT_SIZE_MAX], *end = bytes;
    while (wire_next(&at, &ev) == WIRE_EVENT) {
        if (event_table[ev.id].experiment) {
            a->done->events++;
            continue;
        }
        end = event_put(end, ev.id, ev.time - last, ev.args, timed_args[ev.id] - 1u);
        last = ev.time;
    }
    return end == bytes || copy(a, b->thread, b->time, bytes, (size_t)(end - bytes));
}

static bool put_events(struct anonymising *a, const struct batch *b)
{
    struct wire_cursor at = {.p = b->data, .end = b->data ? b->data + b->size : NULL, .time = b->time};
    struct wire_event ev;
    enum wire_result result;
    bool experiments = false;
    while ((result = wire_next(&at, &ev)) == WIRE_EVENT) {
        const struct event_info *info = &event_table[ev.id];
        experiments |= info->experiment;
        for (unsigned i = 1; info->strings && i < info->nargs; i++)
            if (info->strings >> i & 1 && !say(a, ev.args[i - 1], string_as(ev.id, i)))
                return false;
    }
    if (result == WIRE_BROKEN)
        fail_event(a->f, place_in(b, at.p), at.p, at.nread);
    if (result != WIRE_END)
        return false;
    return experiments ? put_without_experiments(a, b) : copy(a, b->thread, b->time, b->data, b->size);
}

static uint8_t kind(const struct anonymising *a, const struct batch *b)
{
    if (b->experiment)
        return EV_ExperimentalBatch;
    if (is_clock_batch(b, a->version->clocks))
        return EV_Sync;
    return b->size ? b->data[0] : EV_None;
}

static bool read_tables(struct anonymising *a)
{
    if (!tables_begin(&a->tables, a->f))
        return false;
    a->tables.number = a->generation;
    for (size_t i = 0; i < a->batches.n; i++) {
        const struct batch *b = &a->batches.v[i];
        uint8_t k = kind(a, b);
        if ((k == EV_Strings && !tables_add_strings(&a->tables, b, a->f)) ||
            (k == EV_Stacks && !tables_add_stacks(&a->tables, b, a->f)))
            return false;
    }
    a->said.n = 0;
    for (size_t i = 0; i < a->tables.strings.n; i++) {
        if (!VEC_ROOM(&a->said))
            return no_memory(a);
        a->said.v[a->said.n++] = false;
    }
    return tables_check_frames(&a->tables, a->f);
}

/* How often the CPU was looked at, without which samples are no times, is in a string that nothing refers to. */
static bool say_numbers(struct anonymising *a, const struct batch *b)
{
    for (const uint8_t *p = b->data + 1, *end = b->data + b->size; p < end;) {
        uint64_t id, size;
        p = varint_get(p + 1, end, &id);
        p = p ? varint_get(p, end, &size) : NULL;
        if (!p) /* it was read before */
            return true;
        if (text_is_number_note((struct gotrace_str){(const char *)p, size}) && !say(a, id, PSEUDONYM_KEPT))
            return false;
        p += size;
    }
    return true;
}

static bool put_batch(struct anonymising *a, const struct batch *b)
{
    switch (kind(a, b)) {
    case EV_ExperimentalBatch: a->done->batches++; return true;
    case EV_Strings: return say_numbers(a, b);
    case EV_Stacks: return put_stacks(a, b);
    case EV_Sync:
    case EV_CPUSamples: return copy(a, b->thread, b->time, b->data, b->size);
    default: return put_events(a, b);
    }
}

/* ---- generations ------------------------------------------------------------------------------------------------ */

static bool put_generation(struct anonymising *a)
{
    uint8_t end = EV_EndOfGeneration;
    uint64_t time = UINT64_MAX; /* the earliest, as that is when the generation begins */
    for (size_t i = 0; i < a->batches.n; i++)
        time = a->batches.v[i].time < time ? a->batches.v[i].time : time;
    wire_batch_open(&a->strings, ID_NONE, time, EV_Strings);
    wire_batch_open(&a->stacks, ID_NONE, time, EV_Stacks);
    if (!read_tables(a) || !name_frames(a))
        return false;
    for (size_t i = 0; i < a->batches.n; i++)
        if (!put_batch(a, &a->batches.v[i]))
            return false;
    for (size_t i = 0; i < a->said.n; i++)
        a->done->notes += !a->said.v[i] && text_is_note(a->tables.strings.v[i]);
    return flush(a, &a->stacks, EV_Stacks) && flush(a, &a->strings, EV_Strings) &&
           (!a->version->ends || put(a, &end, 1));
}

static enum batch_result read_generation(struct anonymising *a)
{
    a->batches.n = 0;
    a->generation = 0;
    source_forget(a->source);
    for (;;) {
        struct batch b;
        enum batch_result result = read_batch(a->source, a->generation, &b, a->f);
        if (result == BATCH_NONE && a->batches.n && a->version->ends) {
            fail(a->f, GOTRACE_EBROKEN, (struct place){a->generation, ID_NONE, source_offset(a->source), NULL},
                 "the trace is cut off: incomplete generation");
            return BATCH_BROKEN;
        }
        if (result == BATCH_NONE)
            return a->batches.n ? BATCH_OK : BATCH_NONE;
        if (result == BATCH_BROKEN)
            return result;
        if (b.end_of_generation && a->version->ends)
            return a->batches.n ? BATCH_OK : BATCH_NONE;
        uint64_t length = source_offset(a->source) - b.offset;
        if (a->batches.n && b.generation != a->generation) {
            source_back(a->source, length);
            return BATCH_OK;
        }
        b.offset += length - b.size;
        a->generation = b.generation;
        if (!VEC_ROOM(&a->batches)) {
            no_memory(a);
            return BATCH_BROKEN;
        }
        a->batches.v[a->batches.n++] = b;
    }
}

bool anonymise_trace(struct source *source, const struct wire_version *version, FILE *to, struct anonymised *done,
                     struct failure *f)
{
    struct anonymising *a = calloc(1, sizeof *a);
    uint8_t header[TRACE_HEADER_SIZE];
    if (!a) {
        fail(f, GOTRACE_ENOMEM, (struct place){.thread = ID_NONE}, "out of memory");
        return false;
    }
    *a = (struct anonymising){.version = version, .source = source, .to = to, .done = done, .f = f};
    *done = (struct anonymised){0};
    file_header_put(header, version->nn);
    bool ok = (keep_words(&a->names) || no_memory(a)) && put(a, header, sizeof header);
    enum batch_result result;
    while (ok && (result = read_generation(a)) != BATCH_NONE)
        ok = result == BATCH_OK && put_generation(a);
    pseudonyms_free(&a->names);
    generation_free(&a->tables);
    VEC_FREE(&a->batches);
    VEC_FREE(&a->said);
    free(a);
    return ok;
}
