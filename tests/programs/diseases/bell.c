/*
 * A pool of workers that is told of each job with a broadcast: everybody gets up, one finds the job.
 */
#include "work.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

enum { WORKERS = 6, JOBS = 60, JOB_US = 500, TEXT = 2048 };

struct job {
    unsigned number;
    char text[TEXT];
};

static struct queue {
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct job jobs[JOBS];
    unsigned first, last, idle, done;
    bool over;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER, .work = PTHREAD_COND_INITIALIZER};

static uint64_t results[JOBS];

static NOINLINE uint64_t count_words(const struct job *j)
{
    uint64_t words = 0;
    for (size_t i = 1; i < TEXT; i++)
        words += j->text[i] == ' ' && j->text[i - 1] != ' ';
    return words;
}

static NOINLINE void execute(const struct job *j)
{
    uint64_t words = 0;
    FOR_CPU_US(JOB_US)
        words = count_words(j);
    results[j->number] = words;
}

static NOINLINE const struct job *next_job(struct queue *q)
{
    const struct job *j = NULL;
    pthread_mutex_lock(&q->lock);
    q->idle++;
    while (q->first == q->last && !q->over)
        pthread_cond_wait(&q->work, &q->lock);
    q->idle--;
    if (q->first != q->last)
        j = &q->jobs[q->first++];
    pthread_mutex_unlock(&q->lock);
    return j;
}

static void *worker(void *arg)
{
    struct queue *q = arg;
    for (const struct job *j; (j = next_job(q));) {
        execute(j);
        pthread_mutex_lock(&q->lock);
        q->done++;
        pthread_mutex_unlock(&q->lock);
    }
    return NULL;
}

static NOINLINE void write_text(struct job *j)
{
    for (size_t i = 0; i < TEXT; i++)
        j->text[i] = i * j->number % 7 ? 'x' : ' ';
}

static NOINLINE void submit(struct queue *q, unsigned number)
{
    pthread_mutex_lock(&q->lock);
    struct job *j = &q->jobs[q->last];
    j->number = number;
    write_text(j);
    q->last++;
    pthread_cond_broadcast(&q->work);
    pthread_mutex_unlock(&q->lock);
}

/* Jobs come one by one. */
static NOINLINE void await_quiet(struct queue *q, unsigned done)
{
    for (bool quiet = false; !quiet;) {
        pthread_mutex_lock(&q->lock);
        quiet = q->idle == WORKERS && q->done == done;
        pthread_mutex_unlock(&q->lock);
        if (!quiet)
            sched_yield();
    }
}

int main(void)
{
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        CHECK(pthread_create(&threads[i], NULL, worker, &queue) == 0);
    for (unsigned i = 0; i < JOBS; i++) {
        await_quiet(&queue, i);
        submit(&queue, i);
    }
    await_quiet(&queue, JOBS);
    pthread_mutex_lock(&queue.lock);
    queue.over = true;
    pthread_cond_broadcast(&queue.work);
    pthread_mutex_unlock(&queue.lock);
    for (int i = 0; i < WORKERS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    printf("%u jobs\n", queue.done);
    return 0;
}
