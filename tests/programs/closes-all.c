/* Closes every descriptor that it does not know, and takes their numbers. Trap 33. */
#include "program.h"

#include <fcntl.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void *works(void *self)
{
    introduce(self);
    for (int i = 0; i < 20000; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
        if (i % 1000 == 0)
            milliseconds(1);
    }
    return NULL;
}

static void work(int threads)
{
    struct thread t[8];
    for (int i = 0; i < threads; i++)
        spawn(&t[i], works);
    for (int i = 0; i < threads; i++)
        join(&t[i]);
}

int main(void)
{
    int lowest = dup(0);
    printf("the lowest free descriptor is %d\n", lowest);
    close(lowest);
    work(2);
    lowest = dup(0);
    printf("the lowest free descriptor is %d\n", lowest);
    close(lowest);
    CHECK(close_range(3, ~0u, 0) == 0);
    work(2);
    int null = open("/dev/null", O_RDWR);
    for (int fd = 4; fd < 40; fd++)
        CHECK(dup2(null, fd) == fd);
    work(2);
    for (int fd = 3; fd < 40; fd++)
        CHECK(close(fd) == 0);
    work(2);
    puts("trace: goroutines 9");
    puts("trace: goroutine works 8");
    return 0;
}
