/* outlives FIFO: ends at once; its child, whose pid it prints, lives until somebody has opened the FIFO for writing. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    pid_t pid = argc < 2 ? -1 : fork();
    if (pid < 0)
        return 2;
    if (pid) {
        printf("%ld\n", (long)pid);
        return 0;
    }
    close(STDOUT_FILENO); /* nobody waits for us */
    close(STDERR_FILENO);
    return open(argv[1], O_RDONLY) < 0;
}
