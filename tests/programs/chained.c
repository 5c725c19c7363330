/*
 * What decides when it ends is known: holder naps while it holds a lock that worker waits for; then worker computes, and
 * main waits for it, and for nobody else. The bystander computes meanwhile, and is done before. Worker ends a task, which
 * main has begun. With an argument worker ends the process as well, while main waits.
 */
#include <thrace/annotate.h>

#include "program.h"

enum { NAP = 80, TOIL = 80, ELSEWHERE = 20 }; /* ms */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct thread first, holder, worker, bystander;
static atomic_bool held, over;
static uint64_t job;
static bool exits;

static NOINLINE void nap_inside(void)
{
    usleep(1000 * NAP);
    NO_TAIL_CALL();
}

static NOINLINE void toil(void) { compute_for(TOIL); }

static NOINLINE void *hold(void *self)
{
    introduce(self);
    pthread_mutex_lock(&lock);
    atomic_store(&held, true);
    await_asleep(&worker);
    nap_inside();
    pthread_mutex_unlock(&lock);
    return NULL;
}

static NOINLINE void *work(void *self)
{
    wait_for(&held);
    introduce(self);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    wait_for(&over);
    toil();
    thrace_task_end(job);
    if (exits) {
        await_asleep(&first);
        exit(0);
    }
    return NULL;
}

static NOINLINE void *stand_by(void *self)
{
    introduce(self);
    compute_for(ELSEWHERE);
    atomic_store(&over, true);
    return NULL;
}

int main(int argc, char **argv)
{
    (void)argv;
    exits = argc > 1;
    introduce(&first);
    job = thrace_task_begin("job");
    spawn(&holder, hold);
    spawn(&bystander, stand_by);
    spawn(&worker, work);
    pthread_detach(holder.id);
    pthread_detach(bystander.id);
    join(&worker);
    return 0;
}
