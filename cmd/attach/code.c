#include "config.h"

#include "cmd/attach/code.h"

#if defined(__x86_64__)

#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

#include "cmd/attach/tracee.h"
#include "cmd/stacks/restarts.h"

/* --- frames ------------------------------------------------------------------------------------------------------- */

static bool is_loader(const struct module *m)
{
    static const char file[] = "/ld-linux";
    const char *slash = m ? strrchr(m->path, '/') : NULL;
    return slash && !strncmp(slash, file, strlen(file));
}

static bool is_libc(const struct module *m) { return m && remote_is_libc(m->path); }

static bool is_allocator(const struct code *c, const struct module *m)
{
    return m && c->allocator >= m->start && c->allocator < m->end;
}

/* A handler returns to these instructions, which call rt_sigreturn. What it interrupted may hold any lock. */
static bool returns_from_handler(const struct code *c, uint64_t pc)
{
    uint8_t there[TRACEE_RESTORER + 1];
    return process_load(c->p, pc - 1, there, sizeof there) &&
           (!memcmp(there, tracee_restorer, TRACEE_RESTORER) || !memcmp(there + 1, tracee_restorer, TRACEE_RESTORER));
}

static const struct module *module_of_frame(const struct code *c, const struct thread *t, int i)
{
    return i >= 0 && i < t->npcs ? modules_find(&c->modules, t->pcs[i] - 1) : NULL;
}

/* The frames but those that every thread begins with: two of libc, and of the first one _start, which called them. */
static int own_frames(const struct code *c, const struct thread *t)
{
    int n = t->npcs;
    if (!is_libc(module_of_frame(c, t, n - 1)) && is_libc(module_of_frame(c, t, n - 2)))
        n--;
    for (int i = 0; i < 2 && is_libc(module_of_frame(c, t, n - 1)); i++)
        n--;
    return n;
}

bool is_in_loader(const struct code *c, const struct thread *t)
{
    int i = 0;
    while (i < t->npcs && !is_loader(module_of_frame(c, t, i)) && !remote_range_has(c->listing, t->pcs[i]))
        i++;
    return i < t->npcs;
}

bool is_called_by_loader(const struct code *c, const struct thread *t)
{
    int at = 0;
    while (at < t->npcs && (is_libc(module_of_frame(c, t, at)) || is_loader(module_of_frame(c, t, at))))
        at++;
    for (; at < t->npcs; at++)
        if (is_loader(module_of_frame(c, t, at)) || remote_range_has(c->listing, t->pcs[at]))
            return true;
    return false;
}

bool is_in_handler(const struct code *c, const struct thread *t)
{
    int i = 0;
    while (i < t->npcs && !returns_from_handler(c, t->pcs[i]))
        i++;
    return i < t->npcs;
}

bool is_in_own_code(const struct code *c, const struct thread *t)
{
    for (int i = 0; i < own_frames(c, t); i++) {
        const struct module *m = module_of_frame(c, t, i);
        if (!m || is_libc(m) || is_allocator(c, m))
            return false;
    }
    return t->npcs > 0;
}

/* --- system calls ------------------------------------------------------------------------------------------------- */

/* Which frame is that of pthread_mutex_lock; npcs: none. */
static int lock_frame(const struct code *c, const struct thread *t)
{
    int at = 0;
    while (at < t->npcs && !remote_range_has(c->locks, t->pcs[at]))
        at++;
    return at;
}

/* In pthread_mutex_lock, called by the program, which has no lock of the allocator's by then. */
static bool waits_for_own_mutex(const struct code *c, const struct thread *t)
{
    int at = lock_frame(c, t);
    const struct module *caller = module_of_frame(c, t, at + 1);
    bool own = caller && !is_libc(caller);
    for (int i = at + 1; i < t->npcs; i++)
        own &= is_libc(module_of_frame(c, t, i)) || !is_allocator(c, module_of_frame(c, t, i));
    return own;
}

/* libc's inner locks, malloc's among them, wait in another way than conditions, semaphores and joins. */
static bool is_inner_lock(const struct code *c, const struct thread *t)
{
    bool is_lock = t->call == SYS_futex && (t->args[1] & FUTEX_CMD_MASK) != FUTEX_WAIT_BITSET;
    return is_lock && !waits_for_own_mutex(c, t);
}

bool is_in_epoll_wait(const struct thread *t)
{
    return t->call == SYS_epoll_wait || t->call == SYS_epoll_pwait;
}

bool is_in_known_call(const struct code *c, const struct thread *t)
{
    return !is_inner_lock(c, t) && (is_in_epoll_wait(t) || goes_on_after_stop(c->p, t));
}

/*
 * libc calls _dl_open, and the first thing that does is to lock. Whoever was not woken yet is no longer among those
 * that can be, so the others miss nothing.
 */
bool is_at_first_lock(const struct code *c, const struct thread *t)
{
    int at = lock_frame(c, t);
    return at + 2 < t->npcs && is_loader(module_of_frame(c, t, at + 1)) && is_libc(module_of_frame(c, t, at + 2));
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

const char *code_open(struct code *c, struct process *p)
{
    *c = (struct code){.p = p,
                       .allocator = remote_first_function(p, "malloc"),
                       .locks = remote_libc_function(p, "pthread_mutex_lock"),
                       .listing = remote_libc_function(p, "dl_iterate_phdr")};
    return modules_open(&c->modules, p);
}

void code_close(struct code *c) { modules_close(&c->modules); }

const char *code_look_again(struct code *c, size_t nmaps)
{
    const char *wrong = process_ends(c->p) ? "it has ended" : process_read_maps(c->p);
    if (wrong || c->p->maps.n == nmaps)
        return wrong;
    modules_close(&c->modules);
    memset(&c->modules, 0, sizeof c->modules);
    return modules_open(&c->modules, c->p);
}

#endif
