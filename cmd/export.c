/* thrace export FILE [OUT]: makes a file for another tool of what a trace has. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/export/formats.h"
#include "cmd/finish/output.h"
#include "cmd/input.h"
#include "cmd/span_options.h"
#include "cmd/verbs.h"
#include "parser/analyze/span_learn.h"

static const char usage[] =
    "usage: thrace export [-f FORMAT] [OPTION…] FILE [OUT]\n"
    "Writes what the trace in FILE has to OUT, for another tool. FILE and OUT may be -,\n"
    "standard input and output; without OUT it is the latter.\n"
    "  -f FORMAT, --format FORMAT  the format, instead of the one that OUT's suffix says:\n"
#define THRACE_EXPORT(name, suffix, kind, summary) "      " #name " (" suffix ")  " summary "\n"
#include "cmd/export/formats.def"
#undef THRACE_EXPORT
    "  --sample KIND   of folded and svg: cpu (default), wait, syscall or runnable\n"
    "  --by LABEL      the outermost frame: thread (default), reason, object, waker or none\n"
    "  --meta KEY=VALUE  of sqlite and tables: what the trace may not say:\n"
    "                  host, program, build_id or start\n" SPAN_USAGE
    "Exit status: 0 done, 1 FILE lacks what is asked for, or is invalid: what could be read is\n"
    "exported, 2 it cannot be read, or OUT not be written.\n";
static const struct option options[] = {{"format", required_argument, NULL, 'f'},
                                        {"sample", required_argument, NULL, 's'},
                                        {"by", required_argument, NULL, 'b'},
                                        {"meta", required_argument, NULL, 'm'},
                                        SPAN_OPTIONS,
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
static const struct arguments arguments = {"export", usage, ":f:h", options};

/* The first field: a format is given the address. */
struct export {
    struct export_job job;
    const struct export_format *format;
    struct span_options only;
    struct twice input;
    struct gotrace_reader *reader;
    const char *out;
    bool has_meta;
};

static struct gotrace_reader *read_again(struct export_job *job)
{
    struct export *e = (struct export *)job;
    gotrace_reader_free(e->reader);
    e->reader = twice_read(&e->input, "export");
    if (e->reader)
        show_progress(e->reader, "export", e->job.in);
    return e->reader;
}

/* Reads the trace for what the filter has to know first. */
static bool learn(struct export *e)
{
    if (!e->only.filter || !span_filter_must_learn(e->only.filter))
        return true;
    struct gotrace_reader *r = read_again(&e->job);
    if (!r)
        return false;
    if (span_filter_learn(e->only.filter, r))
        return span_options_check(&e->only, "export");
    complain("export", "out of memory");
    return false;
}

/* Complains of what went wrong. Returns the exit status; *keep: something could be exported. */
static int outcome(struct export *e, enum export_result result, bool *keep)
{
    const struct gotrace_error *error = e->reader ? gotrace_reader_error(e->reader) : NULL;
    hide_progress();
    *keep = result == EXPORT_DONE;
    if (*keep && *e->job.text)
        complain("export", "%s: %s", e->out, e->job.text);
    if (result == EXPORT_UNWRITTEN)
        complain("export", "%s: %s", e->out, strerror(errno));
    else if (e->job.why && result != EXPORT_DONE && !(result == EXPORT_INVALID && error))
        complain("export", "%s: %s", e->job.in, e->job.why);
    else if (error) {
        fputs("thrace export: ", stderr);
        print_error(stderr, e->job.in, error);
        *keep &= error_status(error) == EXIT_INVALID; /* what could not be read may be more, another time */
        return error_status(error);
    }
    return result == EXPORT_DONE ? EXIT_OK : result == EXPORT_INVALID ? EXIT_INVALID : EXIT_USAGE;
}

/* A stream, or a regular file to write here and there. */
static int write_output(struct export *e)
{
    const char *err;
    bool keep = false, seeks = e->format->kind == EXPORT_FILE;
    int status = EXIT_USAGE;
    if (seeks && !strcmp(e->out, "-")) {
        complain("export", "%s cannot be written to standard output: name a file", e->format->name);
        return EXIT_USAGE;
    }
    struct output *out = output_open(e->out, 0666, &err);
    if (out && seeks && !(e->job.path = output_temporary(out))) {
        output_close(out, false);
        out = NULL;
        err = "the format needs a regular file";
    }
    if (out) {
        e->job.to = output_file(out);
        status = outcome(e, e->format->function(&e->job), &keep);
        err = output_close(out, keep);
    }
    if (!err || (out && !keep))
        return status;
    complain("export", "%s: %s", e->out, err);
    return EXIT_USAGE;
}

static int write_path(struct export *e)
{
    bool keep;
    if (!strcmp(e->out, "-")) {
        complain("export", "%s makes a file or folder: it needs an OUT", e->format->name);
        return EXIT_USAGE;
    }
    e->job.path = e->out;
    return outcome(e, e->format->function(&e->job), &keep);
}

static int run(struct export *e)
{
    int status = EXIT_USAGE;
    if (is_same_file(e->job.in, e->out)) {
        complain("export", "%s: FILE and OUT are the same file", e->job.in);
        return EXIT_USAGE;
    }
    e->job.trace = strcmp(e->job.in, "-") ? fopen(e->job.in, "re") : stdin;
    if (!e->job.trace) {
        complain("export", "%s: %s", e->job.in, strerror(errno));
        return EXIT_USAGE;
    }
    e->job.read = read_again;
    e->job.filter = e->only.filter;
    bool once = !e->only.filter || !span_filter_must_learn(e->only.filter);
    e->input = (struct twice){.path = e->job.in, .fd = -1, .copy = -1};
    if ((once || twice_open(&e->input, "export", e->job.in)) && learn(e))
        status = e->format->kind == EXPORT_PATH ? write_path(e) : write_output(e);
    gotrace_reader_free(e->reader);
    twice_close(&e->input);
    if (e->job.trace != stdin)
        fclose(e->job.trace);
    return status;
}

/* The number of the name, or n. */
static int number_of(const char *name, const char *const *names, int n)
{
    int i = 0;
    while (i < n && strcmp(name, names[i]) != 0)
        i++;
    return i;
}

static bool take_meta(struct export *e, const char *argument)
{
    const char *why = export_meta_take(&e->job, argument);
    e->has_meta = true;
    if (why)
        complain("export", "--meta %s: %s", argument, why);
    return !why;
}

/* False, and a complaint: it is wrong. */
static bool take_option(struct export *e, int c)
{
    int n;
    switch (c) {
    case 'f':
        e->format = export_format_named(optarg);
        if (!e->format)
            wrong_use(&arguments, "unknown format \"%s\"", optarg);
        return e->format;
    case 's':
        n = number_of(optarg, profile_kind_names, PROFILE_KINDS);
        e->job.sample = (enum profile_kind)n;
        if (n == PROFILE_KINDS)
            complain("export", "--sample %s: it takes cpu, wait, syscall or runnable", optarg);
        return n < PROFILE_KINDS;
    case 'b':
        n = number_of(optarg, profile_label_names, PROFILE_LABELS);
        e->job.by = (enum profile_label)n;
        if (n == PROFILE_LABELS && strcmp(optarg, "none") != 0) {
            complain("export", "--by %s: it takes thread, reason, object, waker or none", optarg);
            return false;
        }
        return true;
    case 'm': return take_meta(e, optarg);
    case '?': return false;
    default: return span_options_take(&e->only, "export", c, optarg);
    }
}

static bool has_format(struct export *e)
{
    if (!e->format)
        e->format = export_format_for(e->out);
    if (!e->format)
        complain("export", "%s: no format has that suffix; -f says which one it is to be", e->out);
    else if (e->has_meta && e->format->kind == EXPORT_STREAM) {
        complain("export", "%s has no place for --meta", e->format->name);
        return false;
    }
    return e->format;
}

int cmd_export(int argc, char **argv)
{
    struct export e = {.job = {.sample = PROFILE_CPU, .by = PROFILE_THREAD}};
    int status = EXIT_USAGE, c;
    bool ok = true;
    while (ok && (c = next_option(&arguments, argc, argv)) != -1 && c != 'h')
        ok = take_option(&e, c);
    if (ok && c == 'h') {
        status = show_usage(&arguments);
    } else if (ok && has_operands(&arguments, argc, 1, 2, "a FILE") && span_options_check(&e.only, "export")) {
        e.job.in = argv[optind];
        e.out = argc - optind > 1 ? argv[optind + 1] : "-";
        if (has_format(&e))
            status = run(&e);
    }
    span_options_free(&e.only);
    return status;
}
