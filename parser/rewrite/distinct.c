#include "parser/rewrite/distinct.h"

#include <inttypes.h>
#include <string.h>

#include "lib/objects.h"
#include "lib/wire/events.h"

/* Threads whose ID is taken are numbered from here: no kernel has so many. Nor are there so many procs, elsewhere. */
enum { FIRST_THREAD = 1 << 30, LARGE_PROC = 900000 };

void distinct_begin(struct distinct_all *all, size_t traces)
{
    *all = (struct distinct_all){.scale = 10, .next_thread = FIRST_THREAD};
    while (all->scale <= traces)
        all->scale *= 10;
}

void distinct_end(struct distinct_all *all)
{
    idmap_free(&all->thread_of);
    idmap_free(&all->frame_of);
    intern_free(&all->frames);
    VEC_FREE(&all->pcs);
    raw_buffer_free(&all->key);
}

void distinct_free(struct distinct *d)
{
    idmap_free(&d->thread_at);
    idmap_free(&d->large_procs);
    VEC_FREE(&d->threads);
    raw_buffer_free(&d->text);
    d->last = 0;
}

static const struct place nowhere = {.thread = ID_NONE};

static bool no_memory(struct failure *f)
{
    fail(f, GOTRACE_ENOMEM, nowhere, "out of memory");
    return false;
}

/* ---- IDs -------------------------------------------------------------------------------------------------------- */

static bool number(const struct distinct *d, const char *what, uint64_t *id, struct failure *f)
{
    uint64_t to;
    if (__builtin_mul_overflow(*id, d->all->scale, &to) || to > UINT64_MAX - d->all->scale) {
        fail(f, GOTRACE_EINVAL, nowhere, "%s %" PRIu64 " has too large a number to get another one", what, *id);
        return false;
    }
    *id = to + d->nth;
    return true;
}

/* Small numbers, as they mostly are, can still be read. */
static bool proc(struct distinct *d, uint64_t *id, struct failure *f)
{
    uint64_t to = *id;
    if (to >= LARGE_PROC && to != DISTINCT_SPARE_PROC) {
        uint32_t at = idmap_get(&d->large_procs, *id);
        if (!at && !idmap_add(&d->large_procs, *id, at = (uint32_t)d->large_procs.count + 1))
            return no_memory(f);
        to = LARGE_PROC + at - 1;
    }
    if (to > DISTINCT_SPARE_PROC) {
        fail(f, GOTRACE_EINVAL, nowhere, "it has too many procs");
        return false;
    }
    *id = to + (d->nth - 1) * DISTINCT_PROCS;
    return true;
}

/* Adds the thread, under its own ID if no other trace has that. */
static bool add_thread(struct distinct *d, uint64_t id, struct failure *f)
{
    struct distinct_all *all = d->all;
    uint64_t as = id;
    while (idmap_get(&all->thread_of, as))
        as = all->next_thread++;
    if (d->threads.n >= UINT32_MAX - 1 || !VEC_ROOM(&d->threads) ||
        !idmap_add(&all->thread_of, as, (uint32_t)d->nth) ||
        !idmap_add(&d->thread_at, id, (uint32_t)d->threads.n + 1))
        return no_memory(f);
    d->threads.v[d->threads.n++] = as;
    return true;
}

static bool thread(struct distinct *d, uint64_t *id, struct failure *f)
{
    if (*id == ID_NONE)
        return true;
    if (*id != d->last || !d->last) {
        uint32_t at = idmap_get(&d->thread_at, *id);
        if (!at && !add_thread(d, *id, f))
            return false;
        d->last = *id;
        d->last_as = d->threads.v[at ? at - 1 : d->threads.n - 1];
    }
    *id = d->last_as;
    return true;
}

void distinct_release(struct distinct *d)
{
    for (size_t i = 0; i < d->threads.n; i++)
        idmap_remove(&d->all->thread_of, d->threads.v[i]);
    distinct_free(d);
}

bool distinct_ids(struct distinct *d, uint8_t event, uint64_t *on, uint64_t *args, struct failure *f)
{
    if (!thread(d, on, f))
        return false;
    switch (event) {
    case EV_ProcStart:
    case EV_ProcStatus:
    case EV_GCSweepActive: return proc(d, &args[0], f);
    case EV_ProcSteal: return proc(d, &args[0], f) && thread(d, &args[2], f);
    case EV_GoCreate:
    case EV_GoCreateBlocked:
    case EV_GoCreateSyscall:
    case EV_GoStart:
    case EV_GoUnblock:
    case EV_GoSwitch:
    case EV_GoSwitchDestroy:
    case EV_GCMarkAssistActive: return number(d, "goroutine", &args[0], f);
    case EV_GoStatus:
    case EV_GoStatusStack: return number(d, "goroutine", &args[0], f) && thread(d, &args[1], f);
    case EV_CPUSample:
        return thread(d, &args[0], f) && (args[1] == ID_NONE || proc(d, &args[1], f)) &&
               (args[2] == GO_NONE || number(d, "goroutine", &args[2], f));
    case EV_UserTaskBegin:
        return number(d, "task", &args[0], f) && (!args[1] || number(d, "task", &args[1], f));
    case EV_UserTaskEnd: return number(d, "task", &args[0], f);
    case EV_UserRegionBegin:
    case EV_UserRegionEnd:
    case EV_UserLog: return !args[0] || number(d, "task", &args[0], f);
    default: return true;
    }
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

/* How long the word is that says what object it is; 0: it is a function. */
static size_t object_word_of(struct gotrace_str function)
{
    for (int kind = NO_OBJECT + 1; kind < OBJECT_KINDS; kind++) {
        size_t n = strlen(object_word((enum object_kind)kind));
        if (function.len > n && !memcmp(function.data, object_word((enum object_kind)kind), n) &&
            function.data[n] == ' ')
            return n + 1;
    }
    return 0;
}

/* "worker" becomes "NAME/worker", "mutex queue" becomes "mutex NAME/queue". */
static bool rename_frame(struct distinct *d, struct gotrace_frame *frame, enum frame_place place)
{
    size_t word = place == FRAME_BETWEEN ? 0 : object_word_of(frame->function);
    if (!word && place != FRAME_OUTERMOST)
        return true;
    d->text.size = 0;
    raw_buffer_add(&d->text, frame->function.data, word);
    raw_buffer_add_text(&d->text, d->name);
    raw_buffer_add_text(&d->text, "/");
    raw_buffer_add(&d->text, frame->function.data + word, frame->function.len - word);
    frame->function = (struct gotrace_str){(const char *)d->text.at, d->text.size};
    return !d->text.failed;
}

/* The frame's number; 0: memory is short. */
static uint64_t number_of(struct distinct_all *all, const struct gotrace_frame *frame, bool *fresh)
{
    const uint64_t head[] = {frame->pc, frame->line, frame->function.len};
    all->key.size = 0;
    raw_buffer_add(&all->key, head, sizeof head);
    raw_buffer_add(&all->key, frame->function.data, frame->function.len);
    raw_buffer_add(&all->key, frame->file.data, frame->file.len);
    return all->key.failed ? 0 : intern(&all->frames, all->key.at, all->key.size, fresh);
}

bool distinct_frame(struct distinct *d, struct gotrace_frame *frame, enum frame_place place, struct failure *f)
{
    bool fresh = false;
    if (!d || (!frame->function.len && !frame->pc)) /* as Go has them where it knows nothing */
        return true;
    struct distinct_all *all = d->all;
    uint64_t n = rename_frame(d, frame, place) ? number_of(all, frame, &fresh) : 0;
    if (!n || n > UINT32_MAX)
        return no_memory(f);
    if (fresh) {
        uint64_t pc = frame->pc;
        while (idmap_get(&all->frame_of, pc)) /* the lowest page has no code: these are free, as a rule */
            pc = ++all->next_pc;
        if (!VEC_ROOM(&all->pcs) || !idmap_add(&all->frame_of, pc, (uint32_t)n))
            return no_memory(f);
        all->pcs.v[all->pcs.n++] = pc;
    }
    frame->pc = all->pcs.v[n - 1];
    return true;
}
