/*
 * A server of two files, on the loopback interface. Other users of the machine can connect to it as well: who does not
 * know the token, which nobody can guess, gets nothing. A page of somebody else that had its name point here (DNS
 * rebinding) does not know it either, and is refused by its Host. Each connection is a process: browsers open some that
 * they do not use. Who does not know the token cannot keep one for longer than SECONDS, however slowly he asks.
 */
#include "cmd/view/serve.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TOKEN = 16, MOST = 32, SECONDS = 5, STALL = 60, REQUEST = 16384 };

struct served {
    char token[2 * TOKEN + 1];
    char host[2][32]; /* what a browser may call us */
    int page, data;
};

static void answer(int to, const char *status, const char *type, off_t size)
{
    char head[512];
    int n = snprintf(head, sizeof head,
                     "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %jd\r\nCache-Control: no-store\r\n"
                     "X-Content-Type-Options: nosniff\r\nX-Frame-Options: DENY\r\n"
                     "Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n"
                     "Connection: close\r\n\r\n",
                     status, type, (intmax_t)size);
    if (send(to, head, (size_t)n, MSG_NOSIGNAL) != n)
        _exit(EXIT_FAILURE);
}

static void answer_file(int to, int file, const char *type)
{
    struct stat st;
    off_t at = 0;
    if (fstat(file, &st))
        return answer(to, "500 Internal Server Error", "text/plain", 0);
    answer(to, "200 OK", type, st.st_size);
    while (at < st.st_size && sendfile(to, file, &at, (size_t)(st.st_size - at)) > 0)
        continue;
}

static int64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* The whole head of a request, as a text; false: none came in time. */
static bool receive(int from, char *text)
{
    struct pollfd readable = {.fd = from, .events = POLLIN};
    int64_t end = now_ms() + SECONDS * 1000;
    size_t n = 0;
    for (;;) {
        int64_t left = end - now_ms();
        if (left <= 0 || poll(&readable, 1, (int)left) <= 0)
            return false;
        ssize_t got = recv(from, text + n, REQUEST - 1 - n, 0);
        if (got <= 0)
            return false;
        n += (size_t)got;
        text[n] = '\0';
        if (strstr(text, "\r\n\r\n"))
            return true;
    }
}

static bool is_for_us(const struct served *s, const char *head)
{
    for (const char *line = head; (line = strstr(line, "\r\n")) && strncmp(line, "\r\n\r\n", 4) != 0;) {
        line += 2;
        if (strncasecmp(line, "Host:", 5) != 0)
            continue;
        line += 5 + strspn(line + 5, " \t");
        size_t len = strcspn(line, " \t\r\n");
        for (int i = 0; i < 2; i++)
            if (len == strlen(s->host[i]) && !memcmp(line, s->host[i], len))
                return true;
        return false;
    }
    return false;
}

/* What is asked for behind the token; NULL: it is another one. It takes as long for each. */
static const char *behind_token(const struct served *s, const char *path)
{
    unsigned other = *path != '/';
    size_t len = 2 * TOKEN;
    if (strcspn(path, " \r\n") < 1 + len + 1)
        return NULL;
    for (size_t i = 0; i < len; i++)
        other |= (unsigned)(path[1 + i] ^ s->token[i]);
    return other || path[1 + len] != '/' ? NULL : path + 1 + len + 1;
}

static void handle(const struct served *s, int client)
{
    static char head[REQUEST];
    if (!receive(client, head))
        return;
    const char *name = strncmp(head, "GET ", 4) ? NULL : behind_token(s, head + 4);
    size_t len = name ? strcspn(name, " ?\r\n") : 0;
    if (!is_for_us(s, head))
        answer(client, "403 Forbidden", "text/plain", 0);
    else if (strncmp(head, "GET ", 4) != 0)
        answer(client, "405 Method Not Allowed", "text/plain", 0);
    else if (name && len == 0)
        answer_file(client, s->page, "text/html; charset=utf-8");
    else if (name && len == strlen(SERVE_DATA) && !memcmp(name, SERVE_DATA, len))
        answer_file(client, s->data, "application/octet-stream");
    else
        answer(client, "404 Not Found", "text/plain", 0);
    shutdown(client, SHUT_WR);
}

static bool prepare(struct served *s, int *listener)
{
    uint8_t random[TOKEN];
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return false;
    for (size_t i = 0; i < TOKEN; i++)
        snprintf(s->token + 2 * i, 3, "%02x", random[i]);
    *listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*listener < 0 || bind(*listener, (struct sockaddr *)&at, sizeof at) || listen(*listener, SOMAXCONN) ||
        getsockname(*listener, (struct sockaddr *)&at, &size))
        return false;
    snprintf(s->host[0], sizeof s->host[0], "127.0.0.1:%u", ntohs(at.sin_port));
    snprintf(s->host[1], sizeof s->host[1], "localhost:%u", ntohs(at.sin_port));
    return true;
}

/* A browser that has the token, and is not there any more. */
static void set_patience(int client)
{
    struct timeval most = {.tv_sec = STALL};
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
}

const char *serve(int page, int data)
{
    struct served s = {.page = page, .data = data};
    int listener = -1, children = 0;
    if (!prepare(&s, &listener))
        return strerror(errno);
    printf("http://%s/%s/\n", s.host[0], s.token);
    if (fflush(stdout))
        return strerror(errno);
    for (;;) {
        int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        while (children > 0 && waitpid(-1, NULL, children < MOST ? WNOHANG : 0) > 0)
            children--;
        if (client < 0 && (errno == EINTR || errno == ECONNABORTED))
            continue;
        if (client < 0)
            return strerror(errno);
        set_patience(client);
        pid_t pid = fork();
        if (pid == 0) {
            close(listener);
            handle(&s, client);
            _exit(EXIT_SUCCESS);
        }
        children += pid > 0;
        close(client);
    }
}
