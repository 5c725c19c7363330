#include "config.h"

#include "cmd/record_place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/complain.h"
#include "cmd/finish/output.h"

static bool can_create(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    close(fd);
    return true;
}

bool can_record_to(const char *verb, const char *out)
{
    static char path[PATH_MAX];
    const char *slash = strrchr(out, '/');
    bool pattern = strchr(slash, '%');
    int n = pattern ? snprintf(path, sizeof path, "%.*s/.thrace.%ld", (int)(slash - out), out, (long)getpid())
                    : snprintf(path, sizeof path, "%s.spool", out);
    const char *why = pattern ? NULL : output_obstacle(out);
    if (why) {
        complain(verb, "%s: %s", out, why);
        return false;
    }
    if (n < 0 || (size_t)n >= sizeof path) {
        complain(verb, "%s: the path is too long", out);
        return false;
    }
    bool created = can_create(path);
    if (created && !unlink(path))
        return true;
    if (created)
        complain(verb, "%s: it was made to try that, and cannot be removed: %s", path, strerror(errno));
    else if (errno == EEXIST)
        complain(verb, "%s is in use, or left over: thrace finish %s makes a trace of it", path, path);
    else
        complain(verb, "%s: %s", out, strerror(errno));
    return false;
}
