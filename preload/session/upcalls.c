/* What the rooms above do for the core and the hooks, and what the helper does. */
#include "preload/upcalls.h"

#include "preload/annotate/annotate.h"
#include "preload/heap/heap.h"
#include "preload/heap/operators.h"
#include "preload/held_signals.h"
#include "preload/recorder.h"
#include "preload/sampler/retry.h"
#include "preload/sampler/sample.h"
#include "preload/sampler/sample_perf.h"
#include "preload/sampler/sample_record.h"
#include "preload/sampler/sample_timer.h"
#include "preload/sampler/wrap_signal.h"
#include "preload/session/flight.h"
#include "preload/session/forbidden.h"
#include "preload/session/helper.h"
#include "preload/session/maintain.h"
#include "preload/session/privileges.h"
#include "preload/session/triggers.h"
#include "preload/session/own_threads.h"
#include "preload/switches/switches.h"
#include "preload/thread.h"

/* --- the helper's jobs, in their order ---------------------------------------------------------------------------- */

static void inherit_privileges(void) { privileges_inherited(PRIVILEGES_OF_HELPER, helper_wake); }
static void adopt_privileges(void) { privileges_adopt(PRIVILEGES_OF_HELPER); }
static void give_up_privileges(void) { privileges_gone(PRIVILEGES_OF_HELPER); }

static struct session_file spool;

static void begin_maintenance(void) { spool = (struct session_file){-1, 0}; }
static void do_maintenance(void) { session_maintain(&spool); }
static uint64_t generation_due(void) { return recording() ? recorder.deadline_ns : UINT64_MAX; }

const struct helper_job helper_jobs[] = {
    {.prepare = inherit_privileges, .run = adopt_privileges, .end = give_up_privileges, .forget = privileges_forget},
    {.run = triggers_run, .due = triggers_due},
    {.begin = switches_open_of_all,
     .run = switches_run,
     .due = switches_due,
     .end = switches_close_of_all,
     .forget = switches_forget},
    {.begin = begin_maintenance, .run = do_maintenance, .due = generation_due},
    {.run = sample_perf_serve, .end = sample_perf_end, .forget = sample_perf_in_child},
    {.run = NULL},
};

/* --- upcalls ------------------------------------------------------------------------------------------------------ */

/* Without a recording there is nothing to do, and perhaps no system call allowed (seccomp). */
static void maintain_without_helper(void)
{
    if (!recording())
        return;
    uint64_t held = signals_hold_alone();
    session_maintain(NULL);
    signals_release(held);
}

static void announces_thread(struct thread *child)
{
    own_threads_start();
    child->sample.inherits_block = signal_blocked_for_child();
}

static void thread_begins(struct thread *t)
{
    t->began_ns = switches_wanted() ? clock_mono_ns() : 0;
    sample_arm(t);
}

static void thread_ends(struct thread *t)
{
    sample_disarm(t);
    switches_thread_ends(t->began_ns);
}

static void thread_has_ended(bool last)
{
    heap_thread_end();
    if (last)
        own_threads_stop();
}

static void seal_samples(void) { sample_seal(); }

const struct upcalls upcalls = {
    .wake_helper = helper_wake,
    .maintain = maintain_without_helper,
    .make_room = session_make_room,
    .creates_thread = sample_thread_from,
    .announces_thread = announces_thread,
    .thread_begins = thread_begins,
    .thread_ends = thread_ends,
    .thread_has_ended = thread_has_ended,
    .waited_long = flight_waited_long,
    .call_failed = annotate_call_error,
    .mapped = heap_mapped,
    .socket_times_out = retry_sockets,
    .module_closed = operators_forget,
    .privileges_changed = privileges_follow,
    .seccomp_is_coming = seccomp_is_coming,
    .prctl_is_coming = prctl_is_coming,
    .write_heap_status = heap_write_status,
    .seal_samples = seal_samples,
    .samples_have_left = samples_have_left,
};
