/* What the formats for profilers share. */
#include "cmd/export/format.h"

const char *const profile_kind_names[PROFILE_KINDS] = {
    [PROFILE_CPU] = "cpu", [PROFILE_WAIT] = "wait", [PROFILE_SYSCALL] = "syscall", [PROFILE_RUNNABLE] = "runnable"};
const char *const profile_label_names[PROFILE_LABELS] = {
    [PROFILE_THREAD] = "thread", [PROFILE_REASON] = "reason", [PROFILE_OBJECT] = "object", [PROFILE_WAKER] = "waker"};

enum export_result export_profile(struct export_job *job, struct profile *p)
{
    struct gotrace_reader *r = job->read(job);
    if (!r)
        return EXPORT_UNREAD;
    bool ok = profile_init(p, job->filter) && consume_events(r, &profile_consumer, p);
    if (ok && (p->spans.nevents || !gotrace_reader_error(r)))
        return EXPORT_DONE;
    profile_free(p);
    job->why = ok ? NULL : "out of memory";
    return EXPORT_UNREAD;
}

enum export_result export_written(FILE *to) { return fflush(to) || ferror(to) ? EXPORT_UNWRITTEN : EXPORT_DONE; }

enum export_result export_nothing(struct export_job *job)
{
    static const char *const why[PROFILE_KINDS] = {
        [PROFILE_CPU] = "no CPU samples in it; --sample=wait shows where threads waited",
        [PROFILE_WAIT] = "no thread waits in it",
        [PROFILE_SYSCALL] = "no system calls in it",
        [PROFILE_RUNNABLE] = "no thread was runnable in it",
    };
    job->why = job->filter ? "nothing in it passes the filters" : why[job->sample];
    return EXPORT_INVALID;
}

enum export_result export_no_timeline(struct export_job *job)
{
    job->why = job->filter ? "nothing in it passes the filters" : "no thread does anything in it";
    return EXPORT_INVALID;
}
