/*
 * Threads that make, take and lose procs, in every order of their steps; steal.pml (docs/models) shows the same of a
 * model. One may be torn out at any point, and another one looks, at any point, at what a kill would leave.
 */
#include "tests/unit/explore.h"

#include "lib/sched.c"
#include "lib/sched_proc.c"

#include "tests/unit/explored-model.h"
#include "tests/unit/unit.h"

enum { THREADS = 3, PROCS = 8, CALLS = 2 };

static struct sched *s;
static struct sched_thread threads[THREADS];
static struct chunk *chunks[THREADS];
static uint64_t time_now;

static uint64_t now(void) { return ++time_now; }

static void begin(void)
{
    explored_renew_procs(s, PROCS, 1);
    time_now = 1;
    for (unsigned i = 0; i < THREADS; i++)
        explored_renew_thread(s, &threads[i], i, chunks[i]);
}

/* --- what the file has -------------------------------------------------------------------------------------------- */

struct found {
    uint64_t numbers[PROCS];                         /* bit n: sequence number n of the P */
    unsigned stolen_from[THREADS], blocked[THREADS]; /* calls */
};

static void note_number(struct found *f, uint64_t p, uint64_t n)
{
    explore_check(p < PROCS && n < 64 && !(f->numbers[p] >> n & 1));
    f->numbers[p % PROCS] |= UINT64_C(1) << n % 64;
}

static void read_thread(struct found *f, int i)
{
    uint64_t proc = 0;
    struct wire_cursor c = {.p = chunks[i]->data, .end = chunks[i]->data + chunks[i]->used};
    struct wire_event ev;
    enum wire_result result;
    while ((result = wire_next(&c, &ev)) == WIRE_EVENT) {
        switch (ev.id) {
        case EV_ProcStart:
            proc = ev.args[0];
            note_number(f, proc, ev.args[1]);
            break;
        case EV_ProcSteal:
            note_number(f, ev.args[0], ev.args[1]);
            explore_check(ev.args[2] > EXPLORED_FIRST_M && ev.args[2] <= EXPLORED_FIRST_M + THREADS);
            f->stolen_from[(ev.args[2] - EXPLORED_FIRST_M - 1) % THREADS]++;
            break;
        case EV_GoSyscallBegin: note_number(f, proc, ev.args[0]); break;
        case EV_GoSyscallEndBlocked:
            f->blocked[i]++;
            break;
        default: break;
        }
    }
    explore_check(result == WIRE_END);
}

/* The first call of a thread that was not announced ends as blocked, too, and nobody took its P: it had none. */
static unsigned introductions(int i) { return chunks[i]->used ? 1 : 0; }

static struct found read_file(void)
{
    struct found f = {0};
    for (int i = 0; i < THREADS; i++)
        read_thread(&f, i);
    for (int p = 0; p < PROCS; p++) /* no gap */
        explore_check(((f.numbers[p] >> 1) & ((f.numbers[p] >> 1) + 1)) == 0);
    for (int i = 0; i < THREADS; i++)
        explore_check(f.blocked[i] <= f.stolen_from[i] + introductions(i));
    return f;
}

static void be_killed(unsigned me)
{
    explore_point();
    read_file();
}

static void all_has_ended(void)
{
    struct found f = read_file();
    for (int i = 0; i < THREADS; i++) {
        const struct sched_thread *t = &threads[i];
        explore_check(sched_current(t)->status == GO_DEAD || sched_current(t)->status == GO_NOT_EXIST);
        explore_check(f.blocked[i] == f.stolen_from[i] + introductions(i));
        for (int p = 0; p < PROCS; p++)
            explore_check(s->procs[p].word != proc_word(CLAIMED, t->g, 0));
    }
}

static void nobody_was_torn(void)
{
    all_has_ended();
    explore_check(s->busy[0] == 0);
}

/* --- what the threads do ------------------------------------------------------------------------------------------ */

static void end_call(struct sched_thread *t)
{
    while (!sched_syscall_end(s, t, now()))
        explore_wait();
}

static void make_calls(unsigned me)
{
    struct sched_thread *t = &threads[me];
    explore_check(sched_introduce(s, t, now()));
    for (int i = 0; i < CALLS; i++) {
        explore_check(sched_syscall_begin(s, t, EXPLORED_STACK, now()));
        explore_point();
        end_call(t);
    }
    explore_check(sched_destroy(s, t, now()));
}

static void make_waits(unsigned me)
{
    struct sched_thread *t = &threads[me];
    explore_check(sched_introduce(s, t, now()));
    explore_check(sched_syscall_begin(s, t, EXPLORED_STACK, now()));
    end_call(t);
    explore_check(sched_block(s, t, REASON_SYNC, EXPLORED_STACK, now()));
    explore_check(sched_resume(s, t, now()));
    explore_check(sched_destroy(s, t, now()));
}

static void go_on(unsigned me)
{
    if (me >= THREADS)
        return;
    struct sched_thread *t = &threads[me];
    if (sched_recover(s, t)->status == GO_WAITING)
        explore_check(sched_resume(s, t, now()));
    if (sched_current(t)->status == GO_SYSCALL)
        end_call(t);
    if (sched_current(t)->status == GO_RUNNING)
        explore_check(sched_destroy(s, t, now()));
}

static void procs_change_hands(void **state)
{
    const struct exploration e = {
        .name = "procs that change hands",
        .n = 4,
        .begin = begin,
        .thread = {make_calls, make_calls, make_waits, be_killed},
        .end = nobody_was_torn,
    };
    explore(&e);
}

static void a_thread_is_torn_out(void **state)
{
    const struct exploration e = {
        .name = "and one is torn out",
        .n = 4,
        .begin = begin,
        .thread = {make_calls, make_waits, make_waits, be_killed},
        .end = all_has_ended,
        .torn = go_on,
    };
    explore(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(procs_change_hands),
        cmocka_unit_test(a_thread_is_torn_out),
    };
    s = calloc(1, sizeof *s);
    for (int i = 0; i < THREADS; i++)
        chunks[i] = calloc(1, SPOOL_CHUNK_SIZE);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    for (int i = 0; i < THREADS; i++)
        free(chunks[i]);
    free(s);
    return failed;
}
