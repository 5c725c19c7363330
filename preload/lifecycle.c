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
#include <signal.h>
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

/* The spool at path is our own, from before this process executed another program. */
static bool is_own_spool(const char *path)
{
    static struct spool_header h; /* larger than a stack should carry; the constructor runs once */
    long fd = sys_openat(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
    if (sys_failed(fd))
        return false;
    long n = sys_read((int)fd, &h, sizeof h);
    sys_close((int)fd);
    return n == sizeof h && !memcmp(h.magic, SPOOL_MAGIC, sizeof h.magic) && h.pid == (uint32_t)sys_getpid() &&
           h.pid_start == process_start_time();
}

/* path + ".N.spool", N one digit; 0: path + ".spool". */
static void spool_name(char *name, const char *path, int n)
{
    char number[] = {'.', (char)('0' + n), 0};
    strcpy(name, path);
    strcat(name, n ? number : "");
    strcat(name, ".spool");
}

/*
 * Spools of the images that this process was before: OUT.1.spool, OUT.2.spool and so on. The program that runs to the
 * end has OUT to itself, whatever started it (sh -c 'exec …', env, taskset).
 */
static int earlier_images;

enum { MAX_EARLIER_IMAGES = 9, RENAME_NOREPLACE_FLAG = 1 };

/* Nobody writes to it any more, though its process lives. */
static bool mark_complete(const char *spool)
{
    uint32_t state = SPOOL_COMPLETE;
    long fd = sys_openat(spool, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
    if (sys_failed(fd))
        return false;
    long n = raw_syscall(SYS_pwrite64, fd, (long)&state, sizeof state, offsetof(struct spool_header, state), 0, 0);
    sys_close((int)fd);
    return n == sizeof state;
}

static bool move_own_spool(const char *out, const char *spool)
{
    char moved[SPOOL_PATH_MAX];
    while (earlier_images < MAX_EARLIER_IMAGES) {
        spool_name(moved, out, ++earlier_images);
        long err = raw_syscall(SYS_renameat2, AT_FDCWD, (long)spool, AT_FDCWD, (long)moved, RENAME_NOREPLACE_FLAG, 0);
        if (err != -EEXIST)
            return !err && mark_complete(moved);
    }
    return false;
}

/*
 * Another recording may be under way to the same file: by our parent, whose environment we inherited. It is left alone
 * and nothing is said.
 */
static int open_spool(void)
{
    char out[SPOOL_PATH_MAX], path[SPOOL_PATH_MAX];
    absolute_path(options.out, out, sizeof out - 16);
    spool_name(path, out, 0);
    int err = spool_create(&tracer.spool, path);
    if (err == -EEXIST && is_own_spool(path) && move_own_spool(out, path))
        err = spool_create(&tracer.spool, path);
    return err;
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
    if (!tracer_start()) {
        say(why(-ENOMEM), options.out);
        spool_unmap(&tracer.spool);
        sys_unlink(tracer.spool.path);
        return;
    }
    spool_publish(&tracer.spool);
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

/*
 * `thrace finish` is our grandchild, so that the program sees no child of its own come and go. Execution gives a child
 * back its SIGCHLD; the child in between does not execute: made by clone without an exit signal, it gives none, and no
 * wait of the program's other threads can take it, only ours with __WCLONE. Both borrow our memory. All signals are
 * blocked in the one in between: a handler of the program must not run there.
 */
struct finisher {
    const char **argv;
    uint64_t signals; /* to be blocked in the program that is executed */
};

static int execute_finish(void *arg)
{
    const struct finisher *f = arg;
    char *clean[512];
    int n = 0;
    for (char **e = environment; e && *e && n < 511; e++)
        if (strncmp(*e, "LD_PRELOAD=", 11) && strncmp(*e, "THRACE_", 7))
            clean[n++] = *e;
    clean[n] = NULL;
    raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&f->signals, 0, sizeof f->signals, 0, 0);
    raw_syscall(SYS_execve, (long)f->argv[0], (long)f->argv, (long)clean, 0, 0, 0);
    raw_syscall(SYS_exit_group, 127, 0, 0, 0, 0, 0);
    return 0;
}

static int wait_for(int pid, int flags)
{
    int status = -1;
    while (raw_syscall(SYS_wait4, pid, (long)&status, flags, 0, 0, 0) == -EINTR)
        ;
    return status;
}

static int stand_between(void *arg)
{
    static char stack[16384] __attribute__((aligned(16)));
    struct {
        void (*handler)(int);
        unsigned long flags;
        void (*restorer)(void);
        uint64_t mask;
    } dfl = {0}; /* the kernel's sigaction: SIG_DFL, so that the grandchild is ours to wait for */
    raw_syscall(SYS_rt_sigaction, SIGCHLD, (long)&dfl, 0, sizeof dfl.mask, 0, 0);
    int pid = clone(execute_finish, stack + sizeof stack, CLONE_VM | CLONE_VFORK | SIGCHLD, arg);
    int status = pid < 0 ? -1 : wait_for(pid, 0);
    raw_syscall(SYS_exit_group, WIFEXITED(status) ? WEXITSTATUS(status) : 127, 0, 0, 0, 0, 0);
    return 0;
}

static bool finish_in_child(void)
{
    static char stack[16384] __attribute__((aligned(16)));
    static char earlier[MAX_EARLIER_IMAGES][SPOOL_PATH_MAX];
    const char *argv[MAX_EARLIER_IMAGES + 5] = {find_thrace(), "finish", "-q", tracer.spool.path, NULL};
    for (int i = 0; i < earlier_images; i++) {
        spool_name(earlier[i], tracer.spool.header->out, i + 1);
        argv[4 + i] = earlier[i];
    }
    struct finisher f = {argv, 0};
    uint64_t all = ~UINT64_C(0);
    raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)&f.signals, sizeof all, 0, 0);
    int pid = clone(stand_between, stack + sizeof stack, CLONE_VM, &f);
    int status = pid < 0 ? -1 : wait_for(pid, (int)__WCLONE);
    raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, (long)&f.signals, 0, sizeof f.signals, 0, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

__attribute__((destructor)) static void end(void)
{
    if (!tracer.owner->alive)
        return;
    if (recording())
        modules_refresh();
    tracer_stop();
    if (options.launcher)
        return;
    if (finish_forbidden || !finish_in_child())
        say("the trace is not finished yet; this finishes it: thrace finish ", tracer.spool.path);
}
