/* A format that a trace can be exported to, what its function is given, and how that ends. */
#ifndef THRACE_CMD_EXPORT_FORMAT_H
#define THRACE_CMD_EXPORT_FORMAT_H

#include <stdio.h>

#include "parser/analyze/profile.h"

enum export_result {
    EXPORT_DONE,      /* of what could be read: the reader's error tells whether that was all */
    EXPORT_INVALID,   /* the trace is wrong, or lacks what is wanted; why says it */
    EXPORT_UNREAD,    /* it cannot be read, or memory is short; why says it, if nobody has complained yet */
    EXPORT_UNWRITTEN, /* errno says why */
};

/* What the user says of a trace, which it does not say itself. */
enum export_about { EXPORT_HOST, EXPORT_PROGRAM, EXPORT_BUILD_ID, EXPORT_START, EXPORT_META };

struct export_job {
    /* A reader of the whole trace, from its begin, in place of the one before; NULL: EXPORT_UNREAD. It is the caller's.
     */
    struct gotrace_reader *(*read)(struct export_job *job);
    FILE *trace;                /* the same as a file, for who wants its bytes; not both */
    const char *in;             /* what it is called */
    struct span_filter *filter; /* which stretches count, or NULL; what it has to learn it has learned */
    enum profile_kind sample;   /* of formats that show one kind only */
    enum profile_label by;      /* what the outermost frame says, or PROFILE_LABELS */
    const char *meta[EXPORT_META]; /* what the user says of it; NULL: nothing */
    FILE *to;                   /* of a STREAM */
    const char *path;           /* of a PATH: the file or folder to make; of a FILE: one that is there, and empty */
    const char *why;            /* one line, static or in text */
    char text[256];
};

typedef enum export_result export_fn(struct export_job *job);

enum export_kind {
    EXPORT_STREAM, /* is written from begin to end; may be standard output */
    EXPORT_FILE,   /* writes a regular file that it is given, here and there */
    EXPORT_PATH,   /* makes a file or a folder of that name by itself */
};

struct export_format {
    const char *name, *suffix;
    enum export_kind kind;
    export_fn *function;
};

#define THRACE_EXPORT(name, suffix, kind, summary) export_fn export_##name;
#include "cmd/export/formats.def"
#undef THRACE_EXPORT

/* What an export of the profile begins with. EXPORT_DONE: all is added up, profile_free is due; else it is not. */
enum export_result export_profile(struct export_job *job, struct profile *p);

/* EXPORT_UNWRITTEN if something could not be. */
enum export_result export_written(FILE *to);

/* Nothing of the kind is in the trace: EXPORT_INVALID, with what to do about it. The same for timelines, which have
 * all. */
enum export_result export_nothing(struct export_job *job);
enum export_result export_no_timeline(struct export_job *job);

/* Takes a user's KEY=VALUE, which has to outlive the job. NULL, or what is wrong with it. */
const char *export_meta_take(struct export_job *job, const char *argument);

extern const char *const export_meta_names[EXPORT_META];
extern const char *const profile_kind_names[PROFILE_KINDS];
extern const char *const profile_label_names[PROFILE_LABELS];

#endif
