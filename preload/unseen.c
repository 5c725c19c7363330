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

static bool is_known(uint32_t tid) { return was_met(tid) || thread_of_task(tid); }

/* More are not told apart; each costs a walk through the registry. */
enum { COUNTED_MAX = 256 };

struct strangers {
    uint32_t n, tids[COUNTED_MAX];
};

static bool take_stranger(void *arg, uint32_t tid)
{
    struct strangers *s = arg;
    char name[TASK_NAME_MAX];
    if (!is_known(tid) && task_name(tid, name))
        s->tids[s->n++] = tid;
    return s->n < COUNTED_MAX;
}

/* Who was made while the list was read has said its number by the end, or is among those that are to come then. */
static uint32_t count_unknown(void)
{
    struct strangers s = {.n = 0};
    tasks_each(take_stranger, &s);
    uint32_t coming = announced(), count = 0;
    for (uint32_t i = 0; i < s.n; i++)
        count += !is_known(s.tids[i]);
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
