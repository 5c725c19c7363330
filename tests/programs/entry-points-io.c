/* Reading and writing. */
#include "entry-points.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/uio.h>

static const struct iovec vec[2] = {{buffer, 4}, {buffer + 8, 4}};
static const struct iovec bad_vec[1] = {{(void *)BAD_ADDRESS, 4}};
static int answer;
static uint64_t count;
static off_t offset;

#define P(x) (long)(x)
#define UNSIGNED_MAX(type) (long)(type)-1

static void set_up(void)
{
    place(eventfd(0, 0), COUNTER);
    int fd = open(path_of_other, O_CREAT | O_RDWR, 0600);
    place(fd, SCRATCH_FD);
}

static const struct at_once calls[] = {
    {"read", LONG, NULL, {ZERO, P(buffer), 4}},
    {"read", LONG, NULL, {READY_IN, P(buffer), 4}},
    {"read", LONG, NULL, {READY_IN, P(buffer), 0}},
    {"read", LONG, NULL, {NO_FD, P(buffer), 4}},
    {"read", LONG, NULL, {-1, P(buffer), 4}},
    {"read", LONG, NULL, {1L << 31, P(buffer), 4}},
    {"read", LONG, NULL, {ZERO, BAD_ADDRESS, 4}},
    {"read", LONG, EITHER, {READY_OUT, P(buffer), 4}},
    {"__read_chk", LONG, NULL, {READY_IN, P(buffer), 4, 100}},
    {"__read_chk", LONG, NULL, {NO_FD, P(buffer), 4, 100}},
    {"readv", LONG, NULL, {READY_IN, P(vec), 2}},
    {"readv", LONG, NULL, {READY_IN, P(vec), -1}},
    {"readv", LONG, NULL, {READY_IN, BAD_ADDRESS, 2}},
    {"pread", LONG, NULL, {FILE_FD, P(buffer), 4, 2}},
    {"pread", LONG, NULL, {READY_IN, P(buffer), 4, 2}},
    {"pread64", LONG, NULL, {FILE_FD, P(buffer), 4, 14}},
    {"pread64", LONG, NULL, {FILE_FD, BAD_ADDRESS, 4, 2}},
    {"__pread_chk", LONG, NULL, {FILE_FD, P(buffer), 4, 2, 100}},
    {"__pread_chk", LONG, NULL, {FILE_FD, P(buffer), 4, -2, 100}},
    {"__pread64_chk", LONG, NULL, {FILE_FD, P(buffer), 4, 2, 100}},
    {"__pread64_chk", LONG, NULL, {NO_FD, P(buffer), 4, 2, 100}},
    {"preadv", LONG, NULL, {FILE_FD, P(vec), 2, 2}},
    {"preadv", LONG, NULL, {FILE_FD, P(bad_vec), 1, 2}},
    {"preadv64", LONG, NULL, {FILE_FD, P(vec), 2, 2}},
    {"preadv64", LONG, NULL, {READY_IN, P(vec), 2, 2}},
    {"preadv2", LONG, NULL, {FILE_FD, P(vec), 2, 2, 0}},
    {"preadv2", LONG, NULL, {FILE_FD, P(vec), 2, 2, 1 << 30}},
    {"preadv64v2", LONG, NULL, {READY_IN, P(vec), 2, -1, 0}},
    {"preadv64v2", LONG, NULL, {NO_FD, P(vec), 2, -1, 0}},
    {"write", LONG, NULL, {ZERO, P(buffer), 4}},
    {"write", LONG, NULL, {OTHER_OUT, P(buffer), 4}},
    {"write", LONG, NULL, {NO_FD, P(buffer), 4}},
    {"write", LONG, NULL, {OTHER_OUT, BAD_ADDRESS, 4}},
    {"write", LONG, EITHER, {READY_IN, P(buffer), 4}},
    {"writev", LONG, NULL, {OTHER_OUT, P(vec), 2}},
    {"writev", LONG, NULL, {OTHER_OUT, P(bad_vec), 1}},
    {"writev", LONG, NULL, {OTHER_OUT, P(vec), 100000}},
    {"pwrite", LONG, NULL, {SCRATCH_FD, P(buffer), 4, 2}},
    {"pwrite", LONG, NULL, {OTHER_OUT, P(buffer), 4, 2}},
    {"pwrite64", LONG, NULL, {SCRATCH_FD, P(buffer), 4, 2}},
    {"pwrite64", LONG, NULL, {SCRATCH_FD, P(buffer), 4, -1}},
    {"pwritev", LONG, NULL, {SCRATCH_FD, P(vec), 2, 2}},
    {"pwritev", LONG, NULL, {SCRATCH_FD, BAD_ADDRESS, 2, 2}},
    {"pwritev64", LONG, NULL, {SCRATCH_FD, P(vec), 2, 2}},
    {"pwritev64", LONG, NULL, {NO_FD, P(vec), 2, 2}},
    {"pwritev2", LONG, NULL, {SCRATCH_FD, P(vec), 2, 2, 0}},
    {"pwritev2", LONG, NULL, {SCRATCH_FD, P(vec), 2, 2, 1 << 30}},
    {"pwritev64v2", LONG, NULL, {SCRATCH_FD, P(vec), 2, -1, 0}},
    {"pwritev64v2", LONG, NULL, {NO_FD, P(vec), 2, -1, 0}},
    {"sendfile", LONG, NULL, {OTHER_OUT, FILE_FD, P(&offset), 4}},
    {"sendfile", LONG, NULL, {OTHER_OUT, NO_FD, P(&offset), 4}},
    {"sendfile64", LONG, NULL, {OTHER_OUT, FILE_FD, P(&offset), 4}},
    {"sendfile64", LONG, NULL, {OTHER_OUT, FILE_FD, BAD_ADDRESS, 4}},
    {"splice", LONG, NULL, {READY_IN, 0, OTHER_OUT, 0, 4, 0}},
    {"splice", LONG, NULL, {FILE_FD, 0, ZERO, 0, 4, 0}},
    {"splice", LONG, NULL, {PIPE_IN, 0, OTHER_OUT, 0, 4, SPLICE_F_NONBLOCK}},
    {"tee", LONG, NULL, {READY_IN, OTHER_OUT, 4, 0}},
    {"tee", LONG, NULL, {FILE_FD, OTHER_OUT, 4, 0}},
    {"vmsplice", LONG, NULL, {OTHER_OUT, P(vec), 2, 0}},
    {"vmsplice", LONG, NULL, {OTHER_OUT, BAD_ADDRESS, 2, 0}},
    {"copy_file_range", LONG, NULL, {FILE_FD, 0, SCRATCH_FD, 0, 4, 0}},
    {"copy_file_range", LONG, NULL, {FILE_FD, 0, OTHER_OUT, 0, 4, 0}},
    {"eventfd_write", INT, NULL, {COUNTER, 3}},
    {"eventfd_read", INT, NULL, {COUNTER, P(&count)}},
    {"eventfd_read", INT, NULL, {NO_FD, P(&count)}},
    {"eventfd_write", INT, NULL, {NO_FD, 3}},
    /* No bad address: glibc 2.41 asks the vDSO, which writes there itself. */
    {"getrandom", LONG, NULL, {P(buffer), 4, 0}},
    {"getrandom", LONG, NULL, {P(buffer), 4, 1 << 30}},
    {"getentropy", INT, NULL, {P(buffer), 4}},
    {"getentropy", INT, NULL, {P(buffer), 4000}},
    {"ioctl", INT, NULL, {READY_IN, FIONREAD, P(&answer)}},
    {"ioctl", INT, NULL, {READY_IN, FIONREAD, BAD_ADDRESS}},
    {"ioctl", INT, NULL, {READY_IN, FIONBIO, BAD_ADDRESS}},
    {"ioctl", INT, NULL, {NO_FD, FIONREAD, P(&answer)}},
    {0},
};

static void empty_pipe(void) { empty(PIPE_IN); }

static void fill_pipe(void)
{
    empty(PIPE_IN);
    fill(PIPE_OUT);
}

static void feed(void) { CHECK(write(PIPE_OUT, buffer, 8) == 8); }
static void make_room(void) { CHECK(read(PIPE_IN, buffer, 65536) == 65536); }
static void empty_counter(void) { empty(COUNTER); }
static void feed_counter(void) { CHECK(eventfd_write(COUNTER, 1) == 0); }
static void make_room_in_counter(void) { CHECK(eventfd_read(COUNTER, &count) == 0); }

static void fill_counter(void)
{
    empty(COUNTER);
    CHECK(eventfd_write(COUNTER, UINT64_MAX - 1) == 0);
}

#define RECEIVES(function, ...)                                                                                        \
    {function, LONG, "chan_receive", "main", empty_pipe, feed, {__VA_ARGS__}}
#define SENDS(function, ...)                                                                                           \
    {function, LONG, "chan_send", "self", fill_pipe, make_room, {__VA_ARGS__}}

static const struct waiting waits[] = {
    RECEIVES("read", PIPE_IN, P(buffer), 8),
    RECEIVES("__read_chk", PIPE_IN, P(buffer), 8, 100),
    RECEIVES("readv", PIPE_IN, P(vec), 2),
    RECEIVES("preadv2", PIPE_IN, P(vec), 2, -1, 0),
    RECEIVES("preadv64v2", PIPE_IN, P(vec), 2, -1, 0),
    RECEIVES("splice", PIPE_IN, 0, OTHER_OUT, 0, 8, 0),
    RECEIVES("tee", PIPE_IN, OTHER_OUT, 8, 0),
    {"write", LONG, "chan_send", "main", fill_pipe, make_room, {PIPE_OUT, P(buffer), 8}},
    SENDS("writev", PIPE_OUT, P(vec), 2),
    SENDS("pwritev2", PIPE_OUT, P(vec), 2, -1, 0),
    SENDS("pwritev64v2", PIPE_OUT, P(vec), 2, -1, 0),
    SENDS("sendfile", PIPE_OUT, ZERO, 0, 8),
    SENDS("sendfile64", PIPE_OUT, ZERO, 0, 8),
    SENDS("vmsplice", PIPE_OUT, P(vec), 2, 0),
    {"eventfd_read", INT, "chan_receive", "main", empty_counter, feed_counter, {COUNTER, P(&count)}},
    {"eventfd_write", INT, "chan_send", "main", fill_counter, make_room_in_counter, {COUNTER, 5}},
    {0},
};

const struct group io_group = {"io", set_up, calls, waits};
