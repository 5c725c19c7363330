#include "parser/analyze/frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "parser/analyze/folded.h"
#include "parser/analyze/place.h"

enum wait_object wait_object_named(struct gotrace_str name)
{
    static const char *const words[] = {
        "",
#define THRACE_OBJECT(name, word) word " ",
#include "lib/objects.def"
#undef THRACE_OBJECT
    };
    for (unsigned kind = 1; kind < WAIT_OBJECTS; kind++)
        if (name.len > strlen(words[kind]) && place_begins(name.data, name.len, words[kind]))
            return (enum wait_object)kind;
    return WAIT_NO_OBJECT;
}

struct gotrace_str frame_file(const struct gotrace_frame *f)
{
    const char *slash = f->file.len ? memrchr(f->file.data, '/', f->file.len) : NULL;
    if (!slash)
        return f->file;
    return (struct gotrace_str){slash + 1, f->file.len - (size_t)(slash + 1 - f->file.data)};
}

bool stack_is_end(struct gotrace_stack stack)
{
    struct gotrace_frame f;
    return gotrace_stack_len(stack) == 1 && gotrace_stack_frame(stack, 0, &f) &&
           place_begins(f.function.data, f.function.len, "[thrace]");
}

/* ---- what waits hold up ----------------------------------------------------------------------------------------- */

static bool has(struct gotrace_str s, const char *text)
{
    return s.len && memmem(s.data, s.len, text, strlen(text));
}

/* A futex is anything; the innermost function of a library that is called after something says what. */
static enum wait_need need_of_futex(struct gotrace_str function)
{
    static const char *const words[] = {"::lock", "lock_contended", "lock_slow", "Mutex",
                                        "RwLock", "mutex",          "rwlock",    "barrier"};
    if (has(function, "ondvar") || has(function, "ond_wait"))
        return WAIT_NEED_EVENT;
    if (has(function, "clockjoin"))
        return WAIT_NEED_END;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has(function, words[i]))
            return WAIT_NEED_WORK;
    return WAIT_NEED_UNKNOWN;
}

/* Of a wait without an object: the innermost function says what for, if the reason is the same for several. */
static enum wait_need need_of_function(struct gotrace_str name)
{
    static const struct {
        const char *word;
        enum wait_need need;
    } functions[] = {{"_join", WAIT_NEED_END},   {"jointimed", WAIT_NEED_END}, {"sync.(*WaitGroup)", WAIT_NEED_END},
                     {"sem_", WAIT_NEED_EVENT}, {"_cond_", WAIT_NEED_EVENT}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (has(name, functions[i].word))
            return functions[i].need;
    return WAIT_NEED_UNKNOWN;
}

/* Where a recording found the thread when it began. */
static bool is_in_glibc(struct gotrace_str f) { return place_begins(f.data, f.len, "__futex_"); }

static enum wait_need need_of_stack(struct gotrace_stack stack, const struct stack_parts *parts)
{
    struct gotrace_frame f;
    if (parts->kind && parts->kind != WAIT_FUTEX) {
        switch (wait_class_of(parts->kind)) {
        case WAIT_CLASS_LOCK: return WAIT_NEED_WORK;
        case WAIT_CLASS_MEETING: return parts->kind == WAIT_TEAM ? WAIT_NEED_EVENT : WAIT_NEED_WORK;
        case WAIT_CLASS_END: return WAIT_NEED_END;
        case WAIT_CLASS_SIGNAL: return WAIT_NEED_EVENT;
        default: return WAIT_NEED_DATA;
        }
    }
    if (!gotrace_stack_frame(stack, parts->first, &f))
        return WAIT_NEED_UNKNOWN;
    bool called = f.function.len == strlen("syscall") && has(f.function, "syscall");
    bool known = parts->kind || is_in_glibc(f.function); /* to be a futex of the threads' own */
    if (!known && !called)
        return need_of_function(f.function);
    enum wait_need need = WAIT_NEED_UNKNOWN;
    for (size_t i = parts->first; !need && i < parts->program && gotrace_stack_frame(stack, i, &f); i++)
        need = need_of_futex(f.function);
    return need || !known ? need : WAIT_NEED_EVENT;
}

static bool is(const char *a, const char *b) { return !strcmp(a, b); }

enum wait_need wait_need_of(enum wait_need stack, const char *reason)
{
    if (stack == WAIT_NEED_NO_STACK)
        stack = is(reason, "sync") ? WAIT_NEED_EVENT : WAIT_NEED_UNKNOWN;
    if (stack == WAIT_NEED_DATA)
        return is(reason, "chan send") ? WAIT_NEED_WORK : WAIT_NEED_EVENT;
    if (stack)
        return stack;
    if (is(reason, "sync") || is(reason, "wait until GC ends") || strstr(reason, "assist"))
        return WAIT_NEED_WORK;
    if (is(reason, "sleep"))
        return WAIT_NEED_TIME;
    bool idles =
        place_begins(reason, strlen(reason), "GC ") || is(reason, "forever") || strstr(reason, "system gorout");
    return idles ? WAIT_NEED_NOTHING : WAIT_NEED_EVENT;
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

void stack_split(struct gotrace_stack stack, struct stack_parts *parts)
{
    struct gotrace_frame f;
    *parts = (struct stack_parts){.kind = WAIT_NO_OBJECT, .need = WAIT_NEED_NO_STACK};
    if (!gotrace_stack_frame(stack, 0, &f))
        return;
    parts->kind = wait_object_named(f.function);
    if (parts->kind) {
        parts->object = f;
        parts->first = 1;
    }
    parts->program = parts->first;
    for (size_t i = parts->first; gotrace_stack_frame(stack, i, &f); i++)
        if (!frame_is_folded(&f)) {
            parts->program = i;
            parts->has_program = true;
            break;
        }
    parts->need = need_of_stack(stack, parts);
}

bool frame_has_definition(const struct gotrace_frame *object)
{
    char line[32];
    struct gotrace_str file = frame_file(object), name = object->function;
    size_t digits = (size_t)snprintf(line, sizeof line, ":%" PRIu64, object->line);
    if (!file.len || !place_has_line(file.data, file.len, object->line) ||
        place_is_language("", 0, object->file.data, object->file.len))
        return false;
    const char *at = memmem(name.data, name.len, file.data, file.len), *end = name.data + name.len;
    if (!at || (size_t)(end - at) < file.len + digits || memcmp(at + file.len, line, digits) != 0)
        return true;
    at += file.len + digits;
    return at < end && *at >= '0' && *at <= '9';
}

enum wait_class wait_class_of(enum wait_object kind)
{
    switch (kind) {
    case WAIT_COND:
    case WAIT_SEM: return WAIT_CLASS_SIGNAL;
    case WAIT_BARRIER:
    case WAIT_TEAM: return WAIT_CLASS_MEETING;
    case WAIT_THREAD: return WAIT_CLASS_END;
    default: return kind > WAIT_THREAD ? WAIT_CLASS_DATA : WAIT_CLASS_LOCK;
    }
}

const char *wait_class_name(enum wait_class class)
{
    static const char *const names[] = {[WAIT_CLASS_LOCK] = "lock",       [WAIT_CLASS_SIGNAL] = "signal",
                                        [WAIT_CLASS_MEETING] = "meeting", [WAIT_CLASS_END] = "end",
                                        [WAIT_CLASS_DATA] = "data"};
    return names[class];
}
