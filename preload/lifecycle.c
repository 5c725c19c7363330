/*
 * The constructor starts the recording, the destructor ends it and has `thrace finish` make the trace, in a process of
 * its own, before the program's exit completes. Under `thrace record` the launcher does that instead.
 *
 * Whatever cannot be done is said in one line, and the program runs on untraced.
 */
#include "preload/lifecycle.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "config.h"
#include "lib/meta.h"
#include "preload/allocator.h"
#include "preload/finisher.h"
#include "preload/heap.h"
#include "preload/options.h"
#include "preload/own_spool.h"
#include "preload/real.h"
#include "preload/sample.h"
#include "preload/short_calls.h"
#include "preload/tracer.h"

static struct options options;
static bool finish_forbidden;
static char **environment;

void lifecycle_forbid_finish(void) { finish_forbidden = true; }

/* One write(2): the only system call that even the strictest seccomp filter allows. */
void say(const char *text, const char *detail)
{
    static const char prefix[] = "thrace: ";
    char line[SPOOL_PATH_MAX + 256];
    size_t n = sizeof prefix - 1, len = strnlen(text, 200), room;
    memcpy(line, prefix, n);
    memcpy(line + n, text, len);
    n += len;
    room = sizeof line - n - 1;
    len = strnlen(detail, room);
    memcpy(line + n, detail, len);
    n += len;
    line[n++] = '\n';
    sys_write(2, line, n);
}

/* --- who we are ---------------------------------------------------------------------------------------------------- */

static void fill_header(struct spool_header *h)
{
    struct timespec ts;
    clock_gettime(CLOCK_REALTIME, &ts);
    h->start_realtime_ns = (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
    h->pid = (uint32_t)sys_getpid();
    h->pid_start = process_start_time();
    h->trace_version = (uint32_t)options.trace_version;
    h->clock = tracer.clock;
    absolute_path(options.out, h->out, sizeof h->out);
    long n = raw_syscall(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)h->exe, sizeof h->exe - 1, 0, 0);
    h->exe[sys_failed(n) ? 0 : n] = 0;
}

/* --- start --------------------------------------------------------------------------------------------------------- */

static const char *why(int err)
{
    switch (-err) {
    case ENOSPC: return "no space left on the device, nothing is recorded: ";
    case EACCES:
    case EPERM: return "no permission to write there, nothing is recorded: ";
    case ENOENT: return "no such directory, nothing is recorded: ";
    case EROFS: return "the file system is read-only, nothing is recorded: ";
    case EFBIG: return "the file size limit is too low, nothing is recorded: ";
    case ENOMEM: return "not enough memory or address space, nothing is recorded: ";
    default: return "cannot create the spool, nothing is recorded: ";
    }
}

/* A process that is not the one that `thrace record` started stays out of it. */
static bool is_for_us(void) { return options.out && (!options.launcher || options.launcher == (uint64_t)sys_getpid()); }

static void record_hook(void *arg, const void *address, const char *name)
{
    uint8_t buf[128];
    struct meta_record r;
    meta_begin(&r, buf, sizeof buf, META_HOOK);
    meta_int(&r, (uintptr_t)address + 1);
    meta_text(&r, name, strlen(name));
    if (!r.overflow)
        service_record(buf, (size_t)(r.p - buf));
}

extern void *__libc_stack_end;

static void begin_main_thread(void)
{
    struct rlimit limit = {0, 0};
    raw_syscall(SYS_prlimit64, 0, RLIMIT_STACK, 0, (long)&limit, 0, 0);
    struct thread *t = thread_new();
    if (!t)
        return;
    t->stack_hi = ((uintptr_t)__libc_stack_end | 0xfff) + 1;
    t->stack_lo = t->stack_hi - (limit.rlim_cur < (UINT64_C(1) << 30) ? limit.rlim_cur : UINT64_C(1) << 30);
    t->sched.m = (uint64_t)sys_gettid();
    t->pthread = tracer.main_thread = pthread_self();
    t->in_hook = 1;
    self = t;
    thread_watch_exit(t);
    if (section_enter(t, 1 + 3 * VARINT_MAX)) {
        write_thread_record(t, t, 0);
        if (!sched_first_thread(&tracer.sched, &t->sched, START_STACK_BASE + t->sched.g, now()))
            count_lost();
        section_leave(t);
    }
    t->in_hook = 0;
}

uint32_t cpus_of_process(void)
{
    uint64_t mask[128] = {0};
    uint32_t n = 0;
    long size = raw_syscall(SYS_sched_getaffinity, sys_getpid(), sizeof mask, (long)mask, 0, 0, 0);
    for (long i = 0; i < size / 8; i++)
        n += (uint32_t)__builtin_popcountll(mask[i]);
    return n ? n : 1;
}

__attribute__((constructor)) static void start(int argc, char **argv, char **envp)
{
    real_resolve();
    environment = envp;
    if (!options_read(&options, envp) || !is_for_us()) {
        heap_begin(false, 0);
        return;
    }
    clock_start(&tracer.clock);
    int err = open_own_spool(options.out);
    if (err) {
        if (err != -EEXIST || options.verbose)
            say(err == -EEXIST ? "another recording to this file is under way: " : why(err), options.out);
        heap_begin(false, 0);
        return;
    }
    fill_header(tracer.spool.header);
    tracer.sched.gomaxprocs = cpus_of_process();
    tracer.period_ns = options.period_ns;
    tracer.unwind_mode = (uint8_t)options.unwind;
    tracer.stack_depth = (uint16_t)options.stack_depth;
    tracer.stack_kinds = (uint32_t)options.stack_kinds;
    tracer.classes = (uint32_t)options.classes;
    tracer.min_call = clock_roughly(&tracer.clock, options.min_call_ns);
    if (!tracer_start()) {
        say(why(-ENOMEM), options.out);
        spool_unmap(&tracer.spool);
        sys_unlink(tracer.spool.path);
        heap_begin(false, 0);
        return;
    }
    spool_publish(&tracer.spool);
    thread_init();
    process_init();
    heap_begin(tracer.classes & CLASS_HEAP, options.heap_sample);
    begin_main_thread();
    modules_refresh();
    sample_init(options.cpu_hz);
    real_each(record_hook, NULL);
    if (options.heap_sample)
        allocator_each(record_hook, NULL);
    if (self)
        sample_arm(self);
    if (options.verbose)
        say("recording to ", tracer.spool.path);
}

/* --- end ----------------------------------------------------------------------------------------------------------- */

__attribute__((destructor)) static void end(void)
{
    if (!tracer.owner->alive)
        return;
    if (recording()) {
        modules_refresh();
        short_calls_write();
        heap_end();
    }
    tracer_stop();
    if (options.launcher)
        return;
    if (finish_forbidden || !run_finisher(environment))
        say("the trace is not finished yet; this finishes it: thrace finish ", tracer.spool.path);
}
