#include "config.h"

#include "cmd/attach/tracee.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "cmd/attach/hurry.h"
#include "cmd/attach/remote_function.h"
#include "cmd/attach/stops.h"
#include "lib/clock.h"

#if defined(__x86_64__)

#ifndef PTRACE_GETSIGMASK
#define PTRACE_GETSIGMASK 0x420a
#define PTRACE_SETSIGMASK 0x420b
#endif

enum { LATE_NS = 1000000000, RESTORER_CALL = 7, SYSCALL_SIZE = 2 };

/* mov $15, %rax; syscall: rt_sigreturn */
const uint8_t tracee_restorer[TRACEE_RESTORER] = {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05};

const char tracee_no_thread[] = "it cannot make another thread";
const char tracee_was_left[] = "another thread of it loads a library, and keeps the loader's lock";

/* Where we have it make system calls, and call functions. */
static uint64_t instruction(const struct tracee *t) { return t->restorer + RESTORER_CALL; }

/* The same, to that instruction, or behind it. A handler of libc's makes other calls. */
static const char *run_to_ours(struct tracee *t, uint64_t sp, uint64_t until, struct user_regs_struct *regs)
{
    const char *wrong;
    do
        wrong = stop_at_call(t, until, regs);
    while (!wrong && (regs->rip != instruction(t) + SYSCALL_SIZE || regs->rsp != sp));
    return wrong;
}

/* However long it takes, for one that was left in the middle of a call would not find back; or until it may be left. */
static const char *run_to_end(struct tracee *t, uint64_t sp, tracee_may_leave *may_leave, struct user_regs_struct *regs)
{
    const char *wrong;
    do
        wrong = run_to_ours(t, sp, may_leave ? clock_mono_ns() + LATE_NS : UINT64_MAX, regs);
    while (wrong == stop_is_late && !may_leave(t, regs));
    return wrong;
}

/* --- held and let go ---------------------------------------------------------------------------------------------- */

bool tracee_remember(struct tracee *t)
{
    struct iovec registers = {t->registers, sizeof t->registers};
    bool known = stop_get_regs(t, &t->before) &&
                 !ptrace(PTRACE_GETSIGMASK, t->tid, (void *)sizeof t->mask, &t->mask) &&
                 !ptrace(PTRACE_GETREGSET, t->tid, (void *)NT_X86_XSTATE, &registers);
    t->registers_size = registers.iov_len;
    return known;
}

const char *tracee_hold(struct tracee *t, const struct process *p, pid_t tid)
{
    *t = (struct tracee){.p = p, .tid = tid};
    signal(SIGCHLD, SIG_DFL); /* whoever started us may ignore it, and then none is sent */
    hurry_command();
    t->asked = clock_mono_ns();
    const char *wrong = NULL;
    if (ptrace(PTRACE_SEIZE, tid, NULL, (void *)PTRACE_O_TRACESYSGOOD))
        wrong = errno == EPERM ? "another process traces it, or the kernel does not allow us to" : strerror(errno);
    else
        wrong = stop_interrupt(t, false);
    t->since = clock_mono_ns();
    if (!wrong && !tracee_remember(t))
        wrong = tracee_has_ended;
    t->lost = wrong;
    if (wrong) {
        stop_release(t);
        hurry_rest();
    } else {
        hurry(tid, &t->schedule);
    }
    return wrong;
}

/* A signal is there whose handler it will run as soon as it is let go: then the call fails because of that. */
static bool is_signalled(const struct tracee *t)
{
    uint64_t pending = stop_signals(t, "SigPnd") | stop_signals(t, "ShdPnd");
    return t->signalled || (pending & ~t->mask & stop_signals(t, "SigCgt"));
}

/* Some fail when their thread is stopped, though no signal came. */
static bool fails_by_stop(const struct tracee *t)
{
    return (long long)t->before.orig_rax >= 0 && (long long)t->before.rax == -EINTR && !is_signalled(t);
}

/*
 * What the kernel has go on has another number, and goes on only as long as the thread is nowhere else. libc says the
 * number that it began with right in front of it; not since 2.41. These are all that go on so.
 */
static uint64_t first_number(const struct tracee *t, const struct user_regs_struct *regs)
{
    enum { MOV_EAX = 0xb8 };
    uint8_t code[5];
    uint32_t number;
    if (regs->orig_rax != SYS_restart_syscall ||
        !process_load(t->p, regs->rip - SYSCALL_SIZE - sizeof code, code, sizeof code) || *code != MOV_EAX)
        return regs->orig_rax;
    memcpy(&number, code + 1, sizeof number);
    bool sleeps = number == SYS_nanosleep || number == SYS_clock_nanosleep;
    return sleeps || number == SYS_poll || number == SYS_futex ? number : regs->orig_rax;
}

bool tracee_can_begin_again(const struct tracee *t)
{
    return first_number(t, &t->before) != SYS_restart_syscall;
}

static void begin_again(const struct tracee *t, struct user_regs_struct *regs)
{
    regs->rax = first_number(t, regs);
    regs->rip -= SYSCALL_SIZE;
    regs->orig_rax = (unsigned long long)-1;
}

/* Of these the kernel has it begin again, or go on, where it looks for that. */
static bool is_to_begin_again(const struct tracee *t)
{
    enum { RESTARTSYS = 512, RESTARTNOINTR, RESTARTNOHAND, RESTART_BLOCK = 516 };
    long long result = -(long long)t->before.rax;
    bool restarts = (result >= RESTARTSYS && result <= RESTARTNOHAND) || result == RESTART_BLOCK;
    return fails_by_stop(t) || ((long long)t->before.orig_rax >= 0 && restarts);
}

bool tracee_is_between(const struct tracee *t)
{
    static const uint8_t syscall_instruction[SYSCALL_SIZE] = {0x0f, 0x05};
    uint8_t next[SYSCALL_SIZE];
    return t->before.rax == SYS_restart_syscall && process_load(t->p, t->before.rip, next, sizeof next) &&
           !memcmp(next, syscall_instruction, sizeof next);
}

/* Where it is now is where the kernel looks whether a call is to begin again. */
static bool put_back(struct tracee *t)
{
    struct user_regs_struct regs = t->before;
    struct iovec registers = {t->registers, t->registers_size};
    if (fails_by_stop(t))
        begin_again(t, &regs);
    return !ptrace(PTRACE_SETREGSET, t->tid, (void *)NT_X86_XSTATE, &registers) &&
           !ptrace(PTRACE_SETSIGMASK, t->tid, (void *)sizeof t->mask, &t->mask) && stop_set_regs(t, &regs);
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

/*
 * Begins a function, or a system call of that number at its instruction. What is there at `sp`, the address that the
 * function returns to first, is up to the caller.
 */
static bool begin_call(struct tracee *t, uint64_t function, long number, const uint64_t args[TRACEE_ARGS], uint64_t sp)
{
    const uint64_t all = ~(UINT64_C(1) << (SIGNAL_CANCEL - 1) | UINT64_C(1) << (SIGNAL_SETXID - 1));
    struct user_regs_struct regs = t->before;
    regs.orig_rax = (unsigned long long)-1;
    regs.rax = (unsigned long long)number;
    regs.rdi = args[0];
    regs.rsi = args[1];
    regs.rdx = args[2];
    regs.rcx = regs.r10 = args[3];
    regs.r8 = args[4];
    regs.r9 = args[5];
    regs.rbp = 0;
    regs.rsp = sp;
    regs.rip = function;
    regs.eflags &= ~UINT64_C(0x400); /* the direction of string instructions, which functions find forward */
    t->moved = true;
    return stop_set_regs(t, &regs) && !ptrace(PTRACE_SETSIGMASK, t->tid, (void *)sizeof all, &all);
}

/* The same, to come back from by itself. */
static bool begin_call_with_frame(struct tracee *t, uint64_t function, const uint64_t args[TRACEE_ARGS], uint64_t sp)
{
    static uint8_t frame[RETURN_FRAME_MAX];
    struct user_regs_struct back = t->before;
    if (is_to_begin_again(t))
        begin_again(t, &back);
    const struct return_state state = {&back, t->registers, t->registers_size, t->mask};
    size_t size = return_frame(frame, sp, t->restorer, &state);
    return tracee_write(t, sp, frame, size) && begin_call(t, function, 0, args, sp);
}

/* --- system calls ------------------------------------------------------------------------------------------------- */

/*
 * Where such a frame has room on its own stack, as that of a signal's handler would; 0: it is on none that libc made,
 * and how far that goes nobody knows.
 */
static uint64_t room_on_stack(const struct tracee *t, uint64_t slack)
{
    enum { RED_ZONE = 128, ALIGN = 64 };
    const struct mapping *m = process_mapping(t->p, t->before.rsp);
    uint64_t sp = ((t->before.rsp - RED_ZONE - RETURN_FRAME_MAX) & ~(uint64_t)(ALIGN - 1)) - sizeof sp;
    bool own = m && m->write &&
               (!strcmp(m->path, "[stack]") || (t->before.fs_base > t->before.rsp && t->before.fs_base < m->end));
    return own && sp >= m->start + slack && sp < t->before.rsp ? sp : 0;
}

/* To the beginning of that system call, and to its end. */
static const char *run_through(struct tracee *t, long number, uint64_t *result)
{
    struct user_regs_struct regs;
    const char *wrong = NULL;
    for (int stops = 0; !wrong && stops < 2;) {
        wrong = stop_at_call(t, UINT64_MAX, &regs);
        stops += !wrong && (long)regs.orig_rax == number;
    }
    *result = wrong ? 0 : regs.rax;
    return wrong;
}

/* Where there is no room, by the instruction in its own code, behind which it stops: it would not come back. */
static const char *call_kernel(struct tracee *t, const char *name, long number, const uint64_t args[TRACEE_ARGS],
                               uint64_t *result)
{
    enum { SLACK = 4096 };
    const uint64_t sp = room_on_stack(t, SLACK), function = remote_libc_function(t->p, name).from;
    bool begun = sp && function ? begin_call_with_frame(t, function, args, sp)
                                : begin_call(t, instruction(t), number, args, t->before.rsp);
    return begun ? run_through(t, number, result) : tracee_has_ended;
}

static const char *map(struct tracee *t, size_t size, uint64_t *memory)
{
    const uint64_t args[TRACEE_ARGS] = {0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                                        (uint64_t)-1, 0};
    uint64_t result = 0;
    const char *wrong = call_kernel(t, "mmap", SYS_mmap, args, &result);
    bool got = !wrong && result <= (uint64_t)-4096;
    *memory = got ? result : 0;
    return wrong || got ? wrong : "it gets no more memory";
}

const char *tracee_prepare(struct tracee *t, uint64_t restorer, size_t gift)
{
    t->restorer = restorer;
    t->size = TRACEE_TEXT + TRACEE_STACK + gift;
    const char *wrong = map(t, t->size, &t->memory);
    t->lost = wrong == tracee_has_ended;
    t->text = t->memory;
    t->text_size = TRACEE_TEXT;
    t->stack = t->memory + TRACEE_TEXT + TRACEE_STACK - RETURN_FRAME_MAX;
    return wrong;
}

const char *tracee_prepare_briefly(struct tracee *t, uint64_t restorer)
{
    enum { SLACK = 64 << 10, TEXT = 256 };
    uint64_t sp = room_on_stack(t, SLACK);
    if (!sp)
        return tracee_prepare(t, restorer, 0);
    t->restorer = restorer;
    t->text = sp + 8 + RETURN_FRAME_MAX - TEXT;
    t->text_size = TEXT;
    t->stack = sp + 8 - TEXT;
    return NULL;
}

/* --- functions ---------------------------------------------------------------------------------------------------- */

/* It returns to what would be a system call of that number, in front of which it is stopped. */
const char *tracee_call(struct tracee *t, uint64_t function, const uint64_t args[TRACEE_ARGS], uint64_t *result)
{
    const uint64_t sp = t->stack - 8, back = instruction(t);
    struct user_regs_struct regs;
    const char *wrong = NULL;
    if (!tracee_write(t, sp, &back, sizeof back) || !begin_call(t, function, 0, args, sp) ||
        (wrong = run_to_ours(t, sp + 8, UINT64_MAX, &regs))) {
        t->lost = true;
        return wrong ? wrong : tracee_has_ended;
    }
    *result = regs.orig_rax;
    regs.orig_rax = (unsigned long long)-1;
    return stop_set_regs(t, &regs) && !run_to_ours(t, sp + 8, UINT64_MAX, &regs) ? NULL : tracee_has_ended;
}

/* It is left in front of the system call by which it would come back. */
const char *tracee_run(struct tracee *t, uint64_t function, const uint64_t args[TRACEE_ARGS],
                       tracee_may_leave *may_leave)
{
    const uint64_t sp = t->stack - 8;
    struct user_regs_struct regs;
    const char *wrong = tracee_has_ended;
    if (begin_call_with_frame(t, function, args, sp))
        wrong = run_to_end(t, sp + 8, may_leave, &regs);
    t->lost = wrong && wrong != stop_is_late;
    return wrong == stop_is_late ? tracee_was_left : wrong;
}

/* sp: the stack's end when the call began, which has its return address there. */
static bool is_back(const struct tracee *t, uint64_t sp)
{
    const uint64_t now = t->before.rsp;
    return t->memory ? now < t->memory || now >= t->memory + t->size : now > sp + 8;
}

/* It is back already, or in the call still, which waits for the loader, or for a processor: so it stays. */
static const char *stay(struct tracee *t, uint64_t sp, bool late)
{
    t->moved = false;
    t->ran_on = late;
    t->lost = !tracee_remember(t);
    if (t->lost || is_back(t, sp))
        return tracee_no_thread;
    t->memory = 0; /* which it comes back from by itself, if it is there */
    return tracee_was_left;
}

/*
 * In the middle of that it is let go, if it was in no call that is to go on: then it comes back by itself, exactly, and
 * need not wait for a processor as often as we look. A signal that does nothing waits for it where it comes back, so
 * that it stops there if it has made no thread. Else it is left in front of the system call that would bring it back.
 */
const char *tracee_make_thread(struct tracee *t, uint64_t function, const uint64_t args[TRACEE_ARGS])
{
    const uint64_t sp = t->stack - 8;
    struct user_regs_struct regs;
    const int back = t->memory || is_to_begin_again(t) ? 0 : stop_idle_signal(t);
    if (!begin_call_with_frame(t, function, args, sp) || !stop_also_at_clone(t) ||
        (back && syscall(SYS_tgkill, t->p->pid, t->tid, back)))
        return tracee_has_ended;
    const char *wrong = back ? stop_at_clone(t, back) : run_to_ours(t, sp + 8, clock_mono_ns() + STOP_NS, &regs);
    const bool late = wrong == stop_is_late;
    if (late)
        wrong = NULL;
    if (!t->made && !wrong && (late || back))
        return stay(t, sp, late);
    t->returns = !wrong && back;
    if (late && !back)
        wrong = run_to_end(t, sp + 8, NULL, &regs);
    t->lost = wrong;
    if (!wrong && !t->returns) {
        regs.orig_rax = (unsigned long long)-1; /* not back that way: the kernel would forget the call */
        t->lost = !stop_set_regs(t, &regs);
    }
    return wrong || t->made ? wrong : tracee_no_thread;
}

/* Everything as it was, but for how it is scheduled. */
static bool come_back(struct tracee *t)
{
    const uint64_t args[TRACEE_ARGS] = {t->memory, t->size};
    uint64_t result;
    if (t->memory && call_kernel(t, "munmap", SYS_munmap, args, &result))
        return false;
    return !(t->moved && stop_interrupt(t, true)) && put_back(t);
}

bool tracee_let_go(struct tracee *t)
{
    int status;
    bool back = !t->lost && (t->returns || come_back(t));
    if (t->lost && !ptrace(PTRACE_INTERRUPT, t->tid, NULL, NULL))
        stop_await(t, &status, clock_mono_ns() + STOP_NS);
    hurry_no_more(t->tid, &t->schedule);
    back &= stop_release(t);
    hurry_rest(); /* whoever has computed for long may not get a processor again for as long */
    return back;
}

#endif
