#include "config.h"

#include "cmd/attach/place.h"

#if defined(__x86_64__)

#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "cmd/attach/hurry.h"
#include "cmd/attach/remote_function.h"
#include "cmd/stacks/restarts.h"
#include "cmd/stacks/threads.h"
#include "lib/clock.h"

enum { CHOOSY_MS = 2500, PATIENCE_MS = 7500, INTERRUPTED = -512 }; /* the kernel's ERESTARTSYS */

struct places {
    struct process *p;
    struct modules modules;
    struct threads threads;
    uint64_t allocator;                 /* where malloc is; 0: nobody knows */
    struct remote_range locks, listing; /* pthread_mutex_lock, dl_iterate_phdr */
    uint64_t began;                     /* when the first look was */
    bool loader_is_free;                /* as of the newest one */
};

/* --- frames ------------------------------------------------------------------------------------------------------- */

static bool is_loader(const struct module *m)
{
    static const char file[] = "/ld-linux";
    const char *slash = m ? strrchr(m->path, '/') : NULL;
    return slash && !strncmp(slash, file, strlen(file));
}

static bool is_libc(const struct module *m) { return m && remote_is_libc(m->path); }

static bool is_allocator(const struct places *s, const struct module *m)
{
    return m && s->allocator >= m->start && s->allocator < m->end;
}

/* A handler returns to these instructions, which call rt_sigreturn. What it interrupted may hold any lock. */
static bool returns_from_handler(const struct places *s, uint64_t pc)
{
    uint8_t there[TRACEE_RESTORER + 1];
    return process_load(s->p, pc - 1, there, sizeof there) &&
           (!memcmp(there, tracee_restorer, TRACEE_RESTORER) || !memcmp(there + 1, tracee_restorer, TRACEE_RESTORER));
}

static const struct module *module_of_frame(const struct places *s, const struct thread *t, int i)
{
    return i >= 0 && i < t->npcs ? modules_find(&s->modules, t->pcs[i] - 1) : NULL;
}

/* The frames but those that every thread begins with: two of libc, and of the first one _start, which called them. */
static int own_frames(const struct places *s, const struct thread *t)
{
    int n = t->npcs;
    if (!is_libc(module_of_frame(s, t, n - 1)) && is_libc(module_of_frame(s, t, n - 2)))
        n--;
    for (int i = 0; i < 2 && is_libc(module_of_frame(s, t, n - 1)); i++)
        n--;
    return n;
}

/* Or in a callback of dl_iterate_phdr, which has a lock of the loader's. */
static bool is_in_loader(const struct places *s, const struct thread *t)
{
    int i = 0;
    while (i < t->npcs && !is_loader(module_of_frame(s, t, i)) && !remote_range_has(s->listing, t->pcs[i]))
        i++;
    return i < t->npcs;
}

/* It is called by the loader: a constructor, an allocator, a callback. */
static bool is_called_by_loader(const struct places *s, const struct thread *t)
{
    int at = 0;
    while (at < t->npcs && (is_libc(module_of_frame(s, t, at)) || is_loader(module_of_frame(s, t, at))))
        at++;
    for (; at < t->npcs; at++)
        if (is_loader(module_of_frame(s, t, at)) || remote_range_has(s->listing, t->pcs[at]))
            return true;
    return false;
}

static bool is_in_handler(const struct places *s, const struct thread *t)
{
    int i = 0;
    while (i < t->npcs && !returns_from_handler(s, t->pcs[i]))
        i++;
    return i < t->npcs;
}

/* From its innermost frame to those that every thread has: nothing of libc, of the loader, or of the allocator. */
static bool is_in_own_code(const struct places *s, const struct thread *t)
{
    for (int i = 0; i < own_frames(s, t); i++) {
        const struct module *m = module_of_frame(s, t, i);
        if (!m || is_libc(m) || is_allocator(s, m))
            return false;
    }
    return t->npcs > 0;
}

/* --- system calls ------------------------------------------------------------------------------------------------- */

/* Which frame is that of pthread_mutex_lock; npcs: none. */
static int lock_frame(const struct places *s, const struct thread *t)
{
    int at = 0;
    while (at < t->npcs && !remote_range_has(s->locks, t->pcs[at]))
        at++;
    return at;
}

/* In pthread_mutex_lock, called by the program, which has no lock of the allocator's by then. */
static bool waits_for_own_mutex(const struct places *s, const struct thread *t)
{
    int at = lock_frame(s, t);
    const struct module *caller = module_of_frame(s, t, at + 1);
    bool own = caller && !is_libc(caller);
    for (int i = at + 1; i < t->npcs; i++)
        own &= is_libc(module_of_frame(s, t, i)) || !is_allocator(s, module_of_frame(s, t, i));
    return own;
}

/* libc's inner locks, malloc's among them, wait in another way than conditions, semaphores and joins. */
static bool is_inner_lock(const struct places *s, const struct thread *t)
{
    bool is_lock = t->call == SYS_futex && (t->args[1] & FUTEX_CMD_MASK) != FUTEX_WAIT_BITSET;
    return is_lock && !waits_for_own_mutex(s, t);
}

enum how_well { WELL, LATE, WITH_A_TURN, RUNNING, HOW_WELLS };
static bool is_epoll_wait(const struct thread *t) { return t->call == SYS_epoll_wait || t->call == SYS_epoll_pwait; }

static bool is_known_call(const struct places *s, const struct thread *t)
{
    return !is_inner_lock(s, t) && (is_epoll_wait(t) || goes_on_after_stop(s->p, t));
}

/*
 * Well, if its call goes on as if nothing had been. An epoll_wait is begun anew: with a time limit, that begins anew,
 * too. What goes on already, after an earlier stop, is begun anew if the command is killed, and then takes its whole
 * time once more. Whoever is to be running now was when it was looked at.
 */
static bool is_candidate(const struct places *s, const struct thread *t, enum how_well how)
{
    char line[64];
    if (how >= WITH_A_TURN) {
        thread_line(s->p, t->tid, line, sizeof line);
        return t->state == 'R' && !strcmp(line, "running");
    }
    if (t->call == NO_CALL || t->state != 'S' || !is_known_call(s, t))
        return false;
    bool may_last = t->call == SYS_restart_syscall || (is_epoll_wait(t) && (int)t->args[3] >= 0);
    return may_last == (how == LATE);
}

/* --- a held thread ------------------------------------------------------------------------------------------------ */

/* The stack once more, now with all registers. */
static bool look_closely(struct places *s, const struct tracee *held, struct thread *t)
{
    thread_take_registers(&t->stack.regs, &held->before);
    if (!thread_copy_stack(s->p, &t->stack))
        return false;
    t->npcs = modules_unwind(&s->modules, &t->stack, t->pcs, FRAMES_MAX, &t->flags);
    return t->npcs && !(t->flags & (UNWIND_STOPPED | UNWIND_TRUNCATED | UNWIND_GUESSED));
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
    if (!is_of_libc(s->p, r) || tracee_is_between(held) || !look_closely(s, held, t))
        return false;
    if (is_in_loader(s, t))
        s->loader_is_free = false;
    if (is_in_loader(s, t) || is_in_handler(s, t))
        return false;
    if ((long long)r->orig_rax < 0)
        return is_in_own_code(s, t);
    take_call(t, r);
    return is_known_call(s, t) && (s->loader_is_free || tracee_can_begin_again(held));
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static uint64_t looked_for_ms(const struct places *s) { return (clock_mono_ns() - s->began) / 1000000; }

static bool anyone(const struct places *s, bool (*is)(const struct places *s, const struct thread *t))
{
    size_t i = 0;
    while (i < s->threads.list.n && !is(s, &s->threads.list.v[i]))
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
    return t->tid == s->p->pid || process_text(s->p, file, children, sizeof children) > 0;
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
    for (size_t i = 0; i < s->threads.list.n; i++) {
        struct thread *t = &s->threads.list.v[i];
        if (!is_candidate(s, t, how) || is_addressee(s, t) != addressees)
            continue;
        const char *cannot = tracee_hold(held, s->p, t->tid);
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
    l->wrong = threads_look(&l->s->threads, l->s->p, &l->s->modules, STOP_NONE);
}

/*
 * Somebody who is in the loader already may hold a lock of it, and wait for the thread that is chosen. At first any of
 * them is one too many. Later, if there is always one, only those who are in other code that the loader called: the
 * others go on by themselves, and if it takes long the chosen one is taken out again.
 */
static bool look_once(struct places *s, struct tracee *held, struct place_waits *waits, const char **wrong)
{
    bool found = false;
    struct look now = {s, NULL};
    hurry_spare(look, &now);
    *wrong = now.wrong;
    if (!*wrong && anyone(s, looked_for_ms(s) < CHOOSY_MS ? is_in_loader : is_called_by_loader))
        *wrong = "a thread of it is loading a library all the time";
    else if (!*wrong) {
        *wrong = "no thread of it is where the library could be loaded: they are all in libc, or in functions that "
                 "would notice; try again";
        s->loader_is_free = !anyone(s, is_in_loader);
        for (int i = 0; i < 2 * HOW_WELLS && !found; i++)
            found = try_all(s, held, (enum how_well)(i % HOW_WELLS), i >= HOW_WELLS, wrong);
    }
    if (found) {
        *wrong = NULL;
        waits_take(&waits->list, &s->threads);
        waits->loader_is_free = s->loader_is_free;
    }
    threads_free(&s->threads);
    return found;
}

/* The process may have loaded something since the last look. */
static const char *look_at_modules(struct places *s, size_t nmaps)
{
    const char *wrong = process_ends(s->p) ? "it has ended" : process_read_maps(s->p);
    if (wrong || s->p->maps.n == nmaps)
        return wrong;
    modules_close(&s->modules);
    memset(&s->modules, 0, sizeof s->modules);
    return modules_open(&s->modules, s->p);
}

static const char *open_places(struct places *s, struct process *p)
{
    *s = (struct places){.p = p,
                         .began = clock_mono_ns(),
                         .allocator = remote_first_function(p, "malloc"),
                         .locks = remote_libc_function(p, "pthread_mutex_lock"),
                         .listing = remote_libc_function(p, "dl_iterate_phdr")};
    return modules_open(&s->modules, p);
}

const char *place_hold(struct process *p, struct tracee *t, uint64_t *restorer, struct place_waits *waits)
{
    struct places s;
    const struct timespec pause = {0, 3000000};
    const char *wrong = open_places(&s, p), *none = NULL;
    *restorer = wrong ? 0 : remote_libc_bytes(p, tracee_restorer, TRACEE_RESTORER);
    if (!wrong && !*restorer)
        wrong = "it has no libc that this command knows";
    waits_prepare(&waits->list, p);
    while (!wrong && !look_once(&s, t, waits, &none)) {
        nanosleep(&pause, NULL);
        wrong = looked_for_ms(&s) < PATIENCE_MS ? look_at_modules(&s, p->maps.n) : none;
    }
    modules_close(&s.modules);
    return wrong;
}

/*
 * libc calls _dl_open, and the first thing that does is to lock. Whoever was not woken yet is no longer among those
 * that can be, so the others miss nothing.
 */
static bool is_at_first_lock(const struct places *s, const struct thread *t)
{
    int at = lock_frame(s, t);
    return at + 2 < t->npcs && is_loader(module_of_frame(s, t, at + 1)) && is_libc(module_of_frame(s, t, at + 2));
}

bool place_waits_for_loader(const struct tracee *t, const struct user_regs_struct *now)
{
    struct process *p = (struct process *)t->p;
    struct places s;
    struct thread there = {.tid = t->tid};
    if ((long)now->orig_rax != SYS_futex || (long)now->rax != INTERRUPTED || process_read_maps(p))
        return false;
    bool waits = false;
    if (!open_places(&s, p)) {
        thread_take_registers(&there.stack.regs, now);
        if (thread_copy_stack(p, &there.stack))
            there.npcs = modules_unwind(&s.modules, &there.stack, there.pcs, FRAMES_MAX, &there.flags);
        waits = is_at_first_lock(&s, &there);
        free(there.stack.bytes);
    }
    modules_close(&s.modules);
    return waits;
}

#endif
