/*
 * The program's own unwinding works as ever: backtrace(), dladdr, key destructors, cleanup on pthread_exit. Trap 51.
 */
#include "program.h"

#include <dlfcn.h>
#include <execinfo.h>

static pthread_key_t key;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int destroyed, cleaned;

/* Not static, so that dladdr finds them. */
void print_backtrace(const char *where);
void *deep_thread(void *self);
int outer(int depth);

NOINLINE void print_backtrace(const char *where)
{
    void *frames[100];
    int n = backtrace(frames, 100);
    printf("%s:", where);
    for (int i = 0; i < n; i++) {
        Dl_info info;
        /* Only the program's own: how deep libc starts a thread is libc's business. */
        if (dladdr(frames[i], &info) && info.dli_sname && dladdr(frames[i], &info) &&
            dlsym(RTLD_DEFAULT, info.dli_sname) == info.dli_saddr && !strstr(info.dli_fname, ".so"))
            printf(" %s", info.dli_sname);
    }
    puts("");
    NO_TAIL_CALL();
}

NOINLINE int outer(int depth)
{
    int n = depth ? outer(depth - 1) + 1 : (print_backtrace("deep"), 0);
    NO_TAIL_CALL();
    return n;
}

static void print_home(const char *name)
{
    Dl_info info;
    void *address = dlsym(RTLD_DEFAULT, name);
    const char *base = address && dladdr(address, &info) ? strrchr(info.dli_fname, '/') : NULL;
    printf("%s is in %s\n", name, base ? base + 1 : "nothing");
}

/* Libc itself loads libgcc's unwinder, at the first backtrace() or cancellation; somebody else's must not be there. */
static void expect_no_other_unwinder(void)
{
    Dl_info info;
    void *address = dlsym(RTLD_DEFAULT, "_Unwind_Backtrace");
    if (address && dladdr(address, &info) && !strstr(info.dli_fname, "libgcc_s"))
        printf("an unwinder in %s\n", info.dli_fname);
}

static void on_key(void *value)
{
    pthread_mutex_lock(&lock);
    destroyed++;
    pthread_mutex_unlock(&lock);
    free(value);
    sched_yield();
}

static void on_cleanup(void *value)
{
    cleaned++;
}

NOINLINE void *deep_thread(void *self)
{
    introduce(self);
    CHECK(pthread_setspecific(key, malloc(100)) == 0);
    outer(3);
    pthread_cleanup_push(on_cleanup, NULL);
    pthread_exit(self);
    pthread_cleanup_pop(0);
    return NULL;
}

int main(void)
{
    CHECK(pthread_key_create(&key, on_key) == 0);
    print_home("backtrace");
    expect_no_other_unwinder();
    print_home("unw_backtrace");
    print_home("dwarf_init_b");
    outer(5);
    struct thread t;
    spawn(&t, deep_thread);
    void *result;
    CHECK(pthread_join(t.id, &result) == 0 && result == &t);
    printf("%d destroyed, %d cleaned up\n", destroyed, cleaned);
    puts("trace: goroutines 2");
    puts("trace: goroutine deep_thread 1");
    return 0;
}
