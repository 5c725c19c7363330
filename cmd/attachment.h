/*
 * thrace's library in a process that runs, for the verb that loads it: what it is told, whether it still records, and
 * its end. Everything here is for one thread.
 */
#ifndef THRACE_CMD_ATTACHMENT_H
#define THRACE_CMD_ATTACHMENT_H

#include <signal.h>

#include "cmd/attach/attach.h"
#include "cmd/common_folder.h"

/* What the library says of the recording, by the thread that listens. */
struct attachment {
    const char *verb;  /* which complains */
    struct process *p; /* opened, and the caller's */
    struct attached done;
    bool heard;  /* it has answered */
    bool silent; /* nobody listens any more: thrace detach was there */
    bool gone;   /* the process executes another program, without the library */
    uint32_t said_number;      /* of what the library has said, that was passed on last */
    void (*said)(const struct attachment *a, const char *text); /* gets that; or NULL */
};

/* Those that end a verb that attaches: it blocks them, or puts back what it did when they come. */
sigset_t attachment_signals(void);

/* The process neither has the library nor a file of it where ours is: a copy is to be put there. */
bool attachment_wants_library(const struct process *p);

/*
 * Has the process record to out, its absolute path for the process and a pattern, by the options in the environment,
 * and listen. f: a folder for the library, or NULL where none is wanted. NULL, or why it does not; the text lives until
 * the next call. In the middle of it no signal ends us.
 */
const char *attachment_begin(struct attachment *a, const char *out, bool with_filter, const struct common_folder *f);

/* What is wrong, or that the process has ended, which makes all else fail in ways of its own. wrong: or NULL. */
const char *attachment_why(const struct attachment *a, const char *wrong);

/* Complains where some calls of the process are not seen. */
void attachment_say_what_is_missed(const struct attachment *a);

/* The process has not ended. */
bool attachment_lives(const struct attachment *a);

/* False: thrace stop, or thrace detach, has ended it, or the process executes another program. */
bool attachment_is_recorded(struct attachment *a);

/* Has the process run its own code again. False after a complaint: the recording goes on there. */
bool attachment_end(struct attachment *a);

#endif
