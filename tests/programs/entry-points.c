/* entry-points GROUP: every entry point of that group, in every way it can go. */
#include "entry-points.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "libc.h"

static const struct group *const groups[] = {&io_group,   &net_group,   &poll_group, &file_group,   &mem_group,
                                             &proc_group, &sleep_group, &ipc_group,  &stdio_group,
                                             &syscall_group};

char buffer[1 << 18];
char path_of_file[64], path_of_fifo[64], path_of_other[64], path_of_none[64], path_of_socket[64], path_of_folder[64];
struct timespec in_20_ms = {0, 20000000}, in_an_hour = {3600, 0};

/* --- calling ------------------------------------------------------------------------------------------------------ */

typedef long any_function(long, long, long, long, long, long, long, long);

/* What is preloaded may have functions that this libc has not. */
static any_function *find(const char *function)
{
    return find_in_libc(function) ? (any_function *)dlsym(RTLD_DEFAULT, function) : NULL;
}

/* Unbuffered to write, so that each call is felt. A stream that a cancelled thread has left is never used again. */
static FILE *open_stream(int fd, const char *mode)
{
    FILE *f = fdopen(dup(fd), mode);
    CHECK(f && (*mode == 'r' || setvbuf(f, NULL, _IONBF, 0) == 0));
    return f;
}

static void prepare_arguments(long *prepared, const long *args)
{
    for (int i = 0; i < MAX_ARGS; i++)
        prepared[i] = args[i] == STREAM_IN     ? (long)open_stream(PIPE_IN, "r")
                      : args[i] == STREAM_OUT  ? (long)open_stream(PIPE_OUT, "w")
                      : args[i] == STREAM_FILE ? (long)fopen(path_of_file, "r")
                                               : args[i];
}

static long call(any_function *f, enum result result, const long *a)
{
    errno = 0;
    long r = f(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
    return result == INT || result == NEW_FD || result == PID ? (int)r : result == NO_RESULT ? 0 : r;
}

static void print_result(enum result result, long r, int error)
{
    if (result == NEW_FD && r >= 0)
        printf("a descriptor");
    else if (result == PID && r > 0)
        printf("a process");
    else if (result == POINTER && r && r != -1)
        printf("a pointer");
    else
        printf("%ld", r);
    if (error)
        printf(" %s", strerrorname_np(error));
}

/* Several names may have one address in libc; a trace then has one of them for all. */
static const char *all_names[512];
static int nnames;

static void note_name(const char *name)
{
    for (int i = 0; i < nnames; i++)
        if (!strcmp(all_names[i], name))
            return;
    all_names[nnames++] = name;
}

static const char *leaf(const char *function)
{
    static char names[512];
    void *f = find_in_libc(function);
    snprintf(names, sizeof names, "%s", function);
    for (int i = 0; i < nnames; i++)
        if (f && strcmp(all_names[i], function) && find_in_libc(all_names[i]) == f)
            snprintf(names + strlen(names), sizeof names - strlen(names), "|%s", all_names[i]);
    return names;
}

/* Before glibc 2.34 what looks names up is in modules of its own, whose calls are seen, too. */
static bool calls_others(const char *function)
{
    return !__GLIBC_PREREQ(2, 34) && (strstr(function, "hostby") || strstr(function, "info"));
}

static void expect(const char *thread, const char *reason, const char *waker, const char *function, const char *caller)
{
    if (reason)
        printf("trace: block %s %s %s %s<%s\n", thread, reason, waker, leaf(function), caller);
    if (reason && !calls_others(function))
        printf("trace: syscall %s none\n", thread);
    if (!reason)
        printf("trace: syscall %s %s<%s\ntrace: quiet %s\n", thread, leaf(function), caller, thread);
}

/* --- calls that are over at once ---------------------------------------------------------------------------------- */

static struct {
    const struct at_once *row;
    any_function *f;
    long args[MAX_ARGS], r;
    int error;
} job;

static char thread_name[20];

static void take_name(void) { CHECK(pthread_setname_np(pthread_self(), thread_name) == 0); }

/* One row, in a thread that does nothing else. */
static NOINLINE void *at_once(void *self)
{
    (void)self;
    take_name();
    job.r = call(job.f, job.row->result, job.args);
    job.error = errno;
    return NULL;
}

static void run_at_once(const struct at_once *row)
{
    if (!(job.f = find(row->function))) {
        printf("%s: not in this libc\n", row->function);
        return;
    }
    struct thread t;
    job.row = row;
    prepare_arguments(job.args, row->args);
    snprintf(thread_name, sizeof thread_name, "call-%d", threads_spawned + 1);
    spawn(&t, at_once);
    join(&t);
    printf("%s: ", row->function);
    print_result(row->result, job.r, job.error);
    puts("");
    if (row->result == NEW_FD && job.r >= 0)
        syscall(SYS_close, job.r);
    if (!row->reason || *row->reason)
        expect(thread_name, row->reason, "self", row->function, "at_once");
}

/* --- calls that wait ---------------------------------------------------------------------------------------------- */

static atomic_int handled, cleanups;
static atomic_bool over;

static void handler(int sig)
{
    (void)sig;
    atomic_fetch_add(&handled, 1);
}

static struct {
    const struct waiting *row;
    any_function *f;
    struct thread t;
    long args[MAX_ARGS], r;
    int error;
} wait_job;

static void clean_up(void *arg)
{
    (void)arg;
    atomic_fetch_add(&cleanups, 1);
    atomic_store(&over, true);
}

static NOINLINE void *waiter(void *self)
{
    introduce(self);
    take_name();
    pthread_cleanup_push(clean_up, NULL);
    wait_job.r = call(wait_job.f, wait_job.row->result, wait_job.args);
    wait_job.error = errno;
    atomic_store(&over, true);
    pthread_cleanup_pop(0);
    return NULL;
}

/* True when it was asleep at each of that many looks, false when it is over. */
static bool sleeps_on(int looks)
{
    for (int seen = 0; seen < looks;) {
        if (atomic_load(&over))
            return false;
        int tid = atomic_load(&wait_job.t.tid);
        seen = tid && thread_state(tid) == 'S' ? seen + 1 : 0;
        milliseconds(2);
    }
    return true;
}

static bool still_waits(void) { return sleeps_on(3); }

static void begin(const struct waiting *row, const char *how)
{
    wait_job.row = row;
    atomic_store(&handled, 0);
    atomic_store(&cleanups, 0);
    atomic_store(&over, false);
    row->prepare();
    prepare_arguments(wait_job.args, row->args);
    snprintf(thread_name, sizeof thread_name, "%s-%d", how, threads_spawned + 1);
    spawn(&wait_job.t, waiter);
    printf("%s %s: ", row->function, how);
    if (!still_waits())
        printf("did not wait; ");
}

static void end(const struct waiting *row, const char *waker)
{
    void *result;
    CHECK(pthread_join(wait_job.t.id, &result) == 0);
    if (result == PTHREAD_CANCELED)
        printf("cancelled, %d clean-ups", atomic_load(&cleanups));
    else
        print_result(row->result, wait_job.r, wait_job.error);
    printf(", %d signals\n", atomic_load(&handled));
    if (row->result == NEW_FD && result != PTHREAD_CANCELED && wait_job.r >= 0)
        syscall(SYS_close, wait_job.r);
    expect(thread_name, row->reason, waker, row->function, "waiter");
}

static void woken(const struct waiting *row)
{
    begin(row, "woken");
    row->wake();
    end(row, row->waker);
}

static void interrupted(const struct waiting *row, const char *how, int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
    const char *waker = "self";
    begin(row, how);
    CHECK(pthread_kill(wait_job.t.id, SIGUSR1) == 0);
    while (!atomic_load(&handled) && !atomic_load(&over))
        milliseconds(1);
    if (still_waits()) {
        printf("waits on, ");
        row->wake();
        waker = row->waker;
    }
    end(row, waker);
}

static void cancelled(const struct waiting *row)
{
    const char *waker = "self";
    begin(row, "cancelled");
    CHECK(pthread_cancel(wait_job.t.id) == 0);
    /* libc may wait in the cancellation itself: system() kills its child and waits for its end. */
    if (sleeps_on(100)) {
        printf("no cancellation point, ");
        row->wake();
        waker = row->waker;
    }
    end(row, waker);
}

static void run_waiting(const struct waiting *row)
{
    if (!(wait_job.f = find(row->function))) {
        printf("%s: not in this libc\n", row->function);
        return;
    }
    woken(row);
    interrupted(row, "interrupted", 0);
    interrupted(row, "restarted", SA_RESTART);
    cancelled(row);
}

/* --- fixtures ----------------------------------------------------------------------------------------------------- */

void place(int fd, int number)
{
    CHECK(fd >= 0);
    if (fd != number) {
        CHECK(dup2(fd, number) == number);
        close(fd);
    }
}

void set_nonblocking(int fd, bool nonblocking)
{
    int flags = fcntl(fd, F_GETFL);
    CHECK(fcntl(fd, F_SETFL, nonblocking ? flags | O_NONBLOCK : flags & ~O_NONBLOCK) == 0);
}

void empty(int fd)
{
    set_nonblocking(fd, true);
    while (read(fd, buffer, sizeof buffer) > 0)
        ;
    set_nonblocking(fd, false);
}

void fill(int fd)
{
    set_nonblocking(fd, true);
    while (write(fd, buffer, sizeof buffer) > 0)
        ;
    while (write(fd, buffer, 1) > 0)
        ;
    set_nonblocking(fd, false);
}

static char folder[48];

static void make_files(void)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.30s/entry.XXXXXX", tmp ? tmp : "/tmp");
    CHECK(mkdtemp(folder));
    snprintf(path_of_file, sizeof path_of_file, "%s/file", folder);
    snprintf(path_of_fifo, sizeof path_of_fifo, "%s/fifo", folder);
    snprintf(path_of_other, sizeof path_of_other, "%s/other", folder);
    snprintf(path_of_none, sizeof path_of_none, "%s/none/none", folder);
    snprintf(path_of_socket, sizeof path_of_socket, "%s/socket", folder);
    snprintf(path_of_folder, sizeof path_of_folder, "%s/folder", folder);
    int fd = open(path_of_file, O_CREAT | O_RDWR, 0600);
    CHECK(write(fd, "sixteen bytes...", 16) == 16 && lseek(fd, 0, SEEK_SET) == 0);
    place(fd, FILE_FD);
    CHECK(mkfifo(path_of_fifo, 0600) == 0);
    place(open("/dev/zero", O_RDWR), ZERO);
}

static void make_pipe(int in, int out)
{
    int p[2];
    CHECK(pipe(p) == 0);
    place(p[0], in);
    place(p[1], out);
}

static void remove_files(void)
{
    DIR *d = opendir(folder);
    CHECK(d);
    for (struct dirent *e; (e = readdir(d));)
        if (e->d_name[0] != '.')
            unlinkat(dirfd(d), e->d_name, e->d_type == DT_DIR ? AT_REMOVEDIR : 0);
    closedir(d);
    CHECK(rmdir(folder) == 0);
}

int main(int argc, char **argv)
{
    const struct group *g = NULL;
    for (size_t i = 0; argc > 1 && i < sizeof groups / sizeof groups[0]; i++)
        if (!strcmp(groups[i]->name, argv[1]))
            g = groups[i];
    if (!g) {
        fprintf(stderr, "usage: entry-points GROUP\n");
        return 2;
    }
    make_files();
    make_pipe(READY_IN, READY_OUT);
    CHECK(write(READY_OUT, buffer, 1000) == 1000);
    make_pipe(PIPE_IN, PIPE_OUT);
    make_pipe(OTHER_IN, OTHER_OUT);
    g->set_up();
    for (const struct at_once *row = g->calls; row->function; row++)
        note_name(row->function);
    for (const struct waiting *row = g->waits; row->function; row++)
        note_name(row->function);
    for (const struct at_once *row = g->calls; row->function; row++)
        run_at_once(row);
    for (const struct waiting *row = g->waits; row->function; row++)
        run_waiting(row);
    remove_files();
    printf("trace: goroutines %d\n", threads_spawned + 1);
    /* A cancelled fprintf to an unbuffered stream leaves it pointing to its dead stack, which exit would flush. */
    fflush(stdout);
    _exit(0);
}
