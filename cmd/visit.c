#include "config.h"

#include "cmd/visit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/complain.h"
#include "cmd/finish/process_life.h"
#include "cmd/top/find_spool.h"

static const char prefix[] = "thrace-top.", file_name[] = "top.trace";

/* The length of the folder's path, 0: it is none of ours. */
static size_t folder_of(const char *spool)
{
    const size_t n = common_folder_of(spool, prefix);
    return n && !strncmp(spool + n + 1, file_name, sizeof file_name - 1) ? n : 0;
}

bool visit_has(const char *spool) { return folder_of(spool); }

bool visit_trace(char *path, size_t size, const char *name, pid_t pid, int first)
{
    enum { TRIES = 10000 };
    const char *slash = strrchr(name, '/');
    name = slash ? slash + 1 : name;
    for (int i = first; i < TRIES; i++) {
        int n = i == 1 ? snprintf(path, size, "%s.%ld.trace", name, (long)pid)
                       : snprintf(path, size, "%s.%ld.%d.trace", name, (long)pid, i);
        if (n < 0 || (size_t)n >= size)
            return false;
        int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0)
            close(fd);
        if (fd >= 0 || errno != EEXIST)
            return fd >= 0;
    }
    return false;
}

void visit_trace_unused(const char *path)
{
    struct stat st;
    if (!lstat(path, &st) && S_ISREG(st.st_mode) && !st.st_size)
        unlink(path);
}

bool visit_find(const struct visit *v, const char *spool, char *path, size_t size)
{
    const size_t n = folder_of(spool);
    return v->begun && n == strlen(v->folder.path) && !memcmp(spool, v->folder.path, n) &&
           common_folder_find(&v->folder, spool, path, size);
}

void visit_spool(const struct visit *v, char *path, size_t size)
{
    snprintf(path, size, "%s/%s.spool", v->folder.here, file_name);
}

void visit_forget(const struct visit *v, const char *spool)
{
    char path[PATH_MAX];
    if (visit_find(v, spool, path, sizeof path))
        unlinkat(v->folder.fd, strrchr(path, '/') + 1, 0);
}

static void pass_on(const struct attachment *a, const char *text)
{
    complain(a->verb, "%ld: %s", (long)a->p->pid, text);
}

/* --- begin and end ------------------------------------------------------------------------------------------------ */

static const char *open_visit(struct visit *v, const char *verb, pid_t pid)
{
    memset(v, 0, sizeof *v);
    v->folder.fd = v->folder.above = -1;
    v->attachment.verb = verb;
    v->attachment.p = &v->process;
    v->attachment.said = pass_on;
    return process_open(&v->process, pid);
}

static void close_visit(struct visit *v)
{
    common_folder_close(&v->folder);
    v->begun = false;
    process_close(&v->process);
}

const char *visit_begin(struct visit *v, const char *verb, pid_t pid, bool with_filter)
{
    static char out[PATH_MAX + sizeof file_name];
    const char *wrong = open_visit(v, verb, pid);
    if (!wrong)
        wrong = attachment_why(&v->attachment, common_folder_make(&v->folder, &v->process, prefix,
                                                                  attachment_wants_library(&v->process)));
    if (!wrong) {
        snprintf(out, sizeof out, "%s/%s", v->folder.path, file_name);
        wrong = attachment_begin(&v->attachment, out, with_filter, &v->folder);
        if (wrong)
            common_folder_remove(&v->folder, file_name);
    }
    v->begun = !wrong;
    if (wrong)
        close_visit(v);
    return wrong;
}

bool visit_take_over(struct visit *v, const char *verb, pid_t pid, const char *spool)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s", (int)folder_of(spool), spool);
    v->begun = *path && !open_visit(v, verb, pid) && common_folder_open(&v->folder, &v->process, path, prefix);
    v->attachment.heard = true;
    if (*path && !v->begun)
        close_visit(v);
    return v->begun;
}

bool visit_end(struct visit *v)
{
    if (!v->begun)
        return true;
    bool over = attachment_end(&v->attachment);
    if (over)
        common_folder_remove(&v->folder, file_name);
    close_visit(v);
    return over;
}

bool visit_make_way(const char *verb, pid_t pid)
{
    static char path[FOUND_SPOOL_SIZE];
    static struct visit v;
    struct spool_claim claim = {.fd = -1};
    struct process_stat s;
    bool there = !process_stat(pid, &s) && !find_spool(&claim, path, pid, &s) && visit_has(path);
    spool_claim_end(&claim, "", false);
    if (!there)
        return true;
    if (visit_take_over(&v, verb, pid, path))
        return visit_end(&v);
    complain(verb, "%ld: thrace top looks at it, and it can be recorded once only: end that first", (long)pid);
    return false;
}
