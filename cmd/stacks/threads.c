#include "config.h"

#include "cmd/stacks/threads.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_getfd
#define SYS_pidfd_getfd 438
#endif

enum { RED_ZONE = 128, STOP_NS = 2000000000, LOOKS = 3 };

static const char *no_memory = "out of memory";

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static ssize_t task_text(const struct process *p, pid_t tid, const char *file, char *into, size_t size)
{
    char name[64];
    snprintf(name, sizeof name, "task/%ld/%s", (long)tid, file);
    return process_text(p, name, into, size);
}

/* --- what the kernel says of a thread ----------------------------------------------------------------------------- */

struct seen {
    char name[16], state;
    pid_t own_tid;
    struct thread_moment moment;
};

static void copy_line(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%.*s", from ? (int)strcspn(from, "\n") : 0, from ? from : "");
}

/* False: the thread has ended. */
static bool see(const struct process *p, pid_t tid, struct seen *seen)
{
    char status[8192], often[24], rarely[24];
    memset(seen, 0, sizeof *seen);
    if (task_text(p, tid, "status", status, sizeof status) <= 0)
        return false;
    const char *state = status_field(status, "State"), *number = status_field(status, "NSpid");
    copy_line(seen->name, sizeof seen->name, status_field(status, "Name"));
    copy_line(often, sizeof often, status_field(status, "voluntary_ctxt_switches"));
    copy_line(rarely, sizeof rarely, status_field(status, "nonvoluntary_ctxt_switches"));
    snprintf(seen->moment.switches, sizeof seen->moment.switches, "%s %s", often, rarely);
    seen->state = state ? *state : '?';
    for (char *end; number && *number && *number != '\n'; number = end) {
        long n = strtol(number, &end, 10);
        if (end == number)
            break;
        seen->own_tid = (pid_t)n;
    }
    if (seen->own_tid <= 0)
        seen->own_tid = tid;
    char *call = seen->moment.call;
    if (task_text(p, tid, "syscall", call, sizeof seen->moment.call) < 0)
        call[0] = 0; /* a kernel that does not tell */
    call[strcspn(call, "\n")] = 0;
    return true;
}

bool thread_moment(const struct process *p, const struct thread *t, struct thread_moment *moment)
{
    struct seen now;
    if (t->call == NO_CALL || !see(p, t->tid, &now))
        return false;
    *moment = now.moment;
    return !strcmp(now.moment.call, t->line);
}

/* "202 0x7f… (six of them) 0xSP 0xPC", or "-1 0xSP 0xPC" outside of a system call. False: it runs, or is not told. */
static bool take_call(struct thread *t, const char *text)
{
    uint64_t sp, pc, *a = t->args;
    long call;
    t->call = NO_CALL;
    if (sscanf(text, "%ld %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64,
               &call, &a[0], &a[1], &a[2], &a[3], &a[4], &a[5], &sp, &pc) == 9)
        t->call = call;
    else if (sscanf(text, "-1 %" SCNx64 " %" SCNx64, &sp, &pc) != 2)
        return false;
    struct unwind_regs *r = &t->stack.regs;
    memset(r, 0, sizeof *r); /* with a frame pointer of 0 a walk stops where one is needed */
    r->r[UNWIND_SP] = (uintptr_t)sp;
    r->r[UNWIND_PC] = (uintptr_t)pc;
    r->known = UNWIND_KNOWN_MIN;
    r->exact = true;
    return true;
}

/* --- stacks ------------------------------------------------------------------------------------------------------- */

/* False: memory is short. */
static bool copy_stack(const struct process *p, struct stack_copy *s)
{
    enum { GROWS = 8 << 20 };
    uint64_t sp = s->regs.r[UNWIND_SP], start = sp - RED_ZONE, end = 0;
    const struct mapping *m = process_mapping(p, sp);
    free(s->bytes);
    s->bytes = NULL;
    s->size = 0;
    for (size_t i = 0; i < p->maps.n && !m; i++) /* it may have grown since */
        if (!strcmp(p->maps.v[i].path, "[stack]") && sp < p->maps.v[i].start && p->maps.v[i].start - sp < GROWS)
            m = &p->maps.v[i];
    if (m) {
        end = m->end;
        if (sp >= m->start && start < m->start)
            start = m->start;
    }
    s->start = start &= ~(uint64_t)(sizeof(uintptr_t) - 1);
    if (!m)
        return true;
    s->size = (size_t)(end - start);
    if (s->size > STACK_COPY_MAX / 2) /* a stack that is a part of something larger, or very deep */
        s->size = STACK_COPY_MAX / 2;
    s->bytes = malloc(s->size);
    if (!s->bytes)
        return false;
    s->size = process_read(p, start, s->bytes, s->size) / sizeof(uintptr_t) * sizeof(uintptr_t);
    return true;
}

static void unwind(struct thread *t, struct modules *ms)
{
    t->npcs = modules_unwind(ms, &t->stack, t->pcs, FRAMES_MAX, &t->flags);
}

/* --- without a stop ----------------------------------------------------------------------------------------------- */

enum look { LOOK_DONE, LOOK_AGAIN, LOOK_ENDED, LOOK_NO_MEMORY };

/* Done: also where the rest of the stack is not to be had so. */
static enum look look_once(const struct process *p, struct modules *ms, struct thread *t)
{
    struct seen before, after;
    if (!see(p, t->tid, &before))
        return LOOK_ENDED;
    snprintf(t->name, sizeof t->name, "%s", before.name);
    memcpy(t->line, before.moment.call, sizeof t->line);
    t->state = before.state;
    t->own_tid = before.own_tid;
    t->npcs = 0;
    if (!take_call(t, before.moment.call))
        return LOOK_AGAIN;
    if (!copy_stack(p, &t->stack))
        return LOOK_NO_MEMORY;
    if (!see(p, t->tid, &after))
        return LOOK_ENDED;
    if (memcmp(&before.moment, &after.moment, sizeof before.moment) != 0) /* zeros behind their ends */
        return LOOK_AGAIN;
    unwind(t, ms);
    return LOOK_DONE;
}

/* --- with one ----------------------------------------------------------------------------------------------------- */

/* A socket with a time limit: what waits for it fails with EINTR. Also where that cannot be told. */
static bool has_time_limit(const struct process *p, uint64_t fd)
{
    char path[64];
    struct stat st;
    bool limited = true;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)p->pid, (int)fd);
    if (!stat(path, &st) && !S_ISSOCK(st.st_mode))
        return false;
    int process = (int)syscall(SYS_pidfd_open, p->pid, 0);
    int socket = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, (int)fd, 0);
    struct timeval in, out;
    socklen_t size = sizeof in;
    if (socket >= 0 && !getsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &in, &size) &&
        !getsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &out, &size))
        limited = in.tv_sec || in.tv_usec || out.tv_sec || out.tv_usec;
    if (socket >= 0)
        close(socket);
    if (process >= 0)
        close(process);
    return limited;
}

/* The program would see that its call was interrupted: these are not begun again by the kernel (signal(7)). */
static bool call_would_fail(const struct process *p, const struct thread *t)
{
    switch (t->call) {
#ifdef SYS_epoll_wait
    case SYS_epoll_wait:
#endif
    case SYS_epoll_pwait:
    case SYS_epoll_pwait2:
    case SYS_semop:
    case SYS_semtimedop:
    case SYS_rt_sigtimedwait:
    case SYS_io_getevents:
    case SYS_io_pgetevents:
    case SYS_io_uring_enter:
        return true;
    case SYS_accept:
    case SYS_accept4:
    case SYS_connect:
    case SYS_recvfrom:
    case SYS_recvmsg:
    case SYS_recvmmsg:
    case SYS_sendto:
    case SYS_sendmsg:
    case SYS_sendmmsg:
    case SYS_read:
    case SYS_readv:
    case SYS_write:
    case SYS_writev:
        return has_time_limit(p, t->args[0]);
    default:
        return false;
    }
}

static void take_registers(struct unwind_regs *to, const struct user_regs_struct *from)
{
#if defined(__x86_64__)
    const uintptr_t all[UNWIND_NREGS] = {from->rax, from->rdx, from->rcx, from->rbx, from->rsi, from->rdi,
                                         from->rbp, from->rsp, from->r8,  from->r9,  from->r10, from->r11,
                                         from->r12, from->r13, from->r14, from->r15, from->rip};
    memcpy(to->r, all, sizeof all);
#else
    for (int i = 0; i < 31; i++)
        to->r[i] = from->regs[i];
    to->r[UNWIND_SP] = from->sp;
    to->r[UNWIND_PC] = from->pc;
#endif
    to->known = (UINT64_C(1) << UNWIND_NREGS) - 1;
    to->exact = true;
}

/* By now: since it was looked at it may have run. */
static bool is_in_failing_call(const struct process *p, pid_t tid)
{
    struct thread now = {.tid = tid};
    char line[sizeof now.line];
    return task_text(p, tid, "syscall", line, sizeof line) > 0 && take_call(&now, line) && call_would_fail(p, &now);
}

/* A thread that is being stopped. */
struct stop {
    struct thread *t;
    int signal; /* that it was about to take, 0: none */
    bool asked, stopped;
};

static pid_t tracer_of(const struct process *p, pid_t tid)
{
    char status[8192];
    if (task_text(p, tid, "status", status, sizeof status) <= 0)
        return 0;
    const char *tracer = status_field(status, "TracerPid");
    return tracer ? (pid_t)strtol(tracer, NULL, 10) : 0;
}

/* False: it does not stop. */
static bool await_stop(struct stop *s, uint64_t until)
{
    enum { YIELDS = 500 }; /* it is soon there, if it gets a processor */
    const struct timespec moment = {0, 20000};
    for (int i = 0;; i++) {
        int status;
        pid_t got = waitpid(s->t->tid, &status, __WALL | WNOHANG);
        if (got == s->t->tid && WIFSTOPPED(status)) {
            s->stopped = true;
            s->signal = status >> 16 ? 0 : WSTOPSIG(status);
            return true;
        }
        if (got < 0 || got == s->t->tid)
            return true; /* it has ended */
        if (now_ns() > until)
            return false;
        if (i < YIELDS)
            sched_yield();
        else
            nanosleep(&moment, NULL);
    }
}

/* Stops them, copies what they have, and lets them go. NULL, or what went wrong. */
static const char *stop_and_copy(struct threads *ts, const struct process *p, struct stop *stops, size_t n,
                                 enum stops which)
{
    const char *wrong = NULL;
    uint64_t began = now_ns();
    for (size_t i = 0; i < n; i++) {
        pid_t tid = stops[i].t->tid;
        if (which == STOP_SAFE && is_in_failing_call(p, tid)) {
            stops[i].t->spared = true;
            continue;
        }
        if (!ptrace(PTRACE_SEIZE, tid, NULL, NULL))
            stops[i].asked = !ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
        else if (errno == EPERM && !ts->tracer)
            ts->tracer = tracer_of(p, tid);
    }
    for (size_t i = 0; i < n && !wrong; i++) {
        struct stop *s = &stops[i];
        struct user_regs_struct regs;
        struct iovec into = {&regs, sizeof regs};
        if (!s->asked)
            continue;
        if (!await_stop(s, began + STOP_NS))
            wrong = "a thread does not stop";
        else if (s->stopped && !ptrace(PTRACE_GETREGSET, s->t->tid, (void *)NT_PRSTATUS, &into)) {
            take_registers(&s->t->stack.regs, &regs);
            if (!copy_stack(p, &s->t->stack))
                wrong = no_memory;
        }
    }
    for (size_t i = 0; i < n; i++)
        if (stops[i].stopped) {
            ptrace(PTRACE_DETACH, stops[i].t->tid, NULL, (void *)(intptr_t)stops[i].signal);
            ts->stopped++;
        }
    ts->pause_ns += now_ns() - began;
    return wrong;
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static int by_tid(const void *a, const void *b)
{
    const struct thread *x = a, *y = b;
    return (x->tid > y->tid) - (x->tid < y->tid);
}

static const char *find_all(struct threads *ts, const struct process *p)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/task", (long)p->pid);
    DIR *dir = opendir(path);
    if (!dir)
        return "it has ended";
    const char *wrong = NULL;
    for (struct dirent *e; !wrong && (e = readdir(dir));) {
        long tid = strtol(e->d_name, NULL, 10);
        if (tid <= 0)
            continue;
        if (VEC_ROOM(&ts->list))
            ts->list.v[ts->list.n++] = (struct thread){.tid = (pid_t)tid, .call = NO_CALL};
        else
            wrong = no_memory;
    }
    closedir(dir);
    if (ts->list.n)
        qsort(ts->list.v, ts->list.n, sizeof *ts->list.v, by_tid);
    return wrong;
}

static void forget(struct threads *ts, size_t i)
{
    free(ts->list.v[i].stack.bytes);
    memmove(&ts->list.v[i], &ts->list.v[i + 1], (--ts->list.n - i) * sizeof *ts->list.v);
}

static bool is_whole(const struct thread *t) { return t->npcs && !(t->flags & UNWIND_STOPPED); }

/* Those that no look without a stop showed whole. NULL, or what went wrong. */
static const char *stop_the_others(struct threads *ts, const struct process *p, struct modules *ms, enum stops which)
{
    size_t n = 0;
    struct stop *stops = calloc(ts->list.n + 1, sizeof *stops);
    if (!stops)
        return no_memory;
    for (size_t i = 0; i < ts->list.n; i++) {
        struct thread *t = &ts->list.v[i];
        if (is_whole(t) || t->state == 'Z' || t->state == 'X')
            continue;
        t->spared = t->state == 'D' || which == STOP_NONE;
        if (!t->spared)
            stops[n++].t = t;
    }
    const char *wrong = n ? stop_and_copy(ts, p, stops, n, which) : NULL;
    for (size_t i = 0; i < n && !wrong; i++)
        if (stops[i].stopped)
            unwind(stops[i].t, ms);
    free(stops);
    return wrong;
}

const char *threads_look(struct threads *ts, struct process *p, struct modules *ms, enum stops which)
{
    memset(ts, 0, sizeof *ts);
    const char *wrong = find_all(ts, p);
    for (size_t i = 0; i < ts->list.n && !wrong;) {
        enum look look = LOOK_AGAIN;
        for (int looks = 0; looks < LOOKS && look == LOOK_AGAIN; looks++)
            look = look_once(p, ms, &ts->list.v[i]);
        if (look == LOOK_NO_MEMORY)
            wrong = no_memory;
        if (look == LOOK_ENDED)
            forget(ts, i);
        else
            i++;
    }
    return wrong ? wrong : stop_the_others(ts, p, ms, which);
}

void threads_free(struct threads *ts)
{
    for (size_t i = 0; i < ts->list.n; i++)
        free(ts->list.v[i].stack.bytes);
    VEC_FREE(&ts->list);
}

const struct thread *threads_find(const struct threads *ts, pid_t own_tid)
{
    for (size_t i = 0; i < ts->list.n; i++)
        if (ts->list.v[i].own_tid == own_tid)
            return &ts->list.v[i];
    return NULL;
}
