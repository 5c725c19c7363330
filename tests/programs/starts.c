/* starts N: a program with one thread that records itself N times, and does next to nothing. */
#include "program.h"
#include "recording.h"

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 11;
    for (int i = 0; i < n; i++) {
        int err = start_recording();
        CHECK(!err || err == ENOSYS);
        free(malloc(1 << 20));
        sched_yield();
        CHECK(thrace_stop() == err);
    }
    puts("trace: goroutines 1");
    return 0;
}
