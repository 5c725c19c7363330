#include "parser/rewrite/public_names.h"

#include <string.h>

#include "lib/errnos.h"
#include "lib/objects.h"
#include "parser/analyze/folded.h"

static bool has(struct gotrace_str s, const char *text) { return s.len && memmem(s.data, s.len, text, strlen(text)); }
static bool is(struct gotrace_str s, const char *text) { return s.len == strlen(text) && !memcmp(s.data, text, s.len); }

static bool begins(struct gotrace_str s, const char *with)
{
    return s.len >= strlen(with) && !memcmp(s.data, with, strlen(with));
}

static bool is_one_of(struct gotrace_str s, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is(s, words[i]))
            return true;
    return false;
}
#define IS_ONE_OF(s, words) is_one_of(s, words, sizeof(words) / sizeof *(words))

static bool is_object(struct gotrace_str function) { return is_object_name(function.data, function.len); }

/* ---- sources of libraries --------------------------------------------------------------------------------------- */

/* The next part of a path, of which it is taken; the last one is the file itself. */
static bool next_folder(struct gotrace_str *path, struct gotrace_str *part)
{
    const char *slash = path->len ? memchr(path->data, '/', path->len) : NULL;
    size_t len = slash ? (size_t)(slash - path->data) : 0;
    *part = (struct gotrace_str){path->data, len};
    if (slash)
        *path = (struct gotrace_str){slash + 1, path->len - len - 1};
    return slash;
}

/* "glibc", "glibc-2.38-7.fc39.x86_64", "glibc-eX1tMB": what a distribution calls the folder that it builds in. */
static bool is_glibc(struct gotrace_str part) { return is(part, "glibc") || begins(part, "glibc-"); }

/*
 * "./nptl/./nptl/pthread_join.c", "./io/../sysdeps/unix/read.c", "../../../src/libgcc/unwind.c",
 * "/usr/src/debug/glibc-2.38-7.fc39.x86_64/nptl/pthread_join.c": up to the library's own folder there is none that
 * somebody else has made, as there is in "../shop/sysdeps/poll.c".
 */
static bool is_public_source(struct gotrace_str path)
{
    static const char *const trees[] = {"sysdeps", "libstdc++-v3", "libgomp", "libgcc", "libsanitizer", "libcxx",
                                        "libcxxabi", "compiler-rt"};
    static const char *const of_glibc[] = {"csu",    "dirent", "dlfcn",   "elf",    "inet",   "io",
                                           "libio",  "malloc", "misc",    "nptl",   "nss",    "posix",
                                           "resolv", "rt",     "setjmp",  "signal", "socket", "stdio-common",
                                           "stdlib", "string", "sysvipc", "time"};
    static const char *const roads[] = {"", ".", "..", "src", "usr", "debug", "build", "builddir", "BUILD", "gcc"};
    bool twice = begins(path, "./") && has(path, "/./"), in_glibc = false;
    for (struct gotrace_str part, before = {"", 0}; next_folder(&path, &part);) {
        bool known = IS_ONE_OF(part, of_glibc);
        bool again = known && twice && part.len == before.len && !memcmp(part.data, before.data, part.len);
        if (IS_ONE_OF(part, trees) || again || (known && in_glibc))
            return true;
        in_glibc |= is_glibc(part);
        if (known)
            before = part;
        else if (!is_glibc(part) && !IS_ONE_OF(part, roads))
            return false;
    }
    return false;
}

/* ---- frames ----------------------------------------------------------------------------------------------------- */

/* Templates have the program's types in their names. */
static bool is_template(struct gotrace_str function)
{
    return has(function, "<") || has(function, "::") || has(function, "[go.shape");
}

static bool is_public(const struct gotrace_frame *f)
{
    if (is_template(f->function) || is_object(f->function))
        return false;
    return file_is_library(f->file) || is_public_source(f->file) || function_is_thraces(f->function) ||
           function_is_gos(f->function, f->file) || begins(f->function, "__gthread_");
}

/* It says who ended a wait: also a thread of another program. */
static bool is_of_kernel(const struct gotrace_frame *f) { return IS_ONE_OF(f->file, (const char *const[]){"kernel"}); }

/* Behind a thread's name, whatever that is, its number stands in brackets. */
static bool is_interrupt(struct gotrace_str s)
{
    return s.len && s.data[s.len - 1] != ')' && (begins(s, "interrupt ") || begins(s, "softirq "));
}

enum pseudonym public_function(const struct gotrace_frame *f, bool outermost)
{
    static const char *const mains[] = {"main", "main.main"};
    if (is_of_kernel(f))
        return is_interrupt(f->function) ? PSEUDONYM_KEPT : PSEUDONYM_THREAD;
    if (is_object(f->function))
        return PSEUDONYM_OBJECT;
    if (IS_ONE_OF(f->function, mains) || is_public(f))
        return PSEUDONYM_KEPT;
    return outermost ? PSEUDONYM_THREAD : PSEUDONYM_FUNCTION;
}

enum pseudonym public_file(const struct gotrace_frame *f)
{
    static const char *const words[] = {"[object]", "[unknown]", "[vdso]", "libc", "kernel"};
    if (IS_ONE_OF(f->file, words))
        return PSEUDONYM_KEPT;
    if (is_object(f->function) || is_template(f->function))
        return PSEUDONYM_FILE;
    if (begins(f->file, ".") && is_public_source(f->file))
        return PSEUDONYM_KEPT;
    return file_is_library(f->file) && has(f->file, ".so") ? PSEUDONYM_LIBRARY : PSEUDONYM_FILE;
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

bool keep_words(struct pseudonyms *names)
{
    static const char *const words[] = {
#define THRACE_REASON(name, text) text,
#include "lib/reasons.def"
#undef THRACE_REASON
        ERRNO_CATEGORY,
#define THRACE_ERRNO(name) #name,
#include "lib/errnos.def"
#undef THRACE_ERRNO
        /* of goroutines */
        "unspecified", "GC background sweeper wait", "GC mark assist wait for work", "GC weak to strong wait",
        "runtime.Gosched", "synctest", "system goroutine wait", "wait for debug call", "wait until GC ends",
        /* of the world */
        "unknown", "GC mark termination", "GC sweep termination", "write heap dump", "goroutine profile",
        "goroutine profile cleanup", "all goroutines stack trace", "all goroutine stack trace", "read mem stats",
        "AllThreadsSyscall", "GOMAXPROCS", "start trace", "stop trace", "CountPagesInUse (test)",
        "ReadMetricsSlow (test)", "ReadMemStatsSlow (test)", "PageCachePagesLeaked (test)", "ResetDebugLog (test)"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        pseudonym_of(names, (struct gotrace_str){words[i], strlen(words[i])}, PSEUDONYM_KEPT);
    return !names->failed;
}

bool text_is_note(struct gotrace_str s) { return begins(s, "thrace "); }

/* A # stands for a number. */
static bool has_form(struct gotrace_str s, const char *form)
{
    size_t at = 0;
    for (; *form; form++) {
        size_t begin = at;
        if (*form != '#') {
            if (at == s.len || s.data[at++] != *form)
                return false;
            continue;
        }
        while (at < s.len && s.data[at] >= '0' && s.data[at] <= '9')
            at++;
        if (at == begin)
            return false;
    }
    return at == s.len;
}

bool text_is_number_note(struct gotrace_str s)
{
    return has_form(s, "thrace cpu-hz #") || has_form(s, "thrace switches lost #") ||
           has_form(s, "thrace moves threads #") || has_form(s, "thrace moves of # migrations # cpus #") ||
           has_form(s, "thrace delays threads #") || has_form(s, "thrace delay of # ns #");
}
