#include "preload/session/own_threads.h"

#include "preload/session/control.h"
#include "preload/session/helper.h"

void own_threads_start(void)
{
    helper_start();
    control_start();
}

void own_threads_stop(void)
{
    control_stop();
    helper_stop();
}

void own_threads_forget(void)
{
    control_forget();
    helper_forget();
}
