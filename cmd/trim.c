/* thrace trim IN OUT: a stretch, or some threads, of a trace as a trace of its own. */
#include <stdio.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/filter.h"
#include "cmd/input.h"
#include "cmd/span_options.h"
#include "cmd/verbs.h"
#include "parser/analyze/thread_filter.h"
#include "parser/rewrite/trim.h"

static const char usage[] =
    "usage: thrace trim [--from T] [--to T] [--thread RE] [--keep REASON]... IN OUT\n"
    "\n"
    "Writes a part of the trace IN, which is a trace again, to OUT.\n"
    "IN and OUT may be -, standard input and output.\n"
    "  --from T     what comes before is left out: 1.5s, 20ms or 10%, from IN's begin\n"
    "  --to T       and what comes after; --from 10%..20% says both\n"
    "  --thread RE  only threads whose names match the regular expression\n"
    "  --keep REASON  only threads that wait for it somewhere in IN, such as sync; may be given\n"
    "                 more than once\n"
    "\n"
    "Exit status: 0 done, 1 IN is invalid, or has no such part; OUT is there if IN only breaks\n"
    "a rule, 2 it cannot be read, or OUT not be written.\n";
static const struct option options[] = {{"from", required_argument, NULL, SPAN_OPTION_FROM},
                                        {"to", required_argument, NULL, SPAN_OPTION_TO},
                                        {"thread", required_argument, NULL, SPAN_OPTION_THREAD},
                                        {"keep", required_argument, NULL, 'k'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
static const struct arguments arguments = {"trim", usage, ":h", options};

enum { FIRST_V2 = 22, MAX_REASONS = 16 };

struct trim_job {
    struct filter files;
    struct span_options only;
    struct thread_filter threads;
    const char *reasons[MAX_REASONS];
    bool broken; /* a rule that the reader does not need, which has been said */
};

static bool chooses_threads(const struct trim_job *job)
{
    return job->only.filter && (job->only.filter->has[SPAN_THREAD] || job->threads.nreasons);
}

static bool keeps(void *arg, uint64_t nth) { return thread_filter_passes(arg, nth); }

static int say_error(const struct trim_job *job, const struct gotrace_error *e)
{
    if (e->status == GOTRACE_EWRITE) {
        hide_progress();
        complain("trim", "%s: %s", job->files.out, e->message);
        return EXIT_USAGE;
    }
    fputs("thrace trim: ", stderr);
    print_error(stderr, job->files.in, e);
    return error_status(e);
}

static void say_broken(void *arg, const struct gotrace_error *violation)
{
    struct trim_job *job = arg;
    if (!job->broken) {
        hide_progress();
        fputs("thrace trim: what it writes may be as invalid as ", stderr);
        print_error(stderr, job->files.in, violation);
    }
    job->broken = true;
}

static int write_part(struct trim_job *job, struct gotrace_reader *r, FILE *out)
{
    const struct span_filter *only = job->only.filter;
    struct failure f = {0};
    struct trim t = {.to = UINT64_MAX, .whole = !only, .arg = &job->threads};
    if (only) {
        t.from = only->from.kind ? span_moment_ns(only, &only->from) : 0;
        t.to = span_moment_ns(only, &only->to);
        t.keeps = chooses_threads(job) ? keeps : NULL;
    }
    t.validator = gotrace_validator_new(gotrace_reader_version(r), say_broken, job);
    if (!t.validator) {
        complain("trim", "out of memory");
        return EXIT_USAGE;
    }
    bool written = trim_trace(r, &t, out, &f);
    gotrace_validator_free(t.validator);
    if (!written)
        return say_error(job, &f.error);
    if (!t.empty && t.batches) {
        hide_progress();
        complain("trim", "%s: dropped %llu batch%s of experiments, which %s not of a part", job->files.in,
                 (unsigned long long)t.batches, t.batches == 1 ? "" : "es", t.batches == 1 ? "is" : "are");
    }
    job->files.complete = !t.empty;
    if (!t.empty)
        return job->broken ? EXIT_INVALID : EXIT_OK;
    complain("trim", "%s: --from is behind its end: it lasts %llu.%09llu s", job->files.in,
             (unsigned long long)t.length / 1000000000, (unsigned long long)t.length % 1000000000);
    return EXIT_INVALID;
}

static bool is_v2(const struct trim_job *job, const struct gotrace_reader *r)
{
    int version = gotrace_reader_version(r);
    if (version >= FIRST_V2 || gotrace_reader_error(r))
        return true;
    complain("trim",
             "%s: a trace of Go 1.%d has another form: thrace convert --trace-version 1.26 makes one that this takes",
             job->files.in, version);
    return false;
}

/* Begins to read the trace, and looks at its version. *status: why there is no reader. */
static struct gotrace_reader *read_trace(const struct trim_job *job, struct twice *input, int fd, int *status)
{
    struct gotrace_reader *r = input ? twice_read(input, "trim") : gotrace_reader_open_fd(fd);
    if (r && is_v2(job, r)) {
        show_progress(r, "trim", job->files.in);
        return r;
    }
    if (!r && !input)
        complain("trim", "out of memory");
    *status = r ? EXIT_INVALID : EXIT_USAGE;
    gotrace_reader_free(r);
    return NULL;
}

/* Reads the trace for what the filter has to know first. Returns the exit status. */
static int learn(struct trim_job *job, struct twice *input)
{
    struct span_filter *only = job->only.filter;
    int status = EXIT_OK;
    struct gotrace_reader *r = read_trace(job, input, -1, &status);
    if (!r)
        return status;
    bool ok = thread_filter_learn(&job->threads, only, r);
    const struct gotrace_error *e = gotrace_reader_error(r);
    if (ok && e && error_status(e) == EXIT_USAGE) /* what is broken is learned up to there */
        status = say_error(job, e);
    gotrace_reader_free(r);
    hide_progress();
    if (status != EXIT_OK)
        return status;
    if (!ok)
        complain("trim", "out of memory");
    if (!ok || !span_options_check(&job->only, "trim"))
        return EXIT_USAGE;
    if (!chooses_threads(job) || job->threads.npassed)
        return EXIT_OK;
    complain("trim", "%s: no thread %s: thrace stat shows them", job->files.in,
             only->has[SPAN_THREAD] ? "has such a name" : "waits for such a reason");
    return EXIT_INVALID;
}

static int trim(void *arg, FILE *in, FILE *out)
{
    struct trim_job *job = arg;
    struct twice input = {.copy = -1};
    bool first = job->only.filter && (span_filter_must_learn(job->only.filter) || job->threads.nreasons);
    int status = first && !twice_open_fd(&input, "trim", job->files.in, fileno(in)) ? EXIT_USAGE : EXIT_OK;
    if (first && status == EXIT_OK)
        status = learn(job, &input);
    struct gotrace_reader *r =
        status == EXIT_OK ? read_trace(job, first ? &input : NULL, fileno(in), &status) : NULL;
    if (r)
        status = write_part(job, r, out);
    hide_progress();
    gotrace_reader_free(r);
    twice_close(&input);
    return status;
}

static bool take_reason(struct trim_job *job, const char *reason)
{
    if (!*reason)
        complain("trim", "--keep: the reason is empty");
    else if (job->threads.nreasons == MAX_REASONS)
        complain("trim", "--keep %s: there are more than %d", reason, MAX_REASONS);
    else if (!job->only.filter && !(job->only.filter = span_filter_new()))
        complain("trim", "out of memory");
    else {
        job->reasons[job->threads.nreasons++] = reason;
        job->threads.reasons = job->reasons;
        return true;
    }
    return false;
}

int cmd_trim(int argc, char **argv)
{
    struct trim_job job = {.files = {.verb = "trim", .in_name = "IN", .out_name = "OUT"}};
    int status = EXIT_USAGE, c;
    bool ok = true;
    while (ok && (c = next_option(&arguments, argc, argv)) != -1 && c != 'h')
        ok = c == 'k' ? take_reason(&job, optarg) : c != '?' && span_options_take(&job.only, "trim", c, optarg);
    if (ok && c == 'h') {
        status = show_usage(&arguments);
    } else if (ok && has_operands(&arguments, argc, 2, 2, "IN or OUT") && span_options_check(&job.only, "trim")) {
        job.files.in = argv[optind];
        job.files.out = argv[optind + 1];
        status = filter_run(&job.files, trim, &job);
    }
    span_options_free(&job.only);
    thread_filter_free(&job.threads);
    return status;
}
