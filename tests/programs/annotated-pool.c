/*
 * annotated-pool: a thread of a pool does work for the tasks of those who handed it over, and threads that somebody
 * makes work for the task of that one, whether they are made before the recording, during it, or by C11.
 */
#include <thrace/annotate.h>

#include "program.h"
#include "recording.h"

#include <threads.h>

enum { PIECES = 3 };

static struct thrace_work queue[PIECES];
static int put, taken;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static atomic_bool recorded;

static void submit(struct thrace_work work)
{
    pthread_mutex_lock(&lock);
    queue[put++] = work;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

static struct thrace_work take(void)
{
    pthread_mutex_lock(&lock);
    while (taken == put)
        pthread_cond_wait(&more, &lock);
    struct thrace_work work = queue[taken++];
    pthread_mutex_unlock(&lock);
    return work;
}

static void *piece(void *what)
{
    THRACE_REGION("piece");
    thrace_log("does", what);
    return what;
}

static void *pool(void *self)
{
    introduce(self);
    for (int i = 0; i < PIECES; i++) {
        struct thrace_work work = take();
        CHECK(thrace_task_current() == 0);
        CHECK(thrace_work_run(&work) == work.argument);
    }
    CHECK(thrace_task_current() == 0);
    return NULL;
}

static bool leaves_early(uint64_t task)
{
    THRACE_ADOPT(task);
    thrace_log("block", "in it");
    if (thrace_task_current() == task)
        return true;
    thrace_log("block", "not adopted");
    return false;
}

static int by_c11(void *none)
{
    (void)none;
    thrace_log("by", "thrd_create");
    return 0;
}

static void *client(void *self)
{
    thrd_t t;
    introduce(self);
    uint64_t one = thrace_task_begin("one"), two = thrace_task_begin("two");
    thrace_task_adopt(one);
    submit(thrace_work_of(piece, "this"));
    CHECK(leaves_early(two));
    CHECK(thrace_task_current() == one);
    thrace_task_adopt(two);
    submit(thrace_work_of(piece, "that"));
    CHECK(thrd_create(&t, by_c11, NULL) == thrd_success && thrd_join(t, NULL) == thrd_success);
    thrace_task_adopt(0);
    submit(thrace_work_of(piece, "all the rest"));
    return NULL;
}

static void *early(void *self)
{
    introduce(self);
    wait_for(&recorded);
    thrace_log("by", "pthread_create");
    return NULL;
}

int main(void)
{
    struct thread threads[3];
    uint64_t before = thrace_task_begin("before");
    thrace_task_adopt(before);
    spawn(&threads[0], early);
    thrace_task_adopt(0);
    CHECK(start_recording() == 0);
    atomic_store(&recorded, true);
    spawn(&threads[1], pool);
    spawn(&threads[2], client);
    for (int i = 0; i < 3; i++)
        join(&threads[i]);
    CHECK(thrace_stop() == 0);
    puts("1: annotated early 1 log@#1:by=pthread_create");
    puts("1: annotations client task+one task+two log@two:block=in_it");
    puts("1: annotations by_c11 log@two:by=thrd_create");
    puts("1: annotations pool region+piece@one log@one:does=this region-piece@one "
         "region+piece@two log@two:does=that region-piece@two region+piece log:does=all_the_rest region-piece");
    return 0;
}
