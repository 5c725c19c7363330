#include "preload/probes/fire.h"

#include <string.h>

#include "lib/options/probes.h"
#include "lib/unwind/regs.h"
#include "lib/wire/events.h"
#include "preload/annotate/annotate.h"
#include "preload/annotate/open_tasks.h"
#include "preload/recorder.h"
#include "preload/thread.h"

/* --- messages ----------------------------------------------------------------------------------------------------- */

struct text {
    char bytes[STRING_MAX_SIZE + 1];
    size_t n;
};

static void put(struct text *t, const char *s, size_t n)
{
    size_t room = STRING_MAX_SIZE - t->n;
    n = n < room ? n : room;
    memcpy(t->bytes + t->n, s, n);
    t->n += n;
}

static void put_word(struct text *t, const char *s) { put(t, s, strlen(s)); }

static void put_number(struct text *t, uint64_t v, bool is_signed)
{
    char digits[20], *p = digits + sizeof digits;
    bool negative = is_signed && (int64_t)v < 0;
    v = negative ? -v : v;
    do
        *--p = (char)('0' + v % 10);
    while (v /= 10);
    if (negative)
        put(t, "-", 1);
    put(t, p, (size_t)(digits + sizeof digits - p));
}

/* The string at an address that may be none. False: it is none. */
static bool put_string(struct text *t, uintptr_t from)
{
    size_t got = safe_read(from, t->bytes + t->n, STRING_MAX_SIZE - t->n);
    t->n += name_length(t->bytes + t->n, got);
    return got;
}

/* --- arguments ---------------------------------------------------------------------------------------------------- */

static bool value_of(const struct probe *p, const struct probe_regs *regs, unsigned number, uint64_t *v)
{
    return number < p->noperands && operand_value(&p->operand[number], regs, v);
}

static void put_argument(struct text *t, const struct probe *p, const struct probe_regs *regs, unsigned number,
                         bool string)
{
    uint64_t v;
    if (number >= p->noperands || p->operand[number].kind == OPERAND_UNKNOWN)
        put_word(t, "?");
    else if (!value_of(p, regs, number, &v) || (string && !put_string(t, v)))
        put_word(t, "(fault)");
    else if (!string)
        put_number(t, v, p->operand[number].is_signed);
}

/* "arg1=7 arg2=text"; an only string is the message itself. */
static void put_arguments(struct text *t, const struct probe *p, const struct probe_act *a,
                          const struct probe_regs *regs)
{
    unsigned n = a->all ? p->noperands : a->n;
    for (unsigned i = 0; i < n; i++) {
        unsigned number = a->all ? i : a->argument[i].number;
        bool string = !a->all && a->argument[i].string;
        if (i)
            put(t, " ", 1);
        if (n > 1 || !string) {
            put(t, "arg", 3);
            put_number(t, number + 1, false);
            put(t, "=", 1);
        }
        put_argument(t, p, regs, number, string);
    }
}

/* What the string is that its last argument points to; else the name that it has. */
static OUT_OF_LINE struct name *name_at(const struct probe *p, const struct probe_act *a, const struct probe_regs *regs)
{
    struct text t;
    uint64_t v;
    t.n = 0;
    if (!a->n || !a->argument[a->n - 1].string || !recording() ||
        !value_of(p, regs, a->argument[a->n - 1].number, &v) || !put_string(&t, v) || !t.n)
        return a->name;
    return name_intern(t.bytes, t.n);
}

/* --- actions ------------------------------------------------------------------------------------------------------ */

static OUT_OF_LINE void log_it(const struct unwind_regs *at, const struct probe *p, const struct probe_act *a,
                               const struct probe_regs *regs)
{
    struct text t;
    t.n = 0;
    put_arguments(&t, p, a, regs);
    t.bytes[t.n] = 0;
    annotate_message(at, a->name, t.bytes, name_length(t.bytes, t.n));
}

/* Numbers of those who are asked for by ITT's calls differ in their first word (itt.c). */
static bool key_of(const struct probe *p, const struct probe_act *a, const struct probe_regs *regs,
                   struct task_key *key)
{
    *key = (struct task_key){{UINT64_C(0x7564736500000000), a->provider, 0, 0}};
    return value_of(p, regs, a->argument[0].number, &key->word[2]);
}

static void begin_task(const struct unwind_regs *at, const struct probe *p, const struct probe_act *a,
                       const struct probe_regs *regs)
{
    struct task_key key;
    if (!recording() || !key_of(p, a, regs, &key) || open_task_again(&key))
        return;
    uint64_t task = annotate_new_task();
    if (open_task_put(&key, task))
        annotate_task_begin(at, name_at(p, a, regs), 0, task);
    else
        count_lost(LOST_SAID, LOSS_ROOM);
}

static void end_task(const struct unwind_regs *at, const struct probe *p, const struct probe_act *a,
                     const struct probe_regs *regs)
{
    struct task_key key;
    uint64_t task = key_of(p, a, regs, &key) ? open_task_end(&key) : 0;
    if (task)
        annotate_task_end(at, task);
}

static void act(const struct unwind_regs *at, const struct probe *p, const struct probe_act *a,
                const struct probe_regs *regs)
{
    switch ((enum probe_action)a->action) {
    case PROBE_LOG:
        if (recording())
            log_it(at, p, a, regs);
        break;
    case PROBE_REGION_NEXT:
        annotate_region_end_left(at);
        /* fallthrough */
    case PROBE_REGION_BEGIN:
        annotate_region_begin(at, name_at(p, a, regs), ANNOTATE_OWN_TASK);
        break;
    case PROBE_REGION_END:
        annotate_region_end(at);
        break;
    case PROBE_TASK_BEGIN:
        begin_task(at, p, a, regs);
        break;
    case PROBE_TASK_END:
        end_task(at, p, a, regs);
        break;
    }
}

/* The numbers that DWARF has for the registers of x86-64, in the order of the instructions' ones. */
static void set_regs(struct unwind_regs *at, const struct probe *p, const struct probe_regs *regs)
{
    static const uint8_t column[OPERAND_REGISTERS] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
    for (unsigned i = 0; i < OPERAND_REGISTERS; i++)
        at->r[column[i]] = regs->r[i];
    at->r[UNWIND_PC] = p->behind;
    at->known = UNWIND_KNOWN_MIN | ((UINT64_C(1) << OPERAND_REGISTERS) - 1);
    at->exact = false;
}

void probe_fire(const struct probe_regs *regs, const struct probe *p)
{
    struct unwind_regs at;
    set_regs(&at, p, regs);
    for (unsigned i = 0; i < p->nacts; i++)
        act(&at, p, &p->act[i], regs);
}
