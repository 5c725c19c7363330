/*
 * What a program says of itself by include/thrace/annotate.h: tasks, messages, labels. regions.c has the regions.
 *
 * An annotation costs about what a hook costs: the caller's stack, and an event in the thread's chunk. A name is looked
 * up by its contents, and written once a generation. What comes from a handler that interrupted a hook, or finds no
 * room, is counted as lost.
 */
#include <stddef.h>
#include <string.h>

#include "preload/annotate/annotate.h"
#include "preload/annotate/event.h"

extern EXPORT const uint32_t *thrace_annotate_heard;
EXPORT int thrace_annotate_enabled(void);
EXPORT uint64_t thrace_annotate_task_begin(const char *name, uint64_t parent);
EXPORT void thrace_annotate_task_end(uint64_t task);
EXPORT uint64_t thrace_annotate_task_current(void);
EXPORT uint64_t thrace_annotate_task_adopt(uint64_t task);
EXPORT void thrace_annotate_log(const char *category, const char *message);
EXPORT void thrace_annotate_count(const char *name, int64_t value);
EXPORT void thrace_annotate_label(const char *label);

/* TASK_WORDS of them. */
#define OWN_NAME(n, said) {.number = NAMES_MAX + 1 + (n), .len = sizeof said - 1, .text = said}
static struct name own_category = OWN_NAME(0, "[thrace]");
static struct name adopted_task = OWN_NAME(1, "adopted");
static struct name left_task = OWN_NAME(2, "left");

/* Not 0 while regions, messages and labels are to be told; the header looks at that. */
static const uint32_t never;
const uint32_t *thrace_annotate_heard = &never;

void annotate_init(void) { __atomic_store_n(&thrace_annotate_heard, &recorder.owner->hooked, __ATOMIC_RELEASE); }
void annotate_rest(void) { __atomic_store_n(&thrace_annotate_heard, &never, __ATOMIC_RELEASE); }

static bool rests(void) { return __atomic_load_n(&thrace_annotate_heard, __ATOMIC_RELAXED) == &never; }

/* Messages are strings of their own each: a program says few things twice. */
static uint64_t new_message_id(void)
{
    static uint64_t last;
    return PROGRAM_STRING_BASE + NAMES_MAX + 1 + OWN_NAMES + __atomic_fetch_add(&last, 1, __ATOMIC_RELAXED);
}

IN_LINE bool put(struct hook *h, enum event_id id, const uint64_t *args, unsigned nargs)
{
    bool done = sched_annotate(&recorder.sched, &h->t->sched, id, args, nargs, now());
    if (unlikely(!done))
        count_lost(LOST_SAID, LOSS_STATE);
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
    if (recording() && annotation_section(&h, n, 0)) {
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
    if (recording() && annotation_section(&h, NULL, 0)) {
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
    if (!hooked() || rests() || !ANNOTATION_ENTER(&h, NULL))
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
    if (recording() && annotation_section(&h, &own_category, STRING_RECORD_HEAD + said->len)) {
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

/* --- messages and labels ------------------------------------------------------------------------------------------ */

OUT_OF_LINE void annotate_message(const struct unwind_regs *at, struct name *n, const char *message, size_t len)
{
    struct hook h;
    if (!recording() || !ANNOTATION_ENTER(&h, at))
        return;
    hook_capture(&h);
    if (recording() && annotation_section(&h, n, STRING_RECORD_HEAD + len)) {
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
    if (recording() && annotation_section(&h, n, 0)) {
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
