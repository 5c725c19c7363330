/*
 * The work on one file: its PCs and objects, sorted. Runs in a worker process, where a crash on a corrupt file harms
 * nobody.
 */
#ifndef THRACE_LIB_SYMBOLIZE_JOB_H
#define THRACE_LIB_SYMBOLIZE_JOB_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/symbolize/answer.h"
#include "lib/symbolize/types.h"

struct job {
    enum symbolize_kind kind;
    const char *path, *name;
    const uint8_t *build_id;
    size_t build_id_len;
    const void *image;
    size_t image_len;
    uid_t user; /* of a perf map: whose it may be */
    const uint64_t *pcs; /* addresses in the file to look up, ascending, distinct; those of objects have OBJECT_BIT, those
                           of locals LOCAL_BIT */
    size_t npcs;
    const char *debug_root; /* where separate debug files are installed */
    const char *cache_dir;  /* or NULL */
    void (*before_dwarf)(uint64_t bytes); /* called with the size of the debug info, to set limits; may be NULL */
    bool without_dwarf; /* a worker died on it before: symbol tables only */
};

/* The index of the first that is no PC, but a local or an object, and of the first object; npcs: there is none. */
size_t job_first_local(const struct job *);
size_t job_first_object(const struct job *);

/*
 * Every PC gets frames without gaps: function, file and line are all known afterwards, unless memory ran out. An object
 * gets such a frame if a variable holds it.
 */
void job_resolve(const struct job *, struct answer *);

/* The last resort: module+0xoffset for every PC that has no frames. */
void job_fill_offsets(const struct job *, struct answer *);

/* What belongs to no file: the address in place of the function, JOB_UNKNOWN in place of the file. */
#define JOB_UNKNOWN "[unknown]"
void job_fill_unknown(const struct job *, struct answer *);

#endif
