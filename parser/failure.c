#include "parser/failure.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void fail(struct failure *f, enum gotrace_status status, struct place at, const char *fmt, ...)
{
    if (f->error.status)
        return;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(f->message, sizeof f->message, fmt, ap);
    va_end(ap);
    f->error = (struct gotrace_error){.status = status,
                                      .sys_errno = status == GOTRACE_ENOMEM ? ENOMEM : 0,
                                      .message = f->message,
                                      .generation = at.generation,
                                      .thread = at.thread,
                                      .offset = at.offset,
                                      .event = at.event};
}

void fail_system(struct failure *f, enum gotrace_status status, struct place at, int error, const char *what)
{
    if (f->error.status)
        return;
    fail(f, error == ENOMEM ? GOTRACE_ENOMEM : status, at, "%s: %s", what, strerror(error));
    f->error.sys_errno = error;
}
