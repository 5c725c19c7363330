/* What is asked of the symbolizer, and what it answers. */
#ifndef THRACE_LIB_SYMBOLIZE_TYPES_H
#define THRACE_LIB_SYMBOLIZE_TYPES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum symbolize_kind {
    SYMBOLIZE_FILE,     /* an ELF file at path */
    SYMBOLIZE_IMAGE,    /* an ELF image in memory (the vdso): image, image_len; path is its display name */
    SYMBOLIZE_PERF_MAP, /* JIT code, described by a perf-PID.map file at path; its addresses are absolute, bias is 0 */
};

/* Where a part of the module was mapped: [start, end) from this offset of the file. */
struct symbolize_range {
    uint64_t start, end, offset;
};

struct symbolize_module {
    enum symbolize_kind kind;
    const char *path;
    const char *name; /* what it is called in answers and messages; NULL: its path */
    const uint8_t *build_id; /* what was recorded when it was mapped; length 0 = unknown, the file is then trusted */
    size_t build_id_len;
    uint64_t bias; /* run-time address minus ELF address */
    const struct symbolize_range *ranges;
    size_t nranges;
    const void *image; /* SYMBOLIZE_IMAGE only */
    uid_t user;        /* SYMBOLIZE_PERF_MAP only: whose file counts; root's does as well */
    size_t image_len;
};

struct symbolize_frame {
    const char *function; /* demangled, never empty */
    const char *file;     /* never empty: the module's path when the source is unknown */
    uint32_t line;        /* from 1 */
};

enum symbolize_advice {
    SYMBOLIZE_NOT_READ,      /* the file is gone, unreadable, or not ELF */
    SYMBOLIZE_CHANGED,       /* the file on disk is not the one that ran */
    SYMBOLIZE_NO_DEBUG_INFO, /* functions only; what to install is in the text */
    SYMBOLIZE_BAD_DEBUG_INFO /* corrupt, too large, or in a form that is not understood */
};

/* One per module at most; the text is one line without a newline, and begins with the module's path. */
struct symbolize_message {
    enum symbolize_advice advice;
    int module;
    const char *text;
};

/* Debug files larger than this are refused, with a message. */
#define SYMBOLIZE_MAX_FILE (UINT64_C(2) << 30)

#endif
