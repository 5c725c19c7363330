#include "config.h"

#include "cmd/stacks/thread.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RED_ZONE = 128 };

static ssize_t task_text(const struct process *p, pid_t tid, const char *file, char *into, size_t size)
{
    char name[64];
    snprintf(name, sizeof name, "task/%ld/%s", (long)tid, file);
    return process_text(p, name, into, size);
}

static void copy_line(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%.*s", from ? (int)strcspn(from, "\n") : 0, from ? from : "");
}

void thread_line(const struct process *p, pid_t tid, char *into, size_t size)
{
    memset(into, 0, size);
    if (task_text(p, tid, "syscall", into, size) < 0)
        into[0] = 0;
    into[strcspn(into, "\n")] = 0;
}

bool thread_see(const struct process *p, pid_t tid, struct thread_seen *seen)
{
    char status[8192], often[24], rarely[24];
    memset(seen, 0, sizeof *seen);
    if (task_text(p, tid, "status", status, sizeof status) <= 0)
        return false;
    const char *state = status_field(status, "State"), *number = status_field(status, "NSpid"),
               *tracer = status_field(status, "TracerPid");
    copy_line(seen->name, sizeof seen->name, status_field(status, "Name"));
    copy_line(often, sizeof often, status_field(status, "voluntary_ctxt_switches"));
    copy_line(rarely, sizeof rarely, status_field(status, "nonvoluntary_ctxt_switches"));
    snprintf(seen->moment.switches, sizeof seen->moment.switches, "%s %s", often, rarely);
    seen->state = state ? *state : '?';
    seen->tracer = tracer ? (pid_t)strtol(tracer, NULL, 10) : 0;
    for (char *end; number && *number && *number != '\n'; number = end) {
        long n = strtol(number, &end, 10);
        if (end == number)
            break;
        seen->own_tid = (pid_t)n;
    }
    if (seen->own_tid <= 0)
        seen->own_tid = tid;
    thread_line(p, tid, seen->moment.call, sizeof seen->moment.call);
    return true;
}

bool thread_moment(const struct process *p, const struct thread *t, struct thread_moment *moment)
{
    struct thread_seen now;
    if (p->core) {
        memset(moment, 0, sizeof *moment);
        return t->call != NO_CALL;
    }
    if (t->call == NO_CALL || !thread_see(p, t->tid, &now))
        return false;
    *moment = now.moment;
    return !strcmp(now.moment.call, t->line);
}

/* "202 0x7f… (six of them) 0xSP 0xPC", or "-1 0xSP 0xPC" outside of a system call. False: it runs, or is not told. */
bool thread_take_line(struct thread *t, const char *text)
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

void thread_take_registers(struct unwind_regs *to, const struct user_regs_struct *from)
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

/*
 * What a call has come to that a signal, or a stop, ended; to the program, the first four look like another try (errno.h
 * of the kernel).
 */
static bool was_interrupted(long result)
{
    enum { ERESTARTSYS = 512, ERESTARTNOINTR, ERESTARTNOHAND, ERESTART_RESTARTBLOCK = 516 };
    return result == -ERESTARTSYS || result == -ERESTARTNOINTR || result == -ERESTARTNOHAND ||
           result == -ERESTART_RESTARTBLOCK || result == -EINTR;
}

#if defined(__x86_64__)
long thread_interrupted_call(const struct process *p, const struct user_regs_struct *r, uint64_t args[CALL_ARGS])
{
    (void)p;
    memcpy(args, (uint64_t[CALL_ARGS]){r->rdi, r->rsi, r->rdx, r->r10, r->r8, r->r9}, CALL_ARGS * sizeof *args);
    return (long)r->orig_rax >= 0 && was_interrupted((long)r->rax) ? (long)r->orig_rax : NO_CALL;
}
#else
static bool is_call(const struct process *p, uint64_t pc)
{
    const uint32_t svc = 0xd4000001;
    uint32_t code;
    return process_load(p, pc, &code, sizeof code) && code == svc;
}

/*
 * The kernel has set back the one that is to be tried again to its instruction, with all that it was called with. Of one
 * that has failed instead the first argument is gone.
 */
long thread_interrupted_call(const struct process *p, const struct user_regs_struct *r, uint64_t args[CALL_ARGS])
{
    const bool again = is_call(p, r->pc);
    for (int i = 0; i < CALL_ARGS; i++)
        args[i] = r->regs[i];
    if (!again)
        args[0] = UINT64_MAX;
    return again || (was_interrupted((long)r->regs[0]) && is_call(p, r->pc - 4)) ? (long)r->regs[8] : NO_CALL;
}
#endif

bool thread_copy_stack(struct process *p, struct stack_copy *s)
{
    uint64_t sp = s->regs.r[UNWIND_SP], start = sp - RED_ZONE, end = 0;
    const struct mapping *m = process_mapping(p, sp);
    if (!m) { /* the thread, or all that is mapped, is new */
        process_read_maps(p);
        m = process_mapping(p, sp);
    }
    free(s->bytes);
    s->bytes = NULL;
    s->size = 0;
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
    s->size = p->read(p, start, s->bytes, s->size) / sizeof(uintptr_t) * sizeof(uintptr_t);
    return true;
}
