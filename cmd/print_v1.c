#include "cmd/print_v1.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/binary.h"
#include "cmd/complain.h"
#include "cmd/flush.h"
#include "cmd/verbs.h"
#include "parser/v1/load.h"
#include "parser/v1/print.h"

static int load(const char *path, struct raw_buffer *bytes)
{
    if (!strcmp(path, "-"))
        return v1_load(STDIN_FILENO, bytes);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    int error = v1_load(fd, bytes);
    close(fd);
    return error;
}

static int report(const char *path, const struct v1_error *e)
{
    char place[64] = "";
    if (e->offset)
        snprintf(place, sizeof place, "byte %" PRIu64 ", ", e->offset);
    complain("print", "%s: %s%s%s%s", path, place, e->event ? e->event : "", e->event ? ": " : "", e->message);
    return e->status == V1_NO_MEMORY ? EXIT_USAGE : EXIT_INVALID;
}

static bool print_all(struct v1_trace *t)
{
    struct raw_buffer o = {0};
    bool ok = true;
    for (const struct v1_event *ev; ok && (ev = v1_next(t));) {
        v1_print(&o, t, ev);
        ok = flush_when_full(&o);
    }
    ok = ok && flush_all(&o);
    int error = errno;
    raw_buffer_free(&o);
    errno = error;
    return ok;
}

int print_v1(const char *path, struct binary *binary)
{
    struct raw_buffer bytes = {0};
    struct v1_trace t;
    struct v1_error e;
    int status = EXIT_OK, error = load(path, &bytes);
    if (error) {
        complain("print", "%s: cannot read: %s", path, strerror(error));
        status = EXIT_USAGE;
    } else if (!v1_parse(&t, bytes.at, bytes.size, V1_AS_GO_1_21, &e)) {
        status = report(path, &e);
    } else {
        if (!binary_fits(binary, path, &t)) {
            status = EXIT_USAGE;
        } else if (!print_all(&t)) {
            complain("print", "cannot write the events: %s", strerror(errno));
            status = EXIT_USAGE;
        }
        v1_free(&t);
    }
    raw_buffer_free(&bytes);
    return status;
}
