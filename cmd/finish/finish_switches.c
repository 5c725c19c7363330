#include "config.h"

#include "cmd/finish/finish_switches.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "gotrace/reader.h"
#include "parser/rewrite/switches.h"

static struct gotrace_reader *read_again(int fd)
{
    return lseek(fd, 0, SEEK_SET) < 0 ? NULL : gotrace_reader_open_fd(fd);
}

static bool learn(int fd, struct thread_switches *switches, uint64_t *max_procs)
{
    struct gotrace_reader *r = read_again(fd);
    bool ok = r && switches_learn(r, switches, max_procs);
    gotrace_reader_free(r);
    return ok;
}

const char *finish_switches(int fd, FILE *out, struct recording *r, bool torn, struct finish_summary *sum)
{
    static char text[256];
    struct failure f = {0};
    struct thread_switches switches = {r->switches.v, r->switches.n};
    struct switches_result result;
    uint64_t max_procs;
    if (!learn(fd, &switches, &max_procs))
        return strerror(errno ? errno : ENOMEM);
    struct gotrace_reader *reader = read_again(fd);
    if (!reader)
        return strerror(errno ? errno : ENOMEM);
    bool done = switches_merge(reader, &switches, max_procs, torn, out, &result, &f) && !fflush(out);
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
