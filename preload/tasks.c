#include "preload/tasks.h"

#include <fcntl.h>
#include <string.h>

#include "lib/rawsys.h"
#include "preload/text_file.h"

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

static bool numbered_file(const char *folder, uint32_t tid, const char *file, char *into, size_t size)
{
    char path[64], digits[10], *p = path;
    size_t before = strlen(folder), len = strlen(file);
    int n = 0;
    do
        digits[n++] = (char)('0' + tid % 10);
    while (tid /= 10);
    memcpy(p, folder, before);
    p += before;
    while (n)
        *p++ = digits[--n];
    *p++ = '/';
    memcpy(p, file, len + 1);
    long got = text_file_read(path, into, size);
    for (char *c = into; *c; c++)
        if (*c == '\n')
            *c = 0;
    return got > 0;
}

bool task_file(uint32_t tid, const char *file, char *into, size_t size)
{
    return numbered_file("/proc/self/task/", tid, file, into, size);
}

bool any_task_file(uint32_t tid, const char *file, char *into, size_t size)
{
    return numbered_file("/proc/", tid, file, into, size);
}

bool task_name(uint32_t tid, char name[TASK_NAME_MAX])
{
    return task_file(tid, "comm", name, TASK_NAME_MAX) && strncmp(name, "iou-", 4) != 0;
}

uint64_t pid_namespace(void)
{
    char text[64];
    uint64_t inode = 0;
    long n = raw_syscall(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/ns/pid", (long)text, sizeof text - 1, 0, 0);
    text[sys_failed(n) ? 0 : n] = 0;
    const char *p = strchr(text, '['); /* pid:[4026531836] */
    for (p = p ? p + 1 : text; *p >= '0' && *p <= '9'; p++)
        inode = inode * 10 + (uint64_t)(*p - '0');
    return inode;
}
