#include "preload/maintenance.h"

#include "preload/config.h"
#include "preload/say.h"
#include "preload/upcalls.h"

enum { EVERY_NS = 100000 };

void maintain(void)
{
    static uint64_t next;
    say_pending();
    if (upcalls.wake_helper()) {
        recorder.wants_maintenance = 0;
    } else if (now() >= next || !config.period_ns || !recorder.spool.header || spool_wants_drain(&recorder.spool)) {
        upcalls.maintain();
        next = now() + clock_roughly(&recorder.clock, EVERY_NS);
    }
}

void maintain_in_malloc(void)
{
    if (upcalls.wake_helper())
        recorder.wants_maintenance = 0;
    else
        upcalls.make_room();
}
