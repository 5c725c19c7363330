#include "config.h"

#include "cmd/attach/place.h"

#if defined(__x86_64__)

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "cmd/attach/code.h"
#include "cmd/attach/hurry.h"
#include "cmd/attach/loader_locks.h"
#include "cmd/attach/worker.h"
#include "lib/clock.h"

enum { STACK_MS = 500, CHOOSY_MS = 2500, IN_VAIN_MAX = 3, INTERRUPTED = -512 }; /* the kernel's ERESTARTSYS */

static struct places {
    struct code code;
    struct loader_locks locks;
    struct threads threads;
    uint64_t began; /* when the first look was */
    bool is_busy;   /* somebody had the locks at some time */
    /* As of the newest one: */
    bool loader_is_free; /* pthread_create need not wait for it */
    bool may_wait;       /* else dlopen may */
    int in_vain;         /* how many threads were held that would have had to wait */
} places;

enum how_well { WELL, LATE, WITH_A_TURN, RUNNING, HOW_WELLS };

/*
 * Well, if its call goes on as if nothing had been. An epoll_wait is begun anew: with a time limit, that begins anew,
 * too. What goes on already, after an earlier stop, is begun anew if the command is killed, and then takes its whole
 * time once more. Whoever is to be running now was when it was looked at.
 */
static bool is_candidate(const struct places *s, const struct thread *t, enum how_well how)
{
    char line[64];
    if (how >= WITH_A_TURN) {
        thread_line(s->code.p, t->tid, line, sizeof line);
        return t->state == 'R' && !strcmp(line, "running");
    }
    if (t->call == NO_CALL || t->state != 'S' || !is_in_known_call(&s->code, t))
        return false;
    bool may_last = t->call == SYS_restart_syscall || (is_in_epoll_wait(t) && (int)t->args[3] >= 0);
    return may_last == (how == LATE);
}

/* --- the loader --------------------------------------------------------------------------------------------------- */

static uint64_t looked_for_ms(const struct places *s) { return (clock_mono_ns() - s->began) / 1000000; }

/* For new memory it may have to wait, and meanwhile somebody takes these locks. */
static bool could_make_thread(struct places *s)
{
    bool has_stack = !s->is_busy || looked_for_ms(s) > STACK_MS || loader_keeps_stacks(&s->locks) > worker_stack();
    bool can = has_stack && loader_lets_make_thread(&s->locks) && loader_lets_add_library(&s->locks);
    s->is_busy |= !can;
    return can;
}

/* A thread may be held meanwhile. */
static bool await_loader(struct places *s)
{
    enum { AT_MOST_NS = 1000000 };
    const struct timespec pause = {0, 10000};
    const uint64_t until = clock_mono_ns() + AT_MOST_NS;
    while (!could_make_thread(s))
        if (clock_mono_ns() > until || nanosleep(&pause, NULL))
            return false;
    return true;
}

/* --- a held thread ------------------------------------------------------------------------------------------------ */

/* The stack once more, now with all registers. False: nothing of it is known. */
static bool take_stack(struct code *c, const struct user_regs_struct *regs, struct thread *t)
{
    thread_take_registers(&t->stack.regs, regs);
    if (!thread_copy_stack(c->p, &t->stack))
        return false;
    t->npcs = modules_unwind(&c->modules, &t->stack, t->pcs, FRAMES_MAX, &t->flags);
    return t->npcs > 0;
}

static bool is_whole(const struct thread *t)
{
    return !(t->flags & (UNWIND_STOPPED | UNWIND_TRUNCATED | UNWIND_GUESSED));
}

/* It is a thread of glibc's: the word that its register points to does so itself. */
static bool is_of_libc(const struct process *p, const struct user_regs_struct *regs)
{
    uint64_t own = 0;
    return regs->fs_base && process_load(p, regs->fs_base + 16, &own, sizeof own) && own == regs->fs_base;
}

/* The call that it was found in, which may be another one than it was seen in; or that it is just back from. */
static void take_call(struct thread *t, const struct user_regs_struct *r)
{
    const uint64_t args[CALL_ARGS] = {r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9};
    t->call = (long)r->orig_rax;
    memcpy(t->args, args, sizeof args);
}

/* Where it will have to wait for the loader it may be left there, and come back by itself. */
static bool fits(struct places *s, const struct tracee *held, struct thread *t)
{
    const struct user_regs_struct *r = &held->before;
    if (!is_of_libc(s->code.p, r) || tracee_is_between(held) || !take_stack(&s->code, r, t) || !is_whole(t))
        return false;
    bool in_loader = is_in_loader(&s->code, t), in_call = (long long)r->orig_rax >= 0;
    if (in_loader && !s->locks.storage)
        s->loader_is_free = false;
    if (in_call)
        take_call(t, r);
    bool known = in_call ? is_in_known_call(&s->code, t) : is_in_own_code(&s->code, t);
    if (!known || in_loader || is_in_handler(&s->code, t))
        return false;
    if (s->locks.storage)
        s->loader_is_free = await_loader(s);
    s->in_vain += !s->loader_is_free && !s->may_wait;
    return s->loader_is_free || (s->may_wait && tracee_can_begin_again(held) && loader_lets_add_library(&s->locks));
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static bool anyone(const struct places *s, bool (*is)(const struct code *c, const struct thread *t))
{
    size_t i = 0;
    while (i < s->threads.list.n && !is(&s->code, &s->threads.list.v[i]))
        i++;
    return i < s->threads.list.n;
}

/*
 * A signal that nobody handles is dropped where it is sent, but not when that is to a thread that is held: it wakes
 * another one, whose epoll_wait fails. To whom signals are sent: the first thread, and who has children that end.
 */
static bool is_addressee(const struct places *s, const struct thread *t)
{
    char file[64], children[32];
    snprintf(file, sizeof file, "task/%ld/children", (long)t->tid);
    return t->tid == s->code.p->pid || process_text(s->code.p, file, children, sizeof children) > 0;
}

/*
 * Who was on a processor stops at once, but where others wait for that it may have had its turn, and would have to wait
 * for all of theirs. Who has waited itself has its turn before it.
 */
static bool has_its_turn(const struct tracee *held)
{
    enum { AT_ONCE_NS = 500000 };
    return held->since - held->asked > AT_ONCE_NS;
}

/* True: it is held. *wrong is why no thread can be. */
static bool try_all(struct places *s, struct tracee *held, enum how_well how, bool addressees, const char **wrong)
{
    for (size_t i = 0; i < s->threads.list.n && s->in_vain < IN_VAIN_MAX; i++) {
        struct thread *t = &s->threads.list.v[i];
        if (!is_candidate(s, t, how) || is_addressee(s, t) != addressees)
            continue;
        const char *cannot = tracee_hold(held, s->code.p, t->tid);
        if (cannot) {
            *wrong = cannot;
            continue;
        }
        if ((how != WITH_A_TURN || has_its_turn(held)) && fits(s, held, t))
            return true;
        tracee_let_go(held);
    }
    return false;
}

struct look {
    struct places *s;
    const char *wrong;
};

static void look(void *arg)
{
    struct look *l = arg;
    l->wrong = threads_look(&l->s->threads, l->s->code.p, &l->s->code.modules, STOP_NONE);
}

/*
 * Somebody who is in the loader already may hold a lock of it, and wait for the thread that is chosen. At first nobody
 * may have one; where they cannot be told, any of them is one too many. Later, if there is always one, only those who
 * are in other code that the loader called: the others go on by themselves, and if it takes long the chosen one is
 * taken out again, which can be done only where it has not got the first lock.
 */
static bool look_once(struct places *s, struct tracee *held, struct place_waits *waits, const char **wrong)
{
    bool found = false;
    struct look now = {s, NULL};
    hurry_spare(look, &now);
    *wrong = now.wrong;
    s->loader_is_free = s->locks.storage ? await_loader(s) : !anyone(s, is_in_loader);
    s->may_wait = looked_for_ms(s) >= CHOOSY_MS && anyone(s, is_in_loader) && !anyone(s, is_called_by_loader);
    s->in_vain = 0;
    if (!*wrong && !s->loader_is_free && !s->may_wait)
        *wrong = "a thread of it is loading a library all the time";
    else if (!*wrong) {
        waits_take(&waits->list, &s->threads);
        *wrong = "no thread of it is where the library could be loaded: they are all in libc, in functions that would "
                 "notice, or on stacks that cannot be followed to their ends";
        for (int i = 0; i < 2 * HOW_WELLS && !found; i++)
            found = try_all(s, held, (enum how_well)(i % HOW_WELLS), i >= HOW_WELLS, wrong);
    }
    if (found) {
        *wrong = NULL;
        waits->loader_is_free = s->loader_is_free;
    }
    return found;
}

const char *place_hold(struct process *p, struct tracee *t, uint64_t *restorer, struct place_waits *waits)
{
    struct places *s = &places;
    const struct timespec pause = {0, 3000000};
    *s = (struct places){.locks = loader_locks_find(p), .began = clock_mono_ns()};
    const char *wrong = code_open(&s->code, p), *none = NULL;
    *restorer = wrong ? 0 : remote_libc_bytes(p, tracee_restorer, TRACEE_RESTORER);
    if (!wrong && !*restorer)
        wrong = "it has no libc that this command knows";
    waits_prepare(&waits->list, p);
    while (!wrong && !look_once(s, t, waits, &none)) {
        threads_free(&s->threads);
        nanosleep(&pause, NULL);
        wrong = clock_mono_ns() - s->began < PLACE_PATIENCE_NS ? code_look_again(&s->code, p->maps.n) : none;
    }
    return wrong;
}

void place_close(void)
{
    threads_free(&places.threads);
    code_close(&places.code);
}

bool place_waits_for_loader(const struct tracee *t, const struct user_regs_struct *now)
{
    struct process *p = (struct process *)t->p;
    struct code code;
    struct thread there = {.tid = t->tid};
    if ((long)now->orig_rax != SYS_futex || (long)now->rax != INTERRUPTED || process_read_maps(p))
        return false;
    bool waits = !code_open(&code, p) && take_stack(&code, now, &there) && is_at_first_lock(&code, &there);
    free(there.stack.bytes);
    code_close(&code);
    return waits;
}

#endif
