/* Threads wait for GLib's locks: a mutex that flush_journal is called with, a condition, and a queue on the heap. */
#include <glib.h>

enum { WORKERS = 2 };

static struct {
    int entries;
    GMutex lock;
} journal;
static GMutex queue;
static GCond filled;
static int items;
static GAsyncQueue *jobs;

static __attribute__((noinline)) void flush_journal(void)
{
    g_usleep(50000);
    journal.entries++;
}

static gpointer work(gpointer arg)
{
    g_mutex_lock(&journal.lock);
    flush_journal();
    g_mutex_unlock(&journal.lock);
    g_mutex_lock(&queue);
    while (!items)
        g_cond_wait(&filled, &queue);
    items--;
    g_mutex_unlock(&queue);
    g_async_queue_pop(jobs);
    return arg;
}

int main(void)
{
    GThread *workers[WORKERS];
    jobs = g_async_queue_new();
    for (int i = 0; i < WORKERS; i++)
        workers[i] = g_thread_new(i ? "worker 2" : "worker 1", work, NULL);
    for (int i = 0; i < WORKERS; i++) {
        g_usleep(200000);
        g_mutex_lock(&queue);
        items++;
        g_cond_signal(&filled);
        g_mutex_unlock(&queue);
    }
    for (int i = 0; i < WORKERS; i++) {
        g_usleep(100000);
        g_async_queue_push(jobs, &items);
    }
    for (int i = 0; i < WORKERS; i++)
        g_thread_join(workers[i]);
}
