#include "preload/session/state.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/control.h"
#include "lib/meta.h"
#include "lib/options/out_path.h"
#include "preload/config.h"
#include "preload/heap/allocator.h"
#include "preload/heap/heap_sample.h"
#include "preload/modules.h"
#include "preload/real.h"
#include "preload/recorder.h"
#include "preload/service.h"
#include "preload/session/own_spool.h"
#include "preload/thread.h"

struct session session;

static char exe[SPOOL_PATH_MAX], child_pattern[SPOOL_PATH_MAX];

void session_lock(void) { lock_take(&session.lock); }
void session_unlock(void) { lock_drop(&session.lock); }
void session_forget_lock(void) { session.lock.word = 0; }
uint32_t session_number(void) { return __atomic_load_n(&session.number, __ATOMIC_ACQUIRE); }
const char *session_spool(void) { return recorder.spool.path; }
const char *session_exe(void) { return exe; }

/* A process that is not the one that OUT is meant for has its pid in the name. */
bool session_name_child(void)
{
    static const char suffix[] = ".%p";
    size_t len = strlen(session.options->out);
    if (out_pattern_has(session.options->out, 'p') || len + sizeof suffix > sizeof child_pattern)
        return false;
    memcpy(child_pattern, session.options->out, len);
    memcpy(child_pattern + len, suffix, sizeof suffix);
    session.pattern = child_pattern;
    return true;
}

void session_init(const struct options *o, bool child)
{
    session.options = o;
    session.pattern = o->out;
    session.number = session.last_n = session.outgrown = 0;
    session.recorded = session.ends = session.over = false;
    if (child || (o->launcher && o->launcher != (uint64_t)sys_getpid()))
        session_name_child();
    long n = raw_syscall(SYS_readlinkat, AT_FDCWD, (long)"/proc/self/exe", (long)exe, sizeof exe - 1, 0, 0);
    if (sys_failed(n)) /* the first thread has ended */
        n = raw_syscall(SYS_readlinkat, AT_FDCWD, (long)"/proc/thread-self/exe", (long)exe, sizeof exe - 1, 0, 0);
    exe[sys_failed(n) ? 0 : n] = 0;
}

/* What there was of earlier ones stays: a thread may still be writing there. */
void session_reopen(void)
{
    lock_take(&session.lock);
    session.pattern = session.options->out;
    session.number = session.last_n = session.outgrown = 0;
    lock_drop(&session.lock);
}

bool session_path_exists(const char *path)
{
    return !sys_failed(raw_syscall(SYS_faccessat, AT_FDCWD, (long)path, 0, 0, 0, 0));
}

uint64_t session_root(void)
{
    struct stat st;
    if (sys_failed(raw_syscall(SYS_newfstatat, AT_FDCWD, (long)"/", (long)&st, 0, 0, 0)))
        return 0;
    return (uint64_t)st.st_ino ^ (uint64_t)st.st_dev << 32;
}

bool session_is_numbered(void) { return out_pattern_has(session.pattern, 'n'); }

bool session_paths(uint32_t n, char *out, char *spool)
{
    if (!out_path(out, SPOOL_PATH_MAX - 32, session.pattern, (uint32_t)sys_getpid(), n))
        return false;
    spool_name(spool, out, 0);
    return true;
}

void session_each_spool(void (*each)(void *arg, const char *path), void *arg)
{
    char out[SPOOL_PATH_MAX], spool[SPOOL_PATH_MAX];
    for (uint32_t n = 0; n <= session.last_n; n++)
        if (session_paths(n, out, spool) && whose_spool(spool) != SPOOL_IS_NOT_OURS)
            each(arg, spool);
}

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

void session_record_surroundings(void)
{
    modules_restart();
    real_each(record_hook, NULL);
    if (heap_interval)
        allocator_each(record_hook, NULL);
}

void session_describe(struct control_reply *r)
{
    lock_take(&session.lock);
    const struct spool_header *h = recorder.spool.header;
    r->session = session.number;
    r->threads = registry.nthreads;
    if (session.number)
        strcpy(r->spool, recorder.spool.path);
    r->recording = recording();
    if (r->recording) {
        r->log_bytes = h->log_end;
        r->lost = h->lost_events + h->lost_stacks;
        r->recorded_ns = clock_mono_ns() - h->first.mono_ns;
        r->generation = h->last_generation;
    }
    lock_drop(&session.lock);
}
