/* thrace merge -o OUT FILE…: the traces of several processes, or machines, as one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/finish/output.h"
#include "cmd/merge_inputs.h"
#include "cmd/span_options.h"
#include "cmd/verbs.h"

static const char usage[] =
    "usage: thrace merge -o OUT [OPTION…] [NAME=]FILE…\n"
    "\n"
    "Writes the traces as one trace, OUT. Each thread's name has that of its process in front: NAME, or\n"
    "what the trace or FILE says. One FILE may be -, standard input; OUT may be -, standard output.\n"
    "  -o, --output OUT    where the trace goes\n"
    "  --align CLOCK       what tells where they lie in time: wall (default), monotonic (of one boot\n"
    "                      of one machine), start (all begin at once), none (their times are of one clock)\n"
    "  --offset FILE=T     FILE is T later than that says, or earlier: 1.5s, -20ms\n"
    "\n"
    "Exit status: 0 done, 1 a FILE is invalid, or has no clock; OUT is there if one is only cut off,\n"
    "2 a FILE cannot be read, or OUT not be written.\n";
static const struct option options[] = {{"output", required_argument, NULL, 'o'},
                                        {"align", required_argument, NULL, 'a'},
                                        {"offset", required_argument, NULL, 's'},
                                        {"help", no_argument, NULL, 'h'},
                                        {NULL, 0, NULL, 0}};
static const struct arguments arguments = {"merge", usage, ":ho:", options};

struct merge_job {
    const char *out;
    enum merge_clock clock;
    const char **offsets;
    size_t noffsets;
    struct merge_files files;
};

/* ---- options ---------------------------------------------------------------------------------------------------- */

static bool take_clock(const char *value, enum merge_clock *clock)
{
    static const char *const names[] = {
        [MERGE_WALL] = "wall", [MERGE_MONOTONIC] = "monotonic", [MERGE_START] = "start", [MERGE_NONE] = "none"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(value, names[i])) {
            *clock = (enum merge_clock)i;
            return true;
        }
    complain("merge", "--align takes wall, monotonic, start or none, not \"%s\"", value);
    return false;
}

static bool take_offset(struct merge_job *job, const char *value)
{
    const char *equals = strrchr(value, '=');
    uint64_t ns = 0;
    bool earlier = equals && equals[1] == '-';
    if (!equals || !span_options_time(equals + 1 + (earlier || equals[1] == '+'), &ns)) {
        complain("merge", "--offset takes FILE=T with a T such as 1.5s or -20ms, not \"%s\"", value);
        return false;
    }
    struct merge_input *in = merge_files_find(&job->files, value, (size_t)(equals - value));
    if (!in) {
        complain("merge", "--offset %s: that is none of the traces", value);
        return false;
    }
    in->moment.moved = earlier ? -(int64_t)ns : (int64_t)ns;
    return true;
}

/* ---- where they lie in time ------------------------------------------------------------------------------------- */

static bool have_clocks(const struct merge_job *job)
{
    for (size_t i = 0; i < job->files.n; i++) {
        if (merge_has_clock(job->clock, &job->files.inputs[i].origin))
            continue;
        complain("merge",
                 "%s: does not say what time it was: --align start lets all begin at once, --align none takes their "
                 "times as they are",
                 job->files.inputs[i].path);
        return false;
    }
    return true;
}

static int align(struct merge_job *job, struct origin *all)
{
    size_t n = job->files.n;
    struct merge_moment **moments = calloc(n, sizeof *moments);
    const struct origin **origins = calloc(n, sizeof *origins);
    int status = have_clocks(job) ? EXIT_OK : EXIT_INVALID;
    for (size_t i = 0; moments && origins && i < n; i++) {
        moments[i] = &job->files.inputs[i].moment;
        origins[i] = &job->files.inputs[i].origin;
    }
    if (!moments || !origins) {
        complain("merge", "out of memory");
        status = EXIT_USAGE;
    } else if (status == EXIT_OK && !merge_align(job->clock, moments, origins, n, all)) {
        complain("merge", "the traces lie more than a century apart");
        status = EXIT_INVALID;
    }
    free(moments);
    free(origins);
    return status;
}

/* ---- what there is to say --------------------------------------------------------------------------------------- */

/* A reader makes times of samples by one rate. */
static void take_rate(const struct merge_files *m, struct origin *all)
{
    all->cpu_hz = m->inputs[0].origin.cpu_hz;
    for (size_t i = 1; i < m->n; i++) {
        uint64_t hz = m->inputs[i].origin.cpu_hz;
        if (hz == all->cpu_hz)
            continue;
        complain("merge", "%s: has not as many CPU samples a second as %s, whose number goes for all",
                 m->inputs[i].path, m->inputs[0].path);
        return;
    }
}

static int report(const struct merge *merge)
{
    int status = EXIT_OK;
    for (size_t i = 0; i < merge->n; i++) {
        const struct merge_input *in = &merge->inputs[i];
        if (in->failure.error.status) {
            fputs("thrace merge: up to an error: ", stderr);
            print_error(stderr, in->path, &in->failure.error);
            status = EXIT_INVALID;
        }
        if (in->experiments)
            complain("merge", "%s: dropped %llu %s of experiments", in->path, (unsigned long long)in->experiments,
                     in->experiments == 1 ? "event or batch" : "events and batches");
        if (in->origin.has_sums)
            complain("merge", "%s: dropped its heap profile, or the counts of its locks or of migrations", in->path);
    }
    if (merge->collections)
        complain("merge", "%llu collection%s of garbage began while another process collected: %s shown as one",
                 (unsigned long long)merge->collections, merge->collections == 1 ? "" : "s",
                 merge->collections == 1 ? "both are" : "they are");
    return status;
}

/* ---- merging ---------------------------------------------------------------------------------------------------- */

static bool is_input(const struct merge_job *job)
{
    struct stat out, in;
    if (!strcmp(job->out, "-") || stat(job->out, &out))
        return false;
    for (size_t i = 0; i < job->files.n; i++) {
        const struct merge_file *f = &job->files.files[i];
        bool known = strcmp(f->path, "-") ? !stat(f->path, &in) : !fstat(0, &in);
        if (known && S_ISREG(in.st_mode) && in.st_dev == out.st_dev && in.st_ino == out.st_ino) {
            complain("merge", "%s: is one of the traces, too", job->out);
            return true;
        }
    }
    return false;
}

static int say_error(const struct merge_job *job, const struct failure *f, const struct merge_input *of)
{
    if (f->error.status == GOTRACE_EWRITE || !of) {
        complain("merge", "%s: %s", job->out, f->error.message);
        return EXIT_USAGE;
    }
    fputs("thrace merge: ", stderr);
    print_error(stderr, of->path, &f->error);
    return error_status(&f->error);
}

static int write_merged(struct merge_job *job, struct merge *merge)
{
    const struct merge_input *of;
    const char *err;
    struct failure f = {0};
    struct output *out = output_open(job->out, 0666, &err);
    if (!out) {
        complain("merge", "%s: %s", job->out, err);
        return EXIT_USAGE;
    }
    bool done = merge_traces(merge, output_file(out), &f, &of);
    hide_progress();
    int status = done ? report(merge) : say_error(job, &f, of);
    err = output_close(out, done);
    if (!done || !err)
        return status;
    complain("merge", "%s: %s", job->out, err);
    return EXIT_USAGE;
}

static int merge_files(struct merge_job *job)
{
    struct origin all;
    int status = is_input(job) ? EXIT_USAGE : merge_files_learn(&job->files);
    if (status == EXIT_OK)
        status = align(job, &all);
    if (status != EXIT_OK || !merge_files_read(&job->files))
        return status ? status : EXIT_USAGE;
    take_rate(&job->files, &all);
    struct merge merge = {
        .inputs = job->files.inputs, .n = job->files.n, .version = job->files.version, .origin = all};
    return write_merged(job, &merge);
}

static int run(struct merge_job *job, int argc, char **argv)
{
    int c;
    while ((c = next_option(&arguments, argc, argv)) != -1)
        switch (c) {
        case 'h': return show_usage(&arguments);
        case 'o': job->out = optarg; break;
        case 's': job->offsets[job->noffsets++] = optarg; break;
        case 'a':
            if (take_clock(optarg, &job->clock))
                break;
            return EXIT_USAGE;
        default: return EXIT_USAGE;
        }
    if (!job->out)
        return wrong_use(&arguments, "-o OUT is missing");
    if (!has_operands(&arguments, argc, 1, argc, "a FILE") ||
        !merge_files_take(&job->files, argv + optind, (size_t)(argc - optind)))
        return EXIT_USAGE;
    for (size_t i = 0; i < job->noffsets; i++)
        if (!take_offset(job, job->offsets[i]))
            return EXIT_USAGE;
    return merge_files(job);
}

int cmd_merge(int argc, char **argv)
{
    struct merge_job job = {.offsets = calloc((size_t)argc, sizeof *job.offsets)};
    int status = EXIT_USAGE;
    if (job.offsets)
        status = run(&job, argc, argv);
    else
        complain("merge", "out of memory");
    merge_files_free(&job.files);
    free(job.offsets);
    return status;
}
