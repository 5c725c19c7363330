/* The library, loaded into a process that runs, and told to record. */
#ifndef THRACE_CMD_ATTACH_ATTACH_H
#define THRACE_CMD_ATTACH_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/stacks/process.h"
#include "lib/control.h"

struct attach {
    const char *library;  /* its path there */
    const char *entries;  /* of the environment that it is to read, each with its NUL */
    size_t entries_size;
    bool apart;           /* this command makes the trace, also at the end of the process */
    bool with_filter;     /* also where a filter of system calls may kill for one that a recording makes */
};

struct attached {
    struct attach_reply reply; /* text is printable */
    uint64_t held_ns;          /* how long one thread was held; the others went on */
};

/* Whether the process has the library in it, by the mappings that were read last. */
bool attach_is_there(const struct process *p);

/* The refusal of one that is recorded, or could be without us. */
extern const char attach_has_library[];

/* Whether the process finds the same file, or folder, at that absolute path as we do. */
bool attach_shares(const struct process *p, const char *path);

/*
 * NULL, or one line that says why nothing is recorded; the text lives until the next call. The process was opened with
 * process_open, and is as it was, but that it may have the library in it.
 */
const char *attach_process(struct process *p, const struct attach *how, struct attached *done);

#endif
