#include "cmd/filter.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/complain.h"
#include "cmd/finish/output.h"
#include "cmd/verbs.h"

static bool same_file(FILE *in, const char *path)
{
    struct stat a, b;
    return strcmp(path, "-") && !fstat(fileno(in), &a) && !stat(path, &b) && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

static int write_out(const struct filter *f, FILE *in, filter_fn *run, void *arg)
{
    const char *err;
    struct output *out = output_open(f->out, 0666, &err);
    int status = EXIT_USAGE;
    if (out) {
        status = run(arg, in, output_file(out));
        bool complete = status == EXIT_OK || f->complete;
        err = output_close(out, complete);
        err = complete ? err : NULL;
    }
    if (!err)
        return status;
    complain(f->verb, "%s: %s", f->out, err);
    return EXIT_USAGE;
}

int filter_run(const struct filter *f, filter_fn *run, void *arg)
{
    FILE *in = strcmp(f->in, "-") ? fopen(f->in, "re") : stdin;
    int status = EXIT_USAGE;
    if (!in) {
        complain(f->verb, "%s: %s", f->in, strerror(errno));
        return EXIT_USAGE;
    }
    if (same_file(in, f->out))
        complain(f->verb, "%s: %s and %s are the same file", f->out, f->in_name, f->out_name);
    else
        status = write_out(f, in, run, arg);
    if (in != stdin)
        fclose(in);
    return status;
}
