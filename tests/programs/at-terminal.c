/*
 * at-terminal COMMAND…: runs it on a terminal of its own, presses ^C a hundred times once the command says "ready",
 * then sends SIGUSR1 and SIGUSR2 to the process that it started, each when what came before has come through. Prints
 * what the terminal shows, and ends as the command does. at-terminal: the command. Says which signals come, and from
 * whom: the terminal, or a process.
 */
#include "program.h"

#include <pty.h>
#include <signal.h>
#include <sys/wait.h>

static void say(const char *line) { CHECK(write(STDOUT_FILENO, line, strlen(line)) == (ssize_t)strlen(line)); }

/* SI_KERNEL is the terminal's. */
static void tell(int sig, siginfo_t *info, void *context)
{
    bool terminal = info->si_code > 0;
    if (sig == SIGINT)
        say(terminal ? "interrupted by the terminal\n" : "interrupted by a process\n");
    else
        say(sig == SIGUSR1 ? "first\n" : "second\n");
    if (sig == SIGUSR2)
        _exit(7);
}

_Noreturn static void wait_for_signals(void)
{
    struct sigaction sa = {.sa_sigaction = tell, .sa_flags = SA_SIGINFO};
    sigaction(SIGINT, &sa, NULL);
    sigaction(SIGUSR1, &sa, NULL);
    sigaction(SIGUSR2, &sa, NULL);
    say("ready\n");
    for (;;)
        pause();
}

static char shown[1 << 16];
static size_t nshown;

/* Waits until the terminal has shown a word that many times. False: it shows no more. */
static bool read_until(int terminal, const char *word, int times)
{
    for (;;) {
        int seen = 0;
        for (const char *at = shown; (at = strstr(at, word)); at++)
            seen++;
        if (seen >= times)
            return true;
        ssize_t got = read(terminal, shown + nshown, sizeof shown - 1 - nshown);
        if (got <= 0)
            return false;
        nshown += (size_t)got;
        shown[nshown] = 0;
    }
}

int main(int argc, char **argv)
{
    enum { TIMES = 100 };
    int terminal, status;
    if (argc < 2)
        wait_for_signals();
    alarm(120);
    pid_t pid = forkpty(&terminal, NULL, NULL, NULL);
    CHECK(pid >= 0);
    if (!pid) {
        execv(argv[1], argv + 1);
        _exit(127);
    }
    CHECK(read_until(terminal, "ready", 1));
    for (int i = 1; i <= TIMES; i++) {
        CHECK(write(terminal, "\003", 1) == 1);
        /* The whole line: ^C throws away what is still on its way out. */
        CHECK(read_until(terminal, "by the terminal\r\n", i));
    }
    kill(pid, SIGUSR1);
    CHECK(read_until(terminal, "first", 1));
    kill(pid, SIGUSR2);
    read_until(terminal, "the end of what it shows", 1);
    fputs(shown, stdout);
    CHECK(waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
