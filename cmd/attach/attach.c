#include "config.h"

#include "cmd/attach/attach.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>

#include "cmd/attach/hurry.h"
#include "cmd/attach/place.h"
#include "cmd/attach/remote_function.h"
#include "cmd/attach/worker.h"
#include "lib/clock.h"
#include "lib/text.h"

enum { ANSWER_S = 30, TRIES = 4 };

static char why[640];

const char attach_has_library[] = "it has the library already: it is recorded, or thrace start begins that";

bool attach_is_there(const struct process *p) { return remote_module(p, "libthrace-preload.so"); }

bool attach_shares(const struct process *p, const char *path)
{
    char there[PATH_MAX + 64];
    struct stat ours, theirs;
    snprintf(there, sizeof there, "/proc/%ld/task/%ld/root%s", (long)p->pid, (long)p->task, path);
    return !stat(path, &ours) && !stat(there, &theirs) && ours.st_dev == theirs.st_dev && ours.st_ino == theirs.st_ino;
}

#if defined(__x86_64__)

/* --- whether it can be -------------------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const char *obstacle(const struct process *p, const struct attach *how)
{
    char status[8192];
    const char *field;
    if (process_text(p, "status", status, sizeof status) <= 0)
        return "it has ended";
    if ((field = status_field(status, "Tgid")) && strtol(field, NULL, 10) != p->pid) {
        snprintf(why, sizeof why, "it is a thread, of process %ld", strtol(field, NULL, 10));
        return why;
    }
    if ((field = status_field(status, "State")) && (*field == 'T' || *field == 't'))
        return "it is stopped, and cannot be worked in: kill -CONT lets it go on";
    if ((field = status_field(status, "TracerPid")) && strtol(field, NULL, 10)) {
        snprintf(why, sizeof why, "process %ld traces it, and there can be one only", strtol(field, NULL, 10));
        return why;
    }
    if ((field = status_field(status, "Seccomp")) && *field != '0' && !how->with_filter)
        return "it has a filter of system calls, which may kill it for those that a recording makes; if it is known "
               "not to, as that of a container: --with-filter";
    if (!remote_libc_function(p, "dlopen").from)
        return "it is statically linked, or has another C library than glibc 2.34 or later, where thrace's cannot be "
               "loaded";
    if (remote_first_function(p, "__tsan_init") || remote_first_function(p, "__hwasan_init"))
        return "it is built with a sanitizer, which would report the recorder as the program";
    return NULL;
}

/* --- how ---------------------------------------------------------------------------------------------------------- */

/* What the loader says of why it could not, cut to one line. */
static void ask_loader(struct tracee *t)
{
    uint64_t f = remote_libc_function(t->p, "dlerror").from, text = 0;
    char said[256] = "";
    if (f && !tracee_call(t, f, (const uint64_t[TRACEE_ARGS]){0}, &text) && text)
        t->p->read(t->p, text, said, sizeof said - 1);
    text_make_printable(said);
    snprintf(why, sizeof why, "its loader cannot load the library%s%s", *said ? ": " : "", said);
}

/* A tracee_may_leave of a worker, for which nobody waits. */
static bool has_waited_for_loader(const struct tracee *t, const struct user_regs_struct *now)
{
    return clock_mono_ns() - t->since > PLACE_PATIENCE_NS && place_waits_for_loader(t, now);
}

/* Whether it could be is seen by what is mapped. */
static const char *load(struct process *p, struct tracee *t, tracee_may_leave *may_leave, const struct attach *how,
                        uint64_t *record)
{
    uint64_t path = tracee_put(t, 0, how->library, strlen(how->library) + 1);
    uint64_t f = remote_libc_function(p, "dlopen").from;
    if (!path)
        return "the path of the library is too long";
    const uint64_t args[TRACEE_ARGS] = {path, RTLD_NOW};
    const char *wrong = tracee_run(t, f, args, may_leave);
    if (!wrong)
        wrong = process_read_maps(p);
    const struct mapping *m = wrong ? NULL : remote_module(p, base_name(how->library));
    if (!wrong && !m) {
        ask_loader(t);
        return why;
    }
    *record = m ? remote_function(p, m->start, "thrace_attach") : 0;
    return wrong || *record ? wrong : "the library that is loaded there is of another version of thrace";
}

/*
 * How far errno is from the thread pointer: the function adds what a slot of its module says. 0: it does so in another
 * way, and is to be asked.
 */
static int64_t offset_of_errno(const struct process *p, uint64_t function)
{
    static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa}; /* endbr64, of some builds */
    static const uint8_t load_slot[] = {0x48, 0x8b, 0x05}, add_pointer[] = {0x64, 0x48, 0x03, 0x04, 0x25, 0, 0, 0, 0};
    uint8_t code[3 + 4 + 9];
    int32_t distance;
    int64_t offset = 0;
    if (process_load(p, function, code, sizeof landing) && !memcmp(code, landing, sizeof landing))
        function += sizeof landing;
    if (!process_load(p, function, code, sizeof code) || memcmp(code, load_slot, 3) || memcmp(code + 7, add_pointer, 9))
        return 0;
    memcpy(&distance, code + 3, sizeof distance);
    return process_load(p, function + 7 + (uint64_t)(int64_t)distance, &offset, sizeof offset) ? offset : 0;
}

/* The thread's errno, which what it is made to call may change. 0: it has none. */
static uint64_t find_errno(struct tracee *t, int *value)
{
    uint64_t f = remote_libc_function(t->p, "__errno_location").from, at = 0;
    int64_t offset = f ? offset_of_errno(t->p, f) : 0;
    bool found = f && (offset || !tracee_call(t, f, (const uint64_t[TRACEE_ARGS]){0}, &at));
    if (offset)
        at = t->before.fs_base + (uint64_t)offset;
    return found && process_load(t->p, at, value, sizeof *value) ? at : 0;
}

static size_t size_of(const struct place_waits *waits) { return waits->list.n * sizeof *waits->list.v; }

/* *answer: where it will be. */
static const char *order(struct tracee *t, const struct attach *how, const struct place_waits *waits, uint64_t function,
                         uint64_t *answer)
{
    uint64_t at = tracee_put(t, 0, answer, sizeof *answer), there = tracee_give(t, waits->list.v, size_of(waits));
    uint64_t schedule = tracee_put(t, sizeof *answer, &t->schedule, sizeof t->schedule);
    uint64_t entries = tracee_put(t, PATH_MAX, how->entries, how->entries_size);
    if (!at || !schedule || !entries)
        return "the options are too long";
    const uint64_t args[TRACEE_ARGS] = {entries, how->entries_size, there, there ? waits->list.n : 0, at, schedule};
    const char *wrong = tracee_run(t, function, args, NULL);
    return wrong || process_load(t->p, at, answer, sizeof *answer) ? wrong : tracee_has_ended;
}

static bool tell(const struct process *p, uint64_t at, const void *what, size_t n)
{
    struct iovec here = {(void *)(uintptr_t)what, n}, there = {(void *)(uintptr_t)at, n};
    return process_vm_writev(p->task, &here, 1, &there, 1, 0) == (ssize_t)n;
}

/* Who cannot read or write there does not know what the library does. The caller finds out who has ended. */
static const char *out_of_reach(const struct process *p)
{
    snprintf(why, sizeof why, "its memory is out of reach (%s), and it may be recorded: thrace detach %ld ends that",
             strerror(errno), (long)p->pid);
    return why;
}

/* The process is as it was; a thread of the library's own begins now. */
static const char *await_answer(const struct process *p, enum attach_word word, uint64_t at,
                                struct attach_reply *reply)
{
    const struct timespec pause = {0, 500000};
    const uint64_t until = clock_mono_ns() + ANSWER_S * UINT64_C(1000000000);
    const uint32_t go = word;
    if (!tell(p, at + offsetof(struct attach_reply, started), &p->started, sizeof p->started) ||
        !tell(p, at + offsetof(struct attach_reply, let_go), &go, sizeof go))
        return out_of_reach(p);
    do {
        if (!process_load(p, at, reply, sizeof *reply))
            return out_of_reach(p);
        if (reply->over)
            return NULL;
        nanosleep(&pause, NULL);
    } while (clock_mono_ns() < until);
    return "the library does not answer: thrace status tells whether it records";
}

/* What it says itself, or what the number means. */
static const char *refusal(struct attach_reply *r)
{
    r->said[sizeof r->said - 1] = 0;
    text_make_printable(r->said);
    if (!r->error)
        return NULL;
    if (*r->said)
        return r->said;
    if (r->error == -EALREADY)
        return attach_has_library;
    if (r->error == -EAGAIN)
        return tracee_no_thread;
    if (r->error == -ECHILD)
        return "it is a child of a process that was attached to: it has the library, which is of no use there";
    snprintf(why, sizeof why, "nothing is recorded: %s", strerror(-r->error));
    return why;
}

static bool let_go(struct tracee *t, struct attached *done)
{
    bool back = tracee_let_go(t);
    done->held_ns = clock_mono_ns() - t->since;
    return back;
}

/* The program's own thread does no more than that. */
static const char *make_worker(struct tracee *t, uint64_t restorer, struct tracee *worker, struct attached *done)
{
    int value = 0;
    const char *wrong = tracee_prepare_briefly(t, restorer);
    uint64_t errno_there = wrong ? 0 : find_errno(t, &value);
    if (!wrong)
        wrong = worker_make(t);
    if (errno_there && !t->lost && !t->returns && !t->ran_on)
        tracee_write(t, errno_there, &value, sizeof value);
    if (!let_go(t, done) && !wrong)
        wrong = "it has ended meanwhile";
    return wrong ? wrong : worker_hold(worker, t);
}

static const char *load_and_order(struct process *p, struct tracee *t, const struct attach *how,
                                  const struct place_waits *waits, uint64_t restorer, uint64_t *answer)
{
    uint64_t function = 0;
    int value = 0;
    const char *wrong = tracee_prepare(t, restorer, size_of(waits));
    uint64_t errno_there = wrong ? 0 : find_errno(t, &value);
    if (!wrong)
        wrong = load(p, t, waits->loader_is_free ? has_waited_for_loader : place_waits_for_loader, how, &function);
    if (!wrong)
        wrong = order(t, how, waits, function, answer);
    if (errno_there && !t->lost)
        tracee_write(t, errno_there, &value, sizeof value);
    return wrong;
}

/*
 * Where somebody has a lock that pthread_create takes, it would wait for that, and cannot be taken out of its middle.
 * dlopen can, where it waits for the first lock, so the program's thread calls it itself.
 */
static const char *work_in(struct process *p, struct tracee *t, const struct attach *how,
                           const struct place_waits *waits, uint64_t restorer, struct attached *done)
{
    static struct tracee worker;
    uint64_t answer = 0;
    bool back = true;
    const char *wrong = waits->loader_is_free ? make_worker(t, restorer, &worker, done) : NULL;
    if (wrong)
        return wrong;
    wrong = load_and_order(p, waits->loader_is_free ? &worker : t, how, waits, restorer, &answer);
    if (waits->loader_is_free)
        worker_end(&worker);
    else
        back = let_go(t, done);
    if (!wrong)
        wrong = back ? await_answer(p, how->apart ? ATTACH_GO_APART : ATTACH_GO, answer, &done->reply)
                     : "it has ended meanwhile";
    return wrong ? wrong : refusal(&done->reply);
}

const char *attach_process(struct process *p, const struct attach *how, struct attached *done)
{
    static struct tracee t;
    struct place_waits waits = {.list = {0}};
    const uint64_t began = clock_mono_ns();
    uint64_t restorer;
    memset(done, 0, sizeof *done);
    const char *wrong = obstacle(p, how);
    if (!wrong)
        wrong = worker_prepare(p);
    hurry_begin();
    for (int tries = 0; !wrong && tries < TRIES; tries++) {
        wrong = place_hold(p, &t, &restorer, &waits);
        if (!wrong)
            wrong = work_in(p, &t, how, &waits, restorer, done);
        place_close();
        if ((wrong != tracee_has_ended && wrong != tracee_was_left) || tries + 1 == TRIES ||
            clock_mono_ns() - began > PLACE_PATIENCE_NS)
            break;
        wrong = NULL; /* the thread was about to end, or could not load; nothing was done in it */
    }
    hurry_end();
    VEC_FREE(&waits.list);
    return wrong;
}

#else

const char *attach_process(struct process *p, const struct attach *how, struct attached *done)
{
    memset(done, 0, sizeof *done);
    snprintf(why, sizeof why, "%ld: attaching is for x86-64 so far; %s can be preloaded", (long)p->pid, how->library);
    return why;
}

#endif
