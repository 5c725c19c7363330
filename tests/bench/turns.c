/*
 * turns: runs the same thing in several ways, in turn (A B C A B C …), because the machine drifts more between minutes
 * than a tracer costs, and reports medians over the rounds, of differences and ratios those within a round.
 *
 * Each line of the plan has six fields separated by tabs: the benchmark; the way; the way it is compared with, or -; a
 * file or folder whose size counts, or -; a command that is not measured and runs before, or -; the command, for sh. A
 * command !WORDS is not run: the words stand for its figures. Lines of one benchmark stand together.
 *
 * What a command prints counts: "NAME OPERATIONS NANOSECONDS", and "word=number" anywhere. Without the former it is one
 * operation, and its time that of the command. ns, cpu (ns), bytes and events are divided by the operations.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char usage[] = "usage: turns [-n ROUNDS] [-t SECONDS] [-p PREFIX] [-o RESULTS] PLAN\n"
                            "\n"
                            "  -n ROUNDS   how often each runs (default 5)\n"
                            "  -t SECONDS  what takes longer is killed, and counts as failed (default 60)\n"
                            "  -o RESULTS  appends \"PREFIX.BENCHMARK.WAY.FIGURE<tab>VALUE\" there\n";

enum { MAX_ROUNDS = 101, MAX_ROWS = 256, MAX_METRICS = 12, FIELDS = 6, MAX_OUTPUT = 1 << 16 };

/* The first ones are always there, and are divided by the operations. */
enum { NS, CPU, BYTES, EVENTS, NAMED };
static const char *const divided[NAMED] = {"ns", "cpu", "bytes", "events"};

struct metric {
    char name[24];
    int n;
    double values[MAX_ROUNDS];
};

struct row {
    char *bench, *way, *base, *output, *setup, *command;
    const struct row *compared; /* NULL: with nothing */
    struct metric metrics[MAX_METRICS];
    int metric_count;
    char failure[160]; /* "": it works so far */
};

static struct row rows[MAX_ROWS];
static int row_count;
static int time_limit = 60;
static const char *prefix = "bench";
static FILE *results;

static void die(const char *what)
{
    fprintf(stderr, "turns: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static void read_plan(const char *path)
{
    FILE *f = strcmp(path, "-") != 0 ? fopen(path, "r") : stdin;
    char *line = NULL;
    size_t size = 0;
    if (!f)
        die(path);
    while (getline(&line, &size, f) > 0) {
        char *fields[FIELDS], *rest = strdup(line);
        int n = 0;
        rest[strcspn(rest, "\n")] = '\0';
        while (n < FIELDS - 1 && (fields[n] = strsep(&rest, "\t")) && rest)
            n++;
        if (n != FIELDS - 1 || !*rest || row_count == MAX_ROWS) {
            fprintf(stderr, "turns: %s: no line of a plan: %s", path, line);
            exit(2);
        }
        struct row *row = &rows[row_count++];
        *row = (struct row){fields[0], fields[1], fields[2], fields[3], fields[4], rest, .metric_count = NAMED};
        for (int i = 0; i < NAMED; i++)
            strcpy(row->metrics[i].name, divided[i]);
        for (int i = 0; i < row_count - 1; i++)
            if (!strcmp(rows[i].bench, row->bench) && !strcmp(rows[i].way, row->base))
                row->compared = &rows[i];
        if (!row->compared && strcmp(row->base, "-") != 0) {
            fprintf(stderr, "turns: %s: %s has no way %s before %s\n", path, row->bench, row->base, row->way);
            exit(2);
        }
    }
    free(line);
    if (f != stdin)
        fclose(f);
}

static struct metric *metric_of(struct row *row, const char *name, size_t length)
{
    for (int i = 0; i < row->metric_count; i++)
        if (strlen(row->metrics[i].name) == length && !memcmp(row->metrics[i].name, name, length))
            return &row->metrics[i];
    if (row->metric_count == MAX_METRICS || length >= sizeof row->metrics[0].name)
        return NULL;
    struct metric *m = &row->metrics[row->metric_count++];
    memcpy(m->name, name, length);
    m->name[length] = '\0';
    return m;
}

static off_t size_below;

static int add_size(const char *path, const struct stat *st, int type, struct FTW *where)
{
    size_below += type == FTW_F ? st->st_size : 0;
    return 0;
}

/* Until the end of its output, which is that of the command unless it leaves a daemon behind, which has to close it. */
static bool read_output(int fd, char *output, uint64_t deadline)
{
    size_t length = 0;
    for (;;) {
        int64_t left = (int64_t)(deadline - now()) / 1000000;
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (left <= 0 || poll(&p, 1, (int)left) == 0)
            return false;
        char spare[4096];
        bool room = length < MAX_OUTPUT - 1;
        ssize_t n = read(fd, room ? output + length : spare, room ? MAX_OUTPUT - 1 - length : sizeof spare);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        length += room ? (size_t)n : 0;
    }
    output[length] = '\0';
    return true;
}

static void last_line_of(FILE *err, char *line, size_t size)
{
    char buffer[1024];
    line[0] = '\0';
    rewind(err);
    while (fgets(buffer, sizeof buffer, err))
        if (buffer[0] != '\n')
            snprintf(line, size, "%.*s", (int)strcspn(buffer, "\n\t"), buffer);
}

struct outcome {
    double wall, cpu;
    bool ok;
};

static struct outcome execute(const char *command, char *output, char *failure, size_t failure_size)
{
    int out[2], status;
    struct rusage used;
    FILE *err = tmpfile();
    if (!err || pipe2(out, O_CLOEXEC) != 0)
        die("pipe");
    fflush(NULL);
    uint64_t start = now();
    pid_t child = fork();
    if (child < 0)
        die("fork");
    if (child == 0) {
        setpgid(0, 0);
        dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
        dup2(out[1], STDOUT_FILENO);
        dup2(fileno(err), STDERR_FILENO);
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
        _exit(127);
    }
    close(out[1]);
    bool in_time = read_output(out[0], output, start + (uint64_t)time_limit * 1000000000u);
    if (!in_time)
        kill(-child, SIGKILL);
    if (wait4(child, &status, 0, &used) != child)
        die("wait4");
    struct outcome result = {
        .wall = (double)(now() - start),
        .cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1e9 +
               (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1e3,
        .ok = in_time && status == 0,
    };
    close(out[0]);
    if (!in_time)
        snprintf(failure, failure_size, "more than %d s", time_limit);
    else if (status != 0)
        last_line_of(err, failure, failure_size);
    if (!result.ok && !failure[0])
        snprintf(failure, failure_size, "failed");
    fclose(err);
    return result;
}

static void note(struct row *row, const char *name, size_t length, int round, double value)
{
    struct metric *m = metric_of(row, name, length);
    if (!m)
        return;
    if (m->n <= round)
        m->n = round + 1;
    m->values[round] = value;
}

static void measure(struct row *row, int round)
{
    static char output[MAX_OUTPUT];
    if (row->command[0] == '!') {
        snprintf(row->failure, sizeof row->failure, "%s", row->command + 1);
        return;
    }
    if (strcmp(row->setup, "-") != 0 && !execute(row->setup, output, row->failure, sizeof row->failure).ok)
        return;
    struct outcome run = execute(row->command, output, row->failure, sizeof row->failure);
    if (!run.ok)
        return;
    double ops = 1, ns;
    note(row, "ns", 2, round, run.wall);
    note(row, "cpu", 3, round, run.cpu);
    for (char *line = output, *next; line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        double found_ops, found_ns;
        if (sscanf(line, "%*s %lf %lf", &found_ops, &found_ns) == 2 && found_ops > 0) {
            ops = found_ops;
            ns = found_ns;
            note(row, "ns", 2, round, ns);
        }
        for (char *word = strtok(line, " "); word; word = strtok(NULL, " ")) {
            char *equals = strchr(word, '='), *end;
            double value = equals ? strtod(equals + 1, &end) : 0;
            if (equals && equals > word && end > equals + 1 && !*end)
                note(row, word, (size_t)(equals - word), round, value);
        }
    }
    if (strcmp(row->output, "-") != 0) {
        size_below = 0;
        nftw(row->output, add_size, 16, FTW_PHYS);
        note(row, "bytes", 5, round, (double)size_below);
    }
    for (int i = 0; i < NAMED; i++)
        row->metrics[i].values[round] /= ops;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, int n)
{
    double sorted[MAX_ROUNDS];
    memcpy(sorted, values, (size_t)n * sizeof *values);
    qsort(sorted, (size_t)n, sizeof *sorted, by_value);
    return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

static void result(const struct row *row, const char *figure, const char *suffix, double value)
{
    if (results)
        fprintf(results, "%s.%s.%s.%s%s\t%.6g\n", prefix, row->bench, row->way, figure, suffix, value);
}

static bool compare(const struct row *row, int metric, double *added, double *ratio)
{
    const struct metric *m = &row->metrics[metric];
    double differences[MAX_ROUNDS], ratios[MAX_ROUNDS];
    const struct metric *base = NULL;
    for (int i = 0; row->compared && !row->compared->failure[0] && i < row->compared->metric_count; i++)
        if (!strcmp(row->compared->metrics[i].name, m->name))
            base = &row->compared->metrics[i];
    if (!base || base->n != m->n || m->n == 0)
        return false;
    for (int i = 0; i < m->n; i++) {
        differences[i] = m->values[i] - base->values[i];
        ratios[i] = base->values[i] != 0 ? m->values[i] / base->values[i] : 0;
    }
    *added = median(differences, m->n);
    *ratio = median(ratios, m->n);
    return true;
}

static void report(const struct row *row)
{
    double added, ratio;
    printf("%-20s %-14s", row->bench, row->way);
    if (row->failure[0]) {
        printf(" %s\n", row->failure);
        static const char *const figures[] = {"ns", "ns_added", "ns_ratio", "cpu", "cpu_added", "cpu_ratio", "bytes"};
        for (size_t i = 0; results && i < sizeof figures / sizeof figures[0]; i++)
            fprintf(results, "%s.%s.%s.%s\t%s\n", prefix, row->bench, row->way, figures[i], row->failure);
        return;
    }
    for (int i = 0; i < row->metric_count; i++) {
        const struct metric *m = &row->metrics[i];
        if (m->n == 0) {
            printf(i < CPU ? " %12s %10s %8s" : i == CPU ? " %10s" : " %9s", "", "", "");
            continue;
        }
        double middle = median(m->values, m->n);
        bool compared = compare(row, i, &added, &ratio);
        result(row, m->name, "", middle);
        if (compared) {
            result(row, m->name, "_added", added);
            result(row, m->name, "_ratio", ratio);
        }
        if (i == NS && compared)
            printf(" %12.1f %+10.1f %7.3fx", middle, added, ratio);
        else if (i == NS)
            printf(" %12.1f %10s %8s", middle, "", "");
        else if (i == CPU && compared)
            printf(" %8.3fx", ratio);
        else if (i == CPU)
            printf(" %9s", "");
        else if (i < NAMED)
            printf(" %8.2f", middle);
        else
            printf("  %s=%.6g", m->name, middle);
    }
    putchar('\n');
    fflush(stdout);
    if (results)
        fflush(results);
}

int main(int argc, char **argv)
{
    int rounds = 5, option;
    while ((option = getopt(argc, argv, "hn:t:p:o:")) != -1)
        switch (option) {
        case 'n': rounds = atoi(optarg); break;
        case 't': time_limit = atoi(optarg); break;
        case 'p': prefix = optarg; break;
        case 'o': results = fopen(optarg, "ae"); if (!results) die(optarg); break;
        case 'h': fputs(usage, stdout); return 0;
        default: fputs(usage, stderr); return 2;
        }
    if (argc - optind != 1 || rounds < 1 || rounds > MAX_ROUNDS || time_limit < 1) {
        fputs(usage, stderr);
        return 2;
    }
    read_plan(argv[optind]);
    printf("%-20s %-14s %12s %10s %8s %9s %8s %8s\n", "medians of rounds", "", "ns/op", "+ns/op", "ratio", "CPU",
           "bytes/op", "events/op");
    int failures = 0;
    for (int first = 0, last; first < row_count; first = last) {
        for (last = first; last < row_count && !strcmp(rows[last].bench, rows[first].bench); last++)
            ;
        for (int round = 0; round < rounds; round++)
            for (int i = first; i < last; i++)
                if (!rows[i].failure[0])
                    measure(&rows[i], round);
        for (int i = first; i < last; i++) {
            report(&rows[i]);
            failures += rows[i].failure[0] && rows[i].command[0] != '!';
        }
    }
    if (results && fclose(results) != 0)
        die("the results");
    return failures != 0;
}
