#include "config.h"

#include "cmd/apart.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/complain.h"

static const char prefix[] = "thrace-attach.";

static void open_root(struct apart *a, const struct process *p)
{
    a->is_looked_at = false;
    a->root_fd = process_open_root(p);
    snprintf(a->root_path, sizeof a->root_path, "/proc/self/fd/%d", a->root_fd);
    a->root = (struct process_root){.path = a->root_fd < 0 ? NULL : a->root_path, .user = p->uid};
    if (a->folder.is_far)
        snprintf(a->shown, sizeof a->shown, "/proc/%ld/root%.*s", (long)p->pid, PATH_MAX - 32, a->folder.path);
    else
        snprintf(a->shown, sizeof a->shown, "%s", a->folder.path);
}

const char *apart_begin(struct apart *a, const struct process *p, bool for_library)
{
    const char *wrong = common_folder_make(&a->folder, p, prefix, for_library);
    if (!wrong)
        open_root(a, p);
    return wrong;
}

bool apart_has(const char *spool) { return common_folder_of(spool, prefix); }

static bool open_folder(struct apart *a, const struct process *p, const char *spool, bool look)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(spool, '/');
    int n = slash ? snprintf(folder, sizeof folder, "%.*s", (int)(slash - spool), spool) : -1;
    if (n < 0 || (size_t)n >= sizeof folder)
        return false;
    if (!(look ? common_folder_look(&a->folder, p, folder) : common_folder_open(&a->folder, p, folder, prefix)))
        return false;
    open_root(a, p);
    a->is_looked_at = look;
    return true;
}

bool apart_open(struct apart *a, const struct process *p, const char *path) { return open_folder(a, p, path, false); }
bool apart_look(struct apart *a, const struct process *p, const char *path) { return open_folder(a, p, path, true); }

static const struct apart *reported;
__attribute__((format(printf, 2, 3))) static void (*reported_to)(const char *who, const char *fmt, ...);

/* A finish_how's report. */
__attribute__((format(printf, 2, 3))) static void report(const char *who, const char *fmt, ...)
{
    static char text[2 * PATH_MAX];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    reported_to(who, "%s", apart_show(reported, text));
}

void apart_set(const struct apart *a, struct finish_how *how)
{
    reported = a;
    reported_to = how->report;
    how->report = report;
    how->anyway = how->takes = true;
    how->root = a->root;
}

const char *apart_show(const struct apart *a, const char *text)
{
    static char shown[2 * PATH_MAX];
    const size_t len = strlen(a->folder.here);
    const char *at = strstr(text, a->folder.here);
    if (!at || at[len] != '/')
        return text;
    snprintf(shown, sizeof shown, "%.*s%s%s", (int)(at - text), text, a->shown, at + len);
    return shown;
}

void apart_end(struct apart *a, const char *verb, bool is_over)
{
    if (is_over && apart_is_begun(a) && !a->is_looked_at && !common_folder_remove(&a->folder, NULL))
        complain(verb, "%s: not all that was recorded there was made a trace of, and it is left: thrace finish --anyway "
                 "-o FILE makes one of each spool", a->shown);
    common_folder_close(&a->folder);
    if (a->root_fd >= 0)
        close(a->root_fd);
    a->root_fd = -1;
}
