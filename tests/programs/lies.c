/*
 * lies SPOOL: answers thrace stop as a process that recorded to SPOOL.
 * lies: has the name at which thrace status asks, and answers nobody; no more connections fit.
 * Prints its pid when it listens.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/control.h"

static unsigned long long start_time(void)
{
    char buf[2048];
    FILE *f = fopen("/proc/self/stat", "r");
    buf[f ? fread(buf, 1, sizeof buf - 1, f) : 0] = 0;
    unsigned long long v = 0;
    const char *p = strrchr(buf, ')');
    for (int field = 2; p && field < 22; field++)
        p = strchr(p + 1, ' ');
    if (p)
        v = strtoull(p, NULL, 10);
    fclose(f);
    return v;
}

static void answer(int fd, const char *spool)
{
    static struct control_reply r = {.magic = CONTROL_MAGIC, .version = CONTROL_VERSION, .session = 1};
    struct control_request q;
    strcpy(r.spool, spool);
    if (recv(fd, &q, sizeof q, 0) == sizeof q)
        send(fd, &r, sizeof r, MSG_NOSIGNAL);
    close(fd);
}

int main(int argc, char **argv)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int len = snprintf(a.sun_path + 1, sizeof a.sun_path - 1, "thrace-%ld-%llu", (long)getpid(), start_time());
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&a, size) || listen(fd, argc > 1 ? 8 : 0))
        return 2;
    for (int other = 0; argc < 2 && other >= 0;) {
        int s = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
        other = connect(s, (struct sockaddr *)&a, size) ? -1 : s;
    }
    printf("%ld\n", (long)getpid());
    fflush(stdout);
    while (argc > 1)
        answer(accept(fd, NULL, NULL), argv[1]);
    for (;;)
        pause();
}
