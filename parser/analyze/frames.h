/*
 * The frames of a stack, told apart: what was waited for, the function that waited, the program's own, and those of
 * libc, of the language and of thrace in between, in which nobody looks for a cause.
 */
#ifndef THRACE_PARSER_ANALYZE_FRAMES_H
#define THRACE_PARSER_ANALYZE_FRAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "gotrace/reader.h"

enum wait_object {
    WAIT_NO_OBJECT,
#define THRACE_OBJECT(name, word) WAIT_##name,
#include "lib/objects.def"
#undef THRACE_OBJECT
    WAIT_OBJECTS
};

/* Who is to blame for waits for an object. */
enum wait_class {
    WAIT_CLASS_LOCK,    /* who releases it has held it */
    WAIT_CLASS_SIGNAL,  /* conditions, semaphores: who signals could have done that earlier */
    WAIT_CLASS_MEETING, /* barriers, teams: who comes last is late */
    WAIT_CLASS_END,     /* of a thread */
    WAIT_CLASS_DATA,    /* of descriptors */
};

/* What the function of a stack's innermost frame names, if it is an object. */
enum wait_object wait_object_named(struct gotrace_str name);

/* What a wait may hold up, see needs.h. */
enum wait_need {
    WAIT_NEED_UNKNOWN,  /* the stack does not say it, the reason may */
    WAIT_NEED_NO_STACK, /* nobody knows what for: idle, unless the reason says more than "sync" */
    WAIT_NEED_DATA,     /* of a descriptor: the reason says whether to read or to write */
    WAIT_NEED_NOTHING,  /* by the runtime of Go, for its own purposes */
    WAIT_NEED_WORK,     /* who waits has work to do: for a lock, a barrier, room in a pipe */
    WAIT_NEED_EVENT,    /* for work, or for an answer: a condition, a semaphore, a descriptor */
    WAIT_NEED_END,      /* of a thread */
    WAIT_NEED_TIME,     /* a sleep */
};

struct stack_parts {
    enum wait_object kind;
    struct gotrace_frame object; /* if kind says that there is one: the function is the word and the name */
    size_t first;                /* the innermost function; as many as there are frames, if there is none */
    size_t program;              /* the innermost of the program, else first */
    bool has_program;
    enum wait_need need;
};

/* A wait's stack in a trace of thrace's has the object as its innermost frame; other stacks have none. */
void stack_split(struct gotrace_stack stack, struct stack_parts *parts);

/* Where the object is defined, or came to be, is known, and not part of its name. */
bool frame_has_definition(const struct gotrace_frame *object);

/* The file without folders. */
struct gotrace_str frame_file(const struct gotrace_frame *f);

enum wait_class wait_class_of(enum wait_object kind);
const char *wait_class_name(enum wait_class class);

/* What a wait for that reason may hold up, whose stack says that much. */
enum wait_need wait_need_of(enum wait_need stack, const char *reason);

/* What the recorder leaves as the stack of a thread's end. */
bool stack_is_end(struct gotrace_stack stack);

#endif
