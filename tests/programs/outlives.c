/*
 * outlives FIFO: ends as soon as its child runs, which has its spool then; the child, whose pid it prints, lives until
 * somebody has opened the FIFO for writing.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int runs[2];
    if (argc < 2 || pipe(runs))
        return 2;
    pid_t pid = fork();
    if (pid < 0)
        return 2;
    if (pid) {
        char c;
        printf("%ld\n", (long)pid);
        return read(runs[0], &c, 1) != 1;
    }
    if (write(runs[1], "", 1) != 1)
        return 2;
    close(runs[0]);
    close(runs[1]);
    close(STDOUT_FILENO); /* nobody waits for us */
    close(STDERR_FILENO);
    return open(argv[1], O_RDONLY) < 0;
}
