/* Waiting for processes, signals, messages. */
#include "entry-points.h"

#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/wait.h>

#define P(x) (long)(x)

static void nothing(void) {}

/* --- processes: a child that lives until a pipe is fed ------------------------------------------------------------ */

static int status;
static siginfo_t info;
static struct rusage usage;
static char wait_command[128], fail_command[] = "exit 3";

static void set_up_proc(void) { snprintf(wait_command, sizeof wait_command, "read x <'%s'; exit 5", path_of_fifo); }

static void end_child(void) { CHECK(write(PIPE_OUT, buffer, 1) == 1); }

static void make_child(void)
{
    end_child();
    while (waitpid(-1, NULL, 0) > 0)
        ;
    empty(PIPE_IN);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        close(PIPE_OUT);
        _exit(read(PIPE_IN, buffer, 1) == 1 ? 7 : 9);
    }
}

static void feed_fifo(void)
{
    int fd = open(path_of_fifo, O_WRONLY);
    CHECK(write(fd, "\n", 1) == 1);
    close(fd);
}

static const struct at_once proc_calls[] = {
    {"wait", PID, NULL, {P(&status)}},
    {"waitpid", PID, NULL, {-1, P(&status), 0}},
    {"waitpid", PID, NULL, {-1, P(&status), 1 << 30}},
    {"waitid", INT, NULL, {P_ALL, 0, P(&info), WEXITED}},
    {"waitid", INT, NULL, {P_ALL, 0, P(&info), 0}},
    {"wait3", PID, NULL, {P(&status), 0, P(&usage)}},
    {"wait4", PID, NULL, {-1, P(&status), 0, P(&usage)}},
    {"system", INT, NULL, {P(fail_command)}},
    {"system", INT, NULL, {0}},
    {0},
};

static const struct waiting proc_waits[] = {
    {"wait", PID, NULL, "self", make_child, end_child, {P(&status)}},
    {"waitpid", PID, NULL, "self", make_child, end_child, {-1, P(&status), 0}},
    {"waitid", INT, NULL, "self", make_child, end_child, {P_ALL, 0, P(&info), WEXITED}},
    {"wait3", PID, NULL, "self", make_child, end_child, {P(&status), 0, P(&usage)}},
    {"wait4", PID, NULL, "self", make_child, end_child, {-1, P(&status), 0, P(&usage)}},
    {"system", INT, NULL, "self", nothing, feed_fifo, {P(wait_command)}},
    {0},
};

const struct group proc_group = {"proc", set_up_proc, proc_calls, proc_waits};

/* --- signals ------------------------------------------------------------------------------------------------------ */

static sigset_t no_signals, only_usr2;
static int sig;

/* Blocked in every thread, for sigwait; sigsuspend and pause are ended by the signal that the harness handles. */
static void set_up_sleep(void)
{
    CHECK(sigemptyset(&no_signals) == 0 && sigemptyset(&only_usr2) == 0 && sigaddset(&only_usr2, SIGUSR2) == 0);
    CHECK(pthread_sigmask(SIG_BLOCK, &only_usr2, NULL) == 0);
}

static void send_usr2(void) { CHECK(kill(getpid(), SIGUSR2) == 0); }

static void ignored(int number) { (void)number; }

/* Which thread takes it is the kernel's choice, so all others block it. */
static void send_usr1(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK(pthread_sigmask(SIG_BLOCK, &set, NULL) == 0);
    CHECK(kill(getpid(), SIGUSR1) == 0);
}

static void handle_usr1(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    CHECK(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
    struct sigaction old, action = {.sa_handler = ignored};
    CHECK(sigaction(SIGUSR1, NULL, &old) == 0);
    if (old.sa_handler == SIG_DFL)
        CHECK(sigaction(SIGUSR1, &action, NULL) == 0);
}

static const struct at_once sleep_calls[] = {
    {"sigwait", INT, "select", {BAD_ADDRESS, P(&sig)}},
    {"sigwaitinfo", INT, "select", {BAD_ADDRESS, P(&info)}},
    {"sigtimedwait", INT, "select", {P(&only_usr2), P(&info), P(&in_20_ms)}},
    {"sigtimedwait", INT, "select", {P(&only_usr2), P(&info), BAD_ADDRESS}},
    {"sigsuspend", INT, "select", {BAD_ADDRESS}},
    {0},
};

static const struct waiting sleep_waits[] = {
    {"pause", INT, "select", "self", handle_usr1, send_usr1, {0}},
    {"sigsuspend", INT, "select", "self", handle_usr1, send_usr1, {P(&no_signals)}},
    {"sigwait", INT, "select", "self", nothing, send_usr2, {P(&only_usr2), P(&sig)}},
    {"sigwaitinfo", INT, "select", "self", nothing, send_usr2, {P(&only_usr2), P(&info)}},
    {"sigtimedwait", INT, "select", "self", nothing, send_usr2, {P(&only_usr2), P(&info), P(&in_an_hour)}},
    {0},
};

const struct group sleep_group = {"sleep", set_up_sleep, sleep_calls, sleep_waits};

/* --- messages and System V semaphores ----------------------------------------------------------------------------- */

enum { QUEUE = 100, MESSAGE = 16 };
static char queue_name[64], other_name[64];
static struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = MESSAGE};
static struct timespec past, future;
static struct {
    long type;
    char text[MESSAGE];
} message = {.type = 1};
static struct sembuf take_one = {0, -1, 0}, wrong = {99, -1, 0};
static int message_queue, semaphores;
static struct at_once ipc_calls[40];
static struct waiting ipc_waits[12];

/* What System V's objects are called is known only now. */
static void set_up_ipc(void)
{
    snprintf(queue_name, sizeof queue_name, "/thrace-test-%d", (int)getpid());
    snprintf(other_name, sizeof other_name, "/thrace-test-%d-b", (int)getpid());
    place(mq_open(queue_name, O_CREAT | O_RDWR, 0600, &attributes), QUEUE);
    CHECK(mq_unlink(queue_name) == 0);
    message_queue = msgget(IPC_PRIVATE, 0600);
    semaphores = semget(IPC_PRIVATE, 1, 0600);
    future = from_now(CLOCK_REALTIME, 3600000);
    CHECK(message_queue >= 0 && semaphores >= 0);
    struct msqid_ds limits;
    CHECK(msgctl(message_queue, IPC_STAT, &limits) == 0);
    limits.msg_qbytes = MESSAGE;
    CHECK(msgctl(message_queue, IPC_SET, &limits) == 0);
    for (struct at_once *row = ipc_calls; row->function; row++)
        if (row->args[0] == -2)
            row->args[0] = strncmp(row->function, "msg", 3) ? semaphores : message_queue;
    for (struct waiting *row = ipc_waits; row->function; row++)
        if (row->args[0] == -2)
            row->args[0] = strncmp(row->function, "msg", 3) ? semaphores : message_queue;
}

static struct at_once ipc_calls[40] = {
    {"mq_open", NEW_FD, NULL, {P(other_name), O_CREAT | O_RDWR, 0600, P(&attributes)}},
    {"mq_open", NEW_FD, NULL, {P("no slash"), O_RDWR}},
    {"__mq_open_2", NEW_FD, NULL, {P(other_name), O_RDWR}},
    {"__mq_open_2", NEW_FD, NULL, {P("/thrace-test-none"), O_RDWR}},
    {"mq_send", INT, NULL, {QUEUE, P(buffer), 4, 0}},
    {"mq_send", INT, NULL, {QUEUE + 1, P(buffer), MESSAGE + 1, 0}},
    {"mq_timedsend", INT, "chan_send", {QUEUE, P(buffer), 4, 0, P(&past)}},
    {"mq_receive", LONG, NULL, {QUEUE, P(buffer), MESSAGE, 0}},
    {"mq_receive", LONG, NULL, {NO_FD, P(buffer), MESSAGE, 0}},
    {"mq_timedreceive", LONG, "chan_receive", {QUEUE, P(buffer), MESSAGE, 0, P(&past)}},
    {"mq_timedsend", INT, NULL, {QUEUE, P(buffer), 4, 0, P(&future)}},
    {"mq_timedreceive", LONG, NULL, {QUEUE, P(buffer), MESSAGE, 0, P(&future)}},
    {"mq_timedreceive", LONG, "chan_receive", {QUEUE, P(buffer), 1, 0, P(&future)}},
    {"mq_close", INT, NULL, {NO_FD}},
    {"msgsnd", INT, NULL, {-2, P(&message), MESSAGE, IPC_NOWAIT}},
    {"msgsnd", INT, NULL, {-2, P(&message), MESSAGE, IPC_NOWAIT}},
    {"msgsnd", INT, "chan_send", {-2, BAD_ADDRESS, MESSAGE, 0}},
    {"msgrcv", LONG, "chan_receive", {-2, P(&message), MESSAGE, 0, 0}},
    {"msgrcv", LONG, NULL, {-2, P(&message), MESSAGE, 0, IPC_NOWAIT}},
    {"msgrcv", LONG, "chan_receive", {-1, P(&message), MESSAGE, 0, 0}},
    {"semop", INT, "sync", {-2, P(&wrong), 1}},
    {"semop", INT, "sync", {-2, BAD_ADDRESS, 1}},
    {"semtimedop", INT, "sync", {-2, P(&take_one), 1, P(&in_20_ms)}},
    {"semtimedop", INT, "sync", {-2, P(&take_one), 1, BAD_ADDRESS}},
    {"mq_close", INT, NULL, {QUEUE + 2}},
    {0},
};

static void empty_queue(void)
{
    while (mq_timedreceive(QUEUE, buffer, MESSAGE, NULL, &past) >= 0)
        ;
}

static void fill_queue(void)
{
    while (mq_timedsend(QUEUE, buffer, 4, 0, &past) == 0)
        ;
}

static void post(void) { CHECK(mq_send(QUEUE, buffer, 4, 0) == 0); }
static void fetch(void) { CHECK(mq_receive(QUEUE, buffer, MESSAGE, NULL) == 4); }
static void msg_post(void) { CHECK(msgsnd(message_queue, &message, MESSAGE, IPC_NOWAIT) == 0); }
static void msg_fetch(void) { CHECK(msgrcv(message_queue, &message, MESSAGE, 0, IPC_NOWAIT) >= 0); }

static void msg_empty(void)
{
    while (msgrcv(message_queue, &message, MESSAGE, 0, IPC_NOWAIT) >= 0)
        ;
}

static void msg_fill(void)
{
    while (msgsnd(message_queue, &message, MESSAGE, IPC_NOWAIT) == 0)
        ;
}

static void sem_empty(void) { CHECK(semctl(semaphores, 0, SETVAL, 0) == 0); }
static void sem_feed(void) { CHECK(semctl(semaphores, 0, SETVAL, 1) == 0); }

static struct waiting ipc_waits[12] = {
    {"mq_receive", LONG, "chan_receive", "main", empty_queue, post, {QUEUE, P(buffer), MESSAGE, 0}},
    {"mq_timedreceive", LONG, "chan_receive", "main", empty_queue, post, {QUEUE, P(buffer), MESSAGE, 0, P(&future)}},
    {"mq_send", INT, "chan_send", "main", fill_queue, fetch, {QUEUE, P(buffer), 4, 0}},
    {"mq_timedsend", INT, "chan_send", "main", fill_queue, fetch, {QUEUE, P(buffer), 4, 0, P(&future)}},
    {"msgrcv", LONG, "chan_receive", "self", msg_empty, msg_post, {-2, P(&message), MESSAGE, 0, 0}},
    {"msgsnd", INT, "chan_send", "self", msg_fill, msg_fetch, {-2, P(&message), MESSAGE, 0}},
    {"semop", INT, "sync", "self", sem_empty, sem_feed, {-2, P(&take_one), 1}},
    {"semtimedop", INT, "sync", "self", sem_empty, sem_feed, {-2, P(&take_one), 1, P(&in_an_hour)}},
    {0},
};

const struct group ipc_group = {"ipc", set_up_ipc, ipc_calls, ipc_waits};
