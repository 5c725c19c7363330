/* What a program may call by include/thrace. */
#include <thrace/session.h>

#include <errno.h>

#include "preload/attributes.h"
#include "preload/session/start.h"
#include "preload/session/stop.h"

EXPORT int thrace_session_start(void);
EXPORT int thrace_session_stop(void);

int thrace_session_start(void)
{
    int err = session_start();
    return err == -ESHUTDOWN ? ENOSYS : -err;
}

int thrace_session_stop(void) { return session_stop() ? 0 : EALREADY; }
