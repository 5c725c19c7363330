/*
 * counted-locks [PART]: takes locks in all ways that there are, keeps its own account, and prints it: a line
 *
 *     NAME TAKEN HELD-AT-LEAST HELD-AT-MOST LONGEST-AT-LEAST
 *
 * for each lock, the times in ns, and "all TAKEN". A hold lasts at least from the return of what takes to the call of what
 * releases, and at most from the call to the return. PART: killed, by a SIGKILL, once all has been printed; forks, a child
 * that does the same; sessions, of which lock-stats.test says what is in them; handlers, which interrupt all that; flies, a
 * hundred times and a hundred for each byte of its standard input.
 */
#include "program.h"
#include "recording.h"

#include <signal.h>
#include <stdint.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>

enum { WORKERS = 4, PAIRS = 500, SHORT = 40, MANY = 1500, SLEEP_MS = 10 };

static struct {
    pthread_mutex_t plain, nested, checked, tried, robust, waited, handed, brief, slow;
    pthread_rwlock_t table;
    pthread_spinlock_t spinning;
    mtx_t c11, c11_nested;
    pthread_mutex_t many[MANY];
} locks = {
    .plain = PTHREAD_MUTEX_INITIALIZER,
    .nested = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
    .checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP,
    .tried = PTHREAD_MUTEX_INITIALIZER,
    .waited = PTHREAD_MUTEX_INITIALIZER,
    .handed = PTHREAD_MUTEX_INITIALIZER,
    .brief = PTHREAD_MUTEX_INITIALIZER,
    .slow = PTHREAD_MUTEX_INITIALIZER,
    .table = PTHREAD_RWLOCK_INITIALIZER,
};
static atomic_ulong all;

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void say(const char *name, unsigned long taken) { printf("%s %lu - - -\n", name, taken); }

/* It was taken so often in what is not shown one by one. */
static void took(unsigned long n) { atomic_fetch_add(&all, n); }

/* --- mutexes ------------------------------------------------------------------------------------------------------ */

static void take_and_release(pthread_mutex_t *m)
{
    CHECK(pthread_mutex_lock(m) == 0);
    CHECK(pthread_mutex_unlock(m) == 0);
    took(1);
}

static void *works(void *self)
{
    introduce(self);
    for (int i = 0; i < PAIRS; i++)
        take_and_release(&locks.plain);
    for (int i = 0; i < PAIRS / 10; i++) {
        for (int depth = 0; depth < 3; depth++)
            CHECK(pthread_mutex_lock(&locks.nested) == 0);
        CHECK(pthread_mutex_trylock(&locks.nested) == 0);
        for (int depth = 0; depth < 4; depth++)
            CHECK(pthread_mutex_unlock(&locks.nested) == 0);
        took(1);
    }
    return NULL;
}

/* Holds for known times, of which the second is the longest. */
static struct {
    uint64_t least, most, longest;
} slow;

static void *holds(void *self)
{
    introduce(self);
    for (int i = 1; i <= 3; i++) {
        uint64_t called = now();
        CHECK(pthread_mutex_lock(&locks.slow) == 0);
        uint64_t begun = now();
        milliseconds(i == 2 ? SLEEP_MS : 1);
        uint64_t ended = now();
        CHECK(pthread_mutex_unlock(&locks.slow) == 0);
        slow.most += now() - called;
        slow.least += ended - begun;
        slow.longest = ended - begun > slow.longest ? ended - begun : slow.longest;
        took(1);
    }
    return NULL;
}

static void say_times(const char *name, unsigned long taken, uint64_t least, uint64_t most, uint64_t longest)
{
    printf("%s %lu %llu %llu %llu\n", name, taken, (unsigned long long)least, (unsigned long long)most,
           (unsigned long long)longest);
}

static void hold(void)
{
    struct thread t, self;
    spawn(&t, holds);
    join(&t);
    holds(&self);
    say_times("mutex locks.slow", 6, slow.least, slow.most, slow.longest);
}

static void *tries(void *self)
{
    introduce(self);
    struct timespec soon = from_now(CLOCK_REALTIME, 1);
    for (int i = 0; i < 5; i++)
        CHECK(pthread_mutex_trylock(&locks.tried) == EBUSY);
    CHECK(pthread_mutex_timedlock(&locks.tried, &soon) == ETIMEDOUT);
    CHECK(pthread_mutex_unlock(&locks.checked) == EPERM);
    return NULL;
}

static void check_errors(void)
{
    struct thread t;
    CHECK(pthread_mutex_lock(&locks.tried) == 0 && pthread_mutex_lock(&locks.checked) == 0);
    CHECK(pthread_mutex_lock(&locks.checked) == EDEADLK);
    spawn(&t, tries);
    join(&t);
    CHECK(pthread_mutex_unlock(&locks.checked) == 0 && pthread_mutex_unlock(&locks.tried) == 0);
    struct timespec soon = from_now(CLOCK_REALTIME, 10000);
    CHECK(pthread_mutex_trylock(&locks.tried) == 0 && pthread_mutex_unlock(&locks.tried) == 0);
    CHECK(pthread_mutex_timedlock(&locks.tried, &soon) == 0 && pthread_mutex_unlock(&locks.tried) == 0);
    say("mutex locks.tried", 3);
    say("mutex locks.checked", 1);
    took(4);
}

static void *dies_with_it(void *self)
{
    introduce(self);
    CHECK(pthread_mutex_lock(&locks.robust) == 0);
    return NULL;
}

static void inherit(void)
{
    pthread_mutexattr_t a;
    struct thread t;
    pthread_mutexattr_init(&a);
    pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
    CHECK(pthread_mutex_init(&locks.robust, &a) == 0);
    spawn(&t, dies_with_it);
    join(&t);
    CHECK(pthread_mutex_lock(&locks.robust) == EOWNERDEAD);
    CHECK(pthread_mutex_consistent(&locks.robust) == 0 && pthread_mutex_unlock(&locks.robust) == 0);
    say("mutex locks.robust", 2);
    took(2);
}

/* What one thread takes another one releases, as with a semaphore. */
static atomic_int turn;

static void *releases(void *self)
{
    introduce(self);
    for (int i = 1; i < 20; i += 2) {
        while (atomic_load(&turn) != i)
            sched_yield();
        CHECK(pthread_mutex_unlock(&locks.handed) == 0);
        atomic_store(&turn, i + 1);
    }
    return NULL;
}

static void hand_over(void)
{
    struct thread t;
    spawn(&t, releases);
    for (int i = 0; i < 20; i += 2) {
        CHECK(pthread_mutex_lock(&locks.handed) == 0);
        atomic_store(&turn, i + 1);
        while (atomic_load(&turn) != i + 2)
            sched_yield();
    }
    join(&t);
    say("mutex locks.handed", 10);
    took(10);
}

/* --- conditions --------------------------------------------------------------------------------------------------- */

static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static bool waits, done;
static unsigned long returned;
static uint64_t waited_most;

static void *waits_for_it(void *self)
{
    introduce(self);
    uint64_t called = now();
    CHECK(pthread_mutex_lock(&locks.waited) == 0);
    waits = true;
    for (; !done; returned++)
        CHECK(pthread_cond_wait(&arrived, &locks.waited) == 0);
    CHECK(pthread_mutex_unlock(&locks.waited) == 0);
    waited_most = now() - called;
    return NULL;
}

/* While nobody holds it, nobody does: the wait is not a hold. */
static void wait_for_condition(void)
{
    struct thread t;
    spawn(&t, waits_for_it);
    unsigned long looks = 0;
    uint64_t most = 0, called, free_since;
    bool there;
    do {
        called = now();
        CHECK(pthread_mutex_lock(&locks.waited) == 0);
        there = waits;
        CHECK(pthread_mutex_unlock(&locks.waited) == 0);
        free_since = now();
        most += free_since - called;
        looks++;
        sched_yield();
    } while (!there);
    milliseconds(2 * SLEEP_MS);
    called = now();
    CHECK(pthread_mutex_lock(&locks.waited) == 0);
    done = true;
    pthread_cond_signal(&arrived);
    CHECK(pthread_mutex_unlock(&locks.waited) == 0);
    most += now() - called;
    join(&t);
    struct timespec past = {0, 0}, wrong = {0, -1};
    uint64_t then = now();
    CHECK(pthread_mutex_lock(&locks.waited) == 0);
    uint64_t begun = now();
    milliseconds(2);
    uint64_t ended = now();
    CHECK(pthread_cond_timedwait(&arrived, &locks.waited, &past) == ETIMEDOUT);
    CHECK(pthread_cond_timedwait(&arrived, &locks.waited, &wrong) == EINVAL);
    CHECK(pthread_mutex_unlock(&locks.waited) == 0);
    most += now() - then + waited_most - (called - free_since);
    unsigned long taken = looks + 1 + 1 + returned + 2;
    say_times("mutex locks.waited", taken, ended - begun, most, ended - begun);
    took(taken);
}

/* --- other locks -------------------------------------------------------------------------------------------------- */

static void use_others(void)
{
    CHECK(pthread_spin_init(&locks.spinning, PTHREAD_PROCESS_PRIVATE) == 0);
    CHECK(mtx_init(&locks.c11, mtx_plain) == thrd_success);
    CHECK(mtx_init(&locks.c11_nested, mtx_plain | mtx_recursive) == thrd_success);
    uint64_t called = now();
    CHECK(pthread_rwlock_rdlock(&locks.table) == 0);
    uint64_t begun = now();
    milliseconds(2);
    CHECK(pthread_rwlock_rdlock(&locks.table) == 0);
    uint64_t ended = now();
    CHECK(pthread_rwlock_unlock(&locks.table) == 0 && pthread_rwlock_unlock(&locks.table) == 0);
    for (int i = 0; i < 6; i++) {
        CHECK(pthread_spin_lock(&locks.spinning) == 0 && pthread_spin_unlock(&locks.spinning) == 0);
        CHECK(pthread_spin_trylock(&locks.spinning) == 0 && pthread_spin_trylock(&locks.spinning) == EBUSY);
        CHECK(pthread_spin_unlock(&locks.spinning) == 0);
        CHECK(mtx_lock(&locks.c11) == thrd_success && mtx_unlock(&locks.c11) == thrd_success);
        CHECK(mtx_trylock(&locks.c11) == thrd_success && mtx_trylock(&locks.c11) == thrd_busy);
        CHECK(mtx_unlock(&locks.c11) == thrd_success);
        CHECK(mtx_lock(&locks.c11_nested) == thrd_success && mtx_lock(&locks.c11_nested) == thrd_success);
        CHECK(mtx_unlock(&locks.c11_nested) == thrd_success && mtx_unlock(&locks.c11_nested) == thrd_success);
        CHECK(pthread_rwlock_rdlock(&locks.table) == 0 && pthread_rwlock_tryrdlock(&locks.table) == 0);
        CHECK(pthread_rwlock_trywrlock(&locks.table) == EBUSY);
        CHECK(pthread_rwlock_unlock(&locks.table) == 0 && pthread_rwlock_unlock(&locks.table) == 0);
        CHECK(pthread_rwlock_wrlock(&locks.table) == 0 && pthread_rwlock_tryrdlock(&locks.table) == EBUSY);
        CHECK(pthread_rwlock_unlock(&locks.table) == 0);
    }
    say("spinlock locks.spinning", 12);
    say("mutex locks.c11", 12);
    say("mutex locks.c11_nested", 6);
    say_times("rwlock locks.table (read)", 14, ended - begun, now() - called, ended - begun);
    say("rwlock locks.table", 6);
    took(50);
}

/* --- threads that end, more locks than a table has room for, locks that are made anew ------------------------------ */

static void *lives_shortly(void *self)
{
    introduce(self);
    for (int i = 0; i < 10; i++)
        take_and_release(&locks.brief);
    return NULL;
}

static NOINLINE void make_one(pthread_mutex_t *m) { CHECK(pthread_mutex_init(m, NULL) == 0); }
static NOINLINE void make_other(pthread_mutex_t *m) { CHECK(pthread_mutex_init(m, NULL) == 0); }
static NOINLINE void make_last(pthread_mutex_t *m) { CHECK(pthread_mutex_init(m, NULL) == 0); }

static void remake(void)
{
    static pthread_mutex_t *memory;
    memory = malloc(sizeof *memory);
    CHECK(memory);
    for (int i = 0; i < 12; i++) {
        (i < 4 ? make_one : make_other)(memory);
        take_and_release(memory);
        CHECK(pthread_mutex_destroy(memory) == 0);
    }
    make_last(memory);
    take_and_release(memory);
    thrace_object_name(memory, "called so");
    take_and_release(memory);
    say("mutex called so", 2);
}

static void *takes_many(void *self)
{
    introduce(self);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < MANY; i++)
            take_and_release(&locks.many[i]);
    return NULL;
}

/* --- all of it ---------------------------------------------------------------------------------------------------- */

static void run(void)
{
    struct thread workers[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        spawn(&workers[i], works);
    for (int i = 0; i < WORKERS; i++)
        join(&workers[i]);
    say("mutex locks.plain", WORKERS * PAIRS);
    say("mutex locks.nested", WORKERS * PAIRS / 10);
    hold();
    check_errors();
    inherit();
    hand_over();
    wait_for_condition();
    use_others();
    for (int i = 0; i < SHORT; i++) {
        spawn(&workers[0], lives_shortly);
        join(&workers[0]);
    }
    say("mutex locks.brief", SHORT * 10);
    remake();
    for (int i = 0; i < MANY; i++)
        CHECK(pthread_mutex_init(&locks.many[i], NULL) == 0);
    spawn(&workers[0], takes_many);
    join(&workers[0]);
    printf("all %lu\n", atomic_load(&all));
    fflush(stdout);
}

static void *holds_over_it(void *self)
{
    introduce(self);
    CHECK(pthread_mutex_lock(&locks.brief) == 0);
    atomic_store(&turn, 1);
    while (atomic_load(&turn) != 2)
        sched_yield();
    CHECK(pthread_mutex_unlock(&locks.brief) == 0);
    take_and_release(&locks.brief);
    return NULL;
}

/* A thread that lives in both sessions holds a lock when the second one begins. */
static void sessions(void)
{
    struct thread t;
    CHECK(start_recording() == 0);
    for (int i = 0; i < 5; i++)
        take_and_release(&locks.plain);
    CHECK(thrace_stop() == 0);
    for (int i = 0; i < 7; i++)
        take_and_release(&locks.plain);
    spawn(&t, holds_over_it);
    while (atomic_load(&turn) != 1)
        sched_yield();
    CHECK(start_recording() == 0);
    for (int i = 0; i < 3; i++)
        take_and_release(&locks.plain);
    atomic_store(&turn, 2);
    join(&t);
    CHECK(thrace_stop() == 0);
}

/* A hundred pairs for the beginning, and for each byte of its standard input. */
static void fly(void)
{
    char c;
    do {
        for (int i = 0; i < 100; i++)
            take_and_release(&locks.plain);
        printf("all %lu\n", atomic_load(&all));
        fflush(stdout);
    } while (read(STDIN_FILENO, &c, 1) > 0);
}

static volatile sig_atomic_t handled;

static void handle(int sig)
{
    (void)sig;
    static pthread_mutex_t mine = PTHREAD_MUTEX_INITIALIZER;
    if (pthread_mutex_trylock(&mine) == 0) {
        pthread_mutex_unlock(&mine);
        took(1);
        handled++;
    }
}

static void be_interrupted(void)
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
    CHECK(sigaction(SIGALRM, &action, NULL) == 0 && setitimer(ITIMER_REAL, &often, NULL) == 0);
    for (int i = 0; i < 400000 || handled < 20; i++)
        take_and_release(&locks.plain);
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    printf("all %lu\n", atomic_load(&all));
}

int main(int argc, char **argv)
{
    const char *part = argc > 1 ? argv[1] : "";
    if (!strcmp(part, "sessions")) {
        sessions();
    } else if (!strcmp(part, "flies")) {
        fly();
    } else if (!strcmp(part, "handlers")) {
        be_interrupted();
    } else if (!strcmp(part, "forks")) {
        for (int i = 0; i < 6; i++)
            take_and_release(&locks.plain);
        pid_t child = fork();
        for (int i = 0; !child && i < 4; i++)
            take_and_release(&locks.plain);
        CHECK(child >= 0 && (!child || waitpid(child, NULL, 0) == child));
    } else {
        run();
        if (!strcmp(part, "killed"))
            raise(SIGKILL);
    }
    return 0;
}
