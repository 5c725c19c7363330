/*
 * What threads wait for, by every source of a name: variables (tests/symbolize has more of those), where a lock was made,
 * where it was waited for first, what the program calls it, the thread that is joined, descriptors.
 */
#include "program.h"

#include <netinet/in.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <thrace/session.h>

#define EXPECT(...) (fputs("trace: ", stdout), printf(__VA_ARGS__), putchar('\n'))

/* --- locks on the heap: the main thread holds one while another comes ---------------------------------------------- */

static pthread_mutex_t *lock;
static sem_t *count;
static int line;

static struct {
    struct {
        int entries;
        pthread_mutex_t lock;
    } shards[2];
} cache = {.shards = {[1] = {.lock = PTHREAD_MUTEX_INITIALIZER}}};

static NOINLINE void *for_shard(void *self)
{
    introduce(self);
    pthread_mutex_lock(lock);
    cache.shards[1].entries++;
    pthread_mutex_unlock(lock);
    return NULL;
}

static NOINLINE void *for_made(void *self)
{
    introduce(self);
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

static NOINLINE void *for_unmade(void *self)
{
    introduce(self);
    line = __LINE__, pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

static NOINLINE void *for_named(void *self)
{
    introduce(self);
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

static NOINLINE void *for_renamed(void *self)
{
    introduce(self);
    pthread_mutex_lock(lock);
    pthread_mutex_unlock(lock);
    return NULL;
}

static NOINLINE void *for_count(void *self)
{
    introduce(self);
    sem_wait(count);
    return NULL;
}

static void contend(void *(*start)(void *))
{
    struct thread t;
    pthread_mutex_lock(lock);
    spawn(&t, start);
    await_asleep(&t);
    pthread_mutex_unlock(lock);
    join(&t);
}

static void locks(void)
{
    struct thread t;
    lock = &cache.shards[1].lock;
    contend(for_shard);
    EXPECT("block for_shard sync main mutex:cache.shards[1].lock<pthread_mutex_lock<for_shard");

    lock = malloc(sizeof *lock);
    count = malloc(sizeof *count);
    CHECK(lock && count);
    int made = __LINE__ + 1;
    pthread_mutex_init(lock, NULL);
    contend(for_made);
    EXPECT("block for_made sync main mutex:initialised_at_objects.c:%d_(0x*<pthread_mutex_lock<for_made", made);

    pthread_mutex_destroy(lock);
    *lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    contend(for_unmade);
    EXPECT("block for_unmade sync main mutex:waited_for_at_objects.c:%d_(0x*<pthread_mutex_lock<for_unmade", line);

    pthread_mutex_t *other = malloc(sizeof *other);
    CHECK(other);
    *other = *lock;
    lock = other;
    thrace_object_name(lock, "journal of\nsome shop");
    contend(for_named);
    EXPECT("block for_named sync main mutex:journal_of?some_shop<pthread_mutex_lock<for_named");
    thrace_object_name(lock, "the other one");
    contend(for_renamed);
    EXPECT("block for_renamed sync main mutex:the_other_one<pthread_mutex_lock<for_renamed");
    thrace_object_name(lock, NULL);
    thrace_object_name(NULL, "nothing");

    int counted = __LINE__ + 1;
    CHECK(sem_init(count, 0, 0) == 0);
    spawn(&t, for_count);
    await_asleep(&t);
    sem_post(count);
    join(&t);
    EXPECT("block for_count sync main semaphore:initialised_at_objects.c:%d_(0x*<sem_wait<for_count", counted);
    sem_destroy(count);
    free(count);
    free(lock);
}

/* --- a thread ------------------------------------------------------------------------------------------------------ */

static struct thread joinee, joiner;

static NOINLINE void *is_joined(void *self)
{
    introduce(self);
    while (!atomic_load(&joiner.tid))
        sched_yield();
    await_asleep(&joiner);
    return NULL;
}

static NOINLINE void *joins(void *self)
{
    introduce(self);
    join(&joinee);
    return NULL;
}

static void threads(void)
{
    spawn(&joinee, is_joined);
    pthread_setname_np(joinee.id, "work 4");
    spawn(&joiner, joins);
    join(&joiner);
    EXPECT("block joins sync * thread:work_4_*<pthread_join<joins");
}

/* --- descriptors --------------------------------------------------------------------------------------------------- */

static int from, listener;

static NOINLINE void *reads_pipe(void *self)
{
    char byte;
    introduce(self);
    CHECK(read(from, &byte, 1) == 1);
    return NULL;
}

static NOINLINE void *reads_socket(void *self)
{
    char byte;
    introduce(self);
    CHECK(read(from, &byte, 1) == 1);
    return NULL;
}

static NOINLINE void *reads_event(void *self)
{
    uint64_t n;
    introduce(self);
    CHECK(read(from, &n, sizeof n) == sizeof n);
    return NULL;
}

static NOINLINE void *accepts(void *self)
{
    introduce(self);
    from = accept(listener, NULL, NULL);
    CHECK(from >= 0);
    return NULL;
}

static void give(void *(*start)(void *), int to, const void *what, size_t size)
{
    struct thread t;
    spawn(&t, start);
    await_asleep(&t);
    CHECK(write(to, what, size) == (ssize_t)size);
    join(&t);
}

static void descriptors(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    struct thread t;
    int ends[2];
    uint64_t one = 1;
    CHECK(pipe(ends) == 0);
    from = ends[0];
    give(reads_pipe, ends[1], "x", 1);
    CHECK(pipe(ends) == 0);
    from = ends[0];
    give(reads_pipe, ends[1], "x", 1);
    EXPECT("block reads_pipe chan_receive main pipe:#<read<reads_pipe 2");

    from = eventfd(0, 0);
    CHECK(from >= 0);
    give(reads_event, from, &one, sizeof one);
    EXPECT("block reads_event chan_receive main eventfd:%d<read<reads_event", from);

    int to = socket(AF_INET, SOCK_STREAM, 0);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    CHECK(to >= 0 && listener >= 0 && bind(listener, (struct sockaddr *)&address, size) == 0 && listen(listener, 1) == 0);
    CHECK(getsockname(listener, (struct sockaddr *)&address, &size) == 0);
    spawn(&t, accepts);
    await_asleep(&t);
    CHECK(connect(to, (struct sockaddr *)&address, size) == 0);
    join(&t);
    EXPECT("block accepts network * listener:127.0.0.1:*<accept<accepts");
    give(reads_socket, to, "x", 1);
    EXPECT("block reads_socket network * socket:127.0.0.1:*<read<reads_socket");
}

int main(void)
{
    locks();
    threads();
    descriptors();
    printf("trace: goroutines %d\n", threads_spawned + 1);
    return 0;
}
