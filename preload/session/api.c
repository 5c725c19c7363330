/* What a program may call by include/thrace. */
#include <thrace/session.h>

#include <errno.h>

#include "preload/attributes.h"
#include "preload/sampler/sample.h"
#include "preload/session/own_threads.h"
#include "preload/session/start.h"
#include "preload/session/stop.h"

EXPORT int thrace_session_start(void);
EXPORT int thrace_session_stop(void);

int thrace_session_start(void)
{
    int err = session_start();
    if (!err && sample_perf_wanted()) /* in a child of a fork the helper has just begun; who listens comes with it */
        own_threads_start();
    return err == -ESHUTDOWN ? ENOSYS : -err;
}

int thrace_session_stop(void) { return session_stop() ? 0 : EALREADY; }
