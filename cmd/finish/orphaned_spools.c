#include "config.h"

#include "cmd/finish/orphaned_spools.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/finish/process_life.h"
#include "cmd/finish/regular_file.h"
#include "lib/clock.h"
#include "lib/wire/file_header.h"
#include "parser/vec.h"

/* --- names -------------------------------------------------------------------------------------------------------- */

/* ".17.3" + suffix: a child's pid, the number of a session or of an earlier program of the process. */
static bool is_rest(const char *name, const char *suffix)
{
    while (strcmp(name, suffix)) {
        if (*name != '.' || !isdigit((unsigned char)name[1]))
            return false;
        for (name++; isdigit((unsigned char)*name); name++)
            ;
    }
    return true;
}

/* Whether a recording to the pattern may have made a file of that name. */
static bool is_of(const char *pattern, const char *name, const char *suffix)
{
    for (; *pattern; pattern++, name++) {
        bool number = *pattern == '%' && (pattern[1] == 'p' || pattern[1] == 'n');
        if (number) {
            for (; isdigit((unsigned char)*name); name++)
                if (is_of(pattern + 2, name + 1, suffix))
                    return true;
            return false;
        }
        if (*pattern == '%' && pattern[1] == '%')
            pattern++;
        if (*pattern != *name)
            return false;
    }
    return is_rest(name, suffix);
}

/* --- times -------------------------------------------------------------------------------------------------------- */

struct since since_now(void)
{
    return (struct since){clock_ns(CLOCK_REALTIME_COARSE), clock_ns(CLOCK_BOOTTIME), clock_ns(CLOCK_MONOTONIC)};
}

/* Of files that were made between that moment and now. */
struct file_times {
    uint64_t first, last;
};

/* Where the clock was set back, what is newer than now is older than the moment. A tick is how far all this is off. */
static struct file_times times_of_files(struct since since)
{
    enum { TOLERANCE_NS = 1000000000, TICK_NS = 10000000 };
    int64_t ahead = (int64_t)(since.wall_ns - since.boot_ns);
    uint64_t now = clock_ns(CLOCK_REALTIME);
    int64_t back = ahead - (int64_t)(now - clock_ns(CLOCK_BOOTTIME)) + TICK_NS;
    bool is_set = since.boot_ns && back > TOLERANCE_NS && (uint64_t)back < since.wall_ns;
    return is_set ? (struct file_times){since.wall_ns - (uint64_t)back, now + TICK_NS}
                  : (struct file_times){since.wall_ns, UINT64_MAX};
}

/* --- files -------------------------------------------------------------------------------------------------------- */

struct search {
    const char *out;
    uint32_t launched;
    struct since since;
    struct file_times times;
    struct orphaned_spools *orphans; /* what was found, and what could not be looked at */
};

static void note(struct orphaned_spools *orphans, int error)
{
    if (!orphans->error)
        orphans->error = error;
}

static ssize_t read_head(const struct search *s, int fd, void *to, size_t size)
{
    ssize_t n = pread(fd, to, size, 0);
    if (n < 0)
        note(s->orphans, errno);
    return n;
}

static uint64_t changed_ns(const struct stat *st)
{
    return (uint64_t)st->st_mtim.tv_sec * 1000000000u + (uint64_t)st->st_mtim.tv_nsec;
}

static bool is_made_since(const struct search *s, uint64_t time)
{
    return time >= s->times.first && time <= s->times.last;
}

/* Whether it is one of those looked for. path, of our own; fd is open. */
typedef bool look_fn(const struct search *s, int fd, const struct stat *st, struct orphaned_spool *found);

/* OUT.spool, of the process that was launched, which has ended. */
static bool is_first(const struct search *s, const char *path)
{
    size_t len = strlen(s->out);
    return !strncmp(path, s->out, len) && !strcmp(path + len, ".spool");
}

/* The process writes its pid first and the magic last. */
static bool look_at_empty(const struct search *s, const struct spool_header *h, const struct stat *st,
                           struct orphaned_spool *found)
{
    bool lives = h->pid && h->pid <= INT32_MAX && (!kill((pid_t)h->pid, 0) || errno == EPERM);
    found->start_ns = changed_ns(st);
    found->pid = h->pid;
    found->main = h->pid == s->launched || is_first(s, found->path);
    found->kind = lives ? ORPHAN_IN_USE : h->pid || found->main ? ORPHAN_READY : ORPHAN_EMPTY;
    return is_made_since(s, found->start_ns) && st->st_uid == geteuid() &&
           (!h->launcher || h->launcher == s->launched);
}

/* By the clock that nobody sets, too. */
static bool is_since(const struct search *s, const struct spool_header *h)
{
    return h->start_realtime_ns >= s->since.wall_ns ||
           (s->since.mono_ns && h->first.mono_ns >= s->since.mono_ns && process_is_of_this_boot(h));
}

static bool look_at_spool(const struct search *s, int fd, const struct stat *st, struct orphaned_spool *found)
{
    static struct spool_header h;
    static const char none[sizeof h.magic];
    memset(&h, 0, sizeof h);
    ssize_t n = read_head(s, fd, &h, sizeof h);
    if (n >= 0 && !memcmp(h.magic, none, sizeof none))
        return look_at_empty(s, &h, st, found);
    if (n != sizeof h || memcmp(h.magic, SPOOL_MAGIC, sizeof h.magic) ||
        h.version != SPOOL_VERSION || h.launcher != s->launched || !is_since(s, &h))
        return false;
    enum life life = process_life(&h);
    found->start_ns = h.start_realtime_ns;
    found->pid = h.pid;
    found->main = h.pid == s->launched;
    found->kind = life == LIFE_ON ? ORPHAN_IN_USE : life == LIFE_UNKNOWN ? ORPHAN_UNKNOWN : ORPHAN_READY;
    if (st->st_uid != geteuid())
        found->kind = ORPHAN_FOREIGN;
    return st->st_uid == geteuid() || !geteuid();
}

static bool look_at_trace(const struct search *s, int fd, const struct stat *st, struct orphaned_spool *found)
{
    uint8_t header[TRACE_HEADER_SIZE];
    found->start_ns = changed_ns(st);
    found->kind = ORPHAN_FINISHED;
    return is_made_since(s, found->start_ns) && st->st_uid == geteuid() &&
           read_head(s, fd, header, sizeof header) == sizeof header && file_header_get(header) >= 0;
}

/* Gone meanwhile, or of others. */
static bool is_no_spool(int error) { return error == ENOENT || error == EACCES || error == ELOOP || error == EINVAL; }

/* The trace of a file with a second name would get a name that somebody else chose. */
static void look(const struct search *s, const char *path, look_fn *is_wanted)
{
    struct orphaned_spools *orphans = s->orphans;
    struct stat st;
    int fd = regular_file_open(path, &st);
    if (fd < 0) {
        note(orphans, is_no_spool(errno) ? 0 : errno);
        return;
    }
    if (st.st_nlink == 1 && VEC_ROOM(orphans)) {
        struct orphaned_spool *found = &orphans->v[orphans->n];
        memset(found, 0, sizeof *found);
        strcpy(found->path, path);
        orphans->n += is_wanted(s, fd, &st, found);
    }
    close(fd);
}

static int by_start(const void *a, const void *b)
{
    const struct orphaned_spool *x = a, *y = b;
    if (x->main != y->main)
        return x->main ? -1 : 1;
    if (x->start_ns != y->start_ns)
        return x->start_ns < y->start_ns ? -1 : 1;
    return strcmp(x->path, y->path);
}

static void find(const struct search *s, const char *suffix, look_fn *wanted)
{
    static char path[PATH_MAX + NAME_MAX + 2];
    struct orphaned_spools *orphans = s->orphans;
    const char *slash = strrchr(s->out, '/');
    int folder = (int)(slash - s->out) + 1;
    memset(orphans, 0, sizeof *orphans);
    snprintf(path, sizeof path, "%.*s", folder, s->out);
    DIR *d = opendir(path);
    if (!d)
        note(orphans, errno);
    for (struct dirent *e; d && (errno = 0, e = readdir(d));) {
        int n = snprintf(path, sizeof path, "%.*s%s", folder, s->out, e->d_name);
        if (is_of(slash + 1, e->d_name, suffix) && n < PATH_MAX)
            look(s, path, wanted);
    }
    if (d) {
        note(orphans, errno);
        closedir(d);
    }
    if (orphans->n)
        qsort(orphans->v, orphans->n, sizeof *orphans->v, by_start);
}

void orphaned_spools_find(struct orphaned_spools *orphans, const char *out, uint32_t launched, struct since since)
{
    find(&(struct search){out, launched, since, times_of_files(since), orphans}, ".spool", look_at_spool);
}

void finished_traces_find(struct orphaned_spools *orphans, const char *out, struct since since)
{
    find(&(struct search){out, 0, since, times_of_files(since), orphans}, "", look_at_trace);
}

void orphaned_spools_free(struct orphaned_spools *orphans)
{
    free(orphans->v);
    memset(orphans, 0, sizeof *orphans);
}
