#include "config.h"

#include "cmd/top/terminal_mode.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static struct termios before;
static bool active, insists;
static volatile sig_atomic_t resized, stops;

static const char enter[] = "\033[?1049h\033[?25l", leave[] = "\033[?25h\033[?1049l\033[0m";

static void on_resize(int sig)
{
    (void)sig;
    resized = 1;
}

static void to_terminal(const char *text)
{
    fputs(text, stdout);
    fflush(stdout);
}

static void set_mode(void)
{
    struct termios raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    to_terminal(enter);
}

static void restore(void)
{
    to_terminal(leave);
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

static void on_stop(int sig)
{
    if (stops && !insists) {
        if (write(STDOUT_FILENO, leave, sizeof leave - 1) < 0)
            _exit(128 + sig);
        tcsetattr(STDIN_FILENO, TCSANOW, &before);
        _exit(128 + sig);
    }
    stops = sig;
}

bool terminal_mode_stops(void) { return stops; }

static void catch_stops(void)
{
    static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        sigaction(ends[i], &(struct sigaction){.sa_handler = on_stop}, NULL);
}

void terminal_mode_insist(void)
{
    insists = true;
    signal(SIGPIPE, SIG_IGN);
    catch_stops();
}

/* Ctrl-Z: the shell gets its terminal as it was. */
static void on_suspend(int sig)
{
    static const struct sigaction now = {.sa_handler = SIG_DFL};
    struct sigaction own;
    sigset_t one;
    int err = errno;
    if (write(STDOUT_FILENO, leave, sizeof leave - 1) < 0)
        stops = SIGHUP;
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
    sigaction(sig, &now, &own);
    sigemptyset(&one);
    sigaddset(&one, sig);
    raise(sig);
    sigprocmask(SIG_UNBLOCK, &one, NULL); /* it stops here */
    sigaction(sig, &own, NULL);
    resized = 2;
    errno = err;
}

bool terminal_mode_begin(void)
{
    const char *term = getenv("TERM");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !term || !strcmp(term, "dumb") ||
        tcgetattr(STDIN_FILENO, &before))
        return false;
    sigaction(SIGWINCH, &(struct sigaction){.sa_handler = on_resize}, NULL);
    sigaction(SIGTSTP, &(struct sigaction){.sa_handler = on_suspend}, NULL);
    catch_stops();
    set_mode();
    active = true;
    return true;
}

void terminal_mode_end(void)
{
    if (active)
        restore();
    active = false;
}

void terminal_mode_size(size_t *rows, size_t *columns)
{
    struct winsize size;
    bool told = !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col;
    *rows = told ? size.ws_row : 24;
    *columns = told ? size.ws_col : 80;
}

/* The next byte of a sequence, which comes at once, or where the line is slow, soon. 0: there is none. */
static char next_byte(void)
{
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    char c = 0;
    return poll(&input, 1, 50) == 1 && read(STDIN_FILENO, &c, 1) == 1 ? c : 0;
}

/* "\033[A", "\033OA" and the like, to their ends; or the key of that name. */
static int take_sequence(void)
{
    char kind = next_byte(), first = kind == '[' || kind == 'O' ? next_byte() : 0, last = first;
    if (!kind)
        return KEY_ESCAPE;
    while (kind == '[' && last && (last < 0x40 || last > 0x7e))
        last = next_byte();
    switch (last) {
    case 'A': return KEY_UP;
    case 'B': return KEY_DOWN;
    case '~': return first == '5' ? KEY_PAGE_UP : first == '6' ? KEY_PAGE_DOWN : KEY_NONE;
    default: return KEY_NONE;
    }
}

int terminal_mode_key(int timeout_ms)
{
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    unsigned char c;
    if (!resized && !stops && poll(&input, 1, timeout_ms) < 0 && errno != EINTR)
        return KEY_STOP;
    if (stops)
        return KEY_STOP;
    if (resized) {
        if (resized == 2)
            set_mode();
        resized = 0;
        return KEY_RESIZED;
    }
    if (!(input.revents & (POLLIN | POLLHUP | POLLERR)))
        return KEY_NONE;
    if (read(STDIN_FILENO, &c, 1) != 1)
        return KEY_STOP;
    return c == '\033' ? take_sequence() : c;
}

/* As much of a line as there is room for: escape sequences take none, and a character of UTF-8 one column. */
static void put_line(const char *line, size_t len, size_t columns)
{
    size_t at = 0;
    for (size_t i = 0; i < len; i++) {
        if (line[i] == '\033') {
            for (; i < len && line[i] != 'm'; i++)
                putchar(line[i]);
            if (i < len)
                putchar(line[i]);
            continue;
        }
        at += (line[i] & 0xc0) != 0x80;
        if (at > columns)
            break;
        putchar(line[i]);
    }
    fputs("\033[0m\033[K", stdout);
}

void terminal_mode_draw(const char *text, size_t from, const char *bottom)
{
    size_t rows, columns, row = 1;
    terminal_mode_size(&rows, &columns);
    fputs("\033[H", stdout);
    for (size_t i = 0; *text && row < rows; i++) {
        size_t len = strcspn(text, "\n");
        if (i >= from) {
            put_line(text, len, columns);
            fputs("\r\n", stdout);
            row++;
        }
        text += len + (text[len] == '\n');
    }
    fputs("\033[J", stdout);
    printf("\033[%zu;1H\033[7m", rows);
    put_line(bottom, strlen(bottom), columns);
    fflush(stdout);
}
