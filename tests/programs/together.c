/* together N: N children that end in the moment in which their parent does. */
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int p[2], there[2];
    char c = 0;
    if (argc < 2 || pipe(p) || pipe(there))
        return 2;
    for (int i = 0; i < atoi(argv[1]); i++) {
        pid_t pid = fork();
        if (pid < 0)
            return 3;
        if (pid)
            continue;
        close(p[1]);
        return write(there[1], &c, 1) < 0 || read(p[0], &c, 1) < 0;
    }
    for (int i = 0; i < atoi(argv[1]); i++)
        if (read(there[0], &c, 1) != 1)
            return 4;
    return 0;
}
