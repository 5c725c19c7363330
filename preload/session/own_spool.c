#include "preload/session/own_spool.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "preload/recorder.h"
#include "preload/tasks.h"
#include "preload/text_file.h"

static uint64_t told_start_time;

void process_start_time_is(uint64_t time) { told_start_time = time; }

/* The second field may contain anything, but ends at the last closing parenthesis. */
uint64_t process_start_time(void)
{
    char buf[1024];
    if (told_start_time)
        return told_start_time;
    if (text_file_read("/proc/self/stat", buf, sizeof buf) <= 0)
        return 0;
    const char *p = strrchr(buf, ')');
    uint64_t v = 0;
    for (int field = 2; p && field < 22; field++)
        if ((p = strchr(p, ' ')))
            p++;
    for (; p && *p >= '0' && *p <= '9'; p++)
        v = v * 10 + (uint64_t)(*p - '0');
    return v;
}

void fill_place(struct spool_header *h)
{
    char text[64];
    h->pid_namespace = pid_namespace();
    if (text_file_read("/proc/sys/kernel/random/boot_id", text, sizeof text) >= SPOOL_BOOT_ID_LEN)
        memcpy(h->boot_id, text, SPOOL_BOOT_ID_LEN);
}

void absolute_path(const char *path, char *out, size_t size)
{
    size_t len = 0;
    if (*path != '/') {
        long n = raw_syscall(SYS_getcwd, (long)out, (long)(size - strlen(path) - 2), 0, 0, 0, 0);
        if (!sys_failed(n) && n > 1) {
            len = (size_t)n - 1;
            out[len++] = '/';
        }
    }
    strcpy(out + len, path);
}

static bool is_plain(long failed, const struct stat *st)
{
    return !failed && S_ISREG(st->st_mode) && st->st_uid == (uid_t)raw_syscall(SYS_geteuid, 0, 0, 0, 0, 0, 0);
}

bool is_plain_file(const char *path)
{
    struct stat st;
    return is_plain(raw_syscall(SYS_newfstatat, AT_FDCWD, (long)path, (long)&st, AT_SYMLINK_NOFOLLOW, 0, 0), &st);
}

/*
 * Anybody may have put anything there. A FIFO makes who opens it wait, and devices do what they do: so what is no plain
 * file of ours is not even opened, unless it comes in between, and then for a moment only.
 */
static long open_plain_file(const char *path, int flags)
{
    struct stat st;
    long err = raw_syscall(SYS_newfstatat, AT_FDCWD, (long)path, (long)&st, AT_SYMLINK_NOFOLLOW, 0, 0);
    if (sys_failed(err))
        return err;
    if (!is_plain(0, &st))
        return -EMEDIUMTYPE;
    long fd = sys_openat(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0);
    if (sys_failed(fd))
        return fd;
    err = raw_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0);
    if (!sys_failed(err) && is_plain(0, &st))
        return fd;
    sys_close((int)fd);
    return sys_failed(err) ? err : -EMEDIUMTYPE;
}

static bool is_same_process(const struct spool_header *h)
{
    uint64_t start = process_start_time();
    return h->pid == (uint32_t)sys_getpid() && (h->pid_start == start || !h->pid_start || !start);
}

enum whose_spool whose_spool(const char *path)
{
    static struct spool_header h; /* larger than a stack should carry */
    long fd = open_plain_file(path, O_RDONLY);
    if (fd == -ENOENT || fd == -ENOTDIR || fd == -ELOOP || fd == -EMEDIUMTYPE)
        return SPOOL_IS_NOT_OURS;
    if (sys_failed(fd))
        return SPOOL_MAY_BE_OURS;
    long n = sys_read((int)fd, &h, sizeof h);
    sys_close((int)fd);
    if (sys_failed(n))
        return SPOOL_MAY_BE_OURS;
    return n == sizeof h && !memcmp(h.magic, SPOOL_MAGIC, sizeof h.magic) && is_same_process(&h) ? SPOOL_IS_OURS
                                                                                                : SPOOL_IS_NOT_OURS;
}

void spool_name(char *name, const char *path, int n)
{
    char number[] = {'.', (char)('0' + n), 0};
    strcpy(name, path);
    strcat(name, n ? number : "");
    strcat(name, ".spool");
}

enum { RENAME_NOREPLACE_FLAG = 1 };

static bool write_to_header(const char *spool, size_t at, uint32_t value)
{
    long fd = open_plain_file(spool, O_RDWR);
    if (sys_failed(fd))
        return false;
    long n = raw_syscall(SYS_pwrite64, fd, (long)&value, sizeof value, (long)at, 0, 0);
    sys_close((int)fd);
    return n == sizeof value;
}

bool mark_torn(const char *spool) { return write_to_header(spool, offsetof(struct spool_header, state), SPOOL_TORN); }

void mark_unrecorded(const char *spool)
{
    write_to_header(spool, offsetof(struct spool_header, unseen.execs), SPOOL_EXEC_UNRECORDED);
}

uint32_t move_own_spool(const char *out, const char *spool)
{
    char moved[SPOOL_PATH_MAX];
    for (int n = 1; n <= MAX_EARLIER_IMAGES; n++) {
        spool_name(moved, out, n);
        long err = raw_syscall(SYS_renameat2, AT_FDCWD, (long)spool, AT_FDCWD, (long)moved, RENAME_NOREPLACE_FLAG, 0);
        if (err != -EEXIST)
            return !err && mark_torn(moved) ? (uint32_t)n : 0;
    }
    return 0;
}
