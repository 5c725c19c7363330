#include "cmd/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/complain.h"
#include "cmd/lines.h"

/* ---- colours ---------------------------------------------------------------------------------------------------- */

static enum { AUTO, ALWAYS, NEVER } when;

bool take_color(const char *verb, const char *value)
{
    static const char *const words[] = {[AUTO] = "auto", [ALWAYS] = "always", [NEVER] = "never"};
    for (int i = AUTO; i <= NEVER; i++)
        if (!strcmp(value ? value : words[ALWAYS], words[i])) {
            when = i;
            return true;
        }
    complain(verb, "--color=%s: it takes always, never or auto", value);
    return false;
}

bool wants_color(FILE *out)
{
    const char *no_color = getenv("NO_COLOR"), *terminal = getenv("TERM");
    if (when != AUTO)
        return when == ALWAYS;
    return !(no_color && *no_color) && terminal && strcmp(terminal, "dumb") != 0 && isatty(fileno(out));
}

const char *style_begin(bool color, enum style style)
{
    static const char *const sequences[] = {
        [STYLE_PLAIN] = "\033[0m", [STYLE_TITLE] = "\033[1m", [STYLE_WARNING] = "\033[1;33m"};
    return color ? sequences[style] : "";
}

/* ---- pages ------------------------------------------------------------------------------------------------------ */

static pid_t pager;       /* 0: there is none */
static int terminals[2]; /* standard output and error before */

/* The shell's exit status says when the user's cannot be run. */
static const char *pager_command(void)
{
    const char *command = getenv("PAGER");
    if (!command)
        return "command -v less >/dev/null && exec less; exec cat";
    return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

/* In a process of its own. Of less: one screen is shown as it is, and colours go through. */
static void run_pager(const char *command, int end)
{
    setenv("LESS", "FRX", 0);
    if (dup2(end, STDIN_FILENO) >= 0)
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static void write_to(int end)
{
    for (int i = 0; i < 2; i++) {
        int fd = STDOUT_FILENO + i;
        terminals[i] = isatty(fd) ? fcntl(fd, F_DUPFD_CLOEXEC, 3) : -1;
        if (terminals[i] >= 0)
            dup2(end, fd);
    }
}

void begin_pages(void)
{
    const char *command = pager_command();
    char columns[24];
    int ends[2];
    if (!command || pager || !isatty(STDOUT_FILENO))
        return;
    snprintf(columns, sizeof columns, "%zu", lines_width(stdout));
    setenv("COLUMNS", columns, 0);
    fflush(stdout);
    if (pipe2(ends, O_CLOEXEC))
        return;
    pid_t child = fork();
    if (!child)
        run_pager(command, ends[0]);
    if (child > 0) {
        pager = child;
        write_to(ends[1]);
        signal(SIGPIPE, SIG_IGN); /* the user may have seen enough */
        signal(SIGINT, SIG_IGN);  /* is for the pager */
        signal(SIGQUIT, SIG_IGN);
    }
    close(ends[0]);
    close(ends[1]);
}

bool end_pages(const char *verb)
{
    int status = 0;
    if (!pager)
        return true;
    fflush(stdout);
    clearerr(stdout);
    for (int i = 0; i < 2; i++)
        if (terminals[i] >= 0)
            dup2(terminals[i], STDOUT_FILENO + i);
    while (waitpid(pager, &status, 0) < 0 && errno == EINTR)
        continue;
    pager = 0;
    bool ran = !WIFEXITED(status) || WEXITSTATUS(status) < 126;
    if (!ran)
        complain(verb, "the pager \"%s\" cannot be run; with PAGER= there is none", pager_command());
    return ran;
}
