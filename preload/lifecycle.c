/*
 * The constructor starts the recording, the destructor ends it and has `thrace finish` make the trace, in a process of
 * its own, before the program's exit completes. Under `thrace record` the launcher does that instead.
 *
 * Whatever cannot be done is said in one line, and the program runs on untraced.
 */
#include "preload/lifecycle.h"

#include <fcntl.h>
#include <link.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "config.h"
#include "lib/meta.h"
#include "preload/options.h"
#include "preload/real.h"
#include "preload/tracer.h"

static struct options options;
static bool finish_forbidden;
static char **environment;

void lifecycle_forbid_finish(void) { finish_forbidden = true; }

void say(const char *text, const char *detail)
{
    struct iovec iov[] = {{(void *)"thrace: ", 8},
                          {(void *)text, strlen(text)},
                          {(void *)detail, strlen(detail)},
                          {(void *)"\n", 1}};
    raw_syscall(SYS_writev, 2, (long)iov, 4, 0, 0, 0);
}

/* --- who we are ---------------------------------------------------------------------------------------------------- */

static long read_file(const char *path, char *buf, size_t size)
{
    long fd = sys_openat(path, O_RDONLY | O_CLOEXEC, 0), n;
    if (sys_failed(fd))
        return fd;
    n = sys_read((int)fd, buf, size - 1);
    sys_close((int)fd);
    buf[n < 0 ? 0 : n] = 0;
    return n;
}

/* Field 22 of /proc/self/stat: when the process started. The second field may contain anything but ends at the last ). */
static uint64_t process_start_time(void)
{
    char buf[1024];
    if (read_file("/proc/self/stat", buf, sizeof buf) <= 0)
        return 0;
    const char *p = strrchr(buf, ')');
    uint64_t v = 0;
    for (int field = 2; p && field < 22; field++)
        if ((p = strchr(p, ' ')))
            p++;
    for (; p && *p >= '0' && *p <= '9'; p++)
        v = v * 10 + (uint64_t)(*p - '0');
    return v;
}

static void absolute_path(const char *path, char *out, size_t size)
{
    size_t len = 0;
    if (*path != '/') {
        long n = raw_syscall(SYS_getcwd, (long)out, (long)(size - strlen(path) - 2), 0, 0, 0, 0);
        if (!sys_failed(n) && n > 1) {
            len = (size_t)n - 1;
            out[len++] = '/';
        }
    }
    strcpy(out + len, path);
}

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

/*
 * Another recording may be under way to the same file: by our parent, whose environment we inherited. It is left alone
 * and nothing is said. The same process after exec gets a spool of its own: OUT.2.spool and so on.
 */
static int open_spool(void)
{
    char path[SPOOL_PATH_MAX];
    absolute_path(options.out, path, sizeof path - 16);
    size_t len = strlen(path);
    for (int n = 1; n <= 9; n++) {
        char suffix[] = {'.', (char)('0' + n), 0};
        strcpy(path + len, n > 1 ? suffix : "");
        strcat(path, ".spool");
        int err = spool_create(&tracer.spool, path);
        if (err != -EEXIST)
            return err;
        if (!options.launcher)
            break;
    }
    return -EEXIST;
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
    t->pthread = pthread_self();
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

static uint32_t cpus_allowed(void)
{
    uint64_t mask[128] = {0};
    uint32_t n = 0;
    long size = raw_syscall(SYS_sched_getaffinity, 0, sizeof mask, (long)mask, 0, 0, 0);
    for (long i = 0; i < size / 8; i++)
        n += (uint32_t)__builtin_popcountll(mask[i]);
    return n ? n : 1;
}

__attribute__((constructor)) static void start(int argc, char **argv, char **envp)
{
    real_resolve();
    environment = envp;
    if (!options_read(&options, envp) || !is_for_us())
        return;
    clock_start(&tracer.clock);
    int err = open_spool();
    if (err) {
        if (err != -EEXIST || options.verbose)
            say(err == -EEXIST ? "another recording to this file is under way: " : why(err), options.out);
        return;
    }
    fill_header(tracer.spool.header);
    tracer.sched.gomaxprocs = cpus_allowed();
    tracer.period_ns = options.period_ns;
    tracer_start();
    thread_init();
    process_init();
    begin_main_thread();
    modules_refresh();
    real_each(record_hook, NULL);
    if (options.verbose)
        say("recording to ", tracer.spool.path);
}

/* --- end ----------------------------------------------------------------------------------------------------------- */

static char thrace_path[SPOOL_PATH_MAX];

/* The command lies where it was installed, or beside the library in a build tree. */
static int find_self(struct dl_phdr_info *info, size_t size, void *arg)
{
    uintptr_t here = (uintptr_t)&find_self;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        uintptr_t lo = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        if (info->dlpi_phdr[i].p_type == PT_LOAD && here >= lo && here < lo + info->dlpi_phdr[i].p_memsz) {
            strncpy(thrace_path, info->dlpi_name, sizeof thrace_path - 32);
            return 1;
        }
    }
    return 0;
}

static bool is_executable(const char *path)
{
    return !sys_failed(raw_syscall(SYS_faccessat, AT_FDCWD, (long)path, 1 /* X_OK */, 0, 0, 0));
}

static const char *find_thrace(void)
{
    static const char *const beside[] = {"/../thrace", "/thrace"};
    dl_iterate_phdr(find_self, NULL);
    char *slash = strrchr(thrace_path, '/');
    for (int i = 0; slash && i < 2; i++) {
        strcpy(slash, beside[i]);
        if (is_executable(thrace_path))
            return thrace_path;
    }
    return THRACE_BINDIR "/thrace";
}

static int run_finish(void *arg)
{
    char *const *argv = arg;
    char *clean[512];
    int n = 0;
    for (char **e = environment; e && *e && n < 511; e++)
        if (strncmp(*e, "LD_PRELOAD=", 11) && strncmp(*e, "THRACE_", 7))
            clean[n++] = *e;
    clean[n] = NULL;
    raw_syscall(SYS_execve, (long)argv[0], (long)argv, (long)clean, 0, 0, 0);
    raw_syscall(SYS_exit_group, 127, 0, 0, 0, 0, 0);
    return 0;
}

/*
 * A child that gives no SIGCHLD, and that no wait of the program's other threads can take: clone without an exit
 * signal, waited for with __WCLONE. CLONE_VFORK: it borrows our memory until it executes.
 */
static bool finish_in_child(void)
{
    static char stack[16384] __attribute__((aligned(16)));
    const char *argv[] = {find_thrace(), "finish", "-q", tracer.spool.path, NULL};
    int status = -1;
    int pid = clone(run_finish, stack + sizeof stack, CLONE_VM | CLONE_VFORK, (void *)argv);
    if (pid < 0)
        return false;
    while (raw_syscall(SYS_wait4, pid, (long)&status, __WCLONE, 0, 0, 0) == -EINTR)
        ;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

__attribute__((destructor)) static void end(void)
{
    if (!tracer.spool.header || tracer.spool.header->pid != (uint32_t)sys_getpid())
        return;
    if (recording())
        modules_refresh();
    tracer_stop();
    if (options.launcher)
        return;
    if (finish_forbidden || !finish_in_child())
        say("the trace is not finished yet; this finishes it: thrace finish ", tracer.spool.path);
}
