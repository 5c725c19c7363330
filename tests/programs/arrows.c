/* Who woke whom by way of a descriptor: every one that one thread can write to and another one waits for. */
#include "arrows.h"

#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>

/* --- reading ------------------------------------------------------------------------------------------------------ */

static void writes_vector(void) { CHECK(writev(out, &(struct iovec){&byte, 1}, 1) == 1); }
static void sends(void) { CHECK(send(out, &byte, 1, 0) == 1); }
static void receives(void) { CHECK(recv(in, &byte, 1, 0) == 1); }

/* One write is not all it waits for. */
static void receives_all(void)
{
    char two[2];
    CHECK(recv(in, two, 2, MSG_WAITALL) == 2);
}

static void sends_twice(void)
{
    int left = 1;
    sends();
    while (left) /* until the first one is taken */
        CHECK(!ioctl(in, FIONREAD, &left) && !sched_yield());
    sends();
}

static void reads_counter(void) { CHECK(read(in, &(uint64_t){0}, 8) == 8); }
static void writes_counter(void) { CHECK(write(out, &(uint64_t){1}, 8) == 8); }

static void open_pipe(void)
{
    int p[2];
    CHECK(pipe(p) == 0);
    in = p[0], out = p[1];
}

static void plain_reads(void)
{
    open_pipe();
    run_stage("a pipe", reads, writes);
    expect("chan_receive", "waker", "read");
    run_stage("a pipe, writev", reads, writes_vector);
    expect("chan_receive", "waker", "read");
    close_both();

    static const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
    for (int i = 0; i < 3; i++) {
        open_pair(types[i]);
        run_stage("a pair of sockets", receives, sends);
        expect("network", "waker", "recv");
        int other = in;
        in = out, out = other;
        run_stage("the other way, read and write", reads, writes);
        expect("network", "waker", "read");
        close_both();
    }
    open_pair(SOCK_STREAM);
    run_stage("all of two messages", receives_all, sends_twice);
    expect("network", "self", "recv");
    close_both();

    in = out = eventfd(0, 0);
    run_stage("an eventfd", reads_counter, writes_counter);
    expect("chan_receive", "waker", "read");
    close_both();
}

/* --- descriptors that are copied, used again, made non-blocking --------------------------------------------------- */

static void copies(void)
{
    open_pair(SOCK_STREAM);
    int in2 = dup(in), out2 = fcntl(out, F_DUPFD, 300), out3 = dup2(out, 301);
    close_both();
    in = in2, out = out2;
    run_stage("copies of descriptors", reads, writes);
    expect("network", "waker", "read");
    out = out3;
    run_stage("another copy", reads, writes);
    expect("network", "waker", "read");
    close_both();
    close(out2);

    in = out = dup3(eventfd(0, 0), 302, O_CLOEXEC);
    run_stage("a copy of an eventfd", reads_counter, writes_counter);
    expect("chan_receive", "waker", "read");
    close_both();
}

static void numbers_used_again(void)
{
    open_pair(SOCK_STREAM);
    int old_in = in, old_out = out;
    run_stage("sockets", reads, writes);
    expect("network", "waker", "read");
    FILE *f = fdopen(in, "r");
    fclose(f);
    syscall(SYS_close, out);
    open_pipe();
    CHECK(in == old_in && out == old_out);
    run_stage("the same numbers, now a pipe", reads, writes);
    expect("chan_receive", "waker", "read");
    close_both();
}

/* The flag belongs to what is open, not to the descriptor: none of these may be shown as a wait. */

static NOINLINE void *in_a_hurry(void *self)
{
    introduce(self);
    open_pair(SOCK_STREAM);
    int copy = dup(in);
    CHECK(recv(in, &byte, 1, MSG_DONTWAIT) == -1 && errno == EAGAIN);
    CHECK(fcntl(in, F_SETFL, fcntl(in, F_GETFL) | O_NONBLOCK) == 0);
    CHECK(read(in, &byte, 1) == -1 && errno == EAGAIN);
    CHECK(read(copy, &byte, 1) == -1 && errno == EAGAIN);
    int no = 0, yes = 1;
    CHECK(ioctl(copy, FIONBIO, &no) == 0 && ioctl(copy, FIONBIO, &yes) == 0);
    CHECK(read(in, &byte, 1) == -1 && errno == EAGAIN);
    CHECK(read(copy, &byte, 1) == -1 && errno == EAGAIN);
    close_both();
    close(copy);
    int p[2];
    CHECK(pipe2(p, O_NONBLOCK) == 0);
    CHECK(read(p[0], &byte, 1) == -1 && errno == EAGAIN);
    return NULL;
}

static void nonblocking(void)
{
    struct thread t;
    spawn(&t, in_a_hurry);
    join(&t);
    puts("trace: quiet in_a_hurry");

    open_pair(SOCK_STREAM);
    int copy = dup(in), yes = 1, no = 0;
    CHECK(ioctl(copy, FIONBIO, &yes) == 0);
    CHECK(read(in, &byte, 1) == -1 && errno == EAGAIN);
    CHECK(ioctl(copy, FIONBIO, &no) == 0);
    run_stage("blocking again, by way of a copy", reads, writes);
    expect("network", "waker", "read");
    close_both();
    close(copy);
}

/* --- polling ------------------------------------------------------------------------------------------------------ */

static int epoll, quiet[2];

static void polls(void)
{
    struct pollfd p[] = {{quiet[0], POLLIN, 0}, {in, POLLIN, 0}};
    CHECK(poll(p, 2, -1) == 1 && p[1].revents == POLLIN);
    if (in != out)
        reads();
    else
        reads_counter();
}

static void selects(void)
{
    fd_set set;
    FD_ZERO(&set);
    FD_SET(in, &set);
    FD_SET(quiet[0], &set);
    CHECK(select((in > quiet[0] ? in : quiet[0]) + 1, &set, NULL, NULL, NULL) == 1 && FD_ISSET(in, &set));
    reads();
}

static void waits_for_epoll(void)
{
    struct epoll_event e;
    CHECK(epoll_wait(epoll, &e, 1, -1) == 1);
    if (in != out)
        reads();
    else
        reads_counter();
}

static void watch(unsigned events)
{
    struct epoll_event e = {.events = events};
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, in, &e) == 0);
}

static void polling(void)
{
    CHECK(pipe(quiet) == 0);
    open_pipe();
    run_stage("poll on pipes", polls, writes);
    expect("select", "waker", "poll");
    run_stage("select on pipes", selects, writes);
    expect("select", "waker", "select");
    close_both();
    open_pair(SOCK_STREAM);
    run_stage("poll on sockets", polls, sends);
    expect("select", "waker", "poll");
    close_both();
    in = out = eventfd(0, 0);
    run_stage("poll on an eventfd", polls, writes_counter);
    expect("select", "waker", "poll");
    close_both();

    epoll = epoll_create1(0);
    open_pipe();
    watch(EPOLLIN);
    run_stage("epoll on a pipe", waits_for_epoll, writes);
    expect("select", "waker", "epoll_wait");
    close_both();
    open_pair(SOCK_SEQPACKET);
    watch(EPOLLIN | EPOLLET);
    run_stage("epoll on sockets", waits_for_epoll, writes);
    expect("select", "waker", "epoll_wait");
    close_both();
    in = out = eventfd(0, 0);
    watch(EPOLLIN);
    run_stage("epoll on an eventfd", waits_for_epoll, writes_counter);
    expect("select", "waker", "epoll_wait");
    close_both();
    open_pipe();
    watch(EPOLLIN | EPOLLONESHOT);
    run_stage("epoll for one event", waits_for_epoll, writes);
    expect("select", "self", "epoll_wait");
    close_both();
}

/* A write to a descriptor that is watched for something else, or no more, wakes nobody, and must not seem to. */
static void writes_in_vain(void)
{
    writes();
    await_asleep(&waiting);
    CHECK(write(quiet[1], &byte, 1) == 1);
}

static void waits_for_quiet(void)
{
    struct epoll_event e;
    CHECK(epoll_wait(epoll, &e, 1, -1) == 1 && read(quiet[0], &byte, 1) == 1);
}

static void watched_for_else(void)
{
    struct epoll_event e = {.events = EPOLLIN};
    open_pipe();
    watch(EPOLLPRI);
    CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, quiet[0], &e) == 0);
    run_stage("epoll for another event", waits_for_quiet, writes_in_vain);
    expect("select", "waker", "epoll_wait");
    e.events = EPOLLIN;
    reads();
    CHECK(epoll_ctl(epoll, EPOLL_CTL_MOD, in, &e) == 0 && epoll_ctl(epoll, EPOLL_CTL_DEL, in, NULL) == 0);
    run_stage("epoll no more", waits_for_quiet, writes_in_vain);
    expect("select", "waker", "epoll_wait");
    close_both();
}

/* --- several at one object ---------------------------------------------------------------------------------------- */

static void in_turn(void)
{
    open_pipe();
    gather(2, reads);
    writes();
    join(&several[0]);
    writes();
    join(&several[1]);
    EXPECT_ONE(0, "chan_receive", "main", "read");
    EXPECT_ONE(1, "chan_receive", "main", "read");
    first += 2;
    close_both();

    in = out = eventfd(0, EFD_SEMAPHORE);
    epoll = epoll_create1(0);
    watch(EPOLLIN | EPOLLET);
    gather(2, waits_for_epoll);
    writes_counter();
    join(&several[1]);
    writes_counter();
    join(&several[0]);
    EXPECT_ONE(0, "select", "main", "epoll_wait");
    EXPECT_ONE(1, "select", "main", "epoll_wait");
    first += 2;
    close_both();
}

int main(void)
{
    plain_reads();
    copies();
    numbers_used_again();
    nonblocking();
    polling();
    watched_for_else();
    in_turn();
    printf("trace: goroutines %d\n", threads_spawned + 1);
    return 0;
}
