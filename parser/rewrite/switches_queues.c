#include "parser/rewrite/switches_queues.h"

bool queues_add_thread(struct queues *q)
{
    if (!VEC_ROOM(&q->threads))
        return false;
    q->threads.v[q->threads.n++] = (struct queued_thread){0};
    return true;
}

static struct queued_thread *thread_of(struct queues *q, uint32_t thread) { return &q->threads.v[thread - 1]; }

static struct queue *queue_of(struct queues *q, uint32_t object)
{
    return object && object <= q->objects.n ? &q->objects.v[object - 1] : NULL;
}

static bool make_queue(struct queues *q, uint32_t object)
{
    while (q->objects.n < object) {
        if (!VEC_ROOM(&q->objects))
            return false;
        q->objects.v[q->objects.n++] = (struct queue){0};
    }
    return true;
}

/* ---- who sleeps ------------------------------------------------------------------------------------------------- */

void queues_leave(struct queues *q, uint32_t thread)
{
    struct queued_thread *t = thread_of(q, thread);
    struct queue *in = queue_of(q, t->in);
    if (!in)
        return;
    *(t->before ? &thread_of(q, t->before)->next : &in->first) = t->next;
    *(t->next ? &thread_of(q, t->next)->before : &in->last) = t->before;
    t->in = t->before = t->next = 0;
}

/* In front of another one; of 0: as the last. */
static void come_before(struct queues *q, uint32_t thread, uint32_t other, uint32_t object)
{
    struct queue *in = queue_of(q, object);
    struct queued_thread *t = thread_of(q, thread);
    queues_leave(q, thread);
    t->in = object;
    t->next = other;
    t->before = other ? thread_of(q, other)->before : in->last;
    *(t->before ? &thread_of(q, t->before)->next : &in->first) = thread;
    *(other ? &thread_of(q, other)->before : &in->last) = thread;
}

/* Either may have been in the kernel's queue before the other. */
static bool came_together(const struct queued_thread *a, const struct queued_thread *b)
{
    return a->since <= b->asleep && b->since <= a->asleep;
}

static uint32_t who_was_woken_instead(struct queues *q, uint32_t thread)
{
    uint32_t object = thread_of(q, thread)->in;
    struct queue *in = queue_of(q, object);
    uint32_t other = in ? in->woken : 0;
    if (!other || !came_together(thread_of(q, thread), thread_of(q, other)))
        return 0;
    in->woken = 0;
    come_before(q, other, in->first, object);
    return other;
}

static uint32_t wake_up(struct queues *q, uint32_t thread)
{
    if (thread) {
        queue_of(q, thread_of(q, thread)->in)->woken = thread;
        queues_leave(q, thread);
    }
    return thread;
}

/* It sleeps no more, and is not taken to be on its way back. */
static void is_back(struct queues *q, uint32_t thread)
{
    const struct queued_thread *t = thread_of(q, thread);
    struct queue *of[] = {queue_of(q, t->mutex), queue_of(q, t->cond)};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (of[i] && of[i]->woken == thread)
            of[i]->woken = 0;
    queues_leave(q, thread);
}

/* ---- conditions ------------------------------------------------------------------------------------------------- */

/* It came before the last time that all who could be signalled had been. */
static bool is_older(const struct queued_thread *t, const struct queue *c) { return t->round < c->round; }

/* Whoever is left of those before that goes on at once. */
static bool is_let_through(const struct queued_thread *t, const struct queue *c)
{
    return is_older(t, c) && (c->signals || t->round + 1 < c->round);
}

void queues_pass(struct queues *q, uint32_t thread)
{
    struct queued_thread *t = thread_of(q, thread);
    if (!t->cond || t->passed)
        return;
    struct queue *c = queue_of(q, t->cond);
    queues_leave(q, thread);
    t->passed = true;
    if (!is_older(t, c))
        c->newer -= c->newer > 0;
    else if (t->round + 1 == c->round && c->signals)
        c->signals--;
    else if (t->round + 1 == c->round)
        c->older -= c->older > 0;
}

bool queues_await_cond(struct queues *q, uint32_t thread, uint32_t cond)
{
    struct queued_thread *t = thread_of(q, thread);
    if (!make_queue(q, cond))
        return false;
    is_back(q, thread);
    queues_pass(q, thread);
    t->cond = cond;
    t->passed = false;
    t->round = queue_of(q, cond)->round;
    queue_of(q, cond)->newer++;
    return true;
}

uint32_t queues_signal(struct queues *q, uint32_t cond)
{
    struct queue *c = queue_of(q, cond);
    if (!c || (!c->older && !c->newer))
        return 0;
    if (!c->older) {
        c->round++;
        c->older = c->newer;
        c->newer = c->signals = 0;
    }
    c->older--;
    c->signals++;
    uint32_t thread = c->first;
    while (thread && !is_older(thread_of(q, thread), c))
        thread = thread_of(q, thread)->next;
    return wake_up(q, thread);
}

/* ---- waits ------------------------------------------------------------------------------------------------------ */

bool queues_await_mutex(struct queues *q, uint32_t thread, uint32_t mutex, int64_t time)
{
    queues_end(q, thread);
    thread_of(q, thread)->mutex = mutex;
    thread_of(q, thread)->since = time;
    return make_queue(q, mutex);
}

uint32_t queues_run(struct queues *q, uint32_t thread, int64_t time)
{
    struct queued_thread *t = thread_of(q, thread);
    uint32_t instead = who_was_woken_instead(q, thread);
    t->since = time;
    is_back(q, thread);
    if (queues_sleeps_for_cond(q, thread) && is_let_through(t, queue_of(q, t->cond)))
        queues_pass(q, thread);
    return instead;
}

enum sleeps_for queues_sleep(struct queues *q, uint32_t thread, int64_t time)
{
    struct queued_thread *t = thread_of(q, thread);
    if (!t->mutex)
        return SLEEPS_FOR_OTHER;
    bool for_cond = queues_sleeps_for_cond(q, thread);
    is_back(q, thread);
    t->asleep = time;
    come_before(q, thread, 0, for_cond ? t->cond : t->mutex);
    return for_cond ? SLEEPS_FOR_COND : SLEEPS_FOR_MUTEX;
}

void queues_end(struct queues *q, uint32_t thread)
{
    is_back(q, thread);
    queues_pass(q, thread);
    *thread_of(q, thread) = (struct queued_thread){0};
}

uint32_t queues_unlock(struct queues *q, uint32_t mutex)
{
    const struct queue *m = queue_of(q, mutex);
    return wake_up(q, m ? m->first : 0);
}

void queues_forget(struct queues *q)
{
    for (size_t i = 0; i < q->threads.n; i++)
        q->threads.v[i] = (struct queued_thread){0};
    for (size_t i = 0; i < q->objects.n; i++)
        q->objects.v[i] = (struct queue){0};
}

void queues_free(struct queues *q)
{
    VEC_FREE(&q->threads);
    VEC_FREE(&q->objects);
}
