#include "parser/failure.h"

#include <stdarg.h>
#include <stdio.h>

void fail(struct failure *f, enum gotrace_status status, struct place at, const char *fmt, ...)
{
    if (f->error.status)
        return;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(f->message, sizeof f->message, fmt, ap);
    va_end(ap);
    f->error = (struct gotrace_error){.status = status,
                                      .message = f->message,
                                      .generation = at.generation,
                                      .thread = at.thread,
                                      .offset = at.offset,
                                      .event = at.event};
}
