/*
 * hold PID THREAD [FIRST-]ROUNDS STRIDE COMMAND [THEN]: stops the thread of that name in the middle of the recorder's code, as a
 * debugger would, and runs the command meanwhile, with $round in its environment; then lets it go on, and runs THEN. In
 * each round the thread is let STRIDE instructions further into that code than in the one before, from where it enters
 * it; so it is caught before, in and after what it writes. A thread that enters it by signals only is caught in the
 * handler. Exits with 0, or 1 when the process ended.
 */
#include <dirent.h>
#include <elf.h>
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

static struct {
    unsigned long start, end;
} code;

static bool find_code(const char *pid)
{
    char path[64], line[512], flags[8];
    snprintf(path, sizeof path, "/proc/%s/maps", pid);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f))
        if (strstr(line, "libthrace-preload") && sscanf(line, "%*x-%*x %7s", flags) == 1 && flags[2] == 'x')
            sscanf(line, "%lx-%lx", &code.start, &code.end);
    if (f)
        fclose(f);
    return code.end;
}

static pid_t find_thread(const char *pid, const char *wanted)
{
    char path[512], name[32];
    snprintf(path, sizeof path, "/proc/%s/task", pid);
    DIR *d = opendir(path);
    pid_t found = 0;
    for (struct dirent *e; !found && d && (e = readdir(d));) {
        snprintf(path, sizeof path, "/proc/%s/task/%s/comm", pid, e->d_name);
        FILE *f = fopen(path, "re");
        if (f && fgets(name, sizeof name, f) && !strncmp(name, wanted, strlen(wanted)) && name[strlen(wanted)] == '\n')
            found = atoi(e->d_name);
        if (f)
            fclose(f);
    }
    if (d)
        closedir(d);
    return found;
}

static bool is_in_code(pid_t tid)
{
    struct user_regs_struct regs;
    struct iovec all = {&regs, sizeof regs};
    if (ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &all) != 0)
        return false;
#if defined(__x86_64__)
    unsigned long pc = regs.rip;
#else
    unsigned long pc = regs.pc;
#endif
    return pc >= code.start && pc < code.end;
}

/* One instruction, or to the next signal; that is delivered then. */
static bool go_on(pid_t tid, bool by_step, int *signal)
{
    int status;
    if (ptrace(by_step ? PTRACE_SINGLESTEP : PTRACE_CONT, tid, NULL, (void *)(intptr_t)*signal) != 0)
        return false;
    if (waitpid(tid, &status, __WALL) != tid || !WIFSTOPPED(status))
        return false;
    *signal = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    return true;
}

/* Entering it anew counts from there: what it does is of interest, not what it looks at first. */
static bool catch(pid_t tid, long steps)
{
    enum { SHORT = 64, PATIENCE = 3000000 };
    int status, signal = 0;
    long inside = 0;
    if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0 || ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0 ||
        waitpid(tid, &status, __WALL) != tid)
        return false;
    for (long i = 0; inside <= steps && i < PATIENCE; i++) {
        if (!go_on(tid, true, &signal))
            return false;
        if (is_in_code(tid))
            inside++;
        else if (inside < SHORT && inside <= steps)
            inside = 0;
    }
    return true;
}

int main(int argc, char **argv)
{
    char round[32], *more;
    long first = 0, rounds = argc < 6 ? 0 : strtol(argv[3], &more, 10);
    if (rounds && *more == '-') {
        first = rounds;
        rounds = atol(more + 1);
    }
    if (argc < 6 || !find_code(argv[1]))
        return 2;
    pid_t tid = find_thread(argv[1], argv[2]);
    for (long i = first; i < rounds; i++) {
        if (!tid || !catch(tid, i * atol(argv[4])))
            return 1;
        snprintf(round, sizeof round, "%ld", i);
        setenv("round", round, 1);
        if (system(argv[5]) == -1)
            return 2;
        ptrace(PTRACE_DETACH, tid, NULL, NULL);
        if (argc > 6 && system(argv[6]) == -1)
            return 2;
    }
    return 0;
}
