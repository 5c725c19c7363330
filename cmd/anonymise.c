/* thrace anonymise IN OUT: a trace without the names that are nobody's business. */
#include <errno.h>
#include <unistd.h>

#include "cmd/arguments.h"
#include "cmd/complain.h"
#include "cmd/filter.h"
#include "cmd/input.h"
#include "cmd/verbs.h"
#include "parser/batch.h"
#include "parser/rewrite/anonymise.h"

static const char usage[] = "usage: thrace anonymise IN OUT\n"
                            "\n"
                            "Writes the trace IN to OUT with other names, paths, addresses and messages, the same for\n"
                            "the same; events and times stay. The man page says what else does.\n"
                            "IN and OUT may be -, standard input and output.\n"
                            "\n"
                            "Exit status: 0 done, 1 IN is invalid, 2 it cannot be read, or OUT not be written.\n";
static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
static const struct arguments arguments = {"anonymise", usage, ":h", options};

static ssize_t read_fd(void *arg, void *buf, size_t size) { return read(*(int *)arg, buf, size); }

static int say_failure(const struct filter *files, const struct failure *f)
{
    if (f->error.status == GOTRACE_EWRITE) {
        hide_progress();
        complain("anonymise", "%s: %s", files->out, f->message);
        return EXIT_USAGE;
    }
    fputs("thrace anonymise: ", stderr);
    print_error(stderr, files->in, &f->error);
    return error_status(&f->error);
}

static void report(const struct anonymised *done)
{
    hide_progress();
    if (done->batches || done->events)
        complain("anonymise", "dropped what experiments recorded: %llu batch%s, %llu event%s",
                 (unsigned long long)done->batches, done->batches == 1 ? "" : "es", (unsigned long long)done->events,
                 done->events == 1 ? "" : "s");
    if (done->notes)
        complain("anonymise", "dropped %llu note%s of the recorder, such as heap profiles are made of",
                 (unsigned long long)done->notes, done->notes == 1 ? "" : "s");
}

static int anonymise(void *arg, FILE *in, FILE *out)
{
    const struct filter *files = arg;
    int fd = fileno(in), status = EXIT_OK;
    struct source s = {.read = read_fd, .arg = &fd, .tell = begin_progress("anonymise", files->in)};
    struct failure f = {0};
    struct anonymised done;
    const struct wire_version *version = read_any_header(&s, &f);
    if (version && version->old) {
        complain(
            "anonymise",
            "%s: a trace of Go 1.%d has another form: thrace convert --trace-version 1.26 makes one that this takes",
            files->in, version->nn);
        status = EXIT_INVALID;
    } else if (!version || !anonymise_trace(&s, version, out, &done, &f)) {
        status = say_failure(files, &f);
    } else {
        report(&done);
    }
    hide_progress();
    source_free(&s);
    return status;
}

int cmd_anonymise(int argc, char **argv)
{
    struct filter files = {.verb = "anonymise", .in_name = "IN", .out_name = "OUT"};
    for (int o; (o = next_option(&arguments, argc, argv)) != -1;)
        return o == 'h' ? show_usage(&arguments) : EXIT_USAGE;
    if (!has_operands(&arguments, argc, 2, 2, "IN or OUT"))
        return EXIT_USAGE;
    files.in = argv[optind];
    files.out = argv[optind + 1];
    return filter_run(&files, anonymise, &files);
}
