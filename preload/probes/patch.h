/* From what the examiner says to probes that fire: a module at a time, all at once at the end. */
#ifndef THRACE_PRELOAD_PROBES_PATCH_H
#define THRACE_PRELOAD_PROBES_PATCH_H

#include "preload/probes/notes.h"
#include "preload/probes/trampoline.h"

struct patch {
    const struct notes_file *file;
    const struct probe_note *note;
    const struct site *site;
    const struct probe_act *act;
    unsigned nacts;
};

enum { PATCHES_MAX = 4096 };

struct patches {
    const struct dl_phdr_info *module;
    struct trampolines trampolines;
    struct probe *probe; /* those of the module, in the order in which they were added */
    unsigned n;
};

/* Why nothing can be patched in this process, or NULL. */
const char *patches_obstacle(void);

/* For so many patches. NULL, or why there are none; then nothing else may be called. */
const char *patches_begin(struct patches *, const struct dl_phdr_info *module, unsigned n);

/* NULL, or why not this one. *unread: some of its arguments are not understood. */
const char *patches_add(struct patches *, const struct patch *, bool *unread);

/* Has them fire from now on. NULL, or why not all do. */
const char *patches_end(struct patches *);

#endif
