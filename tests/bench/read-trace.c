/*
 * read-trace read|validate|print FILE: reads a trace once with libgotrace, prints its events to /dev/null if asked to,
 * and says events, seconds, seconds of CPU and peak KiB. The Go program of the same name does the same with
 * golang.org/x/exp/trace.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "gotrace/gotrace.h"
#include "parser/event_print.h"

static double now(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* As thrace print does. Returns how many events there are. */
static uint64_t print(struct gotrace_reader *r)
{
    enum { BLOCK = 64 << 10 };
    struct raw_buffer o = {0};
    struct stack_texts stacks = {0};
    const struct gotrace_event *ev;
    FILE *out = fopen("/dev/null", "w");
    uint64_t n = 0;
    for (; out && (ev = gotrace_reader_next(r)); n++) {
        event_print(&o, ev, &stacks);
        if (o.size < BLOCK)
            continue;
        fwrite(o.at, 1, o.size, out);
        o.size = 0;
    }
    if (out)
        fclose(out);
    raw_buffer_free(&o);
    stack_texts_free(&stacks);
    return n;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: read-trace read|validate|print FILE\n", stderr);
        return 2;
    }
    double start = now(CLOCK_MONOTONIC);
    struct gotrace_reader *r = gotrace_reader_open_path(argv[2]);
    struct gotrace_summary sum = {0};
    if (!r)
        return 2;
    if (!strcmp(argv[1], "validate")) {
        if (!gotrace_reader_validate(r, NULL, NULL, &sum) || sum.violations) {
            fputs("read-trace: the trace is not valid\n", stderr);
            return 1;
        }
    } else if (!strcmp(argv[1], "print")) {
        sum.events = print(r);
    } else {
        while (gotrace_reader_next(r))
            sum.events++;
    }
    double seconds = now(CLOCK_MONOTONIC) - start, cpu = now(CLOCK_PROCESS_CPUTIME_ID);
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (e) {
        fprintf(stderr, "read-trace: %s\n", e->message);
        return 1;
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%llu %.6f %.6f %ld\n", (unsigned long long)sum.events, seconds, cpu, usage.ru_maxrss);
    gotrace_reader_free(r);
    return 0;
}
