/* The loader's locks as seen from outside: of this process, which has them at known times. */
#include "tests/unit/folder.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>

#include "cmd/attach/loader_locks.h"

static struct process self;
static struct loader_locks locks;

#if defined(__x86_64__)
enum { CAN_BE_FOUND = __GLIBC_PREREQ(2, 35) };
#else
enum { CAN_BE_FOUND = 0 };
#endif
static const char cannot[] = "optional: attaching is for x86-64 so far, and the locks for glibc 2.35 or later";

static bool are_free(void) { return loader_lets_make_thread(&locks) && loader_lets_add_library(&locks); }

static void they_are_found(void **state)
{
    (void)state;
    if (!CAN_BE_FOUND)
        SKIP(cannot);
    assert_true(locks.list && locks.storage && locks.stacks && locks.kept);
    assert_true(are_free());
}

static int look_in_callback(struct dl_phdr_info *info, size_t size, void *is_free)
{
    (void)info, (void)size;
    *(bool *)is_free = loader_lets_add_library(&locks);
    assert_true(loader_lets_make_thread(&locks));
    return 1;
}

static void the_list_is_taken_in_a_callback_of_dl_iterate_phdr(void **state)
{
    (void)state;
    bool is_free = true;
    if (!CAN_BE_FOUND)
        SKIP(cannot);
    dl_iterate_phdr(look_in_callback, &is_free);
    assert_false(is_free);
    assert_true(are_free());
}

static void *load(void *file) { return dlopen(file, RTLD_NOW); }

/* The loader waits for somebody who writes to the FIFO. */
static void threads_cannot_be_made_while_a_file_is_loaded(void **state)
{
    (void)state;
    char *fifo = in_folder("slow.so");
    pthread_t loading;
    void *handle = fifo;
    if (!CAN_BE_FOUND)
        SKIP(cannot);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(pthread_create(&loading, NULL, load, fifo), 0);
    while (loader_lets_make_thread(&locks))
        usleep(1000);
    int fd = open(fifo, O_WRONLY);
    assert_false(loader_lets_make_thread(&locks)); /* it reads */
    close(fd);
    assert_int_equal(pthread_join(loading, &handle), 0);
    assert_null(handle);
    assert_true(are_free());
}

static void *nothing(void *arg) { return arg; }

static void stacks_are_kept_of_threads_that_ended(void **state)
{
    (void)state;
    enum { SIZE = 16 << 20 }; /* more than those of before are */
    if (!CAN_BE_FOUND)
        SKIP(cannot);
    pthread_t t;
    pthread_attr_t a;
    assert_true(loader_keeps_stacks(&locks) < SIZE);
    assert_int_equal(pthread_attr_init(&a), 0);
    assert_int_equal(pthread_attr_setstacksize(&a, SIZE), 0);
    assert_int_equal(pthread_create(&t, &a, nothing, NULL), 0);
    assert_int_equal(pthread_join(t, NULL), 0);
    assert_true(loader_keeps_stacks(&locks) >= SIZE);
}

static void what_is_not_known_is_not_waited_for(void **state)
{
    (void)state;
    const struct loader_locks none = {.p = &self};
    assert_true(loader_lets_make_thread(&none) && loader_lets_add_library(&none));
    assert_int_equal(loader_keeps_stacks(&none), 0);
}

static void what_cannot_be_read_is_not_free(void **state)
{
    (void)state;
    const struct loader_locks wrong = {.p = &self, .list = 8, .storage = 8, .stacks = 8, .kept = 8};
    assert_false(loader_lets_make_thread(&wrong) || loader_lets_add_library(&wrong));
    assert_int_equal(loader_keeps_stacks(&wrong), 0);
}

static int look_at_self(void **state)
{
    (void)state;
    if (process_open(&self, getpid()))
        return -1;
    locks = loader_locks_find(&self);
    return 0;
}

static int leave_self(void **state)
{
    (void)state;
    process_close(&self);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_found),
        cmocka_unit_test(the_list_is_taken_in_a_callback_of_dl_iterate_phdr),
        FOLDER_TEST(threads_cannot_be_made_while_a_file_is_loaded),
        cmocka_unit_test(stacks_are_kept_of_threads_that_ended),
        cmocka_unit_test(what_is_not_known_is_not_waited_for),
        cmocka_unit_test(what_cannot_be_read_is_not_free),
    };
    return cmocka_run_group_tests(tests, look_at_self, leave_self);
}
