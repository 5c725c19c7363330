/*
 * faulted ACT…: does what has the recorder make system calls, one act after the other. What a recorder answers is said
 * on stderr, if it is an error, as a line of thrace's: whoever asked was told.
 */
#include "program.h"
#include "recording.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <thrace/annotate.h>

enum { WORKERS = 2, ROUNDS = 20, REGIONS = 30000, SLOW_MS = 30 };

extern char **environ;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NOINLINE void *worker(void *self)
{
    introduce(self);
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        usleep(50);
        pthread_mutex_unlock(&lock);
        free(malloc((size_t)i * 1000));
    }
    return NULL;
}

static void work(void)
{
    struct thread w[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        spawn(&w[i], worker);
    for (int i = 0; i < WORKERS; i++)
        join(&w[i]);
}

/* More than there is room for in memory at once. */
static void many(void)
{
    for (int i = 0; i < REGIONS; i++) {
        thrace_region_begin("many");
        thrace_region_end();
    }
}

static NOINLINE void *waits_long(void *self)
{
    introduce(self);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void be_slow(void)
{
    struct thread w;
    pthread_mutex_lock(&lock);
    spawn(&w, waits_long);
    await_asleep(&w);
    milliseconds(SLOW_MS);
    pthread_mutex_unlock(&lock);
    join(&w);
}

static void have_child(void)
{
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (!child) {
        work();
        exit(7);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

static void execute(void)
{
    pid_t child;
    int status;
    char *arguments[] = {"true", NULL};
    CHECK(posix_spawnp(&child, "true", NULL, NULL, arguments, environ) == 0);
    CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/* Asks the command, as somebody outside would. It says itself what does not work. */
static void ask(const char *verb)
{
    static char *no_environment[] = {NULL};
    char pid[16], *arguments[] = {"thrace", (char *)verb, pid, NULL};
    const char *command = getenv("COMMAND");
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    if (!command)
        return;
    CHECK(posix_spawn_file_actions_init(&actions) == 0);
    CHECK(posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) == 0);
    CHECK(posix_spawn(&child, command, &actions, NULL, arguments, no_environment) == 0);
    posix_spawn_file_actions_destroy(&actions);
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
}

static void answer(const char *act, int err)
{
    if (err && err != ENOSYS)
        fprintf(stderr, "thrace: the program was told: %s: %s\n", act, strerror(err));
}

static void map_and_unmap(void)
{
    void *p = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(p != MAP_FAILED && munmap(p, 1 << 20) == 0);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*act)(void);
    } acts[] = {{"work", work}, {"many", many}, {"slow", be_slow}, {"fork", have_child}, {"exec", execute},
                {"map", map_and_unmap}};
    for (int i = 1; i < argc; i++) {
        for (unsigned j = 0; j < sizeof acts / sizeof *acts; j++)
            if (!strcmp(argv[i], acts[j].name))
                acts[j].act();
        if (!strcmp(argv[i], "begin"))
            answer("start", start_recording());
        else if (!strcmp(argv[i], "end"))
            answer("stop", thrace_stop());
        else if (!strcmp(argv[i], "wait"))
            milliseconds(20);
        else if (!strcmp(argv[i], "compute"))
            compute_for(30);
        else if (!strncmp(argv[i], "ask:", 4))
            ask(argv[i] + 4);
        printf("%s\n", argv[i]);
    }
    return 3;
}
