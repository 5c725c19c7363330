/* Names as strings of a trace: they are defined once in a generation, by who needs them first. */
#ifndef THRACE_PRELOAD_ANNOTATE_DEFINED_H
#define THRACE_PRELOAD_ANNOTATE_DEFINED_H

#include "lib/errnos.h"
#include "lib/meta.h"
#include "preload/annotate/names.h"
#include "preload/recorder.h"
#include "preload/thread.h"

enum {
    STRING_RECORD_HEAD = 1 + 2 * VARINT_MAX,
    /* What the recorder says itself: three words of tasks, and errors. The numbers are behind the program's names. */
    TASK_WORDS = 3,
    OWN_NAMES = TASK_WORDS + ERRNO_VALUES,
};

static inline uint64_t name_id(const struct name *n) { return n ? PROGRAM_STRING_BASE + n->number : 0; }

IN_LINE bool is_defined(const struct name *n)
{
    return !n || __atomic_load_n(&n->generation, __ATOMIC_RELAXED) == recorder.sched.generation;
}

/* The same as it is encoded, the first byte lowest; of a name that is not NULL. */
enum { NAME_ID_BYTES = 5 };
static inline uint64_t name_id_bytes(const struct name *n)
{
    _Static_assert(PROGRAM_STRING_BASE == UINT64_C(1) << 30 && NAMES_MAX + OWN_NAMES < 1 << 14, "two bytes vary");
    return UINT64_C(0x0480808080) | (n->number & 0x7f) | (n->number << 1 & 0x7f00);
}

/* Bytes of records that the name may need. */
static inline size_t name_room(const struct name *n) { return is_defined(n) ? 0 : STRING_RECORD_HEAD + (size_t)n->len; }

/* In a section with room for that: a string of the generation that is open. */
void define_string(struct thread *t, uint64_t id, const char *text, size_t len);

/* In a section with name_room more bytes. */
void define_again(struct thread *t, struct name *n);
IN_LINE void define_name(struct thread *t, struct name *n)
{
    if (unlikely(!is_defined(n)))
        define_again(t, n);
}

#endif
