#include "preload/tasks.h"

#include <fcntl.h>
#include <string.h>

#include "lib/rawsys.h"

struct entry { /* the kernel's struct linux_dirent64 */
    uint64_t inode, offset;
    uint16_t size;
    uint8_t type;
    char name[];
};

void tasks_each(bool (*each)(void *arg, uint32_t tid), void *arg)
{
    char buf[1024] __attribute__((aligned(8)));
    long fd = sys_openat("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0), n;
    bool more = true;
    if (sys_failed(fd))
        return;
    while (more && (n = raw_syscall(SYS_getdents64, fd, (long)buf, sizeof buf, 0, 0, 0)) > 0) {
        for (const char *p = buf; more && p < buf + n; p += ((const struct entry *)p)->size) {
            uint32_t tid = 0;
            for (const char *c = ((const struct entry *)p)->name; *c >= '0' && *c <= '9'; c++)
                tid = tid * 10 + (uint32_t)(*c - '0');
            more = !tid || each(arg, tid);
        }
    }
    sys_close((int)fd);
}

bool task_file(uint32_t tid, const char *file, char *into, size_t size)
{
    static const char before[] = "/proc/self/task/";
    char path[sizeof before + 32], digits[10], *p = path;
    size_t len = strlen(file);
    int n = 0;
    do
        digits[n++] = (char)('0' + tid % 10);
    while (tid /= 10);
    memcpy(p, before, sizeof before - 1);
    p += sizeof before - 1;
    while (n)
        *p++ = digits[--n];
    *p++ = '/';
    memcpy(p, file, len < 16 ? len + 1 : 16);
    path[sizeof path - 1] = 0;
    long fd = sys_openat(path, O_RDONLY | O_CLOEXEC, 0);
    if (sys_failed(fd))
        return false;
    long got = sys_read((int)fd, into, size - 1);
    sys_close((int)fd);
    into[got > 0 ? got : 0] = 0;
    for (char *c = into; *c; c++)
        if (*c == '\n')
            *c = 0;
    return got > 0;
}

bool task_name(uint32_t tid, char name[TASK_NAME_MAX])
{
    return task_file(tid, "comm", name, TASK_NAME_MAX) && strncmp(name, "iou-", 4) != 0;
}
