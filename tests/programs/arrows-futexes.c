/* Who woke whom by way of messages and of futexes, and that a process which is not recorded is nobody. */
#include "arrows.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* --- messages ----------------------------------------------------------------------------------------------------- */

static mqd_t queue;

static void gets_message(void) { CHECK(mq_receive(queue, (char[8]){0}, 8, NULL) == 1); }
static void puts_message(void) { CHECK(mq_send(queue, &byte, 1, 0) == 0); }

static void messages(void)
{
    char name[64];
    struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = 8};
    snprintf(name, sizeof name, "/thrace-arrows-%d", (int)getpid());
    queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attributes);
    CHECK(queue != (mqd_t)-1 && mq_unlink(name) == 0);
    run_stage("a message", gets_message, puts_message);
    expect("chan_receive", "waker", "mq_receive");
    puts_message();
    run_stage("room for a message", puts_message, gets_message);
    expect("chan_send", "waker", "mq_send");
    mq_close(queue);
}

/* --- futexes ------------------------------------------------------------------------------------------------------ */

static uint32_t word, other_word;

static long futex(uint32_t *at, int operation, uint32_t value, const void *fourth, uint32_t *fifth, uint32_t sixth)
{
    return syscall(SYS_futex, at, operation, value, fourth, fifth, sixth);
}

static void futex_waits(void) { CHECK(futex(&word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) == 0); }
static void futex_waits_shared(void) { CHECK(futex(&word, FUTEX_WAIT, 0, NULL, NULL, 0) == 0); }
static void futex_waits_bitset(void) { CHECK(futex(&word, FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, 2) == 0); }
static void futex_wakes(void) { CHECK(futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 1); }
static void futex_wakes_shared(void) { CHECK(futex(&word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0) == 1); }

static void futex_wakes_bitset(void)
{
    CHECK(futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 1) == 0);
    CHECK(futex(&word, FUTEX_WAKE_BITSET_PRIVATE, 1, NULL, NULL, 3) == 1);
}

static void futexes(void)
{
    run_stage("a futex", futex_waits, futex_wakes);
    expect("sync", "waker", "syscall");
    run_stage("a shared futex", futex_waits_shared, futex_wakes_shared);
    expect("sync", "waker", "syscall");
    run_stage("a futex with bits", futex_waits_bitset, futex_wakes_bitset);
    expect("sync", "self", "syscall");

    gather(4, futex_waits);
    CHECK(futex(&word, FUTEX_WAKE_PRIVATE, 2, NULL, NULL, 0) == 2);
    join(&several[0]);
    join(&several[1]);
    CHECK(futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 1, (void *)1L, &other_word, 1) == -1 && errno == EAGAIN);
    CHECK(futex(&word, FUTEX_CMP_REQUEUE_PRIVATE, 1, (void *)1L, &other_word, 0) == 2);
    join(&several[2]);
    CHECK(futex(&word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 0);
    CHECK(futex(&other_word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 1);
    join(&several[3]);
    for (int i = 0; i < 3; i++)
        EXPECT_ONE(i, "sync", "main", "syscall");
    EXPECT_ONE(3, "sync", "self", "syscall");
    first += 4;
}

/* --- another process ---------------------------------------------------------------------------------------------- */

static void child_writes(void)
{
    pid_t child = fork();
    if (child == 0) {
        writes();
        _exit(0);
    }
    CHECK(child > 0 && waitpid(child, NULL, 0) == child);
}

static void other_process(void)
{
    open_pair(SOCK_STREAM);
    run_stage("a child writes", reads, child_writes);
    expect("network", "self", "read");
    close_both();
}

int main(void)
{
    messages();
    futexes();
    other_process();
    printf("trace: goroutines %d\n", threads_spawned + 1);
    return 0;
}
