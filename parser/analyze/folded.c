#include "parser/analyze/folded.h"

#include <string.h>

#include "parser/analyze/place.h"

static bool is(struct gotrace_str s, const char *text)
{
    return s.len == strlen(text) && place_begins(s.data, s.len, text);
}

static bool begins(struct gotrace_str s, const char *with) { return place_begins(s.data, s.len, with); }

static bool has(struct gotrace_str s, const char *text)
{
    return s.len && memmem(s.data, s.len, text, strlen(text));
}

/* The next part of a path, of which it is taken. */
static struct gotrace_str next_part(struct gotrace_str *path)
{
    const char *slash = memchr(path->data, '/', path->len);
    size_t len = slash ? (size_t)(slash - path->data) : path->len, taken = len + !!slash;
    struct gotrace_str part = {path->data, len};
    *path = (struct gotrace_str){path->data + taken, path->len - taken};
    return part;
}

/* A module stands for the file where there is no line info. */
bool file_is_library(struct gotrace_str path)
{
    static const char *const names[] = {"libc.so", "libc-2.", "libpthread", "librt.so", "librt-2.", "libm.so",
                                        "libm-2.", "libdl.so", "libdl-2.", "ld-linux", "ld-2.",
                                        "libstdc++.so", "libc++", "libgcc_s.", "libgomp.so",
                                        "libasan.so", "libtsan.so", "libubsan.so", "linux-vdso.so",
                                        "libthrace-preload.", "libglib-2.0.so"};
    const char *slash = path.len ? memrchr(path.data, '/', path.len) : NULL;
    size_t folders = slash ? (size_t)(slash + 1 - path.data) : 0;
    struct gotrace_str file = {path.data + folders, path.len - folders};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (begins(file, names[i]))
            return true;
    return is(file, "libc");
}

/* "glibc" or "glibc-2.38-7.fc39.x86_64", not another program that is called after it. */
static bool is_glibc_folder(struct gotrace_str part)
{
    return is(part, "glibc") || (begins(part, "glibc-") && part.len > 6 && part.data[6] >= '0' && part.data[6] <= '9');
}

/*
 * libc's line info, as distributions build it: "./nptl/./nptl/pthread_join.c", "./io/../sysdeps/unix/read.c",
 * "/usr/src/debug/glibc-2.38-7.fc39.x86_64/nptl/pthread_join.c", "../sysdeps/nptl/futex-internal.h"; and that of GCC's
 * and LLVM's libraries.
 */
static bool is_library_source(struct gotrace_str path)
{
    static const char *const folders[] = {"nptl", "io", "libio", "misc", "socket", "time", "stdlib", "string", "malloc",
                                          "posix", "csu", "elf", "stdio-common", "rt", "sysvipc", "signal"};
    static const char *const trees[] = {"sysdeps", "libstdc++-v3", "libgomp", "libgcc", "libsanitizer", "libcxx",
                                        "libcxxabi", "compiler-rt"};
    bool twice = begins(path, "./") && has(path, "/./");
    for (struct gotrace_str before = {NULL, 0}, again = before; path.len;) {
        struct gotrace_str part = next_part(&path);
        if (!path.len) /* the file itself */
            return false;
        if (is_glibc_folder(part))
            return true;
        for (size_t i = 0; i < sizeof trees / sizeof *trees; i++)
            if (is(part, trees[i]))
                return true;
        /* "./io/./io/": folder, dot, and the same folder once more */
        if (twice && again.len && is(before, ".") && part.len == again.len && !memcmp(part.data, again.data, part.len))
            for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
                if (is(part, folders[i]))
                    return true;
        again = before;
        before = part;
    }
    return false;
}

/* An inlined function of thrace/annotate.h, or what stands for a stack without one of the program's. */
bool function_is_thraces(struct gotrace_str function)
{
    return begins(function, "thrace_") || begins(function, "thrace::") || begins(function, "[thrace]");
}

/*
 * A package of Go's own library: "net/http.(*conn).serve" of "/usr/lib/go/src/net/http/server.go". A program's package
 * has a dot in the first part of its path, or is main.
 */
bool function_is_gos(struct gotrace_str function, struct gotrace_str file)
{
    static const char *const packages[] = {
        "bufio", "context", "crypto",  "database", "encoding", "fmt",  "internal", "io",      "log", "net",
        "os",    "reflect", "runtime", "sort",     "strings",  "sync", "syscall",  "testing", "time"};
    if (file.len < 3 || memcmp(file.data + file.len - 3, ".go", 3) != 0)
        return false;
    const char *end = function.data;
    while (end < function.data + function.len && *end != '/' && *end != '.')
        end++;
    struct gotrace_str first = {function.data, (size_t)(end - function.data)};
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
        if (!is(first, packages[i]))
            continue;
        const char *src = memmem(file.data, file.len, "/src/", 5);
        const char *at = src ? src + 5 : file.data; /* with -trimpath a file begins with its package */
        return place_begins(at, (size_t)(file.data + file.len - at), packages[i]);
    }
    return false;
}

bool frame_is_folded(const struct gotrace_frame *f)
{
    if (!f->function.len)
        return false;
    return file_is_library(f->file) || is_library_source(f->file) || function_is_thraces(f->function) ||
           place_is_language(f->function.data, f->function.len, f->file.data, f->file.len) ||
           function_is_gos(f->function, f->file);
}
