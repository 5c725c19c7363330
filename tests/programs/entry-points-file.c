/* Descriptors and files, and mappings. */
#include "entry-points.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>

#define P(x) (long)(x)

static char path_of_new[70], path_of_newer[70], path_of_link[70];
static char stat_buffer[512];
static int two[2];
static struct flock whole = {.l_type = F_WRLCK}, half = {.l_type = F_WRLCK, .l_whence = 99};
static struct flock unlocked = {.l_type = F_UNLCK};
static sigset_t signals;

static void set_up(void)
{
    snprintf(path_of_new, sizeof path_of_new, "%s2", path_of_file);
    snprintf(path_of_newer, sizeof path_of_newer, "%s3", path_of_file);
    snprintf(path_of_link, sizeof path_of_link, "%s4", path_of_file);
    place(open(path_of_other, O_CREAT | O_RDWR, 0600), LOCK_A);
    place(open(path_of_other, O_RDWR), LOCK_B);
    place(open(path_of_other, O_RDWR), SCRATCH_FD);
}

#define OPENS(function, bits)                                                                                          \
    {function, NEW_FD, NULL, {P(path_of_new), bits, 0600}}, {function, NEW_FD, NULL, {P(path_of_none), O_RDWR}}
#define OPENS_AT(function)                                                                                             \
    {function, NEW_FD, NULL, {AT_FDCWD, P(path_of_file), O_RDWR}}, {function, NEW_FD, NULL, {NO_FD, P("file"), O_RDWR}}

static const struct at_once calls[] = {
    OPENS("open", O_CREAT | O_RDWR),
    {"open", NEW_FD, NULL, {BAD_ADDRESS, O_RDWR}},
    OPENS("open64", O_RDWR),
    OPENS("__open_2", O_RDWR),
    OPENS("__open64_2", O_RDWR),
    OPENS_AT("openat"),
    OPENS_AT("openat64"),
    OPENS_AT("__openat_2"),
    OPENS_AT("__openat64_2"),
    {"creat", NEW_FD, NULL, {P(path_of_new), 0600}},
    {"creat", NEW_FD, NULL, {P(path_of_none), 0600}},
    {"creat64", NEW_FD, NULL, {P(path_of_new), 0600}},
    {"creat64", NEW_FD, NULL, {BAD_ADDRESS, 0600}},
    {"dup", NEW_FD, NULL, {ZERO}},
    {"dup", NEW_FD, NULL, {NO_FD}},
    {"dup2", NEW_FD, NULL, {ZERO, 600}},
    {"dup2", NEW_FD, NULL, {NO_FD, 600}},
    {"dup3", NEW_FD, NULL, {ZERO, 601, O_CLOEXEC}},
    {"dup3", NEW_FD, NULL, {ZERO, ZERO, 0}},
    {"pipe", INT, NULL, {P(two)}},
    {"pipe", INT, NULL, {BAD_ADDRESS}},
    {"pipe2", INT, NULL, {P(two), O_CLOEXEC | O_NONBLOCK}},
    {"pipe2", INT, NULL, {P(two), -1}},
    {"eventfd", NEW_FD, NULL, {1, EFD_CLOEXEC}},
    {"eventfd", NEW_FD, NULL, {1, -1}},
    {"timerfd_create", NEW_FD, NULL, {CLOCK_MONOTONIC, 0}},
    {"timerfd_create", NEW_FD, NULL, {-1, 0}},
    {"signalfd", NEW_FD, NULL, {-1, P(&signals), 0}},
    {"signalfd", NEW_FD, NULL, {ZERO, P(&signals), 0}},
    {"inotify_init", NEW_FD, NULL, {0}},
    {"inotify_init1", NEW_FD, NULL, {0}},
    {"inotify_init1", NEW_FD, NULL, {1}},
    {"memfd_create", NEW_FD, NULL, {P("name"), 0}},
    {"memfd_create", NEW_FD, NULL, {BAD_ADDRESS, 0}},
    {"fcntl", INT, NULL, {FILE_FD, F_GETFD}},
    {"fcntl", NEW_FD, NULL, {FILE_FD, F_DUPFD, 700}},
    {"fcntl", NEW_FD, NULL, {FILE_FD, F_DUPFD_CLOEXEC, -1}},
    {"fcntl", INT, NULL, {FILE_FD, F_SETLK, P(&half)}},
    {"fcntl", INT, NULL, {FILE_FD, F_GETLK, BAD_ADDRESS}},
    {"fcntl", INT, NULL, {NO_FD, F_SETFL, O_NONBLOCK}},
    {"fcntl64", INT, NULL, {PIPE_IN, F_SETFL, 0}},
    {"fcntl64", INT, NULL, {NO_FD, F_GETFL}},
    {"flock", INT, NULL, {LOCK_A, LOCK_EX}},
    {"flock", INT, NULL, {LOCK_B, LOCK_EX | LOCK_NB}},
    {"flock", INT, NULL, {LOCK_A, LOCK_UN}},
    {"lockf", INT, NULL, {LOCK_A, F_TEST, 0}},
    {"lockf", INT, NULL, {LOCK_A, 99, 0}},
    {"lockf64", INT, NULL, {LOCK_A, F_TEST, 0}},
    {"lockf64", INT, NULL, {NO_FD, F_TEST, 0}},
    {"fsync", INT, NULL, {SCRATCH_FD}},
    {"fsync", INT, NULL, {PIPE_IN}},
    {"fdatasync", INT, NULL, {SCRATCH_FD}},
    {"fdatasync", INT, NULL, {NO_FD}},
    {"syncfs", INT, NULL, {PIPE_IN}},
    {"syncfs", INT, NULL, {NO_FD}},
    {"sync", NO_RESULT, NULL, {0}},
    {"sync_file_range", INT, NULL, {SCRATCH_FD, 0, 4, SYNC_FILE_RANGE_WRITE}},
    {"sync_file_range", INT, NULL, {SCRATCH_FD, 0, 4, -1}},
    {"fallocate", INT, NULL, {SCRATCH_FD, 0, 0, 4096}},
    {"fallocate", INT, NULL, {SCRATCH_FD, 0, -1, 4096}},
    {"fallocate64", INT, NULL, {SCRATCH_FD, 0, 0, 4096}},
    {"fallocate64", INT, NULL, {NO_FD, 0, 0, 4096}},
    {"posix_fallocate", INT, NULL, {SCRATCH_FD, 0, 4096}},
    {"posix_fallocate", INT, NULL, {PIPE_IN, 0, 4096}},
    {"posix_fallocate64", INT, NULL, {SCRATCH_FD, 0, 4096}},
    {"posix_fallocate64", INT, NULL, {NO_FD, 0, 4096}},
    {"posix_fadvise", INT, NULL, {SCRATCH_FD, 0, 4096, POSIX_FADV_WILLNEED}},
    {"posix_fadvise", INT, NULL, {PIPE_IN, 0, 4096, POSIX_FADV_WILLNEED}},
    {"posix_fadvise64", INT, NULL, {SCRATCH_FD, 0, 4096, POSIX_FADV_WILLNEED}},
    {"posix_fadvise64", INT, NULL, {SCRATCH_FD, 0, 4096, 99}},
    {"truncate", INT, NULL, {P(path_of_new), 10}},
    {"truncate", INT, NULL, {P(path_of_none), 10}},
    {"truncate64", INT, NULL, {P(path_of_new), 10}},
    {"truncate64", INT, NULL, {P(path_of_new), -10}},
    {"ftruncate", INT, NULL, {SCRATCH_FD, 10}},
    {"ftruncate", INT, NULL, {PIPE_IN, 10}},
    {"ftruncate64", INT, NULL, {SCRATCH_FD, 10}},
    {"ftruncate64", INT, NULL, {NO_FD, 10}},
    {"rename", INT, NULL, {P(path_of_new), P(path_of_newer)}},
    {"rename", INT, NULL, {P(path_of_new), P(path_of_newer)}},
    {"renameat", INT, NULL, {AT_FDCWD, P(path_of_newer), AT_FDCWD, P(path_of_new)}},
    {"renameat", INT, NULL, {NO_FD, P("a"), AT_FDCWD, P(path_of_new)}},
    {"renameat2", INT, NULL, {AT_FDCWD, P(path_of_new), AT_FDCWD, P(path_of_newer), 0}},
    {"renameat2", INT, NULL, {AT_FDCWD, P(path_of_newer), AT_FDCWD, BAD_ADDRESS, 0}},
    {"link", INT, NULL, {P(path_of_newer), P(path_of_new)}},
    {"link", INT, NULL, {P(path_of_newer), P(path_of_new)}},
    {"symlink", INT, NULL, {P("file"), P(path_of_link)}},
    {"symlink", INT, NULL, {P("file"), BAD_ADDRESS}},
    {"readlink", LONG, NULL, {P(path_of_link), P(buffer), 100}},
    {"readlink", LONG, NULL, {P(path_of_file), P(buffer), 100}},
    {"readlinkat", LONG, NULL, {AT_FDCWD, P(path_of_link), P(buffer), 2}},
    {"readlinkat", LONG, NULL, {AT_FDCWD, P(path_of_link), BAD_ADDRESS, 100}},
    {"unlink", INT, NULL, {P(path_of_new)}},
    {"unlink", INT, NULL, {P(path_of_new)}},
    {"unlinkat", INT, NULL, {AT_FDCWD, P(path_of_link), 0}},
    {"unlinkat", INT, NULL, {AT_FDCWD, BAD_ADDRESS, 0}},
    {"mkdir", INT, NULL, {P(path_of_folder), 0700}},
    {"mkdir", INT, NULL, {P(path_of_folder), 0700}},
    {"rmdir", INT, NULL, {P(path_of_folder)}},
    {"rmdir", INT, NULL, {P(path_of_folder)}},
    {"stat", INT, NULL, {P(path_of_file), P(stat_buffer)}},
    {"stat", INT, NULL, {P(path_of_none), P(stat_buffer)}},
    {"stat64", INT, NULL, {P(path_of_file), P(stat_buffer)}},
    {"stat64", INT, NULL, {P(path_of_file), BAD_ADDRESS}},
    {"lstat", INT, NULL, {P(path_of_file), P(stat_buffer)}},
    {"lstat", INT, NULL, {P(path_of_none), P(stat_buffer)}},
    {"lstat64", INT, NULL, {P(path_of_file), P(stat_buffer)}},
    {"lstat64", INT, NULL, {BAD_ADDRESS, P(stat_buffer)}},
    {"fstat", INT, NULL, {FILE_FD, P(stat_buffer)}},
    {"fstat", INT, NULL, {NO_FD, P(stat_buffer)}},
    {"fstat64", INT, NULL, {FILE_FD, P(stat_buffer)}},
    {"fstat64", INT, NULL, {FILE_FD, BAD_ADDRESS}},
    {"fstatat", INT, NULL, {AT_FDCWD, P(path_of_file), P(stat_buffer), 0}},
    {"fstatat", INT, NULL, {AT_FDCWD, P(path_of_file), P(stat_buffer), 1}},
    {"fstatat64", INT, NULL, {AT_FDCWD, P(path_of_file), P(stat_buffer), 0}},
    {"fstatat64", INT, NULL, {NO_FD, P("file"), P(stat_buffer), 0}},
    {"statx", INT, NULL, {AT_FDCWD, P(path_of_file), 0, STATX_SIZE, P(stat_buffer)}},
    {"statx", INT, NULL, {AT_FDCWD, P(path_of_file), 0, STATX_SIZE, BAD_ADDRESS}},
    {"__xstat", INT, NULL, {1, P(path_of_file), P(stat_buffer)}},
    {"__xstat", INT, NULL, {99, P(path_of_file), P(stat_buffer)}},
    {"__xstat64", INT, NULL, {1, P(path_of_file), P(stat_buffer)}},
    {"__xstat64", INT, NULL, {1, P(path_of_none), P(stat_buffer)}},
    {"__lxstat", INT, NULL, {1, P(path_of_file), P(stat_buffer)}},
    {"__lxstat", INT, NULL, {1, P(path_of_none), P(stat_buffer)}},
    {"__lxstat64", INT, NULL, {1, P(path_of_file), P(stat_buffer)}},
    {"__lxstat64", INT, NULL, {99, P(path_of_file), P(stat_buffer)}},
    {"__fxstat", INT, NULL, {1, FILE_FD, P(stat_buffer)}},
    {"__fxstat", INT, NULL, {1, NO_FD, P(stat_buffer)}},
    {"__fxstat64", INT, NULL, {1, FILE_FD, P(stat_buffer)}},
    {"__fxstat64", INT, NULL, {1, FILE_FD, BAD_ADDRESS}},
    {"__fxstatat", INT, NULL, {1, AT_FDCWD, P(path_of_file), P(stat_buffer), 0}},
    {"__fxstatat", INT, NULL, {1, NO_FD, P("file"), P(stat_buffer), 0}},
    {"__fxstatat64", INT, NULL, {1, AT_FDCWD, P(path_of_file), P(stat_buffer), 0}},
    {"__fxstatat64", INT, NULL, {1, AT_FDCWD, P(path_of_none), P(stat_buffer), 0}},
    {"access", INT, NULL, {P(path_of_file), R_OK}},
    {"access", INT, NULL, {P(path_of_none), R_OK}},
    {"faccessat", INT, NULL, {AT_FDCWD, P(path_of_file), R_OK, AT_EACCESS}},
    {"faccessat", INT, NULL, {AT_FDCWD, P(path_of_file), 99, 0}},
    {"close_range", INT, NULL, {2000, 2010, 0}},
    {"close_range", INT, NULL, {2010, 2000, 0}},
    {"closefrom", NO_RESULT, NULL, {2000}},
    {"close", INT, NULL, {SCRATCH_FD}},
    {"close", INT, NULL, {SCRATCH_FD}},
    {"close", INT, NULL, {-1}},
    {0},
};

static void nothing(void) {}
static void open_fifo(void)
{
    int fd = open(path_of_fifo, O_RDWR);
    milliseconds(20);
    close(fd);
}

static void lock_file(void) { CHECK(flock(LOCK_A, LOCK_UN) == 0 && flock(LOCK_B, LOCK_EX) == 0); }
static void unlock_file(void) { CHECK(flock(LOCK_B, LOCK_UN) == 0); }

/* Held by the open file, not by the process: the process's own locks wait for it. */
static void lock_range(void)
{
    fcntl(LOCK_A, F_SETLK, &unlocked);
    CHECK(fcntl(LOCK_B, F_OFD_SETLK, &whole) == 0);
}

static void unlock_range(void) { CHECK(fcntl(LOCK_B, F_OFD_SETLK, &unlocked) == 0); }

#define OPENS_FIFO(function, ...)                                                                                      \
    {function, NEW_FD, NULL, "self", nothing, open_fifo, {__VA_ARGS__}}

static const struct waiting waits[] = {
    OPENS_FIFO("open", P(path_of_fifo), O_WRONLY),
    OPENS_FIFO("open64", P(path_of_fifo), O_RDONLY),
    OPENS_FIFO("__open_2", P(path_of_fifo), O_RDONLY),
    OPENS_FIFO("__open64_2", P(path_of_fifo), O_RDONLY),
    OPENS_FIFO("openat", AT_FDCWD, P(path_of_fifo), O_RDONLY),
    OPENS_FIFO("openat64", AT_FDCWD, P(path_of_fifo), O_RDONLY),
    OPENS_FIFO("__openat_2", AT_FDCWD, P(path_of_fifo), O_RDONLY),
    OPENS_FIFO("__openat64_2", AT_FDCWD, P(path_of_fifo), O_RDONLY),
    OPENS_FIFO("creat", P(path_of_fifo), 0600),
    OPENS_FIFO("creat64", P(path_of_fifo), 0600),
    {"flock", INT, NULL, "self", lock_file, unlock_file, {LOCK_A, LOCK_EX}},
    {"fcntl", INT, NULL, "self", lock_range, unlock_range, {LOCK_A, F_SETLKW, P(&whole)}},
    {"fcntl64", INT, NULL, "self", lock_range, unlock_range, {LOCK_A, F_SETLKW, P(&whole)}},
    {"lockf", INT, NULL, "self", lock_range, unlock_range, {LOCK_A, F_LOCK, 0}},
    {"lockf64", INT, NULL, "self", lock_range, unlock_range, {LOCK_A, F_LOCK, 0}},
    {0},
};

const struct group file_group = {"file", set_up, calls, waits};

/* --- mappings ----------------------------------------------------------------------------------------------------- */

enum { PAGE = 4096 };
static char pages[8 * PAGE] __attribute__((aligned(PAGE)));

static void set_up_pages(void) {}

static const struct at_once mem_calls[] = {
    {"mmap", POINTER, NULL, {0, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0}},
    {"mmap", POINTER, NULL, {0, PAGE, PROT_READ, MAP_PRIVATE, NO_FD, 0}},
    {"mmap64", POINTER, NULL, {0, PAGE, PROT_READ, MAP_PRIVATE, FILE_FD, 0}},
    {"mmap64", POINTER, NULL, {0, PAGE, PROT_READ, MAP_PRIVATE, FILE_FD, 1}},
    {"mremap", POINTER, NULL, {P(pages), PAGE, PAGE, 0, 0}},
    {"mremap", POINTER, NULL, {BAD_ADDRESS, PAGE, PAGE, 0, 0}},
    {"mprotect", INT, NULL, {P(pages), PAGE, PROT_READ | PROT_WRITE}},
    {"mprotect", INT, NULL, {P(pages) + 1, PAGE, PROT_READ}},
    {"madvise", INT, NULL, {P(pages), PAGE, MADV_WILLNEED}},
    {"madvise", INT, NULL, {P(pages), PAGE, 9999}},
    {"posix_madvise", INT, NULL, {P(pages), PAGE, POSIX_MADV_WILLNEED}},
    {"posix_madvise", INT, NULL, {P(pages) + 1, PAGE, POSIX_MADV_WILLNEED}},
    {"msync", INT, NULL, {P(pages), PAGE, MS_ASYNC}},
    {"msync", INT, NULL, {P(pages), PAGE, -1}},
    {"mlock", INT, NULL, {P(pages), PAGE}},
    {"mlock", INT, NULL, {0, PAGE}},
    {"mlockall", INT, NULL, {0}},
    {"munlock", INT, NULL, {P(pages), PAGE}},
    {"munlock", INT, NULL, {0, PAGE}},
    {"munmap", INT, NULL, {P(pages) + 6 * PAGE, PAGE}},
    {"munmap", INT, NULL, {P(pages) + 1, PAGE}},
    {0},
};

static const struct waiting mem_waits[] = {{0}};
const struct group mem_group = {"mem", set_up_pages, mem_calls, mem_waits};
