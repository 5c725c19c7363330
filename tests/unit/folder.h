/* A folder of a test's own, gone at its end with all that is in it. */
#ifndef THRACE_TESTS_FOLDER_H
#define THRACE_TESTS_FOLDER_H

#include "tests/unit/unit.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static inline int folder_set_up(void **state)
{
    strcpy(folder, "/tmp/thrace-test-XXXXXX");
    return !mkdtemp(folder);
}

static inline int folder_remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    return remove(path);
}

static inline int folder_tear_down(void **state) { return nftw(folder, folder_remove_one, 8, FTW_DEPTH | FTW_PHYS); }

/* The path of a name in it; eight of them are good at once. */
static inline char *in_folder(const char *name)
{
    static char paths[8][512];
    static unsigned n;
    char *path = paths[n++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static inline void write_file(const char *path, const void *data, size_t size, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, size), size);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static inline bool is_there(const char *path)
{
    struct stat st;
    return !lstat(path, &st);
}

static inline void assert_says(const char *said, const char *wanted)
{
    if (!wanted)
        assert_null(said);
    else if (!said || !strstr(said, wanted))
        fail_msg("said \"%s\", not \"%s\"", said ? said : "nothing", wanted);
}

#define FOLDER_TEST(f) cmocka_unit_test_setup_teardown(f, folder_set_up, folder_tear_down)

#endif
