#include "config.h"

#include "cmd/finish/opening.h"

#include <stdlib.h>

#include "lib/meta.h"
#include "lib/wire/events.h"

/* Threads that have no P take turns with one. Where each has a time of its own the order is never in doubt. */
struct chain {
    const struct recording *r;
    struct gotrace_builder *b;
    uint64_t time;
    uint64_t proc, seq;
    bool known; /* its status is written */
    uint64_t events;
};

static uint64_t moments(const struct recording *r) { return (uint64_t)r->seen.nstatuses + 1; }

bool opening_needed(const struct recording *r) { return r->seen.nstatuses && r->first_generation > 1; }

uint64_t opening_time(const struct recording *r, uint64_t first)
{
    return first > moments(r) ? first - moments(r) : 0;
}

static int event(struct chain *c, enum event_id id, uint64_t a, uint64_t b, uint64_t third)
{
    const uint64_t args[] = {a, b, third};
    c->events++;
    return gotrace_builder_event(c->b, c->time, id, args, event_table[id].nargs - 1);
}

static int begin_batch(struct chain *c, uint64_t m)
{
    c->time++;
    return gotrace_builder_batch(c->b, m, c->time);
}

static int take_turn(struct chain *c)
{
    bool known = c->known;
    c->known = true;
    return known ? event(c, EV_ProcStart, c->proc, ++c->seq, 0) : event(c, EV_ProcStatus, c->proc, PROC_RUNNING, 0);
}

static int create(struct chain *c, uint64_t g)
{
    return event(c, EV_GoCreate, g, recording_has_start(c->r, g) ? START_STACK_BASE + g : 0, 0);
}

static int create_and_run(struct chain *c, uint64_t g) { return create(c, g) || event(c, EV_GoStart, g, 1, 0); }

static int without_proc(struct chain *c, const struct first_status *s)
{
    const struct rec_status *waits = recording_status(c->r, s->g);
    uint64_t m = s->status == GO_SYSCALL ? s->m : waits && waits->m ? waits->m : c->r->pid;
    if (begin_batch(c, m) || take_turn(c))
        return -1;
    if (s->status == GO_RUNNABLE)
        return create(c, s->g) || event(c, EV_ProcStop, 0, 0, 0);
    if (create_and_run(c, s->g))
        return -1;
    uint64_t stack = waits ? waits->stack_id : 0;
    if (s->status == GO_WAITING)
        return event(c, EV_GoBlock, waits ? waits->reason : 0, stack, 0) || event(c, EV_ProcStop, 0, 0, 0);
    c->seq += 2;
    return event(c, EV_GoSyscallBegin, c->seq - 1, stack, 0) || event(c, EV_ProcSteal, c->proc, c->seq, m);
}

static int with_proc(struct chain *c, const struct first_status *s)
{
    const struct rec_status *waits = recording_status(c->r, s->g);
    uint64_t seq = s->p == c->proc ? c->seq : 0;
    if (begin_batch(c, s->m))
        return -1;
    if (s->p == c->proc && c->known) {
        if (event(c, EV_ProcStart, s->p, ++seq, 0))
            return -1;
    } else if (event(c, EV_ProcStatus, s->p, PROC_RUNNING, 0)) {
        return -1;
    }
    if (create_and_run(c, s->g))
        return -1;
    return s->status == GO_SYSCALL ? event(c, EV_GoSyscallBegin, seq + 1, waits ? waits->stack_id : 0, 0) : 0;
}

/*
 * Threads that take turns come first, so that the P is then with the thread that the statuses name, if there is one.
 * Those in system calls come last among them: a thread in a system call can make no goroutine, and the first thread
 * makes those that have no thread yet.
 */
enum { IN_TURNS, IN_CALLS, WITH_PROC, ROUNDS };

static int round_of(const struct first_status *s)
{
    return s->has_proc ? WITH_PROC : s->status == GO_SYSCALL ? IN_CALLS : IN_TURNS;
}

int opening_write(const struct recording *r, struct gotrace_builder *b, uint64_t first, uint64_t *events)
{
    struct chain c = {.r = r, .b = b, .time = opening_time(r, first)};
    int err = 0;
    for (size_t i = 0; i < r->seen.nstatuses; i++)
        if (r->seen.statuses[i].has_proc)
            c.proc = r->seen.statuses[i].p;
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < r->seen.nstatuses && !err; i++)
            if (round_of(&r->seen.statuses[i]) == round)
                err = (round == WITH_PROC ? with_proc : without_proc)(&c, &r->seen.statuses[i]);
    *events += c.events;
    return err;
}
