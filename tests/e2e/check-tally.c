/*
 * check-tally TRACE LOG PID CUT [LOST]: checks that the trace of a process that ran tests/programs/tally has all that
 * it
 * did, as LOG says: of each thread the first operation and all that follow it, in order. None may be missing but CUT in
 * all at the ends, as many as `thrace finish` said that it cut, and LOST anywhere, as many as it said were lost. Prints
 * what it saw; exit status 1 and a line for each thread that is wrong. With CUT "none" there is no trace, and the
 * process must have done nothing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gotrace/gotrace.h"
#include "tests/programs/tally.h"

struct seen {
    uint64_t m;
    unsigned long begun;
    long hole; /* number of the first operation of the wrong kind; -1: there is none */
};

static const struct seen nothing = {0, 0, -1};
static struct tally tally;
static struct seen seen[TALLY_SLOTS];
static unsigned nseen;

static struct seen *of_thread(uint64_t m)
{
    for (unsigned i = 0; i < nseen; i++)
        if (seen[i].m == m)
            return &seen[i];
    if (nseen == TALLY_SLOTS)
        return NULL;
    seen[nseen] = (struct seen){m, 0, -1};
    return &seen[nseen++];
}

/* The kind of an operation, by who called write; -1: it is something else. */
static int kind_of(struct gotrace_stack stack)
{
    struct gotrace_frame f;
    if (!gotrace_stack_frame(stack, 1, &f) || f.function.len != 4 || memcmp(f.function.data, "op_", 3))
        return -1;
    return f.function.data[3] - '0';
}

static void note(const struct gotrace_event *ev, const struct gotrace_transition *t)
{
    int kind = t->from == GOTRACE_STATE_RUNNING && t->to == GOTRACE_STATE_SYSCALL ? kind_of(t->stack) : -1;
    struct seen *s = kind < 0 ? NULL : of_thread(gotrace_event_thread(ev));
    if (!s)
        return;
    if (s->hole < 0 && s->begun % TALLY_KINDS != (unsigned)kind)
        s->hole = (long)s->begun;
    s->begun++;
}

static bool read_trace(const char *path)
{
    struct gotrace_reader *r = gotrace_reader_open_path(path);
    const struct gotrace_event *ev;
    struct gotrace_transition t;
    while (r && (ev = gotrace_reader_next(r)))
        if (gotrace_event_transition(ev, &t) && t.resource.kind == GOTRACE_RESOURCE_GOROUTINE)
            note(ev, &t);
    const struct gotrace_error *err = r ? gotrace_reader_error(r) : NULL;
    if (!r || err)
        printf("%s: %s\n", path, r ? err->message : "out of memory");
    gotrace_reader_free(r);
    return r && !err;
}

static bool read_log(const char *path)
{
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(&tally, 1, sizeof tally, f) : 0;
    if (f)
        fclose(f);
    if (n && n != sizeof tally)
        printf("%s: no log of tally\n", path);
    return !n || n == sizeof tally; /* killed before it could make one: nothing was done */
}

int main(int argc, char **argv)
{
    bool none = argc >= 5 && !strcmp(argv[4], "none");
    unsigned long lost = argc == 6 ? strtoul(argv[5], NULL, 10) : 0;
    if (argc < 5 || argc > 6 || !read_log(argv[2]) || !(none || read_trace(argv[1])))
        return 2;
    int pid = atoi(argv[3]), status = 0;
    unsigned long missing = 0, operations = 0, threads = 0;
    for (unsigned i = 0; i < TALLY_SLOTS && i < tally.used; i++) {
        const struct tally_slot *slot = &tally.slots[i];
        if (slot->pid != pid)
            continue;
        const struct seen *s = none ? &nothing : of_thread((uint64_t)slot->tid);
        unsigned long begun = slot->begun, done = slot->done;
        threads++;
        operations += s ? s->begun : 0;
        if (s && (s->hole < 0 || lost) && s->begun <= begun) {
            missing += s->begun < done ? done - s->begun : 0;
            continue;
        }
        status = 1;
        printf("thread %d: %lu begun and %lu done, %lu in the trace, the first wrong one is %ld\n", slot->tid, begun,
               done, s ? s->begun : 0, s ? s->hole : 0);
    }
    printf("%lu threads, %lu operations, %lu missing\n", threads, operations, missing);
    return missing > strtoul(argv[4], NULL, 10) + lost ? 1 : status;
}
