/*
 * calls-on-files FOLDER: system calls on two files, one of which has the number that libc closed before unseen, on a
 * pipe, a socket and what is none of these.
 */
#include "program.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static NOINLINE void journal(int fd)
{
    for (int i = 0; i < 5; i++) {
        CHECK(write(fd, "hello\n", 6) == 6);
        CHECK(!fdatasync(fd));
    }
}

static NOINLINE void in_streams(const char *name)
{
    char line[8];
    FILE *f = fopen(name, "r");
    CHECK(f && fgets(line, sizeof line, f));
    fclose(f);
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"a.log", "b.log"};
    int pipes[2], sockets[2], logs[2];
    char byte;
    CHECK(argc == 2 && !chdir(argv[1]));
    for (int i = 0; i < 2; i++)
        logs[i] = open(names[i], O_RDWR | O_CREAT, 0600);
    for (int i = 0; i < 2; i++)
        journal(logs[i]);
    for (int i = 0; i < 2; i++)
        in_streams(names[i]);
    CHECK(pread(logs[0], &byte, 1, 0) == 1);
    CHECK(!pipe(pipes) && write(pipes[1], "x", 1) == 1 && read(pipes[0], &byte, 1) == 1);
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) && write(sockets[0], "x", 1) == 1);
    CHECK(read(sockets[1], &byte, 1) == 1);
    fsync(-1);
    return 0;
}
