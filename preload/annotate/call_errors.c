#include <string.h>

#include "preload/annotate/annotate.h"
#include "preload/annotate/defined.h"
#include "preload/wait.h"

/* A string for each value of errno; that of 0, which is no error, is the category. */
static uint64_t string_of(struct thread *t, unsigned error)
{
    static uint64_t latest[ERRNO_VALUES]; /* the generation in which it was defined */
    uint64_t id = PROGRAM_STRING_BASE + NAMES_MAX + 1 + TASK_WORDS + error;
    if (__atomic_load_n(&latest[error], __ATOMIC_RELAXED) != recorder.sched.generation) {
        const char *text = error ? errno_name(error) : ERRNO_CATEGORY;
        define_string(t, id, text, strlen(text));
        __atomic_store_n(&latest[error], recorder.sched.generation, __ATOMIC_RELAXED);
    }
    return id;
}

void annotate_call_error(struct thread *t, int error)
{
    _Static_assert(CALL_ERROR_ROOM >= SCHED_TRANSITION_MAX + 2 * (STRING_RECORD_HEAD + ERRNO_NAME_SIZE), "it has room");
    if (error <= 0 || !*errno_name((unsigned)error))
        return;
    const uint64_t args[] = {t->task, string_of(t, 0), string_of(t, (unsigned)error), 0};
    if (!sched_annotate(&recorder.sched, &t->sched, EV_UserLog, args, sizeof args / sizeof *args, now()))
        count_lost(LOST_SAID, LOSS_STATE);
}
