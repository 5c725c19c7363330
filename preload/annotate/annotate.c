/*
 * What a program says of itself by include/thrace/annotate.h: tasks, regions, messages, labels.
 *
 * An annotation costs about what a hook costs: the caller's stack, and an event in the thread's chunk. A name is looked
 * up by its contents, and written once a generation. What comes from a handler that interrupted a hook, or finds no
 * room, is counted as lost.
 *
 * Readers hold a thread's regions against each other: an end must be that of the innermost one. So the thread's record
 * has the stack of them. A region whose begin was lost ends without an event; an end that could not be written is made
 * up for before the next begin or end. Of regions that began before the recording only the ends are written, when all
 * that began in it have ended, which readers take.
 */
#include <stddef.h>
#include <string.h>

#include "preload/annotate/annotate.h"
#include "preload/annotate/defined.h"
#include "preload/hook.h"
#include "preload/section.h"
#include "preload/wrapper.h"

EXPORT int thrace_annotate_enabled(void);
EXPORT uint64_t thrace_annotate_task_begin(const char *name, uint64_t parent);
EXPORT void thrace_annotate_task_end(uint64_t task);
EXPORT uint64_t thrace_annotate_task_current(void);
EXPORT uint64_t thrace_annotate_task_adopt(uint64_t task);
EXPORT void thrace_annotate_region_begin(const char *name);
EXPORT void thrace_annotate_region_end(void);
EXPORT void thrace_annotate_log(const char *category, const char *message);
EXPORT void thrace_annotate_count(const char *name, int64_t value);
EXPORT void thrace_annotate_label(const char *label);

/* For slow paths, as HOOK_ENTER; the stack begins with the function of the program's that annotates, or at a probe. */
#define ANNOTATION_ENTER(h, at)                                                                                        \
    ({                                                                                                                 \
        const struct unwind_regs *at_ = (at);                                                                          \
        if (unlikely(at_))                                                                                             \
            (h)->stack.regs = *at_;                                                                                    \
        else                                                                                                           \
            UNWIND_CALLER_REGS(&(h)->stack.regs);                                                                      \
        (h)->stack.leaf = 0;                                                                                           \
        hook_enter(h);                                                                                                 \
    })

/* What the recorder says itself, with the numbers behind those of the program's names. */
#define OWN_NAME(n, said) {.number = NAMES_MAX + 1 + (n), .len = sizeof said - 1, .text = said}
static struct name own_category = OWN_NAME(0, "[thrace]");
static struct name adopted_task = OWN_NAME(1, "adopted");
static struct name left_task = OWN_NAME(2, "left");
enum { OWN_NAMES = 3 };

/* Messages are strings of their own each: a program says few things twice. */
static uint64_t new_message_id(void)
{
    static uint64_t last;
    return PROGRAM_STRING_BASE + NAMES_MAX + 1 + OWN_NAMES + __atomic_fetch_add(&last, 1, __ATOMIC_RELAXED);
}

/* Opens a section with room for an event with a stack, the name, and `more` bytes; a generation may begin meanwhile. */
IN_LINE bool enter(struct hook *h, const struct name *n, size_t more)
{
    for (;;) {
        size_t room = name_room(n);
        if (!section_enter(h->t, STACK_RECORD_MAX + room + more))
            return false;
        if (name_room(n) <= room)
            return true;
        section_leave(h->t);
    }
}

IN_LINE bool put(struct hook *h, enum event_id id, const uint64_t *args, unsigned nargs)
{
    bool done = sched_annotate(&recorder.sched, &h->t->sched, id, args, nargs, now());
    if (unlikely(!done))
        count_lost();
    return done;
}

#define PUT(h, id, ...)                                                                                                \
    put(h, id, (const uint64_t[]){__VA_ARGS__}, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

/* --- tasks -------------------------------------------------------------------------------------------------------- */

int thrace_annotate_enabled(void) { return recording(); }

uint64_t annotate_new_task(void)
{
    static uint64_t last;
    return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

OUT_OF_LINE void annotate_task_begin(const struct unwind_regs *at, struct name *n, uint64_t parent, uint64_t task)
{
    struct hook h;
    if (!recording() || !ANNOTATION_ENTER(&h, at))
        return;
    hook_capture(&h);
    if (recording() && enter(&h, n, 0)) {
        define_name(h.t, n);
        PUT(&h, EV_UserTaskBegin, task, parent, name_id(n), hook_stack(&h));
        section_leave(h.t);
    }
    hook_leave(&h);
}

uint64_t thrace_annotate_task_begin(const char *name, uint64_t parent)
{
    uint64_t task = annotate_new_task();
    if (recording())
        annotate_task_begin(NULL, name_of(name), parent, task);
    return task;
}

OUT_OF_LINE void annotate_task_end(const struct unwind_regs *at, uint64_t task)
{
    struct hook h;
    if (!recording() || !ANNOTATION_ENTER(&h, at))
        return;
    hook_capture(&h);
    if (recording() && enter(&h, NULL, 0)) {
        PUT(&h, EV_UserTaskEnd, task, hook_stack(&h));
        section_leave(h.t);
    }
    hook_leave(&h);
}

void thrace_annotate_task_end(uint64_t task)
{
    if (recording() && task)
        annotate_task_end(NULL, task);
}

/* The calling thread's record, made if need be; NULL: it has none, or a child of vfork borrows its parent's. */
static OUT_OF_LINE struct thread *make_known(void)
{
    struct hook h;
    if (!hooked() || !ANNOTATION_ENTER(&h, NULL))
        return NULL;
    hook_leave(&h);
    return h.t;
}

static struct thread *known(void)
{
    struct thread *t = self;
    if (unlikely(!t))
        return make_known();
    if (t == THREAD_OFF || (unlikely(t->shared) && (uint64_t)sys_gettid() != t->sched.m))
        return NULL;
    return t;
}

uint64_t thrace_annotate_task_current(void)
{
    const struct thread *t = known();
    return t ? t->task : 0;
}

/*
 * Go has no event for which task a goroutine works for. A message of that task says it, so that viewers show it there;
 * when the thread works for none from now on, one of the task before.
 */
static OUT_OF_LINE void tell_task(struct name *said, uint64_t task)
{
    struct hook h;
    if (!ANNOTATION_ENTER(&h, NULL))
        return;
    if (recording() && enter(&h, &own_category, STRING_RECORD_HEAD + said->len)) {
        define_name(h.t, &own_category);
        define_name(h.t, said);
        PUT(&h, EV_UserLog, task, name_id(&own_category), name_id(said), 0);
        section_leave(h.t);
    }
    hook_leave(&h);
}

uint64_t thrace_annotate_task_adopt(uint64_t task)
{
    struct thread *t = known();
    if (!t)
        return 0;
    uint64_t before = t->task;
    t->task = task;
    if (task != before && recording())
        tell_task(task ? &adopted_task : &left_task, task ? task : before);
    return before;
}

/* --- regions ------------------------------------------------------------------------------------------------------ */

/* A thread that is torn out before wrote_region gets its stack put in order by hook_recover. */
IN_LINE bool write_region(struct hook *h, enum event_id id, const struct region *region)
{
    struct thread *t = h->t;
    struct name *n = region->name;
    if (!enter(h, n, 0))
        return false;
    define_name(t, n);
    uint64_t stack = hook_stack(h);
    t->regions.commits = t->sched.commits;
    t->regions.from = t->regions.depth;
    compiler_barrier();
    t->regions.writes = id;
    compiler_barrier();
    bool done = PUT(h, id, region->task, name_id(n), stack);
    section_leave(t);
    return done;
}

IN_LINE void wrote_region(struct thread *t)
{
    compiler_barrier();
    t->regions.writes = EV_None;
}

static bool is_open(const struct region *region)
{
    return region->state == REGION_OPEN || region->state == REGION_LOST;
}

/* Takes the regions that have ended off the stack. False: an end could not be written. */
IN_LINE bool settle(struct hook *h)
{
    struct thread *t = h->t;
    while (t->regions.depth && t->regions.depth <= REGIONS_MAX) {
        struct region *innermost = &t->regions.v[t->regions.depth - 1];
        if (is_open(innermost))
            break;
        bool done = innermost->state == REGION_GONE || !recording() ||
                    write_region(h, EV_UserRegionEnd, innermost);
        t->regions.depth -= done;
        wrote_region(t);
        if (!done)
            return false;
    }
    return true;
}

static void end_region(struct region *region)
{
    region->state = region->state == REGION_OPEN ? REGION_ENDED : REGION_GONE;
}

/* What began there and has no end, and what is within that, as longjmp leaves it. */
static bool end_left(struct thread *t, uint32_t place)
{
    uint32_t depth = t->regions.depth < REGIONS_MAX ? t->regions.depth : REGIONS_MAX, i = depth;
    while (i && (t->regions.v[i - 1].place != place || !is_open(&t->regions.v[i - 1])))
        i--;
    if (!i)
        return false;
    for (t->regions.depth = depth; i <= depth; i++)
        if (is_open(&t->regions.v[i - 1]))
            end_region(&t->regions.v[i - 1]);
    return true;
}

/* Where a probe is, in which call; 0: it is none. */
static uint32_t place_of(const struct unwind_regs *at)
{
    return at ? (uint32_t)((at->r[UNWIND_PC] ^ at->r[UNWIND_SP] << 17) * UINT64_C(0x9e3779b97f4a7c15) >> 32) | 1 : 0;
}

void annotate_region_end_left(const struct unwind_regs *at)
{
    struct hook h;
    if (!ANNOTATION_ENTER(&h, at))
        return;
    if (end_left(h.t, place_of(at))) {
        hook_capture(&h);
        settle(&h);
    }
    hook_leave(&h);
}

OUT_OF_LINE void annotate_region_begin(const struct unwind_regs *at, struct name *n, uint64_t task)
{
    struct hook h;
    if (!ANNOTATION_ENTER(&h, at))
        return;
    struct thread *t = h.t;
    if (t->regions.depth < REGIONS_MAX) {
        hook_capture(&h);
        bool settled = settle(&h), writes = recording();
        struct region *region = &t->regions.v[t->regions.depth];
        *region = (struct region){n, task == ANNOTATE_OWN_TASK ? t->task : task, writes ? REGION_LOST : REGION_OPEN,
                                  place_of(at)};
        if (writes && !settled)
            count_lost();
        else if (writes && write_region(&h, EV_UserRegionBegin, region))
            region->state = REGION_OPEN;
    } else if (recording()) {
        count_lost();
    }
    t->regions.depth++;
    wrote_region(t);
    hook_leave(&h);
}

void thrace_annotate_region_begin(const char *name)
{
    if (hooked())
        annotate_region_begin(NULL, name_of(name), ANNOTATE_OWN_TASK);
}

/* The innermost region that the program has not ended; NULL: none is known. */
IN_LINE struct region *innermost_region(struct thread *t)
{
    for (uint32_t i = t->regions.depth; i-- > 0;)
        if (is_open(&t->regions.v[i]))
            return &t->regions.v[i];
    return NULL;
}

OUT_OF_LINE void annotate_region_end(const struct unwind_regs *at)
{
    struct hook h;
    if (!ANNOTATION_ENTER(&h, at))
        return;
    struct thread *t = h.t;
    if (t->regions.depth > REGIONS_MAX) {
        t->regions.depth--;
    } else {
        struct region *region = innermost_region(t);
        if (region)
            end_region(region);
        hook_capture(&h);
        settle(&h);
    }
    hook_leave(&h);
}

void thrace_annotate_region_end(void)
{
    if (hooked())
        annotate_region_end(NULL);
}

/* --- messages and labels ------------------------------------------------------------------------------------------ */

OUT_OF_LINE void annotate_message(const struct unwind_regs *at, struct name *n, const char *message, size_t len)
{
    struct hook h;
    if (!recording() || !ANNOTATION_ENTER(&h, at))
        return;
    hook_capture(&h);
    if (recording() && enter(&h, n, STRING_RECORD_HEAD + len)) {
        uint64_t id = len ? new_message_id() : 0;
        define_name(h.t, n);
        if (id)
            define_string(h.t, id, message, len);
        PUT(&h, EV_UserLog, h.t->task, name_id(n), id, hook_stack(&h));
        section_leave(h.t);
    }
    hook_leave(&h);
}

void thrace_annotate_log(const char *category, const char *message)
{
    if (recording())
        annotate_message(NULL, name_of(category), message, name_length(message, SIZE_MAX));
}

void annotate_count(struct name *counter, int64_t value)
{
    char digits[20], *p = digits + sizeof digits;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do
        *--p = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        *--p = '-';
    annotate_message(NULL, counter, p, (size_t)(digits + sizeof digits - p));
}

void thrace_annotate_count(const char *name, int64_t value)
{
    if (recording())
        annotate_count(name_of(name), value);
}

OUT_OF_LINE void annotate_label(struct name *n)
{
    struct hook h;
    if (!recording() || !ANNOTATION_ENTER(&h, NULL))
        return;
    if (recording() && enter(&h, n, 0)) {
        define_name(h.t, n);
        PUT(&h, EV_GoLabel, name_id(n));
        section_leave(h.t);
    }
    hook_leave(&h);
}

void thrace_annotate_label(const char *label)
{
    if (recording())
        annotate_label(name_of(label));
}
