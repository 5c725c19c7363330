#include "cmd/input.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cmd/complain.h"
#include "cmd/verbs.h"

struct gotrace_reader *open_input(const char *verb, const char *path)
{
    struct gotrace_reader *r =
        strcmp(path, "-") ? gotrace_reader_open_path(path) : gotrace_reader_open_fd(STDIN_FILENO);
    if (!r)
        complain(verb, "out of memory");
    return r;
}

void print_error(FILE *out, const char *path, const struct gotrace_error *e)
{
    fprintf(out, "%s: ", path);
    if (e->generation)
        fprintf(out, "generation %" PRIu64 ", ", e->generation);
    if (e->thread != GOTRACE_NONE)
        fprintf(out, "thread %" PRIu64 ", ", e->thread);
    if (e->offset)
        fprintf(out, "byte %" PRIu64 ", ", e->offset);
    if (e->event)
        fprintf(out, "%s: ", e->event);
    fprintf(out, "%s\n", e->message);
}

int error_status(const struct gotrace_error *e)
{
    if (!e)
        return EXIT_OK;
    return e->status == GOTRACE_EREAD || e->status == GOTRACE_ENOMEM ? EXIT_USAGE : EXIT_INVALID;
}
