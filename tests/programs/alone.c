/* A single thread stays single, as far as the kernel and the program can see. Trap 52. */
#include "program.h"

#include <dirent.h>

static int tasks(void)
{
    int n = 0;
    DIR *dir = opendir("/proc/self/task");
    CHECK(dir);
    for (const struct dirent *entry; (entry = readdir(dir));)
        n += entry->d_name[0] != '.';
    closedir(dir);
    return n;
}

int main(void)
{
    printf("%d task\n", tasks());
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    milliseconds(20);
    printf("%d task\n", tasks());
    int result = unshare(CLONE_NEWUSER);
    printf("unshare: %d %s\n", result, result ? strerrorname_np(errno) : "");
    puts("trace: goroutines 1");
    puts("trace: goroutine main 1");
    return 0;
}
