/* thrace attach: records a process that runs already, for a while. */
#include "config.h"

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/apart.h"
#include "cmd/attach/process_user.h"
#include "cmd/attachment.h"
#include "cmd/complain.h"
#include "cmd/gather.h"
#include "cmd/record_options.h"
#include "cmd/record_place.h"
#include "cmd/verbs.h"
#include "cmd/visit.h"
#include "lib/clock.h"

static void await_end(struct attachment *a, uint64_t for_ns)
{
    enum { LOOKS_A_SECOND = 10 };
    const sigset_t signals = attachment_signals();
    const uint64_t until = for_ns ? clock_mono_ns() + for_ns : UINT64_MAX, step = 1000000000 / LOOKS_A_SECOND;
    for (int i = 1;; i++) {
        uint64_t now = clock_mono_ns(), left = now < until ? until - now : 0;
        if (!left)
            return;
        const struct timespec patience = {0, (long)(left < step ? left : step)};
        if (sigtimedwait(&signals, NULL, &patience) > 0 || !attachment_lives(a) ||
            (i % LOOKS_A_SECOND == 0 && !attachment_is_recorded(a)))
            return;
    }
}

static void say_that_it_is_recorded(const struct attachment *a, const struct record_options *o)
{
    const long pid = (long)a->p->pid;
    fprintf(stderr, "thrace: recording %s (%ld), one thread of which was held for %.1f ms%s\n", a->p->name, pid,
            (double)a->done.held_ns / 1e6, o->for_ns ? "" : "; Ctrl-C ends that");
    if (o->library.flight.bytes)
        fprintf(stderr, "thrace: the flight recorder of process %ld runs: thrace snapshot %ld writes what it holds, "
                "and so does its end\n", pid, pid);
    attachment_say_what_is_missed(a);
}

static const char *folder_there, *out_here;

/* A recording apart is called by its path for the process, which is not where its trace will be. */
static void pass_on(const struct attachment *a, const char *text)
{
    const size_t len = folder_there ? strlen(folder_there) : 0;
    const char *at = len ? strstr(text, folder_there) : NULL;
    const bool moved = at && at[len] == '/';
    const int folder = (int)(strrchr(out_here, '/') - out_here);
    fprintf(stderr, "thrace: %ld: %.*s%.*s%s\n", (long)a->p->pid, moved ? (int)(at - text) : 0, text,
            moved ? folder : 0, out_here, moved ? at + len : text);
}

/* It makes the recording, which may have to be apart: it does not find the folder, or the library, or is another's. */
static bool is_apart(const struct process *p, const char *out, bool wants_library)
{
    struct process_user u;
    char folder[PATH_MAX];
    const char *slash = strrchr(out, '/');
    snprintf(folder, sizeof folder, "%.*s/", (int)(slash - out), out);
    return wants_library || !process_user_of(p, &u) || u.uid != geteuid() || !attach_shares(p, folder);
}

/* NULL, or why not. */
static const char *begin(struct attachment *a, const struct record_options *o, struct apart *apart)
{
    static char out[2 * PATH_MAX];
    const bool wants_library = attachment_wants_library(a->p);
    if (!is_apart(a->p, o->out, wants_library))
        return attachment_begin(a, o->out, o->with_filter, NULL);
    const char *wrong = attachment_why(a, apart_begin(apart, a->p, wants_library));
    folder_there = wrong ? NULL : apart->folder.path;
    snprintf(out, sizeof out, "%s%s", apart->folder.path, strrchr(o->out, '/'));
    return wrong ? wrong : attachment_begin(a, out, o->with_filter, &apart->folder);
}

static char kept[2 * PATH_MAX + 128];

static void leave_kept(int signal)
{
    if (write(STDERR_FILENO, kept, strlen(kept)) < 0)
        _exit(128 + signal);
    _exit(128 + signal);
}

/*
 * A signal while the trace is made leaves what was recorded, maybe where nobody would look for it. The user need not
 * mean it: timeout(1) sends two, one after the other.
 */
static void say_what_is_kept(const struct apart *apart)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction sa = {.sa_handler = leave_kept};
    const bool is_apart = apart_is_begun(apart);
    snprintf(kept, sizeof kept, "thrace attach: interrupted; what no trace was made of yet is kept: thrace finish %s%s%s"
             ".spool\n", is_apart ? "-o FILE " : "", is_apart ? apart->shown : out_here, is_apart ? "/*" : "");
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct sigaction now;
        if (!sigaction(ends[i], NULL, &now) && now.sa_handler != SIG_IGN)
            sigaction(ends[i], &sa, NULL);
    }
}

/* False: there is no trace. */
static bool attach(struct record_options *o, struct process *p, struct apart *apart)
{
    struct attachment a = {.verb = "attach", .p = p};
    const sigset_t signals = attachment_signals();
    struct since since = since_now();
    sigprocmask(SIG_BLOCK, &signals, NULL);
    out_here = o->out;
    const char *wrong = begin(&a, o, apart);
    if (wrong)
        complain("attach", "%ld: %s", (long)p->pid, wrong);
    if (wrong && attachment_lives(&a))
        return false;
    if (!wrong) {
        say_that_it_is_recorded(&a, o);
        a.said = pass_on;
        await_end(&a, o->for_ns);
    }
    bool over = wrong || attachment_end(&a);
    if (!wrong || apart_is_begun(apart))
        say_what_is_kept(apart);
    sigprocmask(SIG_UNBLOCK, &signals, NULL);
    o->then.went_on = a.gone;
    o->then.apart = apart_is_begun(apart) ? apart : NULL;
    enum gather_result gathered = over ? gather_traces(o->out, (uint32_t)p->own_pid, since, o->then) : GATHER_TOLD;
    if (!wrong && gathered == GATHER_NOTHING)
        complain("attach", "%ld: there is no trace: nothing of what was recorded is there any more", (long)p->pid);
    return gathered == GATHER_MADE;
}

int cmd_attach(int argc, char **argv)
{
    static struct record_options o;
    static struct apart apart = APART_NONE;
    struct process p;
    int status;
    if (!attach_options_read(&o, argc, argv, &status))
        return status;
    status = EXIT_USAGE;
    const char *wrong = process_open(&p, o.pid);
    if (wrong)
        complain("attach", "%ld: %s", (long)o.pid, wrong);
    else if ((*o.out || record_options_choose_out(&o, NULL, p.name, o.pid)) && can_record_to("attach", o.out) &&
             visit_make_way("attach", o.pid))
        status = attach(&o, &p, &apart) ? EXIT_OK : EXIT_USAGE;
    apart_end(&apart, "attach", true);
    process_close(&p);
    return status;
}
