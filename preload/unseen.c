#include "preload/unseen.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "preload/go.h"
#include "preload/recorder.h"
#include "preload/tasks.h"
#include "preload/thread.h"

/*
 * Who ends leaves the registry before it leaves the kernel's list, and a look may come in between. So every thread that
 * was ever seen is remembered by its number, until another one has its place; who is in the registry is found there.
 */
enum { PLACES = 1 << 16 };
static uint32_t met[PLACES];

void unseen_not_me(uint64_t tid) { __atomic_store_n(&met[tid % PLACES], (uint32_t)tid, __ATOMIC_RELAXED); }

static uint32_t expected; /* helpers that were made and have not said their numbers yet */

void unseen_expect(void) { __atomic_fetch_add(&expected, 1, __ATOMIC_RELAXED); }
void unseen_expected(void) { __atomic_fetch_sub(&expected, 1, __ATOMIC_RELEASE); }
void unseen_expect_none(void) { __atomic_store_n(&expected, 0, __ATOMIC_RELAXED); }

static bool was_met(uint32_t tid) { return __atomic_load_n(&met[tid % PLACES], __ATOMIC_RELAXED) == tid; }

/* They are in the kernel's list, or will be, and have not said their number yet. */
static uint32_t announced(void)
{
    uint32_t n = __atomic_load_n(&expected, __ATOMIC_ACQUIRE);
    lock_take(&registry.lock);
    for (const struct thread *t = registry.threads; t; t = t->next)
        n += !t->sched.m && !t->spare;
    lock_drop(&registry.lock);
    return n;
}

/* More are not told apart; each costs a walk through the registry. */
enum { COUNTED_MAX = 256 };

static bool count_one(void *arg, uint32_t tid)
{
    uint32_t *count = arg;
    char name[TASK_NAME_MAX];
    *count += !was_met(tid) && !thread_of_task(tid) && task_name(tid, name);
    return *count < COUNTED_MAX;
}

static uint32_t count_unknown(void)
{
    uint32_t coming = announced(), count = 0; /* before: a thread that begins meanwhile is not unknown */
    tasks_each(count_one, &count);
    return count > coming ? count - coming : 0;
}

/* The folder has a link for each thread, beside two of its own: one call tells that none can be missing. */
static bool any_more_than(uint32_t known)
{
    struct stat st;
    return !raw_syscall(SYS_newfstatat, AT_FDCWD, (long)"/proc/self/task", (long)&st, 0, 0, 0) &&
           st.st_nlink > (nlink_t)known + 2;
}

void unseen_look(void)
{
    if (!recording())
        return;
    struct spool_unseen *u = &recorder.spool.header->unseen;
    if (go_was_seen())
        u->go = 1;
    if (!any_more_than(__atomic_load_n(&registry.nthreads, __ATOMIC_RELAXED)))
        return;
    uint32_t n = count_unknown();
    if (n > u->threads)
        u->threads = n;
}
