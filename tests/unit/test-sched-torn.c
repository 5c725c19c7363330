/*
 * Every transition, torn out at every instruction: it is single-stepped, what memory holds is kept after every step,
 * and then each of these is taken up as if the thread had been torn out there. After sched_recover the thread is as it
 * was or as it would be, holds exactly the procs its state says, and what it does next fits what it wrote before. A
 * thread whose P it was taking away goes on at every such moment, too, before and after it recovers.
 */
#include <signal.h>
#include <stdio.h>

#include "lib/sched_proc.h"
#include "tests/unit/transitions.h"

enum { MAX_STEPS = 20000, BYTES = 256 };

/* All that a transition of t may change. */
struct moment {
    struct sched_thread t;
    uint8_t chunk[sizeof(struct chunk) + BYTES];
    uint64_t busy;
    struct sched_proc procs[SCENE_PROCS];
    uint32_t nprocs_known, gomaxprocs;
};

static struct fixture *stepped;
static struct moment *moments;
static size_t nmoments;

static void keep_moment(void)
{
    struct moment *m = &moments[nmoments++];
    m->t = stepped->t;
    memcpy(m->chunk, stepped->t.chunk, sizeof m->chunk);
    m->busy = stepped->s->busy[0];
    memcpy(m->procs, stepped->s->procs, sizeof m->procs);
    m->nprocs_known = stepped->s->nprocs_known;
    m->gomaxprocs = stepped->s->gomaxprocs;
}

static void go_back_to(struct fixture *f, const struct moment *m)
{
    f->t = m->t;
    memcpy(f->t.chunk, m->chunk, sizeof m->chunk);
    f->s->busy[0] = m->busy;
    memcpy(f->s->procs, m->procs, sizeof m->procs);
    f->s->nprocs_known = m->nprocs_known;
    f->s->gomaxprocs = m->gomaxprocs;
}

static void on_step(int sig)
{
    if (nmoments < MAX_STEPS)
        keep_moment();
}

/*
 * The other thread comes back from its call while t is torn. It must not write that its P is gone unless whoever finds
 * the file now also finds who took it; and when it writes that it has it, nobody may have taken it, nor may t later.
 */
static void victim_returns(struct fixture *f, size_t i, size_t n, bool recover_first)
{
    struct sched_thread kept = f->other;
    uint8_t chunk[sizeof(struct chunk) + BYTES];
    memcpy(chunk, kept.chunk, sizeof chunk);
    go_back_to(f, &moments[n]);
    if (recover_first)
        sched_recover(f->s, &f->t);
    bool stolen = strstr(scene_file(&f->t), "ProcSteal");
    bool back = sched_syscall_end(f->s, &f->other, 15);
    bool blocked = back && strstr(scene_file(&f->other), "GoSyscallEndBlocked");
    if ((blocked && !stolen) || (recover_first && !back) || (back && stolen && !blocked))
        fail_msg("%s, torn after %zu steps: stolen %d, back %d, blocked %d", transitions[i].name, n, stolen, back,
                 blocked);
    sched_recover(f->s, &f->t);
    if (!back)
        assert_true(sched_syscall_end(f->s, &f->other, 15));
    int lost = scene_check_procs(f, transitions[i].name, (long)n);
    assert_true(scene_go_on(f));
    assert_int_equal(scene_check_procs(f, transitions[i].name, (long)n), lost);
    f->other = kept;
    memcpy(kept.chunk, chunk, sizeof chunk);
}

static int torn_at(struct fixture *f, size_t i, size_t n)
{
    char want[512];
    go_back_to(f, &moments[n]);
    const struct sched_state *s = sched_recover(f->s, &f->t);
    bool done = s->pos != f->t.chunk->data;
    assert_string_equal(model_written(&f->t), done ? transitions[i].writes : "");
    assert_int_equal(s->status, done ? transitions[i].to : transitions[i].from & SCENE_STATUS);
    if (sched_has_proc(f->s, &f->t)) {
        assert_int_equal(f->s->procs[s->proc].seq, s->proc_seq);
        assert_true(f->s->procs[s->proc].known);
    }
    int lost = scene_check_procs(f, transitions[i].name, (long)n);
    assert_true(scene_go_on(f));
    assert_int_equal(scene_check_procs(f, transitions[i].name, (long)n), lost);
    snprintf(want, sizeof want, "%s%s", done ? transitions[i].writes : "",
             done ? transitions[i].next_if_done : transitions[i].next_if_not);
    if (!lost) /* else the next proc is another one */
        assert_string_equal(model_written(&f->t), want);
    assert_ptr_equal(f->t.chunk->data + f->t.chunk->used, sched_current(&f->t)->pos);
    return lost;
}

static void torn_everywhere(size_t i)
{
    struct fixture f;
    int lost = 0;
    scene_make(&f, transitions[i].from);
    stepped = &f;
    nmoments = 0;
    step_on();
    transitions[i].run(&f);
    step_off();
    assert_in_range(nmoments, 50, MAX_STEPS - 1);
    assert_string_equal(model_written(&f.t), transitions[i].writes);
    size_t late = 0;
    for (size_t n = 0; n < nmoments; n++) {
        lost += torn_at(&f, i, n);
        if (!(transitions[i].from & SCENE_THEFT))
            continue;
        go_back_to(&f, &moments[n]);
        late += proc_state(f.s, &f.other) == PROC_CLAIMED;
        victim_returns(&f, i, n, false);
        victim_returns(&f, i, n, true);
    }
    assert_int_equal(late > 0, (transitions[i].from & SCENE_THEFT) != 0);
    if ((size_t)lost > nmoments / 5)
        fail_msg("%s: a proc is lost after %d of %zu steps", transitions[i].name, lost, nmoments);
    scene_discard(&f);
}

static void no_tear_is_seen(void **state)
{
    if (!CAN_STEP)
        SKIP("optional: cannot step through instructions here");
    struct sigaction sa = {.sa_handler = on_step};
    moments = malloc(MAX_STEPS * sizeof *moments);
    assert_non_null(moments);
    sigaction(SIGTRAP, &sa, NULL);
    for (size_t i = 0; i < ntransitions; i++)
        torn_everywhere(i);
    signal(SIGTRAP, SIG_DFL);
    free(moments);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_tear_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
