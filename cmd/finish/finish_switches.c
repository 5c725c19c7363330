#include "config.h"

#include "cmd/finish/finish_switches.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cmd/finish/opening.h"
#include "cmd/finish/recording_switches.h"
#include "gotrace/reader.h"
#include "parser/rewrite/switches.h"

static struct gotrace_reader *read_again(int fd)
{
    return lseek(fd, 0, SEEK_SET) < 0 ? NULL : gotrace_reader_open_fd(fd);
}

static bool learn(int fd, struct thread_switches *switches, struct switches_known *known)
{
    struct gotrace_reader *r = read_again(fd);
    bool ok = r && switches_learn(r, switches, known);
    gotrace_reader_free(r);
    return ok;
}

/* What the trace is made of that fd reads once more. */
static const char *merge(int fd, FILE *out, const struct thread_switches *switches, const struct switches_known *known,
                         bool torn, struct finish_summary *sum)
{
    static char text[256];
    struct failure f = {0};
    struct switches_result result;
    struct gotrace_reader *reader = read_again(fd);
    if (!reader)
        return strerror(errno ? errno : ENOMEM);
    bool done = switches_merge(reader, switches, known, torn, out, &result, &f) && !fflush(out);
    int number = errno;
    gotrace_reader_free(reader);
    sum->bytes = (uint64_t)ftello(out);
    sum->rewritten = result.events;
    sum->generations = result.generations;
    if (done)
        return NULL;
    snprintf(text, sizeof text, "%s", f.error.status ? f.error.message : strerror(number));
    return text;
}

const char *finish_switches(int fd, FILE *out, struct recording *r, bool torn, bool show_cpus,
                            struct finish_summary *sum)
{
    if (opening_needed(r) && !recording_add_begin(r))
        return strerror(ENOMEM);
    struct thread_switches switches = {r->switches.v, r->switches.n};
    struct switches_known known = {
        .moves.lost = r->lost_switches, .delays.said = r->delays.v, .delays.n = r->delays.n,
        .wakers = r->wakers.v, .nwakers = r->wakers.n, .show_cpus = show_cpus};
    const char *err = learn(fd, &switches, &known) ? merge(fd, out, &switches, &known, torn, sum)
                                                   : strerror(errno ? errno : ENOMEM);
    switches_known_free(&known);
    return err;
}
