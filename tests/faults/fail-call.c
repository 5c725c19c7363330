/*
 * fail-call WHOSE CALL ERRNO FIRST[-LAST] REPORT COMMAND…: runs the command, and has the system calls of that name from
 * the FIRST to the LAST ("-": to the end) fail with that error: those that are made by an instruction of the preload
 * library (WHOSE is "library"), or by a process that executes thrace ("command"). All others go through. With "-" for
 * CALL none fails, and the report has a line for each name: how many there were, which of them were the first at their
 * place, and with which errors it may fail. Exits as the command does; 125 when it cannot trace.
 *
 * A place is told by what looks like return addresses of ours on the stack. A few of these are left from earlier calls:
 * so one place may count as several, but what leads elsewhere hardly ever counts as the same.
 *
 * It traces, and does not filter: a program with a filter of system calls is recorded in another way.
 */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "places.h"

enum { CANNOT = 125, CALLS_MAX = 512, TASKS_MAX = 4096, RANGES_MAX = 256, STACK_WORDS = 256, FRAMES = 8 };

struct range {
    uint64_t from, to;
    bool is_library, is_loader, is_command;
};

/* Of a process: what it executes from, as far as it was seen. An exec makes all that void. */
struct image {
    pid_t process;
    int n;
    bool is_command;
    struct range ranges[RANGES_MAX];
};

static struct task {
    pid_t id;
    struct image *image;
    int error;        /* the call that it is in fails with that */
    bool is_executed; /* all the same */
} tasks[TASKS_MAX];

static struct {
    bool library, learns;
    int call;
    int error;
    unsigned long first, last;
    unsigned long counts[CALLS_MAX];
    struct places *places[CALLS_MAX];
} plan;

static struct task *task_of(pid_t id)
{
    struct task *none = NULL;
    for (struct task *t = tasks; t < tasks + TASKS_MAX; t++) {
        if (t->id == id)
            return t;
        if (!t->id && !none)
            none = t;
    }
    if (none)
        *none = (struct task){.id = id};
    return none;
}

static pid_t process_of(pid_t id)
{
    char path[64], line[256];
    int process = id;
    snprintf(path, sizeof path, "/proc/%d/status", (int)id);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f) && sscanf(line, "Tgid: %d", &process) != 1)
        ;
    if (f)
        fclose(f);
    return process;
}

static struct image *new_image(pid_t process)
{
    char path[64], exe[4096];
    struct image *image = calloc(1, sizeof *image);
    if (!image)
        exit(CANNOT);
    image->process = process;
    snprintf(path, sizeof path, "/proc/%d/exe", (int)process);
    ssize_t n = readlink(path, exe, sizeof exe - 1);
    exe[n < 0 ? 0 : n] = 0;
    const char *name = strrchr(exe, '/');
    image->is_command = name && (!strcmp(name, "/thrace") || !strcmp(name, "/lt-thrace"));
    return image;
}

static struct image *image_of(struct task *t)
{
    if (t->image)
        return t->image;
    pid_t process = process_of(t->id);
    for (struct task *other = tasks; other < tasks + TASKS_MAX; other++)
        if (other->id && other->image && other->image->process == process)
            return t->image = other->image;
    return t->image = new_image(process);
}

static void forget_image(pid_t process)
{
    for (struct task *t = tasks; t < tasks + TASKS_MAX; t++)
        if (t->image && t->image->process == process)
            t->image = NULL;
}

static const struct range *range_of(struct image *image, uint64_t pc)
{
    for (int i = 0; i < image->n; i++)
        if (pc >= image->ranges[i].from && pc < image->ranges[i].to)
            return &image->ranges[i];
    return NULL;
}

static bool ends_in(const char *line, const char *name)
{
    size_t n = strcspn(line, "\n"), size = strlen(name);
    return n >= size && !strncmp(line + n - size, name, size);
}

static void read_ranges(struct image *image)
{
    char path[64], line[4352], executable;
    unsigned long from, to;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)image->process);
    FILE *f = fopen(path, "re");
    image->n = 0;
    while (f && fgets(line, sizeof line, f))
        if (sscanf(line, "%lx-%lx %*c%*c%c", &from, &to, &executable) == 3 && executable == 'x' &&
            image->n < RANGES_MAX)
            image->ranges[image->n++] = (struct range){
                from, to, strstr(line, "/libthrace-preload") != NULL, strstr(line, "/ld-") != NULL,
                ends_in(line, "/thrace") || ends_in(line, "/lt-thrace") || strstr(line, "/libgotrace") != NULL};
    if (f)
        fclose(f);
}

/* Where the instruction is; of nowhere nothing is true. */
static struct range place_of(struct image *image, uint64_t pc)
{
    const struct range *known = range_of(image, pc);
    if (!known) {
        read_ranges(image);
        known = range_of(image, pc);
    }
    return known ? *known : (struct range){0};
}

/* What the loader does for the command before it begins is no concern of the command's. */
static bool is_meant(struct image *image, uint64_t pc)
{
    if (!plan.library && !image->is_command)
        return false;
    struct range place = place_of(image, pc);
    return plan.library ? place.is_library : !place.is_loader;
}

/* --- registers ---------------------------------------------------------------------------------------------------- */

static void change(pid_t id, bool result, long value)
{
    struct user_regs_struct regs;
    struct iovec all = {&regs, sizeof regs};
#if defined(__aarch64__)
    if (!result) {
        enum { NUMBER_OF_CALL = 0x404 };
        int number = (int)value;
        struct iovec one = {&number, sizeof number};
        ptrace(PTRACE_SETREGSET, id, (void *)NUMBER_OF_CALL, &one);
        return;
    }
#endif
    if (ptrace(PTRACE_GETREGSET, id, (void *)NT_PRSTATUS, &all) != 0)
        return;
#if defined(__aarch64__)
    regs.regs[0] = (unsigned long long)value;
#else
    *(result ? &regs.rax : &regs.orig_rax) = (unsigned long long)value;
#endif
    ptrace(PTRACE_SETREGSET, id, (void *)NT_PRSTATUS, &all);
}

/* --- calls -------------------------------------------------------------------------------------------------------- */

static void learn(struct task *t, uint64_t call, uint64_t sp, unsigned long n)
{
    uint64_t words[STACK_WORDS], place = PLACE_NONE;
    struct iovec here = {words, sizeof words}, there = {(void *)(uintptr_t)sp, sizeof words};
    ssize_t got = process_vm_readv(t->id, &here, 1, &there, 1, 0);
    int frames = 0;
    for (size_t i = 0; (ssize_t)(i * sizeof *words) < got && frames < FRAMES; i++) {
        const struct range *r = range_of(t->image, words[i]);
        if (!r || !(plan.library ? r->is_library : r->is_command))
            continue;
        place = place_with(place, words[i] - r->from);
        frames++;
    }
    if (!plan.places[call] && !(plan.places[call] = calloc(1, sizeof *plan.places[call])))
        exit(CANNOT);
    places_add(plan.places[call], place, n);
}

static void enter(struct task *t, uint64_t call, uint64_t pc, uint64_t sp)
{
    struct image *image = image_of(t);
    t->error = 0;
    if (call >= CALLS_MAX || !is_meant(image, pc))
        return;
    unsigned long n = ++plan.counts[call];
    if (plan.learns)
        learn(t, call, sp, n);
    if ((int)call != plan.call || n < plan.first || n > plan.last)
        return;
    t->error = plan.error;
    t->is_executed = call == SYS_close || call == SYS_munmap; /* a close that fails has closed */
    if (!t->is_executed)
        change(t->id, false, -1);
}

static void at_call(struct task *t)
{
    struct __ptrace_syscall_info info;
    if (ptrace(PTRACE_GET_SYSCALL_INFO, t->id, (void *)sizeof info, &info) <= 0)
        return;
    if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
        enter(t, info.entry.nr, info.instruction_pointer, info.stack_pointer);
    } else if (info.op == PTRACE_SYSCALL_INFO_EXIT && t->error) {
        change(t->id, true, -t->error);
        t->error = 0;
    }
}

static void at_stop(pid_t id, int status)
{
    struct task *t = task_of(id);
    int event = status >> 16, sig = WSTOPSIG(status), deliver = 0;
    if (!t)
        exit(CANNOT);
    if (sig == (SIGTRAP | 0x80)) {
        at_call(t);
    } else if (event == PTRACE_EVENT_STOP && sig != SIGTRAP) {
        ptrace(PTRACE_LISTEN, id, NULL, NULL);
        return;
    } else if (event == PTRACE_EVENT_EXEC) {
        forget_image(id);
        t->error = 0;
    } else if (!event) {
        deliver = sig;
    }
    ptrace(PTRACE_SYSCALL, id, NULL, (void *)(intptr_t)deliver);
}

static int follow_all(pid_t command)
{
    int status, result = 0;
    pid_t id;
    while ((id = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
        if (id < 0)
            continue;
        if (WIFSTOPPED(status)) {
            at_stop(id, status);
            continue;
        }
        if (id == command)
            result = status;
        for (struct task *t = tasks; t < tasks + TASKS_MAX; t++)
            if (t->id == id)
                *t = (struct task){0};
    }
    return result;
}

static pid_t start(char **command)
{
    int go[2], status;
    char byte;
    const long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                         PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
    if (pipe(go) != 0)
        return -1;
    pid_t child = fork();
    if (child == 0) {
        close(go[1]);
        if (read(go[0], &byte, 1) != 1)
            _exit(CANNOT);
        close(go[0]);
        execvp(command[0], command);
        _exit(127);
    }
    close(go[0]);
    bool held = child > 0 && !ptrace(PTRACE_SEIZE, child, NULL, (void *)options) &&
                !ptrace(PTRACE_INTERRUPT, child, NULL, NULL) && waitpid(child, &status, __WALL) == child &&
                !ptrace(PTRACE_SYSCALL, child, NULL, NULL) && write(go[1], "", 1) == 1;
    close(go[1]);
    return held ? child : -1;
}

static const char *errnos_of(int number)
{
    for (int i = 0; i < NCALLS; i++)
        if (calls[i].number == number)
            return calls[i].errnos;
    return "";
}

static bool report(const char *path)
{
    FILE *f = fopen(path, "we");
    for (int i = 0; f && i < CALLS_MAX; i++) {
        if (!plan.places[i])
            continue;
        if (call_name(i))
            fprintf(f, "%s", call_name(i));
        else
            fprintf(f, "%d", i);
        fprintf(f, " %lu ", plan.counts[i]);
        places_print(plan.places[i], f, ",");
        fprintf(f, " %s\n", errnos_of(i));
    }
    return f && !fclose(f);
}

int main(int argc, char **argv)
{
    if (argc < 7)
        return CANNOT;
    char *end;
    plan.library = !strcmp(argv[1], "library");
    plan.learns = !strcmp(argv[2], "-");
    plan.call = plan.learns ? -1 : call_number(argv[2]);
    plan.error = error_number(argv[3]);
    plan.first = plan.last = strtoul(argv[4], &end, 10);
    if (*end == '-')
        plan.last = end[1] ? strtoul(end + 1, NULL, 10) : ~0ul;
    if ((plan.call < 0 || !plan.error) && !plan.learns) {
        fprintf(stderr, "fail-call: %s %s is not known\n", argv[2], argv[3]);
        return CANNOT;
    }
    pid_t command = start(argv + 6);
    if (command < 0)
        return CANNOT;
    int status = follow_all(command);
    if (plan.learns && !report(argv[5]))
        return CANNOT;
    if (WIFSIGNALED(status)) {
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
    }
    return WEXITSTATUS(status);
}
