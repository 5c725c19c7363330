/*
 * terminal COLUMNS KEYS COMMAND…: runs it on a terminal of its own that is so wide, types the keys once the terminal
 * shows a colon (the prompt of a pager), prints what it shows, and ends as the command does. No keys: types nothing.
 */
#include "program.h"

#include <pty.h>
#include <sys/wait.h>

static char shown[1 << 20];
static size_t nshown;

/*
 * The kernel looks for something to read before it looks whether anybody has the terminal open: if all is written and
 * closed between the two, the first read says that nobody has, and the next one reads the rest.
 */
static bool read_more(int terminal)
{
    ssize_t got = -1;
    for (int attempt = 0; attempt < 2 && got <= 0; attempt++)
        got = read(terminal, shown + nshown, sizeof shown - 1 - nshown);
    if (got <= 0)
        return false;
    nshown += (size_t)got;
    shown[nshown] = 0;
    return true;
}

int main(int argc, char **argv)
{
    struct winsize size = {.ws_row = 24};
    int terminal, status;
    CHECK(argc > 3);
    size.ws_col = (unsigned short)atoi(argv[1]);
    const char *keys = argv[2];
    alarm(120);
    pid_t pid = forkpty(&terminal, NULL, NULL, &size);
    CHECK(pid >= 0);
    if (!pid) {
        execvp(argv[3], argv + 3);
        _exit(127);
    }
    while (read_more(terminal))
        if (*keys && nshown && strstr(shown, "\n:")) {
            CHECK(write(terminal, keys, strlen(keys)) == (ssize_t)strlen(keys));
            keys = "";
        }
    fputs(shown, stdout);
    CHECK(waitpid(pid, &status, 0) == pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}
