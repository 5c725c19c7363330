#include "preload/thread_name.h"

#include <linux/prctl.h>
#include <string.h>

#include "lib/meta.h"
#include "preload/section.h"
#include "preload/tasks.h"

/* For the recordings to come. */
static void keep_name(struct thread *t, const char *name)
{
    size_t len = strnlen(name, TASK_COMM_LEN - 1);
    memcpy(t->name, name, len);
    memset(t->name + len, 0, sizeof t->name - len);
}

uint64_t name_thread(pthread_t thread, const char *name)
{
    uint64_t g = 0;
    lock_take(&registry.lock);
    for (struct thread *t = registry.threads; t && !g; t = t->next) {
        if (t->pthread == thread) {
            g = t->sched.g;
            keep_name(t, name);
        }
    }
    lock_drop(&registry.lock);
    return g;
}

void record_thread_name(struct thread *t, uint64_t g, const char *name)
{
    uint8_t buf[NAME_RECORD_MAX];
    if (g == t->sched.g)
        keep_name(t, name);
    struct meta_record r;
    meta_begin(&r, buf, sizeof buf, META_NAME);
    meta_int(&r, g);
    meta_int(&r, now());
    meta_text(&r, name, strnlen(name, TASK_COMM_LEN - 1));
    if (!r.overflow && section_enter(t, sizeof buf, LOST_OTHER)) {
        chunk_meta_append(t->sched.chunk, buf, (size_t)(r.p - buf));
        section_leave(t);
    }
}

/* What the kernel calls the process's first thread, and so all that were given no name of their own. */
static char common_name[TASK_COMM_LEN];

static bool read_name(char name[TASK_COMM_LEN])
{
    return !sys_failed(raw_syscall(SYS_prctl, PR_GET_NAME, (long)name, 0, 0, 0, 0));
}

/* It may have been given its name before we were here: an allocator has threads before any constructor runs. */
void find_thread_name(struct thread *t)
{
    char name[TASK_COMM_LEN];
    if (read_name(name) && strcmp(name, common_name) != 0)
        record_thread_name(t, t->sched.g, name);
}

void keep_thread_name(struct thread *t, const char *name)
{
    if (strcmp(name, common_name) != 0)
        keep_name(t, name);
}

void thread_name_init(void)
{
    if (!task_file((uint32_t)sys_getpid(), "comm", common_name, sizeof common_name))
        read_name(common_name);
}
