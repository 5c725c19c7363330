#include "config.h"

#include "cmd/top/holders.h"

#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "cmd/finish/record_cursor.h"
#include "cmd/stacks/lock_layout.h"
#include "lib/meta.h"

enum { A_WHILE_NS = 50000000 };

static bool read_word(pid_t pid, uint64_t address, int32_t *word)
{
    struct iovec here = {word, sizeof *word}, there = {(void *)(uintptr_t)address, sizeof *word};
    return process_vm_readv(pid, &here, 1, &there, 1, 0) == sizeof *word;
}

/* The lock that the record of a wait names. False: it is none that says who holds it. */
static bool lock_of(const struct open_wait *o, uint64_t *address, struct lock_layout *l)
{
    struct cursor c = {o->record + 1, o->record + o->size};
    for (int i = 0; i < 3; i++)
        get_int(&c); /* g, m, reason */
    uint64_t kind = get_int(&c);
    *address = get_int(&c);
    return c.p && *address && lock_layout((enum object_kind)kind, l);
}

/* 0: nobody, or nobody of this process. */
static uint64_t holder_of(const struct open_wait *o, pid_t pid)
{
    uint64_t address;
    struct lock_layout l;
    int32_t tid, shared;
    if (!o->record || !lock_of(o, &address, &l) || !read_word(pid, address + l.owner, &tid) ||
        !read_word(pid, address + l.shared, &shared))
        return 0;
    return shared & l.bits ? 0 : (uint64_t)tid & FUTEX_TID_MASK;
}

static const struct window_thread *find(const struct window *w, uint64_t tid)
{
    for (size_t i = 0; i < w->threads.n; i++)
        if (w->threads.v[i].tid == tid)
            return &w->threads.v[i];
    return NULL;
}

static bool add_holder(struct window_thread *t, const struct window_thread *holder)
{
    char *text;
    int n = holder == t ? asprintf(&text, "%s, held by itself", t->what)
                        : asprintf(&text, "%s, held by %.*s", t->what, (int)strcspn(holder->name, "("), holder->name);
    if (n < 0)
        return false;
    while (n > 0 && text[n - 1] == ' ')
        text[--n] = 0;
    free(t->what);
    t->what = text;
    return true;
}

bool holders_tell(struct window *w, const struct open_waits *waits, pid_t pid)
{
    bool ok = true;
    for (size_t i = 0; i < w->threads.n && ok; i++) {
        struct window_thread *t = &w->threads.v[i];
        const struct open_wait *o = open_waits_find(waits, t->g);
        bool waits_long = t->state == GOTRACE_STATE_WAITING && w->end - t->since > A_WHILE_NS;
        uint64_t tid = waits_long && o ? holder_of(o, pid) : 0;
        const struct window_thread *holder = tid ? find(w, tid) : NULL;
        ok = !holder || add_holder(t, holder);
    }
    return ok;
}
