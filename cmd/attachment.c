#include "config.h"

#include "cmd/attachment.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/attach/library_there.h"
#include "cmd/complain.h"
#include "cmd/control_client.h"
#include "cmd/finish/process_life.h"
#include "cmd/library.h"
#include "cmd/network.h"
#include "lib/clock.h"
#include "lib/options/options.h"

enum { PATIENCE_S = 30 };

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
static void make_entries(struct entries *e, const char *out, const struct process *p)
{
    *e = (struct entries){.n = 0};
    for (unsigned i = 0; option_kind(i); i++) {
        const char *name = option_kind(i)->variable, *value = getenv(name);
        if (value)
            add_entry(e, "%s=%s", name, value);
    }
    add_entry(e, "THRACE_OUT=%s", out);
    add_entry(e, "THRACE_LAUNCHER=%ld", (long)p->own_pid);
    add_entry(e, "THRACE_CONTROL=1");
}

/* --- what it says ------------------------------------------------------------------------------------------------- */

/* NULL, or why it does not answer. Lines of the library are passed on once there is somebody for them. */
static const char *ask(struct attachment *a, enum control_verb verb, struct control_reply *reply)
{
    const char *wrong = control_ask_after(a->p->pid, verb, a->said_number, reply);
    a->heard |= !wrong;
    if (!wrong && a->said && reply->said_number) {
        a->said(a, reply->said);
        a->said_number = reply->said_number;
    }
    a->silent = a->heard && wrong == control_not_listening;
    bool has_memory = wrong && !process_read_maps(a->p) && a->p->maps.n; /* else it is ending */
    a->gone = has_memory && !attach_is_there(a->p);
    return wrong;
}

/* Until there are no more lines; it may be saying some all the time. */
static const char *ask_for_all(struct attachment *a, struct control_reply *reply)
{
    enum { LINES = 16 };
    const char *wrong = ask(a, CONTROL_STATUS, reply);
    for (int i = 1; i < LINES && a->said && !wrong && reply->said_number; i++)
        wrong = ask(a, CONTROL_STATUS, reply);
    return wrong;
}

/* The thread that listens may just be coming. From now on silence means something. */
static void await_first_answer(struct attachment *a)
{
    static struct control_reply reply;
    const struct timespec pause = {0, 2000000};
    const uint64_t until = clock_mono_ns() + PATIENCE_S * UINT64_C(1000000000);
    while (ask(a, CONTROL_STATUS, &reply) && !a->gone && attachment_lives(a) && clock_mono_ns() < until)
        nanosleep(&pause, NULL);
}

bool attachment_lives(const struct attachment *a)
{
    return process_goes_on(a->p->pid, a->p->started);
}

bool attachment_is_recorded(struct attachment *a)
{
    static struct control_reply reply;
    return ask_for_all(a, &reply) ? !a->silent && !a->gone : reply.recording;
}

/* --- begin and end ------------------------------------------------------------------------------------------------ */

sigset_t attachment_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    return set;
}

static sigset_t block_all(void)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    return before;
}

/* A thread that was killed while we traced it is ours to wait for. */
static bool reap(void *unused, pid_t tid)
{
    (void)unused;
    waitpid(tid, NULL, __WALL | WNOHANG);
    return true;
}

/*
 * Who is on its way out is waited for: until then it fails in ways of its own. Again and again: a thread may have been
 * made that we were not told of.
 */
static bool has_ended(const struct attachment *a)
{
    const struct timespec pause = {0, 2000000};
    const uint64_t until = clock_mono_ns() + PATIENCE_S * UINT64_C(1000000000);
    while (process_ends(a->p) && attachment_lives(a) && clock_mono_ns() < until) {
        process_each_thread(a->p->pid, reap, NULL);
        nanosleep(&pause, NULL);
    }
    return process_ends(a->p);
}

const char *attachment_why(const struct attachment *a, const char *wrong)
{
    return wrong && has_ended(a) ? "it has ended" : wrong;
}

/* No thread of such a process is held, only to find that out. */
static bool listens_already(const struct attachment *a)
{
    static struct control_reply reply;
    return attach_is_there(a->p) && !control_ask(a->p->pid, CONTROL_STATUS, &reply);
}

/* here: its path for us; there: for the process, "": it has none. NULL, or why it cannot be found. */
static const char *look_for_library(const struct process *p, char here[PATH_MAX], char there[PATH_MAX])
{
    static char found[PATH_MAX];
    const char *wrong = find_library(LIBC_GLIBC, found, sizeof found);
    if (!wrong && !realpath(found, here))
        wrong = strerror(errno);
    return wrong ? wrong : library_find_there(p, here, there);
}

bool attachment_wants_library(const struct process *p)
{
    static char here[PATH_MAX], there[PATH_MAX];
    return !look_for_library(p, here, there) && !*there;
}

/* What could not be told to end is not begun. */
static bool can_be_told(const struct process *p)
{
    int fd = network_socket(p->pid, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC);
    if (fd >= 0)
        close(fd);
    return fd >= 0 || errno != EPERM;
}

const char *attachment_begin(struct attachment *a, const char *out, bool with_filter, const struct common_folder *f)
{
    static char here[PATH_MAX], library[PATH_MAX];
    static struct entries entries;
    if (listens_already(a))
        return attach_has_library;
    const char *wrong = look_for_library(a->p, here, library);
    if (!wrong && !can_be_told(a->p))
        wrong = control_other_network;
    if (!wrong && !*library)
        wrong = f ? common_folder_put_library(f, a->p, here, library) : strerror(ENOENT);
    make_entries(&entries, out, a->p);
    if (!wrong && entries.overflow)
        wrong = "the options are too long";
    if (wrong)
        return attachment_why(a, wrong); /* of one that has ended nothing is found */
    const struct attach how = {
        .library = library, .entries = entries.text, .entries_size = entries.n, .apart = f, .with_filter = with_filter};
    sigset_t before = block_all(); /* Ctrl-Z would stop us with a thread in our hands */
    wrong = attach_process(a->p, &how, &a->done);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (!wrong)
        await_first_answer(a);
    return attachment_why(a, wrong);
}

void attachment_say_what_is_missed(const struct attachment *a)
{
    if (a->done.reply.unwritable)
        complain(a->verb, "some of its calls are not seen: %u of their places cannot be written to",
                 a->done.reply.unwritable);
    if (*a->done.reply.said)
        complain(a->verb, "%s", a->done.reply.said);
}

/* It is stopped, or a debugger holds it; or we cannot even look. */
static bool cannot_answer(const struct attachment *a)
{
    struct process_stat now;
    return process_stat(a->p->pid, &now) || now.state == 'T' || now.state == 't';
}

/*
 * However busy the machine is. A signal leaves the recording where it is once it was said what is waited for, and so
 * does the end of all patience with what cannot answer, or never has.
 */
static const char *tell_to_end(struct attachment *a, struct control_reply *reply)
{
    enum { SECOND = 1000000000 };
    const struct timespec pause = {0, 10000000};
    const uint64_t began = clock_mono_ns(), until = began + PATIENCE_S * UINT64_C(1000000000);
    const sigset_t signals = attachment_signals();
    const char *wrong;
    bool told = false;
    ask_for_all(a, reply);
    while ((wrong = ask(a, CONTROL_DETACH, reply)) && !a->silent && !a->gone && attachment_lives(a)) {
        bool interrupted = sigtimedwait(&signals, NULL, &pause) > 0;
        uint64_t now = clock_mono_ns();
        if (told && (interrupted || (now >= until && (!a->heard || cannot_answer(a)))))
            break;
        if (!told && now - began > SECOND)
            complain(a->verb, "%ld: waits for it to end the recording: %s", (long)a->p->pid, wrong);
        told |= now - began > SECOND;
    }
    return wrong;
}

bool attachment_end(struct attachment *a)
{
    static struct control_reply reply;
    const long pid = (long)a->p->pid;
    sigset_t before = block_all();
    const char *wrong = tell_to_end(a, &reply);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (!attachment_lives(a) || (wrong ? a->silent || a->gone : !reply.error))
        return true;
    complain(a->verb, "%ld: it was not told to end the recording, thrace detach %ld does that: %s", pid, pid,
             wrong ? wrong : strerror(-reply.error));
    return false;
}
