#include "parser/analyze/frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* A module stands for the file where there is no line info. */
static bool is_library(struct gotrace_str file)
{
    static const char *const names[] = {"libc.so", "libc-2.", "libpthread", "libstdc++.so", "libc++", "libgcc_s.",
                                        "libm.so", "libgomp.so", "ld-linux", "libthrace-preload."};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (place_begins(file.data, file.len, names[i]))
            return true;
    return file.len == strlen("libc") && place_begins(file.data, file.len, "libc");
}

/* glibc's line info, as distributions build it: "./nptl/./nptl/pthread_join.c", "./io/../sysdeps/unix/read.c". */
static bool is_glibc_source(struct gotrace_str path)
{
    static const char *const folders[] = {"nptl", "io", "libio", "misc", "socket", "time", "stdlib", "string", "malloc",
                                          "posix", "csu", "elf", "stdio-common", "rt", "sysvipc", "signal"};
    if (path.len && memmem(path.data, path.len, "/sysdeps/", strlen("/sysdeps/")))
        return true;
    const char *second = place_begins(path.data, path.len, "./") ? memmem(path.data, path.len, "/./", 3) : NULL;
    if (!second)
        return false;
    const char *first = path.data + 2, *end = path.data + path.len;
    size_t len = second > first ? (size_t)(second - first) : 0;
    second += 3;
    if (!len || (size_t)(end - second) <= len || memcmp(second, first, len) != 0 || second[len] != '/')
        return false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (strlen(folders[i]) == len && !memcmp(first, folders[i], len))
            return true;
    return false;
}

/* An inlined function of thrace/annotate.h, or what stands for a stack without one of the program's. */
static bool is_thraces(struct gotrace_str function)
{
    return place_begins(function.data, function.len, "thrace_") ||
           place_begins(function.data, function.len, "thrace::") ||
           place_begins(function.data, function.len, "[thrace]");
}

bool frame_is_folded(const struct gotrace_frame *f)
{
    if (!f->function.len)
        return false;
    return is_library(frame_file(f)) || is_glibc_source(f->file) || is_thraces(f->function) ||
           place_is_language(f->function.data, f->function.len, f->file.data, f->file.len);
}

void stack_split(struct gotrace_stack stack, struct stack_parts *parts)
{
    struct gotrace_frame f;
    *parts = (struct stack_parts){.kind = WAIT_NO_OBJECT};
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
            return;
        }
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
