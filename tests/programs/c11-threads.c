/* The threads of C11: thrd, mtx, cnd, call_once, tss. */
#include "program.h"

#include <threads.h>

static mtx_t lock, timed;
static cnd_t ready;
static bool is_ready;
static once_flag once = ONCE_FLAG_INIT;
static tss_t slot;
static atomic_int once_calls, destroyed;
static struct thread waiter_state, mtx_state;
static atomic_bool locked, unlock;

static void count_call(void)
{
    atomic_fetch_add(&once_calls, 1);
}

static void count_destroyed(void *value)
{
    atomic_fetch_add(&destroyed, value != NULL);
}

static NOINLINE int cnd_waiter(void *arg)
{
    introduce(&waiter_state);
    tss_set(slot, arg);
    call_once(&once, count_call);
    CHECK(mtx_lock(&lock) == thrd_success);
    while (!is_ready)
        CHECK(cnd_wait(&ready, &lock) == thrd_success);
    CHECK(mtx_unlock(&lock) == thrd_success);
    return 7;
}

static NOINLINE int cnd_signaller(void *arg)
{
    call_once(&once, count_call);
    CHECK(mtx_lock(&lock) == thrd_success);
    is_ready = true;
    CHECK(cnd_signal(&ready) == thrd_success);
    CHECK(mtx_unlock(&lock) == thrd_success);
    thrd_exit(8);
}

static NOINLINE int mtx_holder(void *arg)
{
    CHECK(mtx_lock(&timed) == thrd_success);
    atomic_store(&locked, true);
    wait_for(&unlock);
    CHECK(mtx_unlock(&timed) == thrd_success);
    return 0;
}

static NOINLINE int mtx_waiter(void *arg)
{
    struct timespec until = from_now(CLOCK_REALTIME, 20);
    CHECK(mtx_trylock(&timed) == thrd_busy);
    CHECK(mtx_timedlock(&timed, &until) == thrd_timedout);
    introduce(&mtx_state);
    CHECK(mtx_lock(&timed) == thrd_success);
    CHECK(mtx_unlock(&timed) == thrd_success);
    return 0;
}

static NOINLINE int napper(void *arg)
{
    CHECK(thrd_sleep(&(struct timespec){0, 20000000}, NULL) == 0);
    mtx_t own;
    cnd_t never;
    CHECK(mtx_init(&own, mtx_plain) == thrd_success && cnd_init(&never) == thrd_success);
    CHECK(mtx_lock(&own) == thrd_success);
    struct timespec until = from_now(CLOCK_REALTIME, 20);
    CHECK(cnd_timedwait(&never, &own, &until) == thrd_timedout);
    mtx_unlock(&own);
    mtx_destroy(&own);
    cnd_destroy(&never);
    thrd_yield();
    return 0;
}

int main(void)
{
    thrd_t waiter, signaller, holder, blocked, nap;
    int result;
    CHECK(mtx_init(&lock, mtx_plain) == thrd_success && mtx_init(&timed, mtx_timed) == thrd_success);
    CHECK(cnd_init(&ready) == thrd_success && tss_create(&slot, count_destroyed) == thrd_success);

    CHECK(thrd_create(&waiter, cnd_waiter, &slot) == thrd_success);
    await_asleep(&waiter_state);
    CHECK(thrd_create(&signaller, cnd_signaller, NULL) == thrd_success);
    CHECK(thrd_join(signaller, &result) == thrd_success && result == 8);
    CHECK(thrd_join(waiter, &result) == thrd_success && result == 7);

    CHECK(thrd_create(&holder, mtx_holder, NULL) == thrd_success);
    wait_for(&locked);
    CHECK(thrd_create(&blocked, mtx_waiter, NULL) == thrd_success);
    await_asleep(&mtx_state);
    atomic_store(&unlock, true);
    CHECK(thrd_join(holder, NULL) == thrd_success);
    CHECK(thrd_join(blocked, NULL) == thrd_success);

    CHECK(thrd_create(&nap, napper, NULL) == thrd_success);
    CHECK(thrd_join(nap, NULL) == thrd_success);

    printf("%d %d\n", once_calls, destroyed);
    puts("trace: goroutines 6");
    puts("trace: goroutine main 1");
    puts("trace: block cnd_waiter sync.(*Cond).Wait cnd_signaller cnd_wait<cnd_waiter");
    puts("trace: quiet cnd_signaller");
    puts("trace: quiet mtx_holder");
    puts("trace: block mtx_waiter sync self mtx_timedlock<mtx_waiter");
    puts("trace: block mtx_waiter sync mtx_holder mtx_lock<mtx_waiter");
    puts("trace: block napper sleep self thrd_sleep<napper");
    puts("trace: block napper sync.(*Cond).Wait self cnd_timedwait<napper");
    return 0;
}
