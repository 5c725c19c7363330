/*
 * pairs: what tracing adds to each micro-benchmark. Runs them plain, with the library loaded but idle, and traced, in
 * turn (A B C A B C …), because the machine drifts more between minutes than the tracer costs; reports medians of the
 * differences and ratios within a round.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <sched.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage[] = "usage: pairs [-n ROUNDS] [-d DIVISOR] [-o JSON] MICRO SHIM [NAME…]\n"
                            "\n"
                            "  -n ROUNDS   how often each benchmark runs in each way (default 5)\n"
                            "  -d DIVISOR  does that many times fewer operations than the benchmark's own number\n"
                            "  -o JSON     also writes the figures there\n";

enum way { PLAIN, IDLE, TRACED, WAYS };
enum { MAX_ROUNDS = 101, MAX_NAMES = 64 };

/* Across processors a wakeup costs ten times what it costs on one, and varies as much: these stay on one. */
static const char *const pinned[] = {"cond-pingpong", "sem-pingpong",    "barrier",        "pipe-pingpong",
                                     "socket-pingpong", "epoll-pingpong", "futex-pingpong"};

struct run {
    double ops, ns;
    long max_rss_kib;
    double trace_bytes;
};

static const char *micro, *shim;
static char trace_path[64];

static void die(const char *what)
{
    fprintf(stderr, "pairs: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* A spool left behind is another process's, to the library: it would not record. */
static void remove_trace(void)
{
    char spool[sizeof trace_path + 8];
    snprintf(spool, sizeof spool, "%s.spool", trace_path);
    unlink(trace_path);
    unlink(spool);
}

static bool is_pinned(const char *name)
{
    for (size_t i = 0; i < sizeof pinned / sizeof pinned[0]; i++)
        if (!strcmp(pinned[i], name))
            return true;
    return false;
}

static void become(enum way way, const char *name, const char *ops)
{
    if (is_pinned(name)) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(0, &one);
        sched_setaffinity(0, sizeof one, &one);
    }
    unsetenv("LD_PRELOAD");
    unsetenv("THRACE_OUT");
    if (way != PLAIN)
        setenv("LD_PRELOAD", shim, 1);
    if (way == TRACED)
        setenv("THRACE_OUT", trace_path, 1);
    execl(micro, micro, name, ops, (char *)NULL);
    _exit(127);
}

static struct run measure(enum way way, const char *name, const char *ops)
{
    struct run result = {0};
    int out[2], status;
    struct rusage usage_of_it;
    remove_trace();
    if (pipe(out) != 0)
        die("pipe");
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        die("fork");
    if (child == 0) {
        dup2(out[1], STDOUT_FILENO);
        close(out[0]);
        close(out[1]);
        become(way, name, ops);
    }
    close(out[1]);
    FILE *f = fdopen(out[0], "r");
    bool read = f && fscanf(f, "%*s %lf %lf", &result.ops, &result.ns) == 2;
    if (f)
        fclose(f);
    if (wait4(child, &status, 0, &usage_of_it) != child)
        die("wait4");
    if (!read || status != 0 || result.ops <= 0) {
        fprintf(stderr, "pairs: %s %s does not work\n", micro, name);
        exit(1);
    }
    result.max_rss_kib = usage_of_it.ru_maxrss;
    struct stat st;
    if (way == TRACED && stat(trace_path, &st) == 0)
        result.trace_bytes = (double)st.st_size;
    return result;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

struct summary {
    double base;                      /* ns per operation, plain */
    double added[WAYS], ratio[WAYS];  /* against plain, in the same round */
    double bytes_per_op, rss_added_kib;
};

static struct summary compare(const char *name, const char *ops, int rounds)
{
    double base[MAX_ROUNDS], added[WAYS][MAX_ROUNDS], ratio[WAYS][MAX_ROUNDS], bytes[MAX_ROUNDS], rss[MAX_ROUNDS];
    for (int i = 0; i < rounds; i++) {
        struct run runs[WAYS];
        for (enum way way = PLAIN; way < WAYS; way++) {
            runs[way] = measure(way, name, ops);
            double per_op = runs[way].ns / runs[way].ops;
            if (way == PLAIN)
                base[i] = per_op;
            added[way][i] = per_op - base[i];
            ratio[way][i] = per_op / base[i];
        }
        bytes[i] = runs[TRACED].trace_bytes / runs[TRACED].ops;
        rss[i] = (double)(runs[TRACED].max_rss_kib - runs[PLAIN].max_rss_kib);
    }
    struct summary s = {.base = median(base, rounds),
                        .bytes_per_op = median(bytes, rounds),
                        .rss_added_kib = median(rss, rounds)};
    for (enum way way = IDLE; way < WAYS; way++) {
        s.added[way] = median(added[way], rounds);
        s.ratio[way] = median(ratio[way], rounds);
    }
    return s;
}

/* The names and numbers of operations are the benchmark program's own. */
static int list_benches(char names[][32], long *ops)
{
    char command[4096], line[256];
    int n = 0;
    snprintf(command, sizeof command, "'%s' -h", micro);
    FILE *f = popen(command, "r");
    if (!f)
        die(micro);
    while (n < MAX_NAMES && fgets(line, sizeof line, f))
        if (sscanf(line, " %31s %ld", names[n], &ops[n]) == 2)
            n++;
    if (pclose(f) != 0 || n == 0) {
        fprintf(stderr, "pairs: %s does not list its benchmarks\n", micro);
        exit(1);
    }
    return n;
}

static bool wanted(const char *name, char **names)
{
    if (!*names)
        return true;
    for (; *names; names++)
        if (!strcmp(*names, name))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    int rounds = 5, option;
    long divisor = 1;
    const char *json_path = NULL;
    while ((option = getopt(argc, argv, "hn:d:o:")) != -1)
        switch (option) {
        case 'n': rounds = atoi(optarg); break;
        case 'd': divisor = atol(optarg); break;
        case 'o': json_path = optarg; break;
        case 'h': fputs(usage, stdout); return 0;
        default: fputs(usage, stderr); return 2;
        }
    if (argc - optind < 2 || rounds < 1 || rounds > MAX_ROUNDS || divisor < 1) {
        fputs(usage, stderr);
        return 2;
    }
    micro = argv[optind];
    shim = argv[optind + 1];
    snprintf(trace_path, sizeof trace_path, "/tmp/thrace-bench.%d.trace", (int)getpid());

    char names[MAX_NAMES][32];
    long ops[MAX_NAMES];
    int n = list_benches(names, ops);
    FILE *json = json_path ? fopen(json_path, "w") : NULL;
    if (json_path && !json)
        die(json_path);
    struct utsname host;
    uname(&host);
    if (json)
        fprintf(json, "{\"kernel\": \"%s\", \"machine\": \"%s\", \"cpus\": %ld, \"rounds\": %d, \"benchmarks\": [", host.release,
                host.machine, sysconf(_SC_NPROCESSORS_ONLN), rounds);
    printf("%-20s %10s | %9s %7s | %9s %7s %8s %9s\n", "medians of rounds", "plain", "idle", "", "traced", "", "", "");
    printf("%-20s %10s | %9s %7s | %9s %7s %8s %9s\n", "", "ns/op", "+ns/op", "ratio", "+ns/op", "ratio", "bytes/op",
           "+RSS KiB");
    const char *separator = "";
    for (int i = 0; i < n; i++) {
        if (!wanted(names[i], argv + optind + 2))
            continue;
        char operations[32];
        snprintf(operations, sizeof operations, "%ld", ops[i] / divisor > 8 ? ops[i] / divisor : 8);
        struct summary s = compare(names[i], operations, rounds);
        printf("%-20s %10.1f | %9.1f %7.3f | %9.1f %7.3f %8.2f %9.0f\n", names[i], s.base, s.added[IDLE], s.ratio[IDLE],
               s.added[TRACED], s.ratio[TRACED], s.bytes_per_op, s.rss_added_kib);
        fflush(stdout);
        if (json)
            fprintf(json,
                    "%s\n  {\"name\": \"%s\", \"operations\": %s, \"plain_ns\": %.3f, \"idle_added_ns\": %.3f, "
                    "\"idle_ratio\": %.4f, \"traced_added_ns\": %.3f, \"traced_ratio\": %.4f, \"bytes_per_op\": %.3f, "
                    "\"rss_added_kib\": %.0f}",
                    separator, names[i], operations, s.base, s.added[IDLE], s.ratio[IDLE], s.added[TRACED],
                    s.ratio[TRACED], s.bytes_per_op, s.rss_added_kib);
        separator = ",";
    }
    remove_trace();
    if (json) {
        fprintf(json, "\n]}\n");
        if (fclose(json) != 0)
            die(json_path);
    }
    return 0;
}
