#include "config.h"

#include "cmd/control_trace.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/apart.h"
#include "cmd/control_list.h"
#include "cmd/finish/process_life.h"
#include "cmd/visit.h"

/* The path of the process's spool, as far as it is not known to be another one, from here. */
static bool locate(char *path, size_t size, pid_t pid, const char *spool)
{
    char folder[PROCESS_FOLDER];
    process_folder(folder, pid);
    int n = snprintf(path, size, "%s/root%s", folder, spool);
    bool fits = n > 0 && (size_t)n < size;
    if (fits && access(path, F_OK) && errno == EACCES)
        snprintf(path, size, "%s", spool);
    return fits;
}

bool control_trace_is_missing(pid_t pid, const char *spool)
{
    char path[PATH_MAX + 64];
    bool missing = locate(path, sizeof path, pid, spool) && access(path, F_OK) && errno == ENOENT;
    return missing && locate(path, sizeof path, pid, "/") && !access(path, F_OK); /* and the process is not */
}

/*
 * Where the process has its own file system, links may lead anywhere, so none is followed, and the trace goes where the
 * user says.
 */
static enum finish_result make_apart(pid_t pid, const char *spool, struct finish_how *how, bool is_over,
                                     struct finish_summary *sum)
{
    static struct apart apart = APART_NONE;
    static char path[PATH_MAX + 64], there[PATH_MAX];
    struct process p;
    locate(path, sizeof path, pid, spool);
    if (!how->out) {
        how->report(how->who, "%ld: it has another file system; thrace finish -o FILE %s makes the trace", (long)pid,
                    path);
        return FINISH_FAILED;
    }
    const char *wrong = NULL;
    process_open(&p, pid); /* its memory may be closed to us, and its files are not */
    bool is_own = apart_has(spool) && apart_open(&apart, &p, path);
    if (!is_own && !apart_look(&apart, &p, path))
        wrong = "the folder of its recording cannot be opened, or links lead there";
    else if (!common_folder_find(&apart.folder, spool, there, sizeof there))
        wrong = "the path of its recording is too long";
    if (wrong)
        how->report(how->who, "%ld: %s: %s", (long)pid, path, wrong);
    else
        apart_set(&apart, how);
    enum finish_result result = wrong ? FINISH_FAILED : finish_spool(there, how, sum);
    apart_end(&apart, how->who, is_over);
    process_close(&p);
    return result;
}

/*
 * The first name is the one that thrace attach gives to its own trace, if it was given none. NULL: the trace has a name
 * already, or gets none.
 */
static const char *name_trace(pid_t pid, const char *spool, struct finish_how *how)
{
    static char trace[PATH_MAX];
    char name[64];
    command_of(pid, name, sizeof name);
    if (!visit_has(spool) && !apart_has(spool))
        return NULL;
    const bool named = !how->out && visit_trace(trace, sizeof trace, name, pid,
                                                control_trace_is_awaited(pid, spool) ? 2 : 1);
    if (named)
        how->out = trace;
    how->anyway = how->out != NULL;
    return named ? trace : NULL;
}

enum finish_result control_trace_make(pid_t pid, const char *spool, const struct finish_how *wanted, bool is_over,
                                      struct finish_summary *sum)
{
    char root[PROCESS_ROOT_OWN];
    struct finish_how how = *wanted;
    const char *named = name_trace(pid, spool, &how);
    process_root_look(&how.root, root, pid);
    enum finish_result result = how.root.path || apart_has(spool) ? make_apart(pid, spool, &how, is_over, sum)
                                                                  : finish_spool(spool, &how, sum);
    if (named)
        visit_trace_unused(named);
    return result;
}

bool control_trace_is_awaited(pid_t pid, const char *spool)
{
    static struct apart apart = APART_NONE;
    char path[PATH_MAX + 64];
    struct process p;
    locate(path, sizeof path, pid, spool);
    if (!apart_has(spool))
        return false;
    process_open(&p, pid);
    bool awaited = !apart_open(&apart, &p, path) && apart.folder.is_taken;
    process_close(&p);
    apart_end(&apart, "", false);
    return awaited;
}

void control_trace_tidy_up(const char *verb, pid_t pid, const char *spool, bool is_made)
{
    static struct apart apart = APART_NONE;
    static struct visit v;
    static char path[PATH_MAX + 64];
    struct process p;
    locate(path, sizeof path, pid, spool);
    if (apart_has(spool) && is_made)
        return;
    if (apart_has(spool)) {
        bool opened = !process_open(&p, pid) && apart_open(&apart, &p, path);
        apart_end(&apart, verb, opened);
        process_close(&p);
    } else if (visit_take_over(&v, verb, pid, path) ||
               visit_take_over(&v, verb, pid, spool)) { /* where that is a path of ours as well */
        visit_end(&v);
    }
}
