/* thrace attach: records a process that runs already, for a while. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/attach/attach.h"
#include "cmd/complain.h"
#include "cmd/control_client.h"
#include "cmd/finish/process_life.h"
#include "cmd/gather.h"
#include "cmd/library.h"
#include "cmd/record_options.h"
#include "cmd/record_place.h"
#include "cmd/verbs.h"
#include "lib/clock.h"

/* --- what the library is told ------------------------------------------------------------------------------------- */

struct entries {
    char text[ATTACH_TEXT_MAX];
    size_t n;
    bool overflow;
};

__attribute__((format(printf, 2, 3))) static void add_entry(struct entries *e, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(e->text + e->n, sizeof e->text - e->n, fmt, ap);
    va_end(ap);
    if (n < 0 || (size_t)n >= sizeof e->text - e->n)
        e->overflow = true;
    else
        e->n += (size_t)n + 1;
}

/* The options are in our environment by now. */
static void make_entries(struct entries *e, const struct record_options *o, const struct process *p)
{
    for (unsigned i = 0; option_kind(i); i++) {
        const char *name = option_kind(i)->variable, *value = getenv(name);
        if (value)
            add_entry(e, "%s=%s", name, value);
    }
    add_entry(e, "THRACE_OUT=%s", o->out);
    add_entry(e, "THRACE_LAUNCHER=%ld", (long)p->own_pid);
    add_entry(e, "THRACE_CONTROL=1");
}

/* --- until it ends ------------------------------------------------------------------------------------------------ */

static bool lives(const struct process *p)
{
    struct process_stat now;
    return !process_stat(p->pid, &now) && now.start == p->started && !process_has_ended(p->pid, &now);
}

enum { PATIENCE_S = 30 };

/* What the library says of the recording, by the thread that listens, which may just be coming. */
struct hearing {
    struct process *p;
    bool heard;  /* it has answered */
    bool silent; /* nobody listens any more: thrace detach was there */
    bool gone;   /* the process executes another program, without the library */
};

/* NULL, or why it does not answer. */
static const char *ask(struct hearing *r, enum control_verb verb, struct control_reply *reply)
{
    const char *wrong = control_ask(r->p->pid, verb, reply);
    r->heard |= !wrong;
    r->silent = r->heard && wrong == control_not_listening;
    bool has_memory = wrong && !process_read_maps(r->p) && r->p->maps.n; /* else it is ending */
    r->gone = has_memory && !attach_is_there(r->p);
    return wrong;
}

/* From now on silence means something. */
static void await_first_answer(struct hearing *r)
{
    static struct control_reply reply;
    const struct timespec pause = {0, 2000000};
    const uint64_t until = clock_mono_ns() + PATIENCE_S * UINT64_C(1000000000);
    while (ask(r, CONTROL_STATUS, &reply) && !r->gone && lives(r->p) && clock_mono_ns() < until)
        nanosleep(&pause, NULL);
}

/* thrace stop, or thrace detach, has ended it. */
static bool is_recorded(struct hearing *r)
{
    static struct control_reply reply;
    return ask(r, CONTROL_STATUS, &reply) ? !r->silent && !r->gone : reply.recording;
}

/* Those that end it. */
static sigset_t ends(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    return set;
}

static void await_end(struct hearing *r, uint64_t for_ns)
{
    enum { LOOKS_A_SECOND = 10 };
    const sigset_t signals = ends();
    const uint64_t until = for_ns ? clock_mono_ns() + for_ns : UINT64_MAX, step = 1000000000 / LOOKS_A_SECOND;
    for (int i = 1;; i++) {
        uint64_t now = clock_mono_ns(), left = now < until ? until - now : 0;
        if (!left)
            return;
        const struct timespec patience = {0, (long)(left < step ? left : step)};
        if (sigtimedwait(&signals, NULL, &patience) > 0 || !lives(r->p) || (i % LOOKS_A_SECOND == 0 && !is_recorded(r)))
            return;
    }
}

/* False: the library goes on there. */
static bool detach(struct hearing *r)
{
    static struct control_reply reply;
    const long pid = (long)r->p->pid;
    const struct timespec pause = {0, 10000000};
    const uint64_t until = clock_mono_ns() + PATIENCE_S * UINT64_C(1000000000);
    const char *wrong;
    while ((wrong = ask(r, CONTROL_DETACH, &reply)) && !r->silent && !r->gone && lives(r->p) && clock_mono_ns() < until)
        nanosleep(&pause, NULL);
    if (!lives(r->p) || (wrong ? r->silent || r->gone : !reply.error))
        return true;
    complain("attach", "%ld: it was not told to end the recording, thrace detach %ld does that: %s", pid, pid,
             wrong ? wrong : strerror(-reply.error));
    return false;
}

/* --- the verb ----------------------------------------------------------------------------------------------------- */

static void say_that_it_is_recorded(const struct process *p, const struct attached *done, uint64_t for_ns)
{
    fprintf(stderr, "thrace: recording %s (%ld), one thread of which was held for %.1f ms%s\n", p->name, (long)p->pid,
            (double)done->held_ns / 1e6, for_ns ? "" : "; Ctrl-C ends that");
    if (done->reply.unwritable)
        complain("attach", "some of its calls are not seen: %u of their places cannot be written to",
                 done->reply.unwritable);
}

static int attach(struct record_options *o, struct process *p)
{
    static char found[PATH_MAX], library[PATH_MAX];
    static struct entries entries;
    static struct attached done;
    const sigset_t signals = ends();
    if (!find_library("attach", found, sizeof found) || !can_record_to("attach", o->out))
        return EXIT_USAGE;
    if (!realpath(found, library)) {
        complain("attach", "%s: %s", found, strerror(errno));
        return EXIT_USAGE;
    }
    make_entries(&entries, o, p);
    const struct attach how = {
        .library = library, .entries = entries.text, .entries_size = entries.n, .with_filter = o->with_filter};
    uint64_t since_ns = gather_since();
    sigprocmask(SIG_BLOCK, &signals, NULL); /* in the middle of it nothing may end us */
    const char *wrong = entries.overflow ? "the options are too long" : attach_process(p, &how, &done);
    if (wrong)
        complain("attach", "%ld: %s", (long)p->pid, wrong);
    if (wrong && lives(p))
        return EXIT_USAGE;
    struct hearing recording = {.p = p};
    if (!wrong) {
        await_first_answer(&recording);
        say_that_it_is_recorded(p, &done, o->for_ns);
        await_end(&recording, o->for_ns);
    }
    bool over = wrong || detach(&recording);
    sigprocmask(SIG_UNBLOCK, &signals, NULL);
    o->then.went_on = recording.gone;
    bool made = over && gather_traces(o->out, (uint32_t)p->own_pid, since_ns, o->then);
    return made && !wrong ? EXIT_OK : EXIT_USAGE;
}

int cmd_attach(int argc, char **argv)
{
    static struct record_options o;
    struct process p;
    int status;
    if (!attach_options_read(&o, argc, argv, &status))
        return status;
    status = EXIT_USAGE;
    const char *wrong = process_open(&p, o.pid);
    if (wrong)
        complain("attach", "%ld: %s", (long)o.pid, wrong);
    else if (*o.out || record_options_choose_out(&o, NULL, p.name, o.pid))
        status = attach(&o, &p);
    process_close(&p);
    return status;
}
